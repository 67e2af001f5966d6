"""The command `eval`. What it does is in `holdfast.evaluation`, which is loaded only when it is asked for."""

from ...urls import http_url
from ..command import Argument, Command, Example, Uses, whole_number
from ..invocation import Invocation


def run(call: Invocation) -> int:
    """Measure on a model whether a plan helps."""
    from ...evaluation.command import run

    return run(call)


def listed(word: str) -> tuple[str, ...]:
    """Names with commas between them. Raises ValueError if there is none."""
    names = tuple(dict.fromkeys(name.strip() for name in word.split(",") if name.strip()))
    if not names:
        raise ValueError("expected names with commas between them")
    return names


def sizes(word: str) -> tuple[int, int]:
    """How many jobs a list has: `8`, or `6-20`. Raises ValueError for anything else."""
    least, _, most = word.partition("-")
    found = whole_number(least), whole_number(most or least)
    if not 6 <= found[0] <= found[1] <= 20:
        raise ValueError(f"expected a number from 6 to 20, or two like 6-20, received '{word}'")
    return found


def price(word: str) -> float:
    """What a million tokens cost. Raises ValueError for anything but a number that is not negative."""
    if not word.replace(".", "", 1).isdecimal() or not word.isascii():
        raise ValueError(f"expected a price like 2.50, received '{word}'")
    return float(word)


COMMANDS = (
    Command(
        "eval",
        "Measure on your own model whether a plan helps: the same tasks with and without one, graded by what is in the "
        "folder at the end.",
        run,
        (
            Argument("--model", "anthropic:NAME, openai:NAME or rehearsal:FILE; else HOLDFAST_MODEL", "MODEL"),
            Argument("--base-url", "the address of a server that speaks the model's API", "URL", of=http_url),
            Argument("--tool-calls", "how the model calls tools", choices=("native", "json")),
            Argument("--arms", "what the model plans with; none,plain,quiet,rail if not said", "A,B", of=listed),
            Argument("--against", "the arm that the others are held against; the first if not said", "ARM"),
            Argument(
                "--tasks", "kinds (files,code,lookups,changes) and folders with tasks of your own", "T", of=listed
            ),
            Argument(
                "--runs",
                "how many tasks of each kind, and runs of one of your own; 5 if not said",
                "N",
                of=whole_number,
            ),
            Argument("--jobs", "how many jobs a task has, like 8 or 6-20; 6-20 if not said", "N", of=sizes),
            Argument("--seed", "where the tasks come from: the same seed gives the same ones", "N", of=whole_number),
            Argument("--turns", "how many turns a run may take", "N", of=whole_number),
            Argument("--seconds", "how many seconds a run may take", "N", of=whole_number),
            Argument("--context", "how many tokens a conversation has before it is summed up", "N", of=whole_number),
            Argument("--answer", "how many tokens an answer may have, with --tool-calls json", "N", of=whole_number),
            Argument("--noise", "how many lines of noise follow each tool's answer", "N", of=whole_number),
            Argument("--price-in", "what a million tokens cost that the model reads", "P", of=price),
            Argument("--price-out", "what a million tokens cost that it writes", "P", of=price),
            Argument("--out", "the file of the runs; holdfast-eval.jsonl if not said", "FILE"),
        ),
        (
            Example("holdfast eval --model anthropic:NAME --runs 3", "four arms, twelve tasks each"),
            Example(
                "holdfast eval --base-url http://127.0.0.1:8080/v1 --tool-calls json --context 1500",
                "a local model without tool calls",
            ),
            Example("holdfast eval --arms rail,rail-no-tail,rail-no-guard --against rail", "what a part is worth"),
            Example("holdfast eval --tasks ./my-task,files", "a task of your own, too"),
        ),
        "`arms` (each figure's `value`, `low`, `high`, and `runs`), `compared` (`arm`, `against`, `figure`, `value`, "
        "`low`, `high`, `chance`, `pairs`, `larger_than_chance`), `runs` and `report` (paths)",
        uses=Uses.NOTHING,
    ),
)
