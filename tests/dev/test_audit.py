"""The audit says what it found, and what it could not look at."""

import json
import subprocess
from typing import Any

import pytest

from dev.release import audit


def test_the_code_has_no_unexplained_finding() -> None:
    """Every test of bandit that is left out has its reason in pyproject.toml."""
    assert audit.audit_code() == []


def test_a_hole_is_named() -> None:
    """Each with the package that has it."""
    holes = [{"name": "a", "version": "1", "vulns": [{"id": "CVE-1"}]}, {"name": "b", "version": "2", "vulns": []}]
    assert audit.vulnerabilities(json.dumps({"dependencies": holes})) == ["a 1: CVE-1"]


def test_what_cannot_be_asked_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Without the tool, or without an answer, the audit is silent about nothing."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert audit.main() == 0
    assert capsys.readouterr().out.count("not installed") == 2
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())

    def no_answer(*words: Any, **options: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess([], 1, "", "no connection")

    monkeypatch.setattr(subprocess, "run", no_answer)
    assert audit.audit_dependencies() == []
    assert "does not answer" in capsys.readouterr().out
