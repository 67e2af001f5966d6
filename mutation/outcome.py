"""What a run came to: how many mutants were noticed, and why the others may live; as JSON, and as a part of a page."""

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .trying import SURVIVED, Tried

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "mutation.json"
PAGE = ROOT / "docs" / "quality.md"
REASONS = Path(__file__).with_name("survivors.toml")
BEGIN, END = "<!-- mutation: written by `make mutation` -->", "<!-- end of mutation -->"


def reasons() -> dict[str, str]:
    """Why a mutant may survive, by its name: they were looked at, one by one."""
    groups = tomllib.loads(REASONS.read_text(encoding="utf-8"))["because"]
    return {name: group["why"] for group in groups for name in group["mutants"]}


def outcome(done: Sequence[Tried], seconds: float) -> dict[str, Any]:
    """A run in figures, with its survivors by name."""
    modules = dict.fromkeys(one.mutant.module for one in done)
    whys = reasons()
    return {
        "seconds": round(seconds),
        "modules": {module: _counted([one for one in done if one.mutant.module == module]) for module in modules},
        "survivors": {
            one.mutant.name: whys.get(one.mutant.name, "") for one in sorted(done) if one.outcome == SURVIVED
        },
    }


def _counted(done: Sequence[Tried]) -> dict[str, int]:
    survived = sum(one.outcome == SURVIVED for one in done)
    return {"mutants": len(done), "killed": len(done) - survived, "survived": survived}


def unexplained(found: Mapping[str, Any]) -> list[str]:
    """What is to be looked at: mutants that survive without a reason, and reasons that no mutant needs any more."""
    survivors = found["survivors"]
    gone = [name for name in reasons() if name not in survivors and _module(name) in found["modules"]]
    return [f"survives, and no test notices: {name}" for name, why in survivors.items() if not why] + [
        f"{REASONS.name} names one that does not survive: {name}" for name in gone
    ]


def _module(name: str) -> str:
    return ".".join(name.split(":")[0].split(".")[:2])


def table(found: Mapping[str, Any]) -> Iterator[str]:
    """How many were made, killed and left, module by module, in Markdown."""
    yield "| module | mutants | killed | survive |"
    yield "| --- | ---: | ---: | ---: |"
    total: Counter[str] = Counter()
    for module, counts in found["modules"].items():
        total.update(counts)
        yield f"| `{module}` | {counts['mutants']} | {counts['killed']} | {counts['survived']} |"
    yield f"| together | {total['mutants']} | {total['killed']} | {total['survived']} |"


def in_page(page: str, found: Mapping[str, Any]) -> str:
    """The page with the figures of a run in their place."""
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    whys = Counter(found["survivors"].values())
    lines = [*table(found), "", "| survive | because |", "| ---: | --- |"]
    lines += [f"| {count} | {why} |" for why, count in whys.most_common()]
    return f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}"
