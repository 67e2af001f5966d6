"""The front door: `import holdfast` does nothing but import a little of the standard library and of itself."""

import json
import subprocess
import sys
import sysconfig
import textwrap
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import pytest

import holdfast

LOOK = """
import sys
before = set(sys.modules)
opened, events = [], set()

def watch(event, arguments):
    events.add(event)
    if event == "open":
        opened.append([str(arguments[0]), str(arguments[1])])

sys.addaudithook(watch)
import holdfast
after = set(sys.modules)
import json
print(json.dumps({"modules": sorted(after - before), "opened": opened, "events": sorted(events)}))
"""

SOURCE = Path(holdfast.__file__).parents[1]
HEAVY = {"asyncio", "dataclasses", "email", "http", "inspect", "logging", "pathlib", "socket", "sqlite3", "subprocess"}


class Import(NamedTuple):
    """What an interpreter did while it imported Holdfast."""

    modules: list[str]
    opened: list[tuple[str, str]]
    events: list[str]
    stdout: str
    stderr: str


@pytest.fixture(scope="module")
def first_import() -> Import:
    """Holdfast imported in a fresh interpreter, watched by an audit hook."""
    ran = subprocess.run([sys.executable, "-I", "-B", "-c", LOOK], capture_output=True, text=True, check=True)
    *printed, seen = ran.stdout.splitlines()
    return Import(**json.loads(seen), stdout="\n".join(printed), stderr=ran.stderr)


def test_it_loads_no_third_party_module(first_import: Import) -> None:
    """Only the standard library and Holdfast itself are imported."""
    strangers = {module.partition(".")[0] for module in first_import.modules} - sys.stdlib_module_names
    assert strangers == {"holdfast"}


def test_it_loads_nothing_heavy(first_import: Import) -> None:
    """What would slow every start is imported where it is used, and not before."""
    assert HEAVY.isdisjoint(first_import.modules)


def test_a_first_board_loads_only_what_it_needs() -> None:
    """A list is written without what only some boards need: JSON, checks, repairs, and the reading of tool calls."""
    program = """
    import sys
    from holdfast import Board
    Board().write({"todos": [{"content": "Read the code"}, {"content": "Fix the bug"}]})
    print("\\n".join(sys.modules))
    """
    ran = subprocess.run(
        [
            sys.executable,
            "-I",
            "-B",
            "-S",
            "-c",
            f"import sys; sys.path.append({str(SOURCE)!r})\n{textwrap.dedent(program)}",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    unneeded = {
        "json",
        *(f"holdfast.{name}" for name in ("board.verification", "plan.goals", "plan.names", "plan.repair")),
    }
    assert unneeded.isdisjoint(ran.stdout.splitlines())


def test_it_prints_nothing(first_import: Import) -> None:
    """Not a word on standard output or standard error."""
    assert (first_import.stdout, first_import.stderr) == ("", "")


def test_it_reads_nothing_but_code(first_import: Import) -> None:
    """No file is opened but modules of the standard library and of Holdfast, and those only to read."""
    rooms = [Path(holdfast.__file__).parent, *(Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib"))]
    assert first_import.opened
    for path, mode in first_import.opened:
        assert mode in ("r", "rb"), path
        assert any(Path(path).is_relative_to(room) for room in rooms), path
        assert Path(path).suffix in (".py", ".pyc", ".so"), path


def test_it_reaches_for_nothing_else(first_import: Import) -> None:
    """No socket, no process, no change to a file or to the environment."""
    harmless = {"import", "open", "exec", "compile", "marshal.loads", "os.listdir", "os.scandir", "object.__getattr__"}
    harmless |= {"sys._getframe", "object.__setattr__", "code.__new__", "builtins.id", "sys._getframemodulename"}
    assert set(first_import.events) <= harmless


def test_it_has_about_three_dozen_names() -> None:
    """What the docs tell people to use is there, documented, and not much more."""
    assert 20 <= len(holdfast.__all__) <= 36
    assert {"Board", "Session", "Rules", "Plan", "Todo", "Status", "Reply", "dialects"} <= set(holdfast.__all__)
    for name in holdfast.__all__:
        assert getattr(holdfast, name).__doc__


def test_its_version_is_the_distributions() -> None:
    """The version stands in one place: what is installed says the same as the module."""
    assert holdfast.__version__ == version("holdfast")


def test_the_example_of_its_docstring_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """The few lines on the front door work as they stand there."""
    assert holdfast.__doc__ is not None
    example = holdfast.__doc__[holdfast.__doc__.index("    from holdfast") :]
    exec(textwrap.dedent(example), {})
    assert capsys.readouterr().out == "Saved 1-2. 0/2 done. Next 1: Read the code\n"


def test_loading_a_name_looks_for_no_module_without_a_name() -> None:
    """A program that follows every import sees only modules that there are."""
    code = """
    import sys
    class Finder:
        def find_spec(self, name, *_):
            sought.append(name)
    sought = []
    sys.meta_path.insert(0, Finder())
    import holdfast
    holdfast.Board, holdfast.dialects
    print([name for name in sought if name.endswith(".")])
    """
    ran = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_loading_a_name_leaves_the_collector_as_it_was() -> None:
    """It rests while a room is imported, and afterwards it is on, or off, as the program wants it."""
    code = "import gc, holdfast; {}; holdfast.Board; print(gc.isenabled())"
    for begin, expected in (("gc.enable()", "True"), ("gc.disable()", "False")):
        ran = subprocess.run([sys.executable, "-c", code.format(begin)], capture_output=True, text=True, check=True)
        assert ran.stdout.strip() == expected
