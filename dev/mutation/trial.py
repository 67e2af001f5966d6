"""Whether the tests notice a mutant. Each runs in a process of its own, forked from one that has collected the tests.

A fault in a function is patched into that function, and only the tests that call it run, the quickest first. For a
fault in a default, in a table, or in a function that is only called by an import, everything is imported again.
"""

import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple, NoReturn

import pytest
from hypothesis import HealthCheck, Phase, settings

from .mutants import Mutant

MEMORY = 4 << 30
"""How many bytes of memory a mutant may take: one that never ends may use more and more."""

EXAMPLES = 50
"""How many examples a law is tried with."""

SURVIVED, KILLED, ENDLESS = "survived", "killed", "killed by its time"
PYTEST_OPTIONS = ("-o", "addopts=", "-s", "--assert=plain", "-p", "no:terminal", "-p", "no:cacheprovider")


class MutantResult(NamedTuple):
    """The outcome of a mutant, and the processor time that it took, in seconds."""

    mutant: Mutant
    outcome: str
    seconds: float


def try_all(
    mutants: Sequence[Mutant], tests: Mapping[str, Sequence[str]], workers: int, tell: Callable[[MutantResult], object]
) -> list[MutantResult]:
    """The result of each mutant. `tests` are the test files for each module; `tell` is called with each result.

    Raises SystemExit if the tests fail without a mutant.
    """
    trial = _MutationRun(mutants, tests, workers, tell)
    files = dict.fromkeys(file for module in tests for file in tests[module])
    code = pytest.main([*PYTEST_OPTIONS, *files], plugins=[_SameExamples(), trial])
    if code or trial.fault:
        raise SystemExit(trial.fault or f"pytest ended with {code}: {', '.join(files)}")
    return trial.done


class _MutationRun:
    """Replaces pytest's own loop over the collected tests."""

    def __init__(
        self,
        mutants: Sequence[Mutant],
        tests: Mapping[str, Sequence[str]],
        workers: int,
        tell: Callable[[MutantResult], object],
    ) -> None:
        self.done: list[MutantResult] = []
        self.fault = ""
        self._mutants = mutants
        self._tests = tests
        self._workers = workers
        self._tell = tell
        self._is_forked = False

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the tests without a mutant, to see what each calls and how long it takes; then try every mutant."""
        rounds = [_trace(item, self._tests) for item in session.items]
        if not self.fault:
            self._try_each(sorted(rounds, key=lambda one: one.seconds))
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """The first test that fails is enough."""
        if self._is_forked and report.failed:
            os._exit(1)
        if report.failed:
            self.fault = f"without a mutant, {report.nodeid} fails:\n{report.longreprtext}"

    def _try_each(self, rounds: Sequence["_TestTrace"]) -> None:
        limits = {
            module: 5 + round(3 * sum(one.seconds for one in rounds if one.is_of(files)))
            for module, files in self._tests.items()
        }
        waiting, running = list(reversed(self._mutants)), dict[int, Mutant]()
        while waiting or running:
            while waiting and len(running) < self._workers:
                mutant = waiting.pop()
                running[os.fork() or self._run_mutant(mutant, rounds, limits[mutant.module])] = mutant
            pid, status, used = os.wait3(0)
            outcome = _outcome(os.waitstatus_to_exitcode(status))
            self.done.append(MutantResult(running.pop(pid), outcome, used.ru_utime + used.ru_stime))
            self._tell(self.done[-1])

    def _run_mutant(self, mutant: Mutant, rounds: Sequence["_TestTrace"], limit: int) -> NoReturn:
        """Run the tests with the mutant, and end this process: with 0 if they pass."""
        self._is_forked = True
        code = 1
        try:
            _limit_process(limit)
            files, where = self._tests[mutant.module], _patch_function(mutant)
            calling = [one.item for one in rounds if one.is_of(files) and (mutant.module, where) in one.calls]
            if calling:
                _run_tests(calling)
                code = 0
            else:
                code = _run_reimported(mutant, files)
        finally:
            os._exit(code)


class _TestTrace(NamedTuple):
    """One test without a mutant: what it calls, by module and name, and how long that takes."""

    item: pytest.Item
    calls: set[tuple[str, str]]
    seconds: float

    def is_of(self, files: Sequence[str]) -> bool:
        """Whether it is in one of these files."""
        return self.item.nodeid.split("::")[0] in files


def _trace(item: pytest.Item, modules: Iterable[str]) -> _TestTrace:
    names = {import_module(module).__file__: module for module in modules}  # some are imported only when needed
    calls: set[tuple[str, str]] = set()

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename in names:
            calls.add((names[frame.f_code.co_filename], frame.f_code.co_qualname))

    since = time.process_time()
    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        _run_tests([item])
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return _TestTrace(item, calls, time.process_time() - since)


def _outcome(code: int) -> str:
    if code in (-signal.SIGALRM, -signal.SIGXCPU, -signal.SIGKILL):
        return ENDLESS
    return KILLED if code else SURVIVED


def _limit_process(limit: int) -> None:
    """Silence this process, and limit its time and memory."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.alarm(10 * limit)  # one that waits for ever takes no processor time


def _run_tests(items: Sequence[pytest.Item]) -> None:
    for item in items:
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)


def _patch_function(mutant: Mutant) -> str:
    """Patch the fault into its function, the outermost one; returns its name, empty if it is not in a function."""
    namespace: dict[str, Any] = {"__name__": mutant.module, "__package__": mutant.module.rpartition(".")[0]}
    exec(compile(mutant.source, f"<mutant of {mutant.module}>", "exec"), namespace)
    where, sound = _function(vars(sys.modules[mutant.module]), mutant.where)
    _, faulty = _function(namespace, mutant.where)
    if sound is None or faulty is None or _defaults(sound) != _defaults(faulty):
        return ""
    sound.__code__ = faulty.__code__
    return where


def _defaults(function: FunctionType) -> tuple[object, object]:
    return function.__defaults__, function.__kwdefaults__


def _function(names: Mapping[str, Any], where: str) -> tuple[str, FunctionType | None]:
    """The outermost function of a place, and its name: a function inside it is a part of it."""
    passed: list[str] = []
    for name in where.split("."):
        passed.append(name)
        found = names.get(name)
        found = getattr(found, "fget", getattr(found, "__func__", found))
        if isinstance(found, FunctionType):
            return ".".join(passed), getattr(found, "__wrapped__", found)  # a context manager is made of a generator
        names = vars(found) if isinstance(found, type) else {}
    return where, None


def _run_reimported(mutant: Mutant, files: Sequence[str]) -> int:
    """The outcome of the tests, with the mutant imported in place of its module."""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == mutant.module.split(".")[0] or _is_of_tests(module):
            del sys.modules[name]
    sys.meta_path.insert(0, _MutantImporter(mutant))
    codes = (pytest.main([*PYTEST_OPTIONS, "-x", file], plugins=[_SameExamples()]) for file in files)
    return next((code for code in codes if code), 0)


def _is_of_tests(module: ModuleType) -> bool:
    return (getattr(module, "__file__", None) or "").startswith(os.path.join(os.getcwd(), "tests", ""))


class _MutantImporter(MetaPathFinder, Loader):
    """Imports a mutant in place of its module."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(self, fullname: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        """Find only that module."""
        return spec_from_loader(fullname, self) if fullname == self._mutant.module else None

    def exec_module(self, module: ModuleType) -> None:
        """Run the mutant's source."""
        exec(compile(self._mutant.source, f"<mutant of {self._mutant.module}>", "exec"), module.__dict__)


class _SameExamples:
    """Hypothesis tries the same few examples each time, and does not shrink them."""

    def pytest_collection(self) -> None:
        """Before the tests are imported, after their conftest."""
        settings.register_profile(
            "mutation",
            max_examples=EXAMPLES,
            derandomize=True,
            database=None,
            deadline=None,
            phases=(Phase.explicit, Phase.generate),
            suppress_health_check=[HealthCheck.differing_executors],  # a law with parameters, in a class of tests
        )
        settings.load_profile("mutation")
