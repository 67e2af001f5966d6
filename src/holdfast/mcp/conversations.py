"""The conversations of a server's clients: each has a plan of its own, in the store of its project."""

import secrets

import mcp_types as types
from anyio import to_thread

from .. import dialects
from ..board import Board
from ..board.session import Session
from . import identity
from .identity import Context
from .projects import Projects, working_directory
from .roots import Roots

MOST_KNOWN = 1_000
ID_LENGTH = 10


class ClientConversations:
    """Finds the board of a request. `session` is the default for requests that name no other.

    Without `trusts_roots`, clients are not asked for their folders: they may be on other machines.
    """

    def __init__(
        self,
        projects: Projects,
        dialect: str = "holdfast",
        session: str = "",
        agent: str = "main",
        trusts_roots: bool = True,
    ) -> None:
        self._projects = projects
        self.dialect = dialect
        self._session = session
        self._agent = agent
        self._roots = Roots() if trusts_roots and projects.address is None else None
        self._known: dict[tuple[str | None, str, str], Board] = {}
        self._own_name = ""

    async def board(self, context: Context, params: object = None) -> Board | types.InputRequiredResult:
        """The board of a request. A result is a question that the client must answer first.

        Raises StoreError or UsageError if there is no store for it.
        """
        folder = None if self._roots is None else await self._roots.folder(context, params)
        if isinstance(folder, types.InputRequiredResult):
            return folder
        key = (folder, self._session_name(context), identity.subagent(context) or self._agent)
        if key not in self._known:
            self._known.setdefault(key, await to_thread.run_sync(self._open, *key))
        board = self._known[key]
        if len(self._known) > MOST_KNOWN:
            del self._known[next(iter(self._known))]
        return board

    async def roots_changed(self, context: Context, params: object) -> None:
        """The client has other roots now."""
        if self._roots is not None:
            self._roots.forget(context)

    def _session_name(self, context: Context) -> str:
        """The session's name: as somebody chose it, else as the client calls it, else one for each connection."""
        chosen = identity.chosen_session(context) or self._session
        return chosen or identity.client_session(context) or self._connection_name(context)

    def _connection_name(self, context: Context) -> str:
        connection = identity.connection(context)
        if connection != identity.STDIO:
            return f"{identity.client(context)}-{connection[:ID_LENGTH]}" if connection else identity.client(context)
        if not self._own_name:  # a process on standard input and output serves one conversation
            self._own_name = f"{identity.client(context)}-{secrets.token_hex(ID_LENGTH // 2)}"
        return self._own_name

    def _open(self, folder: str | None, name: str, agent: str) -> Board:
        root = working_directory() if folder is None else folder
        session = Session(store=self._projects.store(root), name=name, dialect=dialects.get(self.dialect), root=root)
        return session.board if agent == "main" else session.subagent(agent)
