"""Whether the tests notice a mutant: each runs in a process of its own, forked from one that has pytest loaded."""

import os
import resource
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType
from typing import Any, NamedTuple, NoReturn

import hypothesis.stateful  # noqa: F401 loaded once, for every mutant
import pytest
from hypothesis import Phase, settings

from .mutants import Mutant

MEMORY = 4 << 30
"""How many bytes a mutant may take: one that never ends may well collect something while it goes."""

EXAMPLES = 50
"""How many examples a law is tried with."""

SURVIVED, KILLED, ENDLESS = "survived", "killed", "killed by its time"


class Tried(NamedTuple):
    """What became of a mutant, and the seconds of processor time that it took to find out."""

    mutant: Mutant
    outcome: str
    seconds: float


def tried(mutants: Sequence[Mutant], tests: Mapping[str, Sequence[str]], limit: int, workers: int) -> Iterator[Tried]:
    """Each mutant with its outcome, as they come. `limit` are the seconds of processor time that one may take."""
    waiting = list(reversed(mutants))
    running: dict[int, Mutant] = {}
    while waiting or running:
        while waiting and len(running) < workers:
            mutant = waiting.pop()
            running[_started(mutant, tests[mutant.module], limit)] = mutant
        pid, status, used = os.wait3(0)
        yield Tried(running.pop(pid), _outcome(os.waitstatus_to_exitcode(status)), used.ru_utime + used.ru_stime)


def _outcome(code: int) -> str:
    if code in (-signal.SIGALRM, -signal.SIGXCPU, -signal.SIGKILL):
        return ENDLESS
    return KILLED if code else SURVIVED


def _started(mutant: Mutant, tests: Sequence[str], limit: int) -> int:
    pid = os.fork()
    return pid or _run(mutant, tests, limit)


def _run(mutant: Mutant, tests: Sequence[str], limit: int) -> NoReturn:
    """Ends this process with 0 if the tests pass in spite of the mutant."""
    code = 1
    try:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nowhere, stream)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        signal.alarm(10 * limit)  # one that waits for ever takes no processor time
        sys.meta_path.insert(0, _InPlaceOf(mutant))
        options = ["-x", "-q", "--assert=plain", "-p", "no:cacheprovider"]
        code = pytest.main([*options, *tests], plugins=[_Swift()])
    finally:
        os._exit(code)


class _InPlaceOf(MetaPathFinder, Loader):
    """Imports a mutant where the module would be imported."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(self, fullname: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        """Of the one module."""
        return spec_from_loader(fullname, self) if fullname == self._mutant.module else None

    def exec_module(self, module: ModuleType) -> None:
        """Run the mutant's source."""
        exec(compile(self._mutant.source, f"<mutant of {self._mutant.module}>", "exec"), module.__dict__)


class _Swift:
    """Laws are tried with the same few examples each time, and what breaks one is not made smaller."""

    def pytest_collection(self) -> None:
        """Before the tests are imported, after their conftest."""
        phases = (Phase.explicit, Phase.generate)
        settings.register_profile(
            "mutation", max_examples=EXAMPLES, derandomize=True, database=None, deadline=None, phases=phases
        )
        settings.load_profile("mutation")
