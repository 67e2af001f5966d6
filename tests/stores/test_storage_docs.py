"""The examples in docs/storage.md run, in their order, in a folder of their own."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs" / "storage.md"


def test_every_example_runs(tmp_path: Path) -> None:
    """A reader who copies them one after the other gets no error."""
    (tmp_path / ".holdfast").mkdir()
    examples = re.findall(r"^```(python|sh)\n(.*?)^```", DOCS.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert [language for language, _ in examples] == ["python", "sh", "python", "python", "python", "python"]
    for language, code in examples:
        if language == "sh" and shutil.which("sqlite3") is None:
            continue  # SQLite's own command is not on every machine
        command = [sys.executable, "-W", "error", "-c", code] if language == "python" else ["sh", "-ec", code]
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"})
        assert ran.returncode == 0 and ran.stderr == "", ran.stderr
    assert list(tmp_path.glob(".holdfast/plans.db.damaged-*"))
