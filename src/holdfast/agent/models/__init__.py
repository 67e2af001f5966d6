"""The models that an agent can use: `open_model("anthropic:NAME")`, and what they have in common.

An SDK is imported when a model that needs it is opened, not before: it takes a second or more.
"""

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

from ...errors import ModelError
from ...urls import http_url
from ..messages import Model
from .json_actions import JSONActions
from .retries import Retries

TOOL_CALLS = ("native", "json")


class _Provider(NamedTuple):
    module: str
    kind: str
    key: str
    address: str
    name: str


_PROVIDERS = {
    "anthropic": _Provider(
        "anthropic", "AnthropicModel", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "claude-sonnet-5-5"
    ),
    "openai": _Provider("openai", "OpenAIModel", "OPENAI_API_KEY", "OPENAI_BASE_URL", "gpt-6.1-sol"),
}
"""By name: where the model's class is, the variables of its key and its server's address, and the default model."""


def open_model(
    name: str | None = None,
    base_url: str | None = None,
    tool_calls: str = "native",
    environ: Mapping[str, str] = os.environ,
    retries: Retries | None = None,
) -> Model:
    """The model "anthropic:NAME" or "openai:NAME". The default is HOLDFAST_MODEL, else the provider whose key is set.

    `base_url` is the address of any server with the provider's API. It needs no key; its default model is "openai:",
    the first one that the server has. `tool_calls="json"` is for models that cannot call tools.
    Raises ModelError, in one line that says what to do, for an unknown name, a bad address, a missing key or SDK.
    """
    if tool_calls not in TOOL_CALLS:
        raise ModelError(f"unknown tool calls {tool_calls!r}: there are {', '.join(TOOL_CALLS)}")
    chosen, _, own = (name or environ.get("HOLDFAST_MODEL") or _provider_with_key(base_url, environ)).partition(":")
    provider = _PROVIDERS.get(chosen)
    if provider is None:
        raise ModelError(f"unknown model {chosen!r}: say anthropic:NAME or openai:NAME")
    if tool_calls == "json" and chosen != "openai":
        raise ModelError("JSON tool calls need an OpenAI-compatible server: say openai:NAME and its address")
    base_url = _check_address(base_url or environ.get(provider.address) or None)
    key = environ.get(provider.key) or ("none" if base_url else "")
    if not key:
        raise ModelError(f"no key for {chosen}: set {provider.key}, or give the address of a server of your own")
    own = own or ("" if base_url and chosen == "openai" else provider.name)
    model = _load_class(provider)(own, key, base_url, retries)
    opened: Model = JSONActions(model) if tool_calls == "json" else model
    return opened


def _provider_with_key(base_url: str | None, environ: Mapping[str, str]) -> str:
    if base_url:
        return "openai"
    for name, provider in _PROVIDERS.items():
        if environ.get(provider.key):
            return name
    raise ModelError(
        "no model: say which (anthropic:NAME or openai:NAME) or set HOLDFAST_MODEL, "
        "set ANTHROPIC_API_KEY or OPENAI_API_KEY, or give the address of a server of your own"
    )


def _check_address(base_url: str | None) -> str | None:
    try:
        return None if base_url is None else http_url(base_url)
    except ValueError as error:
        raise ModelError(f"no model's server: {error}") from error


def _load_class(provider: _Provider) -> Any:
    try:
        return getattr(import_module(f".{provider.module}", __name__), provider.kind)
    except ImportError as error:
        raise ModelError(f"the SDK for {provider.module} is missing: pip install 'holdfast[agent]'") from error


__all__ = ["TOOL_CALLS", "JSONActions", "Retries", "open_model"]
