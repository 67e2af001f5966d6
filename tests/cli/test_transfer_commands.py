"""`holdfast export` and `holdfast import`: plans move between stores, and lists come from people's own files."""

from pathlib import Path

from driving import populate, run

from holdfast.cli.command import Exit


def test_everything_moves_with_its_history(tmp_path: Path) -> None:
    """What is exported from one store and imported into another is the same there."""
    populate(tmp_path)
    (tmp_path / "plans.json").write_text(run(tmp_path, "export").stdout, encoding="utf-8")
    ran = run(tmp_path, "import", "plans.json", "--db", "other.db")
    assert ran.stdout == "Imported default / main\nImported nightly 夜间 / tester\n"
    log = ("log", "--session", "default", "--limit", "0")
    assert run(tmp_path, *log, "--db", "other.db").stdout == run(tmp_path, *log).stdout


def test_a_second_identical_import_says_so(tmp_path: Path) -> None:
    """Nothing is imported twice, from a list or from an export; sections come along."""
    text = "# Release\n\n- [ ] a\n\n## Build\n\n- [x] b\n"
    assert run(tmp_path, "import", stdin=text).stdout == "Imported default / main\n"
    again = run(tmp_path, "import", stdin=text)
    assert again.stdout == "Nothing to import: default / main is already as it is here\n"
    assert run(tmp_path, "show", "--format", "markdown").stdout == text
    exported = run(tmp_path, "export").stdout
    assert run(tmp_path, "import", stdin=exported).stdout == again.stdout


def test_one_session_moves_through_a_pipe(tmp_path: Path) -> None:
    """`holdfast export | holdfast import -`, with ASCII pipes too."""
    populate(tmp_path)
    text = run(tmp_path, "export", "--session", "nightly 夜间", PYTHONIOENCODING="ascii").stdout
    assert text.isascii()
    keys = run(tmp_path, "import", "-", "--db", "other.db", "--json", stdin=text).data
    assert keys == [{"session": "nightly 夜间", "agent": "tester", "is_new": True}]


def test_an_export_takes_no_other_session(tmp_path: Path) -> None:
    """It names its own: a word that would be passed over is refused."""
    populate(tmp_path)
    ran = run(tmp_path, "import", "--session", "mine", "--db", "other.db", stdin=run(tmp_path, "export").stdout)
    assert ran.code == Exit.USAGE
    assert "--session and --agent are for a Markdown list" in ran.stderr
    assert not (tmp_path / "other.db").exists()


def test_a_list_written_by_hand(tmp_path: Path) -> None:
    """A Markdown list becomes the plan of a session."""
    (tmp_path / "TODO.md").write_text("# Release\n\n- [x] Read\n- [ ] Fix\n- [ ] Test\n", encoding="utf-8")
    assert run(tmp_path, "import", "TODO.md", "--session", "mine").stdout == "Imported mine / main\n"
    todos = run(tmp_path, "show", "--session", "mine", "--json").data["todos"]
    assert [(todo["content"], todo["status"]) for todo in todos] == [
        ("Read", "completed"),
        ("Fix", "pending"),
        ("Test", "pending"),
    ]


def test_open_work_is_not_replaced_by_accident(tmp_path: Path) -> None:
    """A list over a plan with open todos needs a word."""
    populate(tmp_path)
    ran = run(tmp_path, "import", "--session", "default", stdin="- [ ] Other\n")
    assert ran.code == Exit.REFUSED
    assert "--overwrite" in ran.stderr
    assert run(tmp_path, "import", "--session", "default", "--overwrite", stdin="- [ ] Other\n").code == Exit.OK
    assert run(tmp_path, "show", "--session", "default", "--json").data["total"] == 1


def test_a_file_that_is_none_is_told_in_one_line(tmp_path: Path) -> None:
    """Not there, not text, not a list: each says so."""
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "prose.md").write_text("Just words.\n", encoding="utf-8")
    messages = [run(tmp_path, "import", name) for name in ("missing", "bytes", "prose.md")]
    messages.append(run(tmp_path, "import", stdin="Just words.\n"))
    assert [ran.code for ran in messages] == [Exit.REFUSED] * 4
    assert [ran.stderr for ran in messages] == [
        "holdfast: missing cannot be read: No such file or directory\n",
        "holdfast: bytes is not UTF-8 text: save it as UTF-8\n",
        "holdfast: no list in prose.md: write the todos as `- [ ] text`, or give a JSON export\n",
        "holdfast: no list in standard input: write the todos as `- [ ] text`, or give a JSON export\n",
    ]
    assert run(tmp_path, "import", stdin='{"format": 1}').code == Exit.REFUSED
