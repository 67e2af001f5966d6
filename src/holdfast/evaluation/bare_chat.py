"""The bare host's model: any server with Chat Completions that takes `response_format: json_schema`.

The standard library is enough for it, so that it runs where nothing can be installed.
"""

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ..errors import ModelError
from ..text import brief
from ..urls import http_url

KEY, ADDRESS = "OPENAI_API_KEY", "OPENAI_BASE_URL"
PREFIX = "openai:"
TRIES = 5
FIRST_WAIT = 0.5
TIMEOUT = 600.0
"""Seconds for one answer. Where runs stand side by side, a request may wait for others."""
PASSING = frozenset([408, 409, 429])
"""Statuses that may pass, as do those from 500 on."""


class ChatAnswer(NamedTuple):
    """What the model said, and the tokens that it read and wrote."""

    text: str
    tokens_in: int
    tokens_out: int


class ChatServer:
    """A model behind Chat Completions. Without a name, it is the first one that the server has.

    `on_retry` gets a line that says why there is a wait.
    """

    def __init__(
        self, address: str, name: str = "", key: str = "", on_retry: Callable[[str], object] | None = None
    ) -> None:
        self.address = address.rstrip("/")
        self.name = name
        self._key = key
        self._on_retry = on_retry
        is_here = urlsplit(address).hostname in ("127.0.0.1", "localhost", "::1")
        proxies = urllib.request.ProxyHandler({} if is_here else None)
        self._opener = urllib.request.build_opener(proxies)

    def ask(
        self, messages: Sequence[Mapping[str, str]], most_tokens: int, schema: Mapping[str, Any] | None = None
    ) -> ChatAnswer:
        """The answer to a conversation, held to a schema if there is one. Raises ModelError if there is no answer."""
        self.name = self.name or self._first_name()
        body: dict[str, Any] = {
            "model": self.name,
            "messages": list(messages),
            "temperature": 0,
            "max_tokens": most_tokens,
        }
        if schema is not None:
            body["response_format"] = {"type": "json_schema", "json_schema": {"name": "action", "schema": schema}}
        data = self._request("/chat/completions", body)
        try:
            usage = data.get("usage") or {}
            text = data["choices"][0]["message"]["content"] or ""
            return ChatAnswer(str(text), int(usage.get("prompt_tokens", 0)), int(usage.get("completion_tokens", 0)))
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise ModelError(f"{self.address} sent no chat completion: check that it is a model's server") from error

    def _first_name(self) -> str:
        listed = self._request("/models")
        try:
            return str(listed["data"][0]["id"])
        except (LookupError, TypeError) as error:
            raise ModelError(f"{self.address} has no model: load one, or name one") from error

    def _request(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """The server's answer, after a few tries if need be."""
        trouble = ""
        for number in range(TRIES):
            try:
                return self._attempt(path, body)
            except urllib.error.HTTPError as error:
                trouble = f"{self.address} refused the request ({error.code}): {_words(error)}"
                if error.code < 500 and error.code not in PASSING:
                    raise ModelError(trouble) from error
            except (OSError, http.client.HTTPException, ValueError) as error:
                trouble = f"no answer from {self.address} ({brief(str(error), 200)})"
            self._wait(trouble, number)
        raise ModelError(f"{trouble}, after {TRIES} tries: check the address, and that the server runs")

    def _attempt(self, path: str, body: Mapping[str, Any] | None) -> Any:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        data = None if body is None else json.dumps(body).encode()
        with self._opener.open(urllib.request.Request(self.address + path, data, headers), timeout=TIMEOUT) as answer:
            return json.load(answer)

    def _wait(self, trouble: str, number: int) -> None:
        if number + 1 < TRIES:
            seconds = FIRST_WAIT * 2**number
            if self._on_retry is not None:
                self._on_retry(f"{trouble}; again in {seconds:.1f} s")
            time.sleep(seconds)


def open_chat(
    name: str | None,
    address: str | None,
    environ: Mapping[str, str],
    on_retry: Callable[[str], object] | None = None,
) -> ChatServer:
    """The model "openai:NAME", or the first one, at an address. Raises ModelError, which says what to do."""
    if name is not None and not name.startswith(PREFIX):
        raise ModelError(f"the bare host needs a server with Chat Completions: say openai:NAME, not {name!r}")
    address = address or environ.get(ADDRESS)
    if not address:
        raise ModelError(f"the bare host needs the address of a server: give --base-url, or set {ADDRESS}")
    try:
        return ChatServer(http_url(address), (name or "").removeprefix(PREFIX), environ.get(KEY, ""), on_retry)
    except ValueError as error:
        raise ModelError(f"no model's server: {error}") from error


def _words(error: urllib.error.HTTPError) -> str:
    """What the server says of an error."""
    try:
        raw = error.read().decode("utf-8", "replace")
    except (OSError, http.client.HTTPException):
        raw = ""
    try:
        return brief(str(json.loads(raw)["error"]["message"]), 300)
    except (ValueError, LookupError, TypeError):
        return brief(raw or str(error.reason), 300)
