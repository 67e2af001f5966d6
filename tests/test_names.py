"""The house's words: names that a reader understands without their author, read off the source."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import holdfast

PACKAGE = Path(holdfast.__file__).parent
DEV, TESTS = Path(__file__).parent.parent / "dev", Path(__file__).parent

ENDS_IN_ING = {
    "reading": "a room: what the dialects share to read a payload",
    "testing": "a room: what hosts use in their own tests",
    "pruning": "a noun: what a store forgets, and when",
    "with_planning": "named after the peer that it measures: pydantic-ai-harness' Planning",
}
"""Modules and folders whose names end in "ing", and why. Others name the thing, not the doing."""

UNCLEAR = frozenset(["told", "tell", "said", "named", "held", "aside"])
"""Words that say nothing alone: who is told, and what? A function is named after what it does."""


def modules(tree: Path) -> Iterator[Path]:
    """Every Python file of a tree; hidden folders, such as the environments of the benchmarks, are no part of it."""
    found = tree.rglob("*.py")
    return (path for path in found if not any(part.startswith(".") for part in path.relative_to(tree).parts))


def definitions(path: Path, kinds: type[ast.AST] | tuple[type[ast.AST], ...]) -> list[str]:
    """The names of all classes or functions of a file, the private and the nested ones, too."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [str(getattr(node, "name", "")) for node in nodes if isinstance(node, kinds)]


def test_a_class_name_is_used_once() -> None:
    """No two classes of the package have one name, in whatever rooms they are."""
    names = Counter(name for path in modules(PACKAGE) for name in definitions(path, ast.ClassDef))
    assert len(names) > 200
    assert [name for name, times in names.items() if times > 1] == []


def test_a_module_is_a_noun() -> None:
    """No module or folder of the package or of `dev` is named after the doing of something, except the listed ones."""
    paths = [path.relative_to(tree) for tree in (PACKAGE, DEV) for path in modules(tree)]
    names = {part for path in paths for part in path.with_suffix("").parts}
    assert {name for name in names if name.endswith("ing")} == set(ENDS_IN_ING)


def test_one_module_is_the_command() -> None:
    """`command.py` is what every command of the command line is made of, and there is no other one."""
    found = [path for tree in (PACKAGE, DEV) for path in modules(tree)]
    assert [path for path in found if path.name == "command.py"] == [PACKAGE / "cli" / "command.py"]


@pytest.mark.parametrize("tree", [PACKAGE, DEV, TESTS], ids=lambda tree: str(tree.name))
def test_a_function_says_what_it_does(tree: Path) -> None:
    """No function or method is named with an unclear word alone, not even a private one."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    unclear = [
        f"{path.relative_to(tree.parent)}: {name}"
        for path in modules(tree)
        for name in definitions(path, functions)
        if name.strip("_") in UNCLEAR
    ]
    assert unclear == []
