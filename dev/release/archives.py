"""What is in the wheel and in the source archive: nothing more, nothing less, and the same every time."""

import re
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from email import message_from_string
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from .environments import Failed, ran

NOT_SHIPPED = ".ci/"
"""What the repository has for itself."""

MADE = "PKG-INFO"
"""What the build adds to the archive."""

SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
RELEASED = re.compile(r"(\S+) \(\d{4}-\d\d-\d\d\)")


def unpacked(archive: Path, folder: Path) -> Path:
    """The one folder that an archive holds, unpacked."""
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    (root,) = folder.iterdir()
    return root


def contents(root: Path) -> dict[str, bytes]:
    """Every file in a folder."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def as_committed(root: Path, repository: Path) -> str:
    """See that an unpacked archive is the commit that is checked out, byte by byte; which one that is."""
    with TemporaryDirectory() as folder:
        packed = Path(folder) / "commit.tar"
        ran(["git", "archive", "--prefix=commit/", f"--output={packed}", "HEAD"], repository)
        commit = contents(unpacked(packed, Path(folder) / "unpacked"))
    if wrong := differences(contents(root), commit):
        raise Failed("\n".join(wrong))
    return f"{len(commit)} files of {ran(['git', 'rev-parse', '--short', 'HEAD'], repository).strip()}"


def differences(archive: Mapping[str, bytes], commit: Mapping[str, bytes]) -> list[str]:
    """What an archive lacks of a commit, has beside it, or has otherwise."""
    shipped = {name for name in commit if not name.startswith(NOT_SHIPPED)}
    ours = archive.keys() - {MADE}
    return [
        *(f"missing: {name}" for name in sorted(shipped - ours)),
        *(f"not in the commit: {name}" for name in sorted(ours - shipped)),
        *(f"not as committed: {name}" for name in sorted(ours & shipped) if archive[name] != commit[name]),
    ]


def built_again(root: Path, *built: Path) -> str:
    """See that an unpacked archive gives the same wheel and the same archive, bit for bit; how each begins."""
    with TemporaryDirectory() as folder:
        ran([sys.executable, "-m", "hatchling", "build", "--directory", folder], root)
        for path in built:
            if (Path(folder) / path.name).read_bytes() != path.read_bytes():
                raise Failed(f"{path.name} comes out otherwise when it is built again")
    return ", ".join(f"{path.suffix[1:]} {sha256(path.read_bytes()).hexdigest()[:12]}" for path in built)


def described(wheel: Path, root: Path, versions: list[str]) -> str:
    """See that the wheel brings its types, its licence and its changes, and names the Pythons that it is tried on."""
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        said = message_from_string(packed.read(metadata).decode())
    info = metadata.removesuffix("METADATA")
    for name in ("holdfast/py.typed", f"{info}licenses/LICENSE", f"{info}entry_points.txt"):
        if name not in names:
            raise Failed(f"the wheel has no {name}")
    if strangers := [name for name in names if not name.startswith(("holdfast/", info))]:
        raise Failed(f"the wheel also has {strangers}")
    if released(root / "CHANGELOG.md") != said["Version"]:
        raise Failed(f"the changelog does not begin with {said['Version']} and its date")
    named = {line.rpartition(" ")[2] for line in said.get_all("Classifier", []) if "Python :: 3." in line}
    if missing := {version.rpartition(".")[0] for version in versions} - named:
        raise Failed(f"no classifier says {sorted(missing)}")
    untried = sorted(named - {version.rpartition(".")[0] for version in versions})
    links = len(said.get_all("Project-URL", []))
    return f"{said['Name']} {said['Version']}, {said['License-Expression']}, {links} links" + (
        f"; not here: {untried}" if untried else ""
    )


def released(changelog: Path) -> str:
    """The version that a changelog begins with, if it has its date; else nothing."""
    newest = SECTION.search(changelog.read_text(encoding="utf-8"))
    found = newest and RELEASED.fullmatch(newest[1])
    return found[1] if found else ""
