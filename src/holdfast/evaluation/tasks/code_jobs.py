"""Edits in a small code base: functions with a fault each, and tests that must pass.

A job is graded by tests of our own, in a folder of its own, on the one module that it is about: what a model makes of
the tests that it was given changes nothing.
"""

import random
import secrets
import sys
import tempfile
from pathlib import Path
from string import Template
from typing import NamedTuple

from ...agent.tools import Workspace
from ..checks import check
from .task import Holds, Job, Task, content, listed
from .words import taken

KIND = "code"
SECONDS = 10.0


class Fault(NamedTuple):
    """A function that is wrong: what it should do, its lines as they are and as they should be, and what must be true.

    `$f` is the function's name, `$n` and `$m` are numbers that the seed gives.
    """

    does: str
    wrong: str
    right: str
    truths: tuple[str, ...]


FAULTS = (
    Fault("returns x plus $n", "return x - $n", "return x + $n", ("$f(1) == 1 + $n", "$f(-$n) == 0")),
    Fault("returns x times $n", "return x + $n", "return x * $n", ("$f(0) == 0", "$f(3) == 3 * $n")),
    Fault(
        "returns whether x is greater than $n",
        "return x < $n",
        "return x > $n",
        ("$f($n + 1) is True", "$f($n) is False"),
    ),
    Fault("returns the last $m items of x", "return x[:$m]", "return x[-$m:]", ("$f(list(range(20)))[-1] == 19",)),
    Fault("returns the text x in capitals", "return x.lower()", "return x.upper()", ("$f('a$n') == 'A$n'",)),
    Fault("returns the sum of the list x", "return max(x)", "return sum(x)", ("$f([$n, $m, 1]) == $n + $m + 1",)),
    Fault(
        "returns the list x sorted, the greatest first",
        "return sorted(x)",
        "return sorted(x, reverse=True)",
        ("$f([1, $n, 2]) == [$n, 2, 1]",),
    ),
    Fault("returns how many words the text x has", "return len(x)", "return len(x.split())", ("$f('a b $n') == 3",)),
    Fault(
        "returns x, but at least $m and at most $n",
        "return min(x, $n)",
        "return max($m, min(x, $n))",
        ("$f(0) == $m", "$f(1000) == $n", "$f($m + 1) == $m + 1"),
    ),
    Fault("returns the mean of the list x", "return sum(x)", "return sum(x) / len(x)", ("$f([$n, $n + 2]) == $n + 1",)),
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
    """A code base with so many functions to mend, a module and a test file each."""
    rng = random.Random(f"{KIND} {seed}")
    jobs: list[Job] = []
    files: dict[str, bytes] = {}
    faults = [fault for _ in range(0, number, len(FAULTS)) for fault in rng.sample(FAULTS, len(FAULTS))]
    for word, fault in zip(taken(rng, number), faults[:number], strict=True):
        job, its_files = _job(word, _filled(fault, word, rng))
        jobs.append(job)
        files |= its_files
    text = (
        f"In this small code base {number} functions are wrong, each in a file of its own, and their tests fail. "
        "Mend them, and change no test. `python3 -m unittest` runs all tests.\n"
        f"{listed([job.text for job in jobs])}"
    )
    return Task(f"{KIND}-{number}-{seed}", KIND, text, tuple(jobs), files)


def _filled(fault: Fault, word: str, rng: random.Random) -> Fault:
    numbers = {"f": f"{word}_value", "n": str(rng.randint(20, 90)), "m": str(rng.randint(2, 9))}

    def fill(text: str) -> str:
        return Template(text).substitute(numbers)

    return Fault(fill(fault.does), fill(fault.wrong), fill(fault.right), tuple(map(fill, fault.truths)))


def _job(word: str, fault: Fault) -> tuple[Job, dict[str, bytes]]:
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


def _passes(path: str, imported: str, truths: tuple[str, ...]) -> Holds:
    def holds(workspace: Workspace) -> bool:
        source = content(workspace, path)
        if source is None:
            return False
        word = secrets.token_hex(8)  # a module that ends the process as if all were well does not know it
        script = "\n".join([NEXT_IMPORT, imported, *(f"assert {truth}" for truth in truths), f"print({word!r})"])
        with tempfile.TemporaryDirectory(prefix="holdfast-check-") as folder:
            (Path(folder) / path).write_text(source + "\n", encoding="utf-8")
            checked = check([sys.executable, "-I", "-c", script], Path(folder), SECONDS)
        return checked.code == 0 and checked.output.strip().endswith(word)

    return holds
