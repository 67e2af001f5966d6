"""The command `hook`. `main` runs it without this table, so that it starts in milliseconds; what it does is there."""

from ...coding_agents.hooks.harnesses import HARNESSES
from ...coding_agents.hooks.process import ATTENTIONS
from ..command import Argument, Command, Example, Exit, Uses
from ..invocation import Invocation


def run(call: Invocation) -> int:
    """Answer one event of a coding agent."""
    import json
    import sys

    from ...coding_agents.hooks.process import HookOptions, answer_event

    harness = HARNESSES[call.word("harness") or ""]
    options = HookOptions(harness, call.word("attention") or "quiet", call.flag("gate"), call.word("db") or "")
    answer = answer_event(options, sys.stdin.buffer.read(), call.environ)
    if answer is not None:
        call.screen.stream.write(json.dumps(answer))
    return Exit.OK


ATTENTION = Argument("--attention", "how its model is kept on its plan; else quiet", choices=ATTENTIONS)
GATE = Argument("--gate", "hold a model that stops with work left")

COMMANDS = (
    Command(
        "hook",
        "Answer an event of a coding agent, from standard input: record its plan, bring it back. `install` sets it up.",
        run,
        (Argument("HARNESS", "the agent whose event it is", choices=tuple(HARNESSES)), ATTENTION, GATE),
        (
            Example("holdfast hook claude-code", "what Claude Code runs at each event"),
            Example("holdfast hook codex --gate", "and Codex goes on while there is work left"),
        ),
        uses=Uses.STORE,
    ),
)
