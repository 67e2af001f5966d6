"""Which model is opened: by name, by the environment, by the key that is set, and a clear line when there is none."""

from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("anthropic", reason="the SDKs are not installed: pip install 'holdfast[agent]'")
pytest.importorskip("openai", reason="the SDKs are not installed: pip install 'holdfast[agent]'")

from holdfast.agent import models
from holdfast.agent.models import JSONActions, open_model
from holdfast.errors import ModelError
from holdfast.testing import ModelServer, text

ANTHROPIC = {"ANTHROPIC_API_KEY": "a"}
OPENAI = {"OPENAI_API_KEY": "b"}
LOCAL = "http://127.0.0.1:9/v1"
TASK: dict[str, Any] = {"role": "user", "content": [{"type": "text", "text": "Do it"}]}


@pytest.mark.parametrize(
    ("name", "environ", "kind", "chosen"),
    [
        ("anthropic:claude-opus-5-5", ANTHROPIC, "AnthropicModel", "claude-opus-5-5"),
        ("openai:gpt-6-luna", {**ANTHROPIC, **OPENAI}, "OpenAIModel", "gpt-6-luna"),
        ("openai:qwen2.5:7b", OPENAI, "OpenAIModel", "qwen2.5:7b"),
        ("openai", OPENAI, "OpenAIModel", "gpt-6.1-sol"),
        (None, {**ANTHROPIC, "HOLDFAST_MODEL": "anthropic:claude-haiku-5-5"}, "AnthropicModel", "claude-haiku-5-5"),
        (None, ANTHROPIC, "AnthropicModel", "claude-sonnet-5-5"),
        (None, OPENAI, "OpenAIModel", "gpt-6.1-sol"),
        (None, {**OPENAI, **ANTHROPIC}, "AnthropicModel", "claude-sonnet-5-5"),
        (None, {**OPENAI, "ANTHROPIC_API_KEY": "", "HOLDFAST_MODEL": ""}, "OpenAIModel", "gpt-6.1-sol"),
    ],
)
def test_a_model_is_chosen(name: str | None, environ: dict[str, str], kind: str, chosen: str) -> None:
    """The name comes first, then HOLDFAST_MODEL, then the key that is set, Anthropic's before OpenAI's."""
    model: Any = open_model(name, environ=environ)
    assert (type(model).__name__, model.name) == (kind, chosen)


@pytest.mark.parametrize(
    ("arguments", "environ", "line"),
    [
        (
            {},
            {},
            "no model: say which (anthropic:NAME or openai:NAME) or set HOLDFAST_MODEL, set ANTHROPIC_API_KEY or "
            "OPENAI_API_KEY, or give the address of a server of your own",
        ),
        (
            {"name": "anthropic:x"},
            OPENAI,
            "no key for anthropic: set ANTHROPIC_API_KEY, or give the address of a server of your own",
        ),
        (
            {"name": "openai:x"},
            ANTHROPIC,
            "no key for openai: set OPENAI_API_KEY, or give the address of a server of your own",
        ),
        ({"name": "gpt-6-luna"}, OPENAI, "unknown model 'gpt-6-luna': say anthropic:NAME or openai:NAME"),
        ({"name": "openai:x", "tool_calls": "xml"}, OPENAI, "unknown tool calls 'xml': there are native, json"),
        (
            {"name": "anthropic:x", "tool_calls": "json"},
            ANTHROPIC,
            "JSON tool calls need an OpenAI-compatible server: say openai:NAME and its address",
        ),
    ],
)
def test_a_choice_that_cannot_be_is_told(arguments: dict[str, str], environ: dict[str, str], line: str) -> None:
    """Each line says what to do."""
    with pytest.raises(ModelError) as raised:
        open_model(environ=environ, **arguments)  # type: ignore[arg-type] # a choice that a type checker refuses too
    assert str(raised.value) == line


def test_a_server_of_ones_own_needs_no_key_and_no_name() -> None:
    """With an address only, it is the first model that the server has."""
    with ModelServer([[text("Hello.")]], models=["qwen", "other"]) as server:
        model = open_model(base_url=server.chat_url, environ={})
        assert model.query("", [TASK], []).blocks == [text("Hello.")]
        assert server.requests[0].body["model"] == "qwen"


def test_a_server_without_a_model() -> None:
    """There is nothing to speak to: the line says what to do."""
    with ModelServer(models=[]) as server, pytest.raises(ModelError) as raised:
        open_model(base_url=server.chat_url, environ={}).query("", [TASK], [])
    assert str(raised.value) == f"{server.chat_url} has no model: load one, or name one"


def test_the_address_may_stand_in_the_environment() -> None:
    """The SDKs' own variables for the address are heard, and a key that is set is sent."""
    with ModelServer([[text("Hello.")]] * 2, key="secret") as server:
        environ = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "secret"}
        assert open_model("anthropic:x", environ=environ).query("", [TASK], []).blocks == [text("Hello.")]
        environ = {"OPENAI_BASE_URL": server.chat_url, "OPENAI_API_KEY": "secret"}
        assert open_model("openai:x", environ=environ).query("", [TASK], []).blocks == [text("Hello.")]


def test_json_tool_calls_wrap_the_model_of_a_server() -> None:
    """`json` gives a model that acts by JSON."""
    assert isinstance(open_model("openai:x", LOCAL, "json", environ={}), JSONActions)


def test_a_missing_sdk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line says what to install."""

    def missing(name: str, package: str | None = None) -> ModuleType:
        if name == ".openai":
            raise ModuleNotFoundError("No module named 'openai'", name="openai")
        return import_module(name, package)

    monkeypatch.setattr(models, "import_module", missing)
    with pytest.raises(ModelError, match=r"^the SDK for openai is missing: pip install 'holdfast\[agent\]'$"):
        open_model("openai:x", environ=OPENAI)
