"""What each peer's program does: it times writes on request, and says what its model reads and writes.

It runs in the peer's own environment, so it imports nothing but the standard library.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence
from itertools import cycle
from typing import Any

STEPS = 10

Item = dict[str, str]


def statuses(done: int) -> list[str]:
    """The statuses of a plan of ten steps after so many, the next one in progress."""
    return ["completed" if step < done else "in_progress" if step == done else "pending" for step in range(STEPS)]


def run(coroutine: Any) -> Any:
    """The result of a coroutine that never waits, so that no event loop is timed."""
    try:
        coroutine.send(None)
    except StopIteration as finished:
        return finished.value
    raise RuntimeError("it waits")


def serve(fixed: Sequence[object], write: Callable[[list[str], list[str]], tuple[object, str]], loaded: float) -> None:
    """Answer until the input ends.

    `fixed` is what stands in every request; `write` takes contents and statuses, and gives the call and the reply;
    `loaded` is how many seconds the import took.
    """
    print(json.dumps({"import": loaded}), flush=True)
    contents = [f"Step {step} of the work" for step in range(STEPS)]
    states = cycle([statuses(done) for done in range(STEPS)])
    for line in sys.stdin:
        request = json.loads(line)
        if "calls" in request:
            begun = time.process_time()  # a busy machine breaks into long calls more often than into short ones
            for _ in range(request["calls"]):
                write(contents, next(states))
            print(json.dumps((time.process_time() - begun) / request["calls"]), flush=True)
        else:
            said = [write(request["steps"], statuses(done)) for done in range(STEPS + 1)]
            print(json.dumps({"fixed": list(fixed), "said": said}, ensure_ascii=False), flush=True)
