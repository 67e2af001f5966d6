"""One call of a command: its options, the store it works on, the board it means, the screen it prints on."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeGuard

from ..board import Board
from ..errors import DamagedRecord, HoldfastError, StoreError, UsageError
from ..stores import Key, Store, open_store
from ..stores.address import without_password
from ..stores.damage import readable, sessions_with_damage
from ..stores.locate import VARIABLE, locate
from ..stores.newest import boards_with_text, keys_starting
from ..terminal.screen import Screen
from ..text import counted, describe

if TYPE_CHECKING:
    from ..stores.combined import CombinedStore

SESSION_VARIABLE = "HOLDFAST_SESSION"
AGENT_VARIABLE = "HOLDFAST_AGENT"

DAY = 86_400.0
MOST_SOUGHT = 1_000
"""How many plans with a word in them are looked through for one with it in its title."""

MOST_NAMED = 5
"""How many names a message lists before it counts the rest."""


class CommandError(HoldfastError):
    """What was asked for cannot be done. The message says why, and what to do."""


class Misuse(CommandError):
    """The command line is wrong, in a way that only its command can see."""


class Invocation:
    """What a command was called with. `options` holds what was given, by the keys of its arguments."""

    def __init__(self, options: Mapping[str, Any], screen: Screen, environ: Mapping[str, str]) -> None:
        self.options = options
        self.screen = screen
        self.environ = environ

    def word(self, key: str) -> str | None:
        """The text given for an argument."""
        value = self.options.get(key)
        return value if isinstance(value, str) else None

    def words(self, key: str) -> list[str]:
        """The texts given for an argument that takes several."""
        return list(self.options.get(key) or ())

    def number(self, key: str) -> int | None:
        """The number given for an argument."""
        value = self.options.get(key)
        return value if isinstance(value, int) else None

    def flag(self, key: str) -> bool:
        """Whether a flag was given."""
        return bool(self.options.get(key))

    @property
    def wants_json(self) -> bool:
        """Whether to print data for programs."""
        return self.flag("json")

    @cached_property
    def database(self) -> str:
        """Where the plans are: the path of a file, or the address of a database."""
        named = self.word("db")
        try:
            return named if is_address(named) else locate(self.environ if named is None else {VARIABLE: named})
        except OSError as error:
            raise StoreError(f"the working directory cannot be read ({error.strerror}): go to another one") from error

    @property
    def database_label(self) -> str:
        """Where the plans are, with no password in it."""
        return without_password(self.database)

    @cached_property
    def store(self) -> Store:
        """The store that holds the plans."""
        return open_store(self.database)

    @cached_property
    def projects(self) -> "CombinedStore":
        """The plans of every project that was used lately on this machine, and of the store that is meant here."""
        from ..stores.combined import CombinedStore
        from ..stores.projects import used_lately

        here = [self.database] if is_address(self.database) or os.path.exists(self.database) else []
        store = CombinedStore(lambda: dict.fromkeys([*map(os.path.realpath, used_lately(self.environ)), *here]))
        self.__dict__["store"] = store
        return store

    @property
    def projects_label(self) -> str:
        """What to call all projects, and how many of them cannot be opened."""
        names, skipped = self.projects.labels, self.projects.skipped
        left = f"; {len(skipped)} cannot be opened: holdfast doctor --db {next(iter(skipped))}" if skipped else ""
        return f"{counted(len(names), 'project')} on this machine{left}"

    @property
    def no_plans_yet(self) -> str:
        """What to say of a store in which there is nothing."""
        return f"No plans yet in {self.database_label}"

    @property
    def has_plans(self) -> bool:
        """Whether there is anything in the store."""
        return bool(sessions_with_damage(self.store, 1))

    @property
    def keys(self) -> list[Key]:
        """Whose boards there are. A damaged one counts, so that nobody edits another in its place."""
        return keys_starting(self.store, "")

    @cached_property
    def key(self) -> Key:
        """The board that is meant: by the options, else by the environment, else the one changed last.

        An option may give the start of a session's name, or a part of its title. Raises CommandError if several fit.
        """
        named = self.word("session")
        session = self.environ.get(SESSION_VARIABLE) if not named else self.found_session(named)
        return self._key(session)

    @property
    def exact_key(self) -> Key:
        """The board of exactly this name, for a command that may begin one."""
        return self._key(self.word("session") or self.environ.get(SESSION_VARIABLE))

    def _key(self, session: str | None) -> Key:
        agent = self.word("agent") or self.environ.get(AGENT_VARIABLE)
        if not session:
            session = self._changed_last()
        return Key(session, agent or self._default_agent(session))

    def _changed_last(self) -> str:
        """The session that was changed last, without archived ones."""
        newest = sessions_with_damage(self.store, 1, archived=False) or sessions_with_damage(self.store, 1)
        return newest[0].key[0] if newest else "default"

    def found_session(self, named: str) -> str:
        """The session of this name; else the one whose name starts with it; else the one with it in its title.

        Returns the word itself if none fits. Raises CommandError, which lists them, if several fit.
        """
        if self._exists(Key(named, "main")):
            return named
        starting = [key.session for key in keys_starting(self.store, named)]
        if named in starting:
            return named
        fitting = list(dict.fromkeys(starting or self._titled(named)))
        if len(fitting) > 1:
            raise CommandError(f"several sessions fit {describe(named)}: {self._list_sessions(fitting)}")
        return fitting[0] if fitting else named

    def _titled(self, part: str) -> list[str]:
        """The sessions with this in their titles."""
        found = readable(boards_with_text(self.store, part, MOST_SOUGHT))
        return [key.session for key, plan in found if part.lower() in plan.title.lower()]

    @property
    def known_session(self) -> str | None:
        """The session that an option names; None if there is no such option. Raises CommandError for an unknown one."""
        named = self.word("session")
        if not named:
            return None
        session = self.found_session(named)
        if self._agents(session):
            return session
        raise CommandError(f"no session {describe(session)}; {self._alternatives(Key(session, ''))}")

    @property
    def known_key(self) -> Key:
        """The board that is meant. Raises CommandError if an option names it and it does not exist."""
        key = self.key
        if (self.word("session") is None and self.word("agent") is None) or self._exists(key):
            return key
        raise CommandError(
            f"no plan of session {describe(key.session)}, agent {describe(key.agent)}; {self._alternatives(key)}"
        )

    def board(self, key: Key | None = None) -> Board:
        """A board to read, or for a person to edit."""
        session, agent = self.key if key is None else key
        return Board.for_person(self.store, session, agent)

    def close(self) -> None:
        """Let go of the store, if it was used."""
        if "store" in self.__dict__:
            self.store.close()

    def _exists(self, key: Key) -> bool:
        """Whether there is such a board. Only its own plan is read."""
        try:
            plan = self.store.load(key)
            return plan.revision > 0 and not plan.is_deleted
        except DamagedRecord:
            return True

    def _default_agent(self, session: str) -> str:
        """The main agent; another one if the session has only others."""
        if self._exists(Key(session, "main")):
            return "main"
        return next(iter(self._agents(session)), "main")

    def _agents(self, session: str) -> list[str]:
        """The agents that have a plan in a session."""
        return [key.agent for key in keys_starting(self.store, session) if key.session == session]

    def _alternatives(self, key: Key) -> str:
        """What could have been meant: the agents of the session, else the sessions."""
        if agents := self._agents(key.session):
            return f"that session has {_list_names(agents)}"
        names = list(dict.fromkeys(other.session for other in self.keys))
        return f"there are {self._list_sessions(names)}" if names else f"the store is empty: {self.database_label}"

    def _list_sessions(self, names: Sequence[str]) -> str:
        """Sessions by name and title, the first few of them."""
        first = [f"{name} ({title})" if (title := self._title(name)) else name for name in names[:MOST_NAMED]]
        return _list_names([*first, *names[MOST_NAMED:]])

    def _title(self, session: str) -> str:
        """What a session is called; empty if it has no title, or cannot be read."""
        try:
            return self.store.load(Key(session, self._default_agent(session))).title
        except DamagedRecord:
            return ""


@contextmanager
def usage_is_misuse() -> Iterator[None]:
    """Around what takes its values from the command line: a wrong one is an error of the command line."""
    try:
        yield
    except UsageError as error:
        raise Misuse(str(error)) from error


def is_address(database: str | None) -> TypeGuard[str]:
    """Whether it is the address of a database server, and not the path of a file."""
    return database is not None and "://" in database


def _list_names(names: Sequence[str]) -> str:
    more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    return ", ".join([*map(describe, names[:MOST_NAMED]), *more])
