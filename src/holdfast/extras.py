"""What the extras of Holdfast need, and whether it is there: a clear line instead of a traceback, or of silence."""

import re
from importlib import metadata


def require(extra: str) -> None:
    """Check the packages of an extra before they are imported: `pyproject.toml` says which, and how old they may be.

    Raises ImportError if one of them is missing or too old.
    """
    for requirement in _requirements():
        name, oldest = re.match(r"[\w-]+", requirement), re.search(r">=([\d.]+)", requirement)
        if name is not None and oldest is not None and f"extra == '{extra}'" in requirement.replace('"', "'"):
            _check(name[0], oldest[1], extra)


def _requirements() -> list[str]:
    """What Holdfast needs, by its own metadata. Run from its source alone, it has none, and nothing is checked."""
    try:
        return metadata.requires("holdfast") or []
    except metadata.PackageNotFoundError:
        return []


def _check(package: str, oldest: str, extra: str) -> None:
    try:
        found = metadata.version(package)
    except metadata.PackageNotFoundError:
        raise ImportError(f"{package} is missing: pip install 'holdfast[{extra}]'") from None
    if _numbers(found) < _numbers(oldest):
        raise ImportError(
            f"{package} {found} is too old, Holdfast needs {oldest} or newer: pip install -U 'holdfast[{extra}]'"
        )


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers at the start of a version, for comparison."""
    release = re.match(r"[\d.]*", version)
    assert release is not None, "it may match nothing"
    return tuple(int(part) for part in release[0].split(".") if part)
