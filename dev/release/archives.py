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

from .environments import CheckFailed, run_command

NOT_SHIPPED = ".ci/"
"""What stays in the repository."""

MADE = "PKG-INFO"
"""What the build adds to the archive."""

SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
RELEASED = re.compile(r"(\S+) \(\d{4}-\d\d-\d\d\)")


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack an archive; returns the one folder in it."""
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    (root,) = folder.iterdir()
    return root


def folder_contents(root: Path) -> dict[str, bytes]:
    """Every file in a folder."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def check_against_commit(root: Path, repository: Path) -> str:
    """Check that an unpacked archive equals the checked-out commit, byte by byte; returns which commit that is."""
    with TemporaryDirectory() as folder:
        packed = Path(folder) / "commit.tar"
        run_command(["git", "archive", "--prefix=commit/", f"--output={packed}", "HEAD"], repository)
        commit = folder_contents(unpack(packed, Path(folder) / "unpacked"))
    if wrong := differences(folder_contents(root), commit):
        raise CheckFailed("\n".join(wrong))
    return f"{len(commit)} files of {run_command(['git', 'rev-parse', '--short', 'HEAD'], repository).strip()}"


def differences(archive: Mapping[str, bytes], commit: Mapping[str, bytes]) -> list[str]:
    """What an archive lacks, has in addition, or has differently from a commit."""
    shipped = {name for name in commit if not name.startswith(NOT_SHIPPED)}
    ours = archive.keys() - {MADE}
    return [
        *(f"missing: {name}" for name in sorted(shipped - ours)),
        *(f"not in the commit: {name}" for name in sorted(ours - shipped)),
        *(f"not as committed: {name}" for name in sorted(ours & shipped) if archive[name] != commit[name]),
    ]


def check_rebuild(root: Path, *built: Path) -> str:
    """Check that an unpacked archive builds the same wheel and archive, bit for bit; returns their hashes."""
    with TemporaryDirectory() as folder:
        run_command([sys.executable, "-m", "hatchling", "build", "--directory", folder], root)
        for path in built:
            if (Path(folder) / path.name).read_bytes() != path.read_bytes():
                raise CheckFailed(f"{path.name} is different when it is built again")
    return ", ".join(f"{path.suffix[1:]} {sha256(path.read_bytes()).hexdigest()[:12]}" for path in built)


def check_metadata(wheel: Path, root: Path, versions: list[str]) -> str:
    """Check that the wheel has its types, its licence and a changelog entry, and names the tested Pythons."""
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        description = message_from_string(packed.read(metadata).decode())
    info = metadata.removesuffix("METADATA")
    for name in ("holdfast/py.typed", f"{info}licenses/LICENSE", f"{info}entry_points.txt"):
        if name not in names:
            raise CheckFailed(f"the wheel has no {name}")
    if strangers := [name for name in names if not name.startswith(("holdfast/", info))]:
        raise CheckFailed(f"the wheel also has {strangers}")
    if released_version(root / "CHANGELOG.md") != description["Version"]:
        raise CheckFailed(f"the changelog does not begin with {description['Version']} and its date")
    named = {line.rpartition(" ")[2] for line in description.get_all("Classifier", []) if "Python :: 3." in line}
    if missing := {version.rpartition(".")[0] for version in versions} - named:
        raise CheckFailed(f"no classifier says {sorted(missing)}")
    untried = sorted(named - {version.rpartition(".")[0] for version in versions})
    links = len(description.get_all("Project-URL", []))
    return f"{description['Name']} {description['Version']}, {description['License-Expression']}, {links} links" + (
        f"; not here: {untried}" if untried else ""
    )


def released_version(changelog: Path) -> str:
    """The first version in a changelog; empty if it has no date."""
    newest = SECTION.search(changelog.read_text(encoding="utf-8"))
    found = newest and RELEASED.fullmatch(newest[1])
    return found[1] if found else ""
