"""The counts of the last full run of each part: as JSON, and in a page."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dev import ROOT

from .tally import TortureResult

RESULTS = ROOT / "dev" / "bench" / "results" / "torture.json"
PAGE = ROOT / "docs" / "quality.md"
BEGIN, END = "<!-- torture: written by `make torture` -->", "<!-- end of torture -->"


def load_results() -> dict[str, Any]:
    """The results of the last runs, by part."""
    found: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    return found


def save_results(part: str, seed: int, results: Sequence[TortureResult]) -> None:
    """Save the counts of a part in place of its earlier ones, and write them into the page. What was not run stays."""
    rows = [{"what": one.what, "tried": one.times, "lost": len(one.lost)} for one in results if not one.not_run]
    if rows:
        every = {**load_results(), part: {"seed": seed, "rows": rows}}
        RESULTS.write_text(json.dumps(every, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        PAGE.write_text(fill_page(PAGE.read_text(encoding="utf-8"), every), encoding="utf-8")


def table(found: Mapping[str, Any]) -> Iterator[str]:
    """How much was tried and lost, by part, in Markdown."""
    yield "| part | what | tried | lost |"
    yield "| --- | --- | ---: | ---: |"
    for part, result in found.items():
        for row in result["rows"]:
            yield f"| `{part}` | {row['what']} | {row['tried']:,} | {row['lost']:,} |"


def fill_page(page: str, found: Mapping[str, Any]) -> str:
    """The page with these counts."""
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n" + "\n".join(table(found)) + f"\n{END}{rest.split(END)[1]}"
