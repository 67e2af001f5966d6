"""The mutants that `make mutation` tries, what it takes for noticed, and the page that has its figures."""

import subprocess
import sys
from pathlib import Path

import pytest

from dev import ROOT
from dev.mutation.__main__ import TESTS, path_of_tests, read_source
from dev.mutation.mutants import Mutant, mutants
from dev.mutation.results import PAGE, fill_page, load_results, reasons, summarize, unexplained
from dev.mutation.trial import KILLED, SURVIVED, MutantResult


def changes(source: str) -> list[str]:
    """What was made of a source, each with its place."""
    return [f"{mutant.where}: {mutant.change}" for mutant in mutants("m", source)]


def ran(folder: Path) -> list[str]:
    """What `try_it.py` says in a folder: a trial forks, and waits for whatever child there is."""
    environment = {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "try_it.py"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=180)
    assert done.stderr == ""
    return sorted(done.stdout.splitlines())


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a == b", ["`a == b` → `a != b`"]),
        ("a < b", ["`a < b` → `a <= b`", "`a < b` → `a >= b`"]),
        ("a and b", ["`a and b` → `a or b`", "`a and b` → `b`", "`a and b` → `a`"]),
        ("not a", ["`not a` → `a`"]),
        ("a + 1", ["`a + 1` → `a - 1`", "`1` → `2`"]),
        ("f(True)", ["`True` → `False`"]),
        ("f'{a} b'", ["`' b'` → `' bXX'`"]),
        ("a if b else c", ["`a if b else c` → `c if b else a`"]),
        ("[a for a in b if c]", ["`for a in b if c` → `for a in b`"]),
    ],
)
def test_a_value_is_got_wrong_as_people_do(source: str, expected: list[str]) -> None:
    """A limit one off, a condition turned round, a part of it forgotten, another word."""
    made = [change.removeprefix("module: ") for change in changes(f"x = {source}")]
    assert made == [f"`x = {source}` → `x = None`", *expected]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("if a:\n    b()", ["`if a` → `if not a`", "`b()` → `pass`"]),
        ("a += b", ["`a += b` → `pass`", "`a += b` → `a -= b`"]),
        ("raise a", ["`raise a` → `pass`"]),
        ("for a in b:\n    break", ["`break` → `continue`"]),
        ("def f():\n    return a", ["`return a` → `return None`"]),
    ],
)
def test_a_statement_is_left_out_or_turned_round(source: str, expected: list[str]) -> None:
    """What it does is missed, or happens when it should not."""
    assert [change.split(": ", 1)[1] for change in changes(source)] == expected


def test_what_only_says_what_holds_anyway_is_not_touched() -> None:
    """Docstrings, annotations, asserts and a strict zip make no mutants: no test could notice them."""
    source = '"""A."""\nimport a\ndef f(a: "int") -> "str":\n    """B."""\n    assert a == 1\n    zip(a, strict=True)\n'
    assert changes(source) == ["f: `zip(a, strict=True)` → `pass`"]


def test_each_has_a_name_of_its_own_that_says_where() -> None:
    """Two of a kind are counted, and a line more above changes no name."""
    source = "class A:\n    def f(self):\n        g(1, 1)\n"
    names = ["A.f: `g(1, 1)` → `pass`", "A.f: `1` → `2`", "A.f: `1` → `2` (2)"]
    assert changes(source) == names == changes("\n" + source)


def test_a_mutant_is_killed_by_a_test_or_by_its_time_or_survives(tmp_path: Path) -> None:
    """Two and two is four, however it is got: that no test here notices. A mutant that never ends is stopped."""
    source = "def double(n, by=2):\n    while n > 9:\n        n -= n\n    return n * by\n"
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text(
        "from doubling import double\ndef test_it():\n    assert double(2) == 4\n"
    )
    (tmp_path / "doubling.py").write_text(source)
    (tmp_path / "try_it.py").write_text(
        "from dev.mutation.mutants import mutants\nfrom dev.mutation.trial import try_all\n"
        f"made = mutants('doubling', {source!r})\n"
        "for one in try_all(made, {'doubling': ['tests/test_it.py']}, workers=2, tell=lambda one: None):\n"
        "    print(f'{one.mutant.change}: {one.outcome}')\n"
    )
    assert ran(tmp_path) == [
        "`2` → `3`: killed",
        "`9` → `10`: survived",
        "`n * by` → `n + by`: survived",
        "`n -= n` → `n += n`: survived",
        "`n -= n` → `pass`: survived",
        "`n > 9` → `n <= 9`: killed by its time",
        "`n > 9` → `n >= 9`: survived",
        "`return n * by` → `return None`: killed",
    ]


def test_a_fault_in_a_step_is_put_into_the_function_that_makes_it(tmp_path: Path) -> None:
    """A test that makes the step and calls it notices the fault, without a new import of anything."""
    source = "def adding(n):\n    def step(m):\n        return m + n\n    return step\n"
    (tmp_path / "tests" / "deep").mkdir(parents=True)
    (tmp_path / "tests" / "deep" / "test_it.py").write_text(
        "from adding import adding\ndef test_it():\n    assert adding(0)(4) == 4\n"
        "def test_of_something_else():\n    assert True\n"
    )
    (tmp_path / "adding.py").write_text(source)
    (tmp_path / "try_it.py").write_text(
        "from dev.mutation import trial\nfrom dev.mutation.mutants import mutants\n"
        f"made = mutants('adding', {source!r})\n"
        "trial._imported_anew = None\n"
        "for one in trial.try_all(made, {'adding': ['tests/deep/test_it.py']}, workers=1, tell=lambda one: None):\n"
        "    print(f'{one.mutant.where}: {one.mutant.change}: {one.outcome}')\n"
    )
    assert ran(tmp_path) == [
        "adding.step: `m + n` → `m - n`: survived",
        "adding.step: `return m + n` → `return None`: killed",
        "adding: `return step` → `return None`: killed",
    ]


def test_a_fault_in_a_context_manager_is_put_into_the_generator_that_it_is_made_of(tmp_path: Path) -> None:
    """What the decorator makes of it is the same for every context manager."""
    source = (
        "from contextlib import contextmanager\nSAID = []\n@contextmanager\ndef saying():\n"
        "    yield\n    SAID.append('a')\n"
    )
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text(
        "from saying import SAID, saying\ndef test_it():\n    SAID.clear()\n"
        "    with saying():\n        pass\n    assert SAID == ['a']\n"
    )
    (tmp_path / "saying.py").write_text(source)
    (tmp_path / "try_it.py").write_text(
        "from dev.mutation.mutants import mutants\nfrom dev.mutation.trial import try_all\n"
        f"made = [one for one in mutants('saying', {source!r}) if one.where == 'saying']\n"
        "for one in try_all(made, {'saying': ['tests/test_it.py']}, workers=1, tell=lambda one: None):\n"
        "    print(f'{one.mutant.change}: {one.outcome}')\n"
    )
    assert ran(tmp_path) == [
        "`'a'` → `'aXX'`: killed",
        "`SAID.append('a')` → `pass`: killed",
        "`yield` → `pass`: killed",
    ]


def test_a_fault_in_a_function_that_only_an_import_calls_is_noticed(tmp_path: Path) -> None:
    """It has done its work before the first test begins: so the module is imported again."""
    source = "def table():\n    return {1: 2}\nTABLE = table()\n"
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text(
        "from tables import TABLE\ndef test_it():\n    assert TABLE[1] == 2\n"
    )
    (tmp_path / "tables.py").write_text(source)
    (tmp_path / "try_it.py").write_text(
        "from dev.mutation.mutants import mutants\nfrom dev.mutation.trial import KILLED, try_all\n"
        f"made = mutants('tables', {source!r})\n"
        "for one in try_all(made, {'tables': ['tests/test_it.py']}, workers=1, tell=lambda one: None):\n"
        "    print(f'{one.mutant.where}: {one.mutant.change}: {one.outcome}')\n"
    )
    assert ran(tmp_path) == [
        "module: `TABLE = table()` → `TABLE = None`: killed",
        "table: `1` → `2`: killed",
        "table: `2` → `3`: killed",
        "table: `return {1: 2}` → `return None`: killed",
    ]


def test_every_module_and_every_test_of_it_is_there() -> None:
    """A file that was moved is not looked for where it was."""
    for module, names in TESTS.items():
        assert read_source(module)
        assert all((ROOT / path_of_tests(name)).exists() for name in names), module
    assert path_of_tests("dialects/test_items") == "tests/dialects/test_items.py"


def test_a_survivor_without_a_reason_and_a_reason_without_a_survivor_are_named() -> None:
    """So that none is overlooked, and none is excused that a test notices by now."""
    excused = next(name for name in reasons() if name.startswith("holdfast.plan."))
    new, noticed = (Mutant("holdfast.plan", line, "f", f"`{line}` → `0`", "") for line in (7, 8))
    found = summarize([MutantResult(new, SURVIVED, 0.1), MutantResult(noticed, KILLED, 0.1)])
    assert found == {"holdfast.plan": {"mutants": 2, "killed": 1, "survivors": {new.name: ""}}}
    faults = unexplained(found)
    assert faults[0] == "survives, and no test notices: holdfast.plan.f: `7` → `0`"
    assert f"survivors.toml names one that does not survive: {excused}" in faults


def test_the_page_has_the_figures_of_the_last_run() -> None:
    """They are written by the run, and stay as it wrote them; nothing survives there without a reason."""
    found = load_results()
    page = PAGE.read_text(encoding="utf-8")
    assert fill_page(page, found) == page
    assert all(why for part in found.values() for why in part["survivors"].values())
