"""Edits in a small code base: functions with one fault each, and tests that must pass.

A job is graded by our own tests, in a separate folder, on the module that it is about. If a model changes the tests
that it was given, that makes no difference.
"""

import random
import secrets
import sys
import tempfile
from pathlib import Path
from string import Template
from typing import NamedTuple

from ...agent.tools import Workspace
from ..checks import run_check
from .task import Job, JobCheck, Task, bullet_list, file_text
from .words import pick_words

KIND = "code"
SECONDS = 10.0


class WrongFunction(NamedTuple):
    """A wrong function: what it should do, its line as it is and as it should be, and what must be true.

    `$f` is the function's name, `$n` and `$m` are numbers from the random seed.
    """

    does: str
    wrong: str
    right: str
    truths: tuple[str, ...]


WRONG_FUNCTIONS = (
    WrongFunction("returns x plus $n", "return x - $n", "return x + $n", ("$f(1) == 1 + $n", "$f(-$n) == 0")),
    WrongFunction("returns x times $n", "return x + $n", "return x * $n", ("$f(0) == 0", "$f(3) == 3 * $n")),
    WrongFunction(
        "returns whether x is greater than $n",
        "return x < $n",
        "return x > $n",
        ("$f($n + 1) is True", "$f($n) is False"),
    ),
    WrongFunction(
        "returns the last $m items of x", "return x[:$m]", "return x[-$m:]", ("$f(list(range(20)))[-1] == 19",)
    ),
    WrongFunction("returns the text x in capitals", "return x.lower()", "return x.upper()", ("$f('a$n') == 'A$n'",)),
    WrongFunction(
        "returns the sum of the list x", "return max(x)", "return sum(x)", ("$f([$n, $m, 1]) == $n + $m + 1",)
    ),
    WrongFunction(
        "returns the list x sorted, the greatest first",
        "return sorted(x)",
        "return sorted(x, reverse=True)",
        ("$f([1, $n, 2]) == [$n, 2, 1]",),
    ),
    WrongFunction(
        "returns how many words the text x has", "return len(x)", "return len(x.split())", ("$f('a b $n') == 3",)
    ),
    WrongFunction(
        "returns x, but at least $m and at most $n",
        "return min(x, $n)",
        "return max($m, min(x, $n))",
        ("$f(0) == $m", "$f(1000) == $n", "$f($m + 1) == $m + 1"),
    ),
    WrongFunction(
        "returns the mean of the list x", "return sum(x)", "return sum(x) / len(x)", ("$f([$n, $n + 2]) == $n + 1",)
    ),
)

MODULE = Template("def $f(x):\n    $line\n")
TEST = Template("""import unittest

from $module import $f


class Test(unittest.TestCase):
    def test_$f(self):
$lines
""")
NEXT_IMPORT = "import sys; sys.dont_write_bytecode = True; sys.path.insert(0, '.')"


def task(seed: int, number: int) -> Task:
    """A code base with so many wrong functions, each with a module and a test file."""
    rng = random.Random(f"{KIND} {seed}")
    jobs: list[Job] = []
    files: dict[str, bytes] = {}
    faults = [
        fault
        for _ in range(0, number, len(WRONG_FUNCTIONS))
        for fault in rng.sample(WRONG_FUNCTIONS, len(WRONG_FUNCTIONS))
    ]
    for word, fault in zip(pick_words(rng, number), faults[:number], strict=True):
        job, its_files = _job(word, _fill_in(fault, word, rng))
        jobs.append(job)
        files |= its_files
    text = (
        f"In this small code base {number} functions are wrong, each in a file of its own, and their tests fail. "
        "Mend them, and change no test. `python3 -m unittest` runs all tests.\n"
        f"{bullet_list([job.text for job in jobs])}"
    )
    return Task(f"{KIND}-{number}-{seed}", KIND, text, tuple(jobs), files)


def _fill_in(fault: WrongFunction, word: str, rng: random.Random) -> WrongFunction:
    numbers = {"f": f"{word}_value", "n": str(rng.randint(20, 90)), "m": str(rng.randint(2, 9))}

    def fill(text: str) -> str:
        return Template(text).substitute(numbers)

    return WrongFunction(fill(fault.does), fill(fault.wrong), fill(fault.right), tuple(map(fill, fault.truths)))


def _job(word: str, fault: WrongFunction) -> tuple[Job, dict[str, bytes]]:
    function, path = f"{word}_value", f"{word}.py"
    source = {line: MODULE.substitute(f=function, line=line) for line in (fault.wrong, fault.right)}
    lines = "\n".join(f"        self.assertTrue({truth})" for truth in fault.truths)
    test = TEST.substitute(module=word, f=function, lines=lines)
    job = Job(
        f"{function}(x) in {path} {fault.does}",
        _passes(path, f"from {word} import {function}", fault.truths),
        (path, function),
        (path,),
        f"cat > {path} <<'END'\n{source[fault.right]}END",
    )
    return job, {path: source[fault.wrong].encode(), f"test_{word}.py": test.encode()}


def _passes(path: str, imported: str, truths: tuple[str, ...]) -> JobCheck:
    def holds(workspace: Workspace) -> bool:
        source = file_text(workspace, path)
        if source is None:
            return False
        word = secrets.token_hex(8)  # a module that ends the process early cannot print it
        script = "\n".join([NEXT_IMPORT, imported, *(f"assert {truth}" for truth in truths), f"print({word!r})"])
        with tempfile.TemporaryDirectory(prefix="holdfast-check-") as folder:
            (Path(folder) / path).write_text(source + "\n", encoding="utf-8")
            checked = run_check([sys.executable, "-I", "-c", script], Path(folder), SECONDS)
        return checked.code == 0 and checked.output.strip().endswith(word)

    return holds
