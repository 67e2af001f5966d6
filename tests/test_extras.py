"""What an extra needs is checked before it is imported: a clear line where something is missing or too old."""

import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.extras import require

MODULES = {
    "holdfast.adapters.langchain": ("langchain", "1.3.9", "1.4"),
    "holdfast.adapters.pydantic_ai": ("pydantic-ai-slim", "2.65.1", "2.66"),
    "holdfast.adapters.openai_agents": ("openai-agents", "0.9.3", "0.24"),
    "holdfast.adapters.agent_framework": ("agent-framework-core", "1.22.9", "1.23"),
    "holdfast.adapters.claude_agent_sdk": ("mcp", "1.30.0", "2.3"),
}


def with_version(folder: Path, package: str, version: str, code: str) -> subprocess.CompletedProcess[str]:
    """Run a program where an index of packages says that this version is installed."""
    info = folder / f"{package.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n", encoding="utf-8")
    start = f"import sys; sys.path.insert(0, {str(folder)!r}); {code}"
    return subprocess.run([sys.executable, "-c", start], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("module", MODULES)
def test_a_framework_that_is_too_old_is_told_in_one_line(module: str, tmp_path: Path) -> None:
    """The adapter says what it found, what it needs, and what to do."""
    package, version, oldest = MODULES[module]
    ran = with_version(tmp_path, package, version, f"import {module}")
    line = ran.stderr.splitlines()[-1]
    assert line.startswith(f"ImportError: {package} {version} is too old, Holdfast needs {oldest}")
    assert "pip install -U 'holdfast[" in line


@pytest.mark.parametrize("module", MODULES)
def test_the_oldest_that_is_allowed_is_not_refused(module: str, tmp_path: Path) -> None:
    """The versions are those of `pyproject.toml`, and nowhere else."""
    package, _, oldest = MODULES[module]
    ran = with_version(tmp_path, package, oldest, f"import {module}")
    assert ran.returncode == 0, ran.stderr


def test_the_mcp_command_says_that_the_sdk_is_too_old(tmp_path: Path) -> None:
    """One line, and no traceback."""
    ran = with_version(
        tmp_path,
        "mcp",
        "1.30.0",
        "from holdfast.cli.main import main; sys.argv = ['holdfast', 'mcp']; sys.exit(main())",
    )
    assert ran.returncode != 0
    assert "mcp 1.30.0 is too old, Holdfast needs 2.3 or newer: pip install -U 'holdfast[mcp]'" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_missing_package_is_named() -> None:
    """The extra that brings it stands beside it."""
    with pytest.raises(ImportError, match=r"google-adk is missing: pip install 'holdfast\[google-adk\]'"):
        require("google-adk")
