"""Whether the tests notice a mutant. Each runs in a process of its own, forked from one that has collected the tests.

A fault in a function is put into that function as it stands, and only the tests that call it run, the quickest first;
for one in a default or a table, all is imported anew.
"""

import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple, NoReturn

import pytest
from hypothesis import HealthCheck, Phase, settings

from .mutants import Mutant

MEMORY = 4 << 30
"""How many bytes a mutant may take: one that never ends may well collect something while it goes."""

EXAMPLES = 50
"""How many examples a law is tried with."""

SURVIVED, KILLED, ENDLESS = "survived", "killed", "killed by its time"
QUIETLY = ("-o", "addopts=", "-s", "--assert=plain", "-p", "no:terminal", "-p", "no:cacheprovider")


class Tried(NamedTuple):
    """What became of a mutant, and the seconds of processor time that it took to find out."""

    mutant: Mutant
    outcome: str
    seconds: float


def try_all(
    mutants: Sequence[Mutant], tests: Mapping[str, Sequence[str]], workers: int, tell: Callable[[Tried], object]
) -> list[Tried]:
    """What became of each; `tests` are the files to notice a module's mutants, `tell` hears of each as they come.

    Raises SystemExit if the tests fail where nothing is wrong.
    """
    trial = _Trial(mutants, tests, workers, tell)
    files = dict.fromkeys(file for module in tests for file in tests[module])
    code = pytest.main([*QUIETLY, *files], plugins=[_SameExamples(), trial])
    if code or trial.fault:
        raise SystemExit(trial.fault or f"pytest ended with {code}: {', '.join(files)}")
    return trial.done


class _Trial:
    """Takes the place of pytest's own loop over the tests that it has collected."""

    def __init__(
        self,
        mutants: Sequence[Mutant],
        tests: Mapping[str, Sequence[str]],
        workers: int,
        tell: Callable[[Tried], object],
    ) -> None:
        self.done: list[Tried] = []
        self.fault = ""
        self._mutants = mutants
        self._tests = tests
        self._workers = workers
        self._tell = tell
        self._is_forked = False

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """First with nothing wrong, which says what each test calls and how long it takes; then every mutant."""
        rounds = [_watched(item, self._tests) for item in session.items]
        if not self.fault:
            self._try_each(sorted(rounds, key=lambda one: one.seconds))
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """The first test that fails is enough."""
        if self._is_forked and report.failed:
            os._exit(1)
        if report.failed:
            self.fault = f"with nothing wrong, {report.nodeid} fails:\n{report.longreprtext}"

    def _try_each(self, rounds: Sequence["_Round"]) -> None:
        limits = {
            module: 5 + round(3 * sum(one.seconds for one in rounds if one.is_of(files)))
            for module, files in self._tests.items()
        }
        waiting, running = list(reversed(self._mutants)), dict[int, Mutant]()
        while waiting or running:
            while waiting and len(running) < self._workers:
                mutant = waiting.pop()
                running[os.fork() or self._suffer(mutant, rounds, limits[mutant.module])] = mutant
            pid, status, used = os.wait3(0)
            outcome = _outcome(os.waitstatus_to_exitcode(status))
            self.done.append(Tried(running.pop(pid), outcome, used.ru_utime + used.ru_stime))
            self._tell(self.done[-1])

    def _suffer(self, mutant: Mutant, rounds: Sequence["_Round"], limit: int) -> NoReturn:
        """Ends this process, with 0 if the tests pass in spite of the mutant."""
        self._is_forked = True
        code = 1
        try:
            _bound(limit)
            files = self._tests[mutant.module]
            if where := _patched(mutant):
                _pass([one.item for one in rounds if one.is_of(files) and (mutant.module, where) in one.calls])
                code = 0
            else:
                code = _imported_anew(mutant, files)
        finally:
            os._exit(code)


class _Round(NamedTuple):
    """One test with nothing wrong: what it calls, by module and name, and how long that takes."""

    item: pytest.Item
    calls: set[tuple[str, str]]
    seconds: float

    def is_of(self, files: Sequence[str]) -> bool:
        """Whether it stands in one of these files."""
        return self.item.nodeid.split("::")[0] in files


def _watched(item: pytest.Item, modules: Iterable[str]) -> _Round:
    names = {sys.modules[module].__file__: module for module in modules}
    calls: set[tuple[str, str]] = set()

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename in names:
            calls.add((names[frame.f_code.co_filename], frame.f_code.co_qualname))

    since = time.process_time()
    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        _pass([item])
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return _Round(item, calls, time.process_time() - since)


def _outcome(code: int) -> str:
    if code in (-signal.SIGALRM, -signal.SIGXCPU, -signal.SIGKILL):
        return ENDLESS
    return KILLED if code else SURVIVED


def _bound(limit: int) -> None:
    """Nothing is heard of this process, and it ends in time."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.alarm(10 * limit)  # one that waits for ever takes no processor time


def _pass(items: Sequence[pytest.Item]) -> None:
    for item in items:
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)


def _patched(mutant: Mutant) -> str:
    """Put the fault into the function that it is in, the outermost one; its name, or none if it is in none."""
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
    """The outermost function of a place, and what it is called: a step that it returns is a part of it."""
    passed: list[str] = []
    for name in where.split("."):
        passed.append(name)
        found = names.get(name)
        found = getattr(found, "fget", getattr(found, "__func__", found))
        if isinstance(found, FunctionType):
            return ".".join(passed), found
        names = vars(found) if isinstance(found, type) else {}
    return where, None


def _imported_anew(mutant: Mutant, files: Sequence[str]) -> int:
    """The outcome of the tests, with the mutant in the place of its module from the start."""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == mutant.module.split(".")[0] or _is_of_tests(module):
            del sys.modules[name]
    sys.meta_path.insert(0, _InPlaceOf(mutant))
    codes = (pytest.main([*QUIETLY, "-x", file], plugins=[_SameExamples()]) for file in files)
    return next((code for code in codes if code), 0)


def _is_of_tests(module: ModuleType) -> bool:
    return (getattr(module, "__file__", None) or "").startswith(os.path.join(os.getcwd(), "tests", ""))


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


class _SameExamples:
    """Laws are tried with the same few examples each time, and what breaks one is not made smaller."""

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
