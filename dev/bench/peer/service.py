"""What each peer's program does: it times writes on request, and says what its model reads and writes.

All of them write the lists that were recorded in Claude Code, each with those of their fields that its schema has. It
runs in the peer's own environment, so it imports nothing but the standard library.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

Item = dict[str, str]
"""One todo, with its content, status and activeForm."""

RECORDED = Path(__file__).parents[1] / "recorded" / "claude-code.json"


def worked_through(steps: Sequence[Sequence[str]]) -> list[list[Item]]:
    """The lists of a plan whose steps, each with its active form, are completed one by one."""
    names = ("completed", "in_progress", "pending")
    return [
        [
            {"content": content, "status": names[(at >= done) + (at > done)], "activeForm": doing}
            for at, (content, doing) in enumerate(steps)
        ]
        for done in range(len(steps) + 1)
    ]


def run(coroutine: Any) -> Any:
    """The result of a coroutine that never waits, so that no event loop is timed."""
    try:
        coroutine.send(None)
    except StopIteration as finished:
        return finished.value
    raise RuntimeError("it waits")


def serve(
    fixed: Sequence[object], call: Callable[[list[Item]], Any], write: Callable[[Any], str], loaded: float
) -> None:
    """Answer until the input ends.

    `fixed` is what stands in every request; `call` makes a call of the tool from a list, and `write` gives its reply;
    `loaded` is how many seconds the import took.
    """
    print(json.dumps({"import": loaded}), flush=True)
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))["calls"]
    calls = cycle([call(each["input"]["todos"]) for each in recorded])
    for line in sys.stdin:
        request = json.loads(line)
        if "calls" in request:
            begun = time.process_time()  # a busy machine breaks into long calls more often than into short ones
            for _ in range(request["calls"]):
                write(next(calls))
            print(json.dumps((time.process_time() - begun) / request["calls"]), flush=True)
        else:
            asked = [call(todos) for todos in worked_through(request["steps"])]
            said = [(each, write(each)) for each in asked]
            print(json.dumps({"fixed": list(fixed), "said": said}, ensure_ascii=False), flush=True)
