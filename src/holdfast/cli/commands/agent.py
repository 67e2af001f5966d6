"""The command `agent`. What it does is in `holdfast.agent`, which is loaded only when it is asked for."""

from ... import dialects
from ...attention.policies import POLICIES
from ...urls import http_url
from ..command import Argument, Command, Example, Uses, whole_number
from ..invocation import Invocation


def run(call: Invocation) -> int:
    """Run a coding agent that plans in the open."""
    from ...agent.command import run

    return run(call)


COMMANDS = (
    Command(
        "agent",
        "Run a coding agent that plans in the open, in this folder. Without a task it is a conversation.",
        run,
        (
            Argument("PROMPT", "the task; else standard input", many="?"),
            Argument("--model", "anthropic:NAME, openai:NAME or rehearsal:FILE; else HOLDFAST_MODEL", "MODEL"),
            Argument("--base-url", "the address of a server that speaks the model's API", "URL", of=http_url),
            Argument("--tool-calls", "how the model calls tools", choices=("native", "json")),
            Argument("--attention", "how it is kept on its plan", choices=tuple(POLICIES)),
            Argument(
                "--dialect",
                "the form of its plan's tool; else the one that suits the model",
                choices=tuple(dialects.names()),
            ),
            Argument("--yes", "run commands without asking"),
            Argument("--plan", "look and plan only, until you say go"),
            Argument("--continue", "go on with the last conversation in this folder"),
            Argument("--resume", "go on with a conversation", "ID"),
            Argument("--list", "list the conversations"),
            Argument("--turns", "how many turns a task may take, 0 for no limit", "N", of=whole_number),
            Argument("--tokens", "how many tokens a task may take, 0 for no limit", "N", of=whole_number),
            Argument(
                "--context", "how many tokens a conversation may have before it is summed up", "N", of=whole_number
            ),
            Argument("--session", "the session of its plan; else one of its own", "NAME"),
        ),
        (
            Example('holdfast agent "Make the tests pass"', "one task"),
            Example("holdfast agent --plan", "a conversation that begins with a plan"),
            Example("holdfast agent --continue", "go on after a crash or a reboot"),
            Example(
                "holdfast agent --base-url http://127.0.0.1:8080/v1 --tool-calls json",
                "a local model without tool calls",
            ),
        ),
        "the events of the run, an object a line, each with its `kind`; with `--list` the conversations",
        uses=Uses.STORE,
    ),
)
