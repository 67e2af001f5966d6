"""docs/api.md is the whole public API: every name is there, and each has the parameters that the page says."""

import ast
import inspect
import re
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

import holdfast
from holdfast import (
    AsyncAttention,
    AsyncBoard,
    AsyncSession,
    Attention,
    Board,
    Change,
    Check,
    CheckResult,
    Claim,
    Dialect,
    Fault,
    Notice,
    Offer,
    Plan,
    Policy,
    Proof,
    Reminder,
    Reply,
    Rules,
    Session,
    Status,
    Todo,
    Tokens,
)
from holdfast.stores import Store

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "api.md"

COMPLETE: tuple[type, ...] = (Board, Session, Attention, Plan, Todo, Reply, Policy, Rules, Store, Status)
COMPLETE += (Change, Check, CheckResult, Proof, Claim, Fault, Notice, Offer, Reminder, Tokens)
COMPLETE += (AsyncBoard, AsyncAttention, AsyncSession)
"""The classes whose every public method, property and field is on the page."""

ELSEWHERE = ("holdfast.adapters.google_adk", "holdfast.adapters.strands")
"""Their frameworks are in an environment of their own: these modules are read, not imported."""

SPAN = re.compile(r"`([^`]+)`")
SIGNATURE = re.compile(r"(\w+)(?:\((.*)\))?(?: -> (.+))?", re.DOTALL)


class Entry(NamedTuple):
    """A name on the page: in which module and class it is, and the parameters and the return type that it gives."""

    module: str
    owner: str
    name: str
    parameters: str | None
    returns: str | None

    @property
    def path(self) -> str:
        """The name with everything that it is in."""
        return ".".join(part for part in (self.module, self.owner, self.name) if part)

    def found(self) -> object:
        """What has this name. Raises AttributeError if nothing has."""
        inside = import_module(self.module)
        owner: object = getattr(inside, self.owner) if self.owner else inside
        if not inspect.isclass(owner):
            return getattr(owner, self.name)
        if self.name == self.owner:
            return owner
        is_set = self.name in _set_in_constructor(owner) and not hasattr(owner, self.name)
        return None if is_set else inspect.getattr_static(owner, self.name)


def entries() -> Iterator[Entry]:
    """Every name that the page gives: in a list, or alone at the start of a class."""
    module = owner = ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            names = SPAN.findall(line)
            module, owner = (names[0] if names else ""), ""
        elif line.startswith("### "):
            owner = "".join(SPAN.findall(line))
        elif module and (listed := re.match(r"(?:- )?(`[^`]+`(?:, `[^`]+`)*)(?::|$)", line)):
            for text in SPAN.findall(listed[1]):
                parsed = SIGNATURE.fullmatch(text)
                assert parsed is not None, f"{text} is no name"
                yield Entry(module, owner, *parsed.groups())


ENTRIES = list(entries())
IMPORTED = [entry for entry in ENTRIES if entry.module not in ELSEWHERE]
SIGNED = [entry for entry in IMPORTED if entry.parameters is not None]


def _set_in_constructor(owner: type) -> tuple[str, ...]:
    """The attributes that a class sets when an instance is made, or only says the type of."""
    names: list[str] = []
    for kind in owner.__mro__[:-1]:
        names += inspect.get_annotations(kind)
        for method in ("__init__", "_set_up"):
            code = getattr(kind.__dict__.get(method), "__code__", None)
            names += code.co_names if code is not None else ()
    return tuple(names)


def _parameters(text: str) -> str:
    """Parameters in one way of writing: `a, *, b=None`."""
    function = ast.parse(f"def f({text}): ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    for argument in ast.walk(function.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    return ast.unparse(function.args)


def real_parameters(what: object) -> str:
    """The parameters that a function or a class takes, without `self`."""
    signature = inspect.signature(what)  # type: ignore[arg-type] # what cannot be called fails here, as it should
    shown = [
        parameter.replace(
            annotation=inspect.Parameter.empty,
            default=parameter.default if parameter.default is parameter.empty else Shown(parameter.default),
        )
        for parameter in signature.parameters.values()
        if parameter.name not in ("self", "cls")
    ]
    return _parameters(str(inspect.Signature(shown))[1:-1])


class Shown:
    """A default as the page writes it."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __repr__(self) -> str:
        value = self.value
        if isinstance(value, Enum):
            return f"{type(value).__name__}.{value.name}"
        if inspect.isfunction(value):
            return value.__name__
        if type(value).__name__ == "_Environ":
            return "os.environ"
        is_default = isinstance(value, tuple) and hasattr(value, "_fields") and value == type(value)()
        return f"{type(value).__name__}()" if is_default else repr(value)


def returned(what: object) -> str:
    """The type that a function returns, without the modules of its parts."""
    annotation = inspect.signature(what).return_annotation  # type: ignore[arg-type] # as above
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"(?:\w+\.)+(?=\w)", "", text)


def unwrapped(what: object) -> object:
    """The function in a class method, or what was given."""
    return what.__func__ if isinstance(what, (classmethod, staticmethod)) else what


def public_names(kind: type) -> set[str]:
    """Every public method, property, field and attribute of a class, without what named tuples and strings have."""
    names = {name for name in dir(kind) if not name.startswith("_")}
    for base in kind.__mro__:
        if base.__module__ in ("builtins", "enum", "typing"):
            names -= set(vars(base)) if base is not kind else set()
    instances = [one for one in (Board(), Session(), Session().attention) if type(one) is kind]
    return names | {name for one in instances for name in vars(one) if not name.startswith("_")}


@pytest.mark.parametrize("name", holdfast.__all__)
def test_every_public_name_is_on_the_page(name: str) -> None:
    """What `holdfast` exports is described."""
    assert any(entry.module == "holdfast" and entry.name == name for entry in ENTRIES) or (
        f"### `{name}`\n" in PAGE.read_text(encoding="utf-8")
    )


@pytest.mark.parametrize("kind", COMPLETE, ids=lambda kind: kind.__name__)
def test_every_public_part_of_a_class_is_on_the_page(kind: type) -> None:
    """Each method, property and field is named below the class."""
    described = {entry.name for entry in ENTRIES if entry.owner == kind.__name__}
    assert public_names(kind) - described == set()


@pytest.mark.parametrize("entry", IMPORTED, ids=lambda entry: entry.path)
def test_the_page_names_only_what_exists(entry: Entry) -> None:
    """Each name on the page is in its module or its class."""
    try:
        entry.found()
    except AttributeError:
        pytest.fail(f"docs/api.md: there is no {entry.path}")


@pytest.mark.parametrize("entry", SIGNED, ids=lambda entry: entry.path)
def test_parameters_are_the_real_ones(entry: Entry) -> None:
    """The parameters that the page gives, with their order, kinds and defaults, are those of the code."""
    assert entry.parameters is not None
    what = entry.found()
    real = real_parameters(unwrapped(what))
    assert _parameters(entry.parameters) == real
    if entry.returns is not None:
        assert entry.returns == returned(unwrapped(what))


@pytest.mark.parametrize("module", ELSEWHERE)
def test_an_adapter_in_another_environment_has_its_parameters_too(module: str) -> None:
    """The same for them, read off their sources."""
    source = Path(holdfast.__file__).parent.parent / f"{module.replace('.', '/')}.py"
    tree = ast.parse(source.read_text(encoding="utf-8"))
    functions = {
        (kind.name, function.name): function.args
        for kind in tree.body
        if isinstance(kind, ast.ClassDef)
        for function in kind.body
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
    }
    for entry in [entry for entry in ENTRIES if entry.module == module]:
        arguments = functions[entry.owner, "__init__" if entry.name == entry.owner else entry.name]
        assert entry.parameters is not None
        assert _parameters(entry.parameters) == _parameters(ast.unparse(arguments).removeprefix("self, "))


def test_the_page_is_read() -> None:
    """The reader above finds what there is, with parameters and without."""
    assert len(SIGNED) > 100
    assert {"holdfast.Board.write", "holdfast.stores.Store.load", "holdfast.Plan.open"} <= {e.path for e in ENTRIES}


def test_the_page_can_be_read_without_building_a_site() -> None:
    """It is plain Markdown: no directive that a tool has to fill in."""
    assert ":::" not in PAGE.read_text(encoding="utf-8")


def test_dialects_have_no_less_than_the_page_says() -> None:
    """What a dialect says of itself is there in every one of them."""
    described = [entry.name for entry in ENTRIES if entry.owner == "Dialect" and entry.name != "Dialect"]
    for name in holdfast.dialects.names():
        dialect: Dialect = holdfast.dialects.get(name)
        assert [part for part in described if not hasattr(dialect, part)] == []
