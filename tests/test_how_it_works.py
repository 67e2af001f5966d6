"""docs/how-it-works.md draws the way of a write, an edit and a look as the code really goes."""

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

PAGE = Path(__file__).parent.parent / "docs" / "how-it-works.md"
TEXT = PAGE.read_text(encoding="utf-8")
LINE = re.compile(r"^([│├└─ ]*)([a-z_]+(?:\.\w+)+) +(\S.*)$")
NAMED = re.compile(r"`([a-z_]+(?:\.\w+){2,})`")


class Passed(NamedTuple):
    """One line of a drawing: a function, the one that calls it, and what the line says of it."""

    name: str
    caller: str
    words: str


def drawings() -> list[Passed]:
    """Every line of the drawings, each with the line that it hangs on."""
    passed: list[Passed] = []
    for block in re.findall(r"```\n(.*?)```", TEXT, re.DOTALL):
        above: list[tuple[int, str]] = []
        for line in filter(None, map(LINE.match, block.splitlines())):
            depth = len(line[1])
            above = [(other, name) for other, name in above if other < depth]
            passed.append(Passed(line[2], above[-1][1] if above else "", line[3]))
            above.append((depth, line[2]))
    return passed


DRAWN = drawings()


def found(path: str) -> object:
    """The function or class at a path below `holdfast`. Raises AttributeError if there is none."""
    parts = path.split(".")
    for end in range(len(parts), 0, -1):
        try:
            what: object = import_module(".".join(["holdfast", *parts[:end]]))
        except ModuleNotFoundError:
            continue
        for name in parts[end:]:
            what = inspect.getattr_static(what, name) if inspect.isclass(what) else getattr(what, name)
        return what
    raise AttributeError(path)


def source(path: str) -> str:
    """The code of a function."""
    what = found(path)
    what = what.__func__ if isinstance(what, classmethod) else what
    return inspect.getsource(what.fget if isinstance(what, property) and what.fget is not None else what)  # type: ignore[arg-type] # fails for what has no source, as it should


@pytest.mark.parametrize("path", sorted({line.name for line in DRAWN} | set(NAMED.findall(TEXT))))
def test_what_is_named_exists(path: str) -> None:
    """Every function on the page, drawn or in backticks, is in the module that the page says."""
    found(path)


@pytest.mark.parametrize("line", [line for line in DRAWN if line.caller], ids=lambda line: f"{line.caller}-{line.name}")
def test_each_function_is_called_by_the_one_above_it(line: Passed) -> None:
    """The code of the caller names the function, or calls the step that it was given where the drawing says so."""
    name = line.name.rpartition(".")[2]
    code = source(line.caller)
    assert re.search(rf"\b{name}\b", code) or (line.words.startswith("the step") and re.search(r"\bstep\(", code))


def test_the_drawings_are_read() -> None:
    """The reader above finds the write, both edits and the look, and who calls whom."""
    assert len(DRAWN) > 40
    assert {"board.board.Board.write", "web.edits.TodoEndpoint.patch", "cli.main.main"} <= {
        line.name for line in DRAWN if not line.caller
    }
    assert ("plan.edits.uphold", "plan.model_write.write") in {(line.name, line.caller) for line in DRAWN}
