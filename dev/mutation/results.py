"""The results of a run: how many mutants were noticed, and why the others may survive; as JSON, and in a page."""

import json
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dev import ROOT

from .trial import SURVIVED, MutantResult

RESULTS = ROOT / "dev" / "bench" / "results" / "mutation.json"
PAGE = ROOT / "docs" / "quality.md"
REASONS = Path(__file__).with_name("survivors.toml")
BEGIN, END = "<!-- mutation: written by `make mutation` -->", "<!-- end of mutation -->"


def reasons() -> dict[str, str]:
    """Why a mutant may survive, by its name. A person has looked at each."""
    groups = tomllib.loads(REASONS.read_text(encoding="utf-8"))["because"]
    return {name: group["why"] for group in groups for name in group["mutants"]}


def load_results() -> dict[str, Any]:
    """The results of the last runs, by module."""
    found: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    return found


def save_results(found: Mapping[str, Any], modules: Sequence[str]) -> None:
    """Save the results of a run, in place of the earlier ones of its modules, and write them into the page.

    `modules` are all that there are, in the order of the page: figures of others are dropped.
    """
    every = {**load_results(), **found}
    every = {module: every[module] for module in modules if module in every}
    RESULTS.write_text(json.dumps(every, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(fill_page(PAGE.read_text(encoding="utf-8"), every), encoding="utf-8")


def summarize(done: Sequence[MutantResult]) -> dict[str, Any]:
    """The figures of a run, by module, with its survivors by name and the reason for each."""
    return {
        module: _summarize_module([one for one in done if one.mutant.module == module]) for module in _modules(done)
    }


def _modules(done: Sequence[MutantResult]) -> list[str]:
    return list(dict.fromkeys(one.mutant.module for one in done))


def _summarize_module(done: Sequence[MutantResult]) -> dict[str, Any]:
    whys = reasons()
    survivors = [one.mutant.name for one in sorted(done) if one.outcome == SURVIVED]
    return {
        "mutants": len(done),
        "killed": len(done) - len(survivors),
        "survivors": {name: whys.get(name, "") for name in survivors},
    }


def unexplained(found: Mapping[str, Any]) -> list[str]:
    """What needs a look: mutants that survive without a reason, and reasons that no mutant needs any more."""
    survivors = {name: why for part in found.values() for name, why in part["survivors"].items()}
    gone = [name for name in reasons() if name not in survivors and name.startswith(tuple(f"{one}." for one in found))]
    return [f"survives, and no test notices: {name}" for name, why in survivors.items() if not why] + [
        f"{REASONS.name} names one that does not survive: {name}" for name in gone
    ]


def table(found: Mapping[str, Any]) -> Iterator[str]:
    """How many mutants there are, and how many were killed and survived, by module, in Markdown."""
    yield "| module | mutants | killed | survive |"
    yield "| --- | ---: | ---: | ---: |"
    for module, part in found.items():
        yield f"| `{module}` | {part['mutants']} | {part['killed']} | {len(part['survivors'])} |"
    mutants, killed = (sum(part[count] for part in found.values()) for count in ("mutants", "killed"))
    yield f"| together | {mutants} | {killed} | {mutants - killed} |"


def fill_page(page: str, found: Mapping[str, Any]) -> str:
    """The page with the current figures, and the reasons of the survivors, the most common first."""
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    whys = Counter(why for part in found.values() for why in part["survivors"].values())
    lines = [*table(found), "", "| survive | because |", "| ---: | --- |"]
    lines += [f"| {count} | {why} |" for why, count in whys.most_common()]
    return f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}"
