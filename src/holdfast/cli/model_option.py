"""The options that choose a model, for the commands that run one."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..urls import http_url
from .command import Argument
from .invocation import Invocation

if TYPE_CHECKING:
    from ..agent.messages import Model

MODEL_VARIABLE = "HOLDFAST_MODEL"
REHEARSAL = "rehearsal:"

MODEL_ARGUMENTS = (
    Argument("--model", f"anthropic:NAME, openai:NAME or rehearsal:FILE; default: {MODEL_VARIABLE}", "MODEL"),
    Argument("--base-url", "the address of a server that speaks the model's API", "URL", of=http_url),
    Argument("--tool-calls", "how the model calls tools; default native", choices=("native", "json")),
)


def model_name(call: Invocation) -> str | None:
    """The model that was asked for, by the options or by the environment."""
    return call.word("model") or call.environ.get(MODEL_VARIABLE)


def tool_calls(call: Invocation) -> str:
    """How the model calls tools."""
    return call.word("tool_calls") or "native"


def open_chosen_model(call: Invocation, name: str | None, on_retry: Callable[[str], object] | None = None) -> "Model":
    """The model of a name; `on_retry` hears why there is a wait. Raises ModelError, which says what to do."""
    from ..agent.rehearsal import Rehearsal, read_script

    if name is not None and name.startswith(REHEARSAL):
        return Rehearsal(read_script(name.removeprefix(REHEARSAL)))
    from ..agent.models import Retries, open_model

    retries = None if on_retry is None else Retries(on_retry=on_retry)
    return open_model(name, call.word("base_url"), tool_calls(call), call.environ, retries)
