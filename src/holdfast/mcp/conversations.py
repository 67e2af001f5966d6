"""The conversations of a server's clients: each has a plan of its own, in the store of its project."""

import secrets
from collections.abc import Callable

import mcp_types as types
from anyio import to_thread

from .. import dialects
from ..board import Board
from ..board.session import Session
from ..plan import About
from ..stores import Key
from ..stores.locate import git_branch
from . import identity
from .identity import Context
from .projects import Projects, working_directory
from .roots import Roots

MOST_KNOWN = 1_000
ID_LENGTH = 10

Caller = tuple[str, str]
"""A session, and an agent in it."""


class ClientConversations:
    """Finds the board of a request. `session` is the one that somebody chose for requests that name no other.

    `own_session` is what the client called its conversation when it started the server; it may have begun another since
    then. `find_caller` says whose call a use of the tool is, where hooks know it. Without `trusts_roots`, clients are
    not asked for their folders: they may be on other machines.
    """

    def __init__(
        self,
        projects: Projects,
        dialect: str = "holdfast",
        session: str = "",
        agent: str = "main",
        trusts_roots: bool = True,
        own_session: str = "",
        find_caller: Callable[[str], Caller | None] = lambda tool_use: None,
    ) -> None:
        self._projects = projects
        self.dialect = dialect
        self._session = session
        self._agent = agent
        self._roots = Roots() if trusts_roots and projects.address is None else None
        self._known: dict[tuple[str | None, str, str], Board] = {}
        self._own_name = ""
        self._own_session = own_session
        self._find_caller = find_caller
        self.offered: dict[Key, Key] = {}

    async def board(self, context: Context, params: object = None) -> Board | types.InputRequiredResult:
        """The board of a request. A result is a question that the client must answer first.

        Raises StoreError or UsageError if there is no store for it.
        """
        folder = None if self._roots is None else await self._roots.folder(context, params)
        if isinstance(folder, types.InputRequiredResult):
            return folder
        key = (folder, *self._caller(context))
        if key not in self._known:
            self._known.setdefault(key, await to_thread.run_sync(self._open, identity.client(context), *key))
        board = self._known[key]
        if len(self._known) > MOST_KNOWN:
            del self._known[next(iter(self._known))]
        return board

    async def roots_changed(self, context: Context, params: object) -> None:
        """The client has other roots now."""
        if self._roots is not None:
            self._roots.forget(context)

    def _caller(self, context: Context) -> Caller:
        """Whose request it is: as somebody chose it, else as a hook or the client says, else its connection's."""
        agent = identity.subagent(context) or self._agent
        if chosen := identity.chosen_session(context) or self._session:
            return chosen, agent
        tool_use = identity.tool_use(context)
        if tool_use and (caller := self._find_caller(tool_use)) is not None:
            self._own_session = caller[0]  # the conversation may be another than the one that started the server
            return caller
        return identity.client_session(context) or self._own_session or self._connection_name(context), agent

    def _connection_name(self, context: Context) -> str:
        connection = identity.connection(context)
        if connection != identity.STDIO:
            return f"{identity.client(context)}-{connection[:ID_LENGTH]}" if connection else identity.client(context)
        if not self._own_name:  # a process on standard input and output serves one conversation
            self._own_name = f"{identity.client(context)}-{secrets.token_hex(ID_LENGTH // 2)}"
        return self._own_name

    def _open(self, client: str, folder: str | None, name: str, agent: str) -> Board:
        root = working_directory() if folder is None else folder
        session = Session(store=self._projects.store(root), name=name, dialect=dialects.get(self.dialect), root=root)
        board = session.board if agent == "main" else session.subagent(agent)
        board.introduce(About(client=client, folder=root, branch=git_branch(root)))
        return board
