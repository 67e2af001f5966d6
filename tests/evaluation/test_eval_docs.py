"""The page about eval is made from runs: no figure in it was typed by hand."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from holdfast.evaluation import arms
from holdfast.evaluation.markdown import main, render_document
from holdfast.evaluation.records import RunFile, RunRecord
from holdfast.evaluation.tasks import KINDS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/eval.md"
RESULTS = ROOT / "dev/bench/results"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with runs of four arms on eight tasks."""
    with RunFile(tmp_path / "small.jsonl", {"model": "m"}) as records:
        for at, arm in enumerate(("none", "rail", "rail-no-tail", "rail-no-guard")):
            for seed in range(8):
                done = (0, 5, 3, 4)[at]
                run = RunRecord(f"files-6-{seed}", "files", arm, done, 6, 0, 0, False, 10, 1000, 100, 2.5, 1, "done")
                records.add(run)
    (tmp_path / "images").mkdir()
    return tmp_path


def put(folder: Path, *marks: str) -> Path:
    """A page with some marks."""
    page = folder / "page.md"
    between = [f"<!-- eval: {mark} -->\nwhat was here before\n<!-- /eval -->" for mark in marks]
    page.write_text("\n\n".join(["# A page", *between, "The end.\n"]))
    return page


def test_tables_and_plots_are_those_of_the_runs() -> None:
    """`make eval-docs` would change nothing."""
    for path, text in render_document(PAGE, RESULTS).items():
        assert text == path.read_text(encoding="utf-8"), f"{path.name}: make eval-docs"


def test_every_arm_and_every_kind_of_task_is_described() -> None:
    """Whoever adds one has to say what it is."""
    page = PAGE.read_text(encoding="utf-8")
    assert [name for name in (*arms.ARMS, *KINDS) if f"`{name}`" not in page] == []


def test_one_file_of_runs_has_several_places_in_a_page(folder: Path) -> None:
    """Each mark says which arms, held against which, with a plot of its own; what was there before is gone."""
    page = put(
        folder,
        "small arms=none,rail plot=images/all.svg",
        "small arms=rail,rail-no-guard,rail-no-tail against=rail plot=images/parts.svg",
    )
    main(page, folder)
    before, first, second = page.read_text().split("<!-- eval: ")
    assert before == "# A page\n\n"
    assert "against `none`" in first and "rail-no-tail" not in first and "](images/all.svg)" in first
    assert [line.split("|")[1:4] for line in second.splitlines() if line.startswith("| ")] == [
        [" arm ", " runs ", " work done "],
        [" --- ", " --- ", " --- "],
        [" `rail` ", " 8 ", " 83 % (83 % to 83 %) "],
        [" `rail-no-guard` ", " 8 ", " 67 % (67 % to 67 %) "],
        [" `rail-no-tail` ", " 8 ", " 50 % (50 % to 50 %) "],
        [" against `rail` ", " tasks ", " work done "],
        [" --- ", " --- ", " --- "],
        [" `rail-no-guard` ", " 8 ", " **-17 points (-17 to -17), p = 0.016, worse** "],
        [" `rail-no-tail` ", " 8 ", " **-33 points (-33 to -33), p = 0.016, worse** "],
    ]
    assert "Larger than chance: work done worse with rail-no-guard, rail-no-tail." in second
    assert "what was here before" not in first + second and second.endswith("<!-- /eval -->\n\nThe end.\n")
    drawn = ElementTree.parse(folder / "images/parts.svg")
    assert {"rail", "rail-no-guard", "rail-no-tail"} <= {element.text for element in drawn.iter()}


def test_to_write_a_page_again_changes_nothing(folder: Path) -> None:
    """A page that is as it should be stays so."""
    page = put(folder, "small plot=images/all.svg")
    main(page, folder)
    once = page.read_text()
    main(page, folder)
    assert page.read_text() == once


@pytest.mark.parametrize(
    ("marks", "said"),
    [
        ((), "it needs <!-- eval: NAME --> and an <!-- /eval --> for each"),
        (("small -->\n\n<!-- eval: small",), "it needs <!-- eval: NAME --> and an <!-- /eval --> for each"),
        (("small arms=none,rial",), "small: no runs of rial: there are none, rail, rail-no-tail, rail-no-guard"),
        (("small arms=none,rail against=plain",), "against=plain is not one of the arms none, rail"),
        (("small arm=none",), "arms=A,B, kinds=A,B, against=ARM and plot=FILE, no arm"),
        (("small plot=",), "arms=A,B, kinds=A,B, against=ARM and plot=FILE, no plot"),
        (("large",), "large.jsonl cannot be read: No such file or directory"),
    ],
)
def test_a_mark_that_makes_no_sense_is_told(folder: Path, marks: tuple[str, ...], said: str) -> None:
    """Nothing is put anywhere by guess, and nothing is written."""
    page = put(folder, *marks)
    before = page.read_text()
    with pytest.raises(SystemExit, match=said):
        main(page, folder)
    assert page.read_text() == before


def test_a_label_is_code_as_it_was_given(tmp_path: Path) -> None:
    """A dot stays a dot; a bar does not begin another cell, and a backtick does not end the code."""
    for label in ("v1.5_a|b`c", "other"):
        with RunFile(tmp_path / f"{label}.jsonl", {"model": label}) as records:
            records.add(RunRecord("files-6-1", "files", "none", 1, 6, 0, 0, False, 1, 1, 1, 1.0, 1, "done"))
    both = "".join(path.read_text() for path in sorted(tmp_path.iterdir()))
    (tmp_path / "both.jsonl").write_text(both)
    page = put(tmp_path, "both")
    main(page, tmp_path)
    assert "| `v1.5_a\\|b'c none` | 1 |" in page.read_text()
