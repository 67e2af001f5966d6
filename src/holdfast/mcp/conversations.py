"""The conversations of a server's clients: each has a plan of its own, kept in the store of its project."""

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


class Conversations:
    """Finds the board of a request. `session` is the one of all requests that were not told to name another.

    Without `trusts_roots`, where clients may be on other machines, their folders are not asked for.
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
        self._roots = Roots() if trusts_roots and projects.place is None else None
        self._known: dict[tuple[str | None, str, str], Board] = {}
        self._own_name = ""

    async def board(self, context: Context, params: object = None) -> Board | types.InputRequiredResult:
        """The board of a request. A result is a question that the client must answer first.

        Raises StoreError or UsageError if there is no store for it.
        """
        folder = None if self._roots is None else await self._roots.folder(context, params)
        if isinstance(folder, types.InputRequiredResult):
            return folder
        key = (folder, self._name(context), identity.subagent(context) or self._agent)
        if key not in self._known:
            board = await to_thread.run_sync(self._opened, *key)
            self._known.setdefault(key, board)
        found = self._known[key]
        if len(self._known) > MOST_KNOWN:
            del self._known[next(iter(self._known))]
        return found

    async def roots_changed(self, context: Context, params: object) -> None:
        """The client has other roots now."""
        if self._roots is not None:
            self._roots.forget(context)

    def _name(self, context: Context) -> str:
        """The session's name: as somebody chose it, else as the client has it, else one for each connection."""
        return identity.named(context) or self._session or identity.known(context) or self._by_connection(context)

    def _by_connection(self, context: Context) -> str:
        here = identity.connection(context)
        if here != identity.STDIO:
            return f"{identity.client(context)}-{here[:ID_LENGTH]}" if here else identity.client(context)
        if not self._own_name:  # a process on standard input and output serves one conversation
            self._own_name = f"{identity.client(context)}-{secrets.token_hex(ID_LENGTH // 2)}"
        return self._own_name

    def _opened(self, folder: str | None, name: str, agent: str) -> Board:
        root = working_directory() if folder is None else folder
        session = Session(store=self._projects.store(root), name=name, dialect=dialects.get(self.dialect), root=root)
        return session.board if agent == "main" else session.subagent(agent)
