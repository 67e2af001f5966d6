"""The command `hook`: one event of a coding agent. `main` runs it without this table, so that it starts fast."""

import json
import sys

from ...coding_agents.hooks.harnesses import HARNESSES
from ...coding_agents.hooks.process import ATTENTIONS, HookOptions, answer_event
from ..command import Argument, Command, Example, Exit, Uses
from ..invocation import Invocation

ATTENTION = Argument("--attention", "how the model is kept on its plan; default quiet", choices=ATTENTIONS)
REVIEW = Argument("--review", "the first plan waits for `holdfast approve`; until then the agent changes nothing")
GATE = Argument("--gate", "make the model go on if it stops with work left")


def run(call: Invocation) -> int:
    """Answer one event of a coding agent."""
    harness = HARNESSES[call.word("harness") or ""]
    wants = (call.flag("gate"), call.flag("review"))
    options = HookOptions(harness, call.word("attention") or "quiet", *wants, call.word("db") or "")
    answer = answer_event(options, sys.stdin.buffer.read(), call.environ)
    if answer is not None:
        call.screen.stream.write(json.dumps(answer))
    return Exit.OK


COMMAND = Command(
    "hook",
    "Answer an event of a coding agent, from standard input: record its plan, bring it back. `install` sets it up.",
    run,
    (Argument("HARNESS", "the agent whose event it is", choices=tuple(HARNESSES)), ATTENTION, GATE, REVIEW),
    (
        Example("holdfast hook claude-code", "what Claude Code runs at each event"),
        Example("holdfast hook codex --gate", "the same for Codex, which then goes on while there is work left"),
    ),
    uses=Uses.STORE,
)
