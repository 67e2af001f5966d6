"""The audit of `make check`: our own code by bandit, the pinned dependencies by pip-audit where it can be asked.

What cannot be asked here is said, and does not fail: python -m dev.release.audit
"""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PINS = ("base", "agent", "postgres", "mcp", "web", "adapters", "adk")
PATIENCE = 120.0


def audit_code() -> list[str]:
    """What bandit finds in our code. Which of its tests do not apply, and why, stands in pyproject.toml."""
    if importlib.util.find_spec("bandit") is None:
        print("audit: bandit is not installed, so the code was not looked at")
        return []
    command = [sys.executable, "-m", "bandit", "--quiet", "--recursive", "--configfile", "pyproject.toml", "src"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return [] if ran.returncode == 0 else [ran.stdout + ran.stderr]


def audit_dependencies() -> list[str]:
    """Known holes in the versions that we pin."""
    if importlib.util.find_spec("pip_audit") is None:
        print("audit: pip-audit is not installed, so the dependencies were not looked at")
        return []
    files = [word for name in PINS for word in ("--requirement", f"requirements/{name}.txt")]
    command = [sys.executable, "-m", "pip_audit", "--format", "json", "--progress-spinner", "off", "--no-deps", *files]
    try:
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
        return vulnerabilities(ran.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        print("audit: the index of known holes does not answer, so the dependencies were not looked at")
        return []


def vulnerabilities(report: str) -> list[str]:
    """The holes in a report of pip-audit, one line each. Raises ValueError if it is not a report."""
    packages = json.loads(report)["dependencies"]
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
