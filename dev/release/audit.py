"""The audit of `make check`: our own code by bandit, the pinned dependencies by pip-audit where it can be asked.

What cannot be asked here is said, and does not fail: python -m dev.release.audit
"""

import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
REQUIREMENTS = ROOT / "requirements"
PATIENCE = 60.0
"""How many seconds to wait for what is known of the versions in one file."""

ENOUGH = 20
"""An index that knows nothing of so many versions is a mirror without that knowledge: it is not asked further."""


def audit_code() -> list[str]:
    """What bandit finds in our code. Which of its tests do not apply, and why, stands in pyproject.toml."""
    if importlib.util.find_spec("bandit") is None:
        print("audit: bandit is not installed, so the code was not looked at")
        return []
    command = [sys.executable, "-m", "bandit", "--quiet", "--recursive", "--configfile", "pyproject.toml", "src"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return [] if ran.returncode == 0 else [ran.stdout + ran.stderr]


def audit_dependencies() -> list[str]:
    """Known holes in the versions that we pin. What was not looked at is said."""
    if importlib.util.find_spec("pip_audit") is None:
        print("audit: pip-audit is not installed, so the dependencies were not looked at")
        return []
    holes: dict[str, None] = {}
    looked_at = unknown = 0
    for pins in environments():
        try:
            packages = _report(all_pins(pins))
        except (subprocess.TimeoutExpired, ValueError):
            print(f"audit: the index of known holes does not answer, so {pins.name} was not looked at")
            break  # nor will it for the others
        holes |= dict.fromkeys(vulnerabilities(packages))
        looked_at += len(packages)
        unknown += sum("skip_reason" in package for package in packages)
        if unknown == looked_at >= ENOUGH:
            print("audit: the index here is a mirror without known holes, so the dependencies were not looked at")
            break
    if looked_at:
        print(f"audit: {looked_at - unknown} pinned versions were looked at")
    if unknown:
        print(f"audit: the index knows nothing of {unknown} versions that it was asked for")
    return list(holes)


def _report(pins: Sequence[str]) -> Sequence[Mapping[str, Any]]:
    """What pip-audit says of these versions. Raises ValueError or TimeoutExpired if it says nothing."""
    options = ["--format", "json", "--progress-spinner", "off", "--no-deps", "--disable-pip", "--timeout", "10"]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        print(*pins, sep="\n", file=file, flush=True)
        command = [sys.executable, "-m", "pip_audit", *options, "--requirement", file.name]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
    packages: Sequence[Mapping[str, Any]] = json.loads(ran.stdout)["dependencies"]
    return packages


def all_pins(file: Path) -> list[str]:
    """The versions in a file, and in those that it includes, each once."""
    pins: dict[str, None] = {}
    for line in file.read_text().splitlines():
        if line.startswith("-r "):
            pins |= dict.fromkeys(all_pins(file.parent / line.split()[1]))
        elif line and not line.startswith("#"):
            pins[line] = None
    return list(pins)


def environments() -> list[Path]:
    """The files of pins that no other includes, the smallest first: each is what one environment is made of."""
    files = sorted(REQUIREMENTS.glob("*.txt"))
    included = {line.split()[1] for file in files for line in file.read_text().splitlines() if line.startswith("-r ")}
    return sorted([file for file in files if file.name not in included], key=lambda file: len(all_pins(file)))


def vulnerabilities(packages: Sequence[Mapping[str, Any]]) -> list[str]:
    """The holes in a report of pip-audit, one line each."""
    return [
        f"{package['name']} {package['version']}: {hole['id']}"
        for package in packages
        for hole in package.get("vulns", ())
    ]


def main() -> int:
    """Run both; 1 if something was found."""
    found = [*audit_code(), *audit_dependencies()]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
