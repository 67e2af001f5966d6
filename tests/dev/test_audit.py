"""The audit says what it found, and what it could not look at."""

import json
import subprocess
from typing import Any

import pytest

from dev.release import audit


def test_the_code_has_no_unexplained_finding() -> None:
    """Every test of bandit that is left out has its reason in pyproject.toml."""
    assert audit.audit_code() == []


def answering(monkeypatch: pytest.MonkeyPatch, *packages: dict[str, Any]) -> None:
    """An index that says this of the versions in every file."""
    report = json.dumps({"dependencies": packages})
    monkeypatch.setattr(subprocess, "run", lambda *words, **options: subprocess.CompletedProcess([], 1, report, ""))


def test_a_hole_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Each once, with the package that has it; a version that the index does not know is not taken for a sound one."""
    sound, unknown = {"name": "b", "version": "2", "vulns": []}, {"name": "c", "skip_reason": "not found"}
    answering(monkeypatch, {"name": "a", "version": "1", "vulns": [{"id": "CVE-1"}]}, sound, unknown)
    assert audit.audit_dependencies() == ["a 1: CVE-1"]
    said = capsys.readouterr().out
    files = len(audit.environments())
    assert f"{2 * files} pinned versions were looked at" in said
    assert f"the index knows nothing of {files} versions" in said


def test_a_mirror_that_knows_nothing_is_asked_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing was looked at then, and that is said: it is not the same as that nothing was found."""
    answering(monkeypatch, *[{"name": "a", "skip_reason": "not found"}] * audit.ENOUGH)
    assert audit.audit_dependencies() == []
    said = capsys.readouterr().out
    assert "so the dependencies were not looked at" in said and "audit: 0 pinned versions were looked at" in said


def test_every_file_of_pins_is_asked_for() -> None:
    """Those that another includes are asked for with it, and each version once."""
    files = {path.name: audit.all_pins(path) for path in audit.environments()}
    assert {"dev.txt", "adk.txt", "docs.txt"} <= files.keys() and "base.txt" not in files
    base = audit.all_pins(audit.REQUIREMENTS / "base.txt")
    assert base and set(base) < set(files["dev.txt"]) and set(base) < set(files["adk.txt"])
    assert all("==" in pin and pins.count(pin) == 1 for pins in files.values() for pin in pins)


def test_what_cannot_be_asked_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Without the tool, or without an answer, the audit is silent about nothing, and does not fail."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert audit.main() == 0
    assert capsys.readouterr().out.count("not installed") == 2
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    monkeypatch.setattr(
        subprocess, "run", lambda *words, **options: subprocess.CompletedProcess([], 1, "", "no connection")
    )
    assert audit.audit_dependencies() == []
    assert "the index of known holes does not answer" in capsys.readouterr().out

    def no_end(*words: Any, **options: Any) -> None:
        raise subprocess.TimeoutExpired([], 1)

    monkeypatch.setattr(subprocess, "run", no_end)
    assert audit.audit_dependencies() == []
    assert "the index of known holes does not answer" in capsys.readouterr().out
