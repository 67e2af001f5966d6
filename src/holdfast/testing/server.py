"""A scripted model behind a real wire: a server on loopback that speaks four APIs, and refuses what they refuse."""

import threading
from collections.abc import Collection, Iterable, Mapping
from types import TracebackType
from typing import NamedTuple, Self

from ..agent.rehearsal import numbered, text
from ..board.tokens import estimate
from . import chat_wire, gemini_wire, messages_wire, responses_wire
from .loopback import Listener, Reply
from .turns import Blocks, Dropped, Failing, Garbage, Slow, Turn
from .wire import JSON, Refusal, Spoken, Wire

WIRES: Mapping[str, Wire] = {
    "/v1/messages": messages_wire,
    "/v1/chat/completions": chat_wire,
    "/v1/responses": responses_wire,
    gemini_wire.PATH: gemini_wire,
}
Answerable = Blocks | Dropped | Garbage | Slow
GOODBYE = [text("The script ends here.")]


class Request(NamedTuple):
    """What was sent to the server, and the status that it got."""

    path: str
    headers: Mapping[str, str]
    body: JSON
    status: int


class ModelServer:
    """Plays a script of turns to whoever asks, over HTTP, on 127.0.0.1 at a port of its own.

        with ModelServer([[call("bash", command="ls")], [text("Done.")]]) as server:
            model = open_model("anthropic:scripted", base_url=server.url)

    It is no model: it says what the script says, and its answers are named as scripted. A turn is the blocks of an
    answer, or a Failing, Dropped, Garbage or Slow one; a request that is refused takes no turn. `requests` is all that
    was sent. `key`: the only key that is let in. `models`: the only ones that are there. `strict`: calls in the history
    of tools that are not offered are refused too; the real APIs take them.
    """

    def __init__(
        self,
        turns: Iterable[Turn] = (),
        key: str | None = None,
        models: Collection[str] | None = None,
        strict: bool = False,
    ) -> None:
        self.requests: list[Request] = []
        self._turns = iter(turns)
        self._key = key
        self._models = models
        self._strict = strict
        self._lock = threading.Lock()
        self._listener = Listener(self._answer)

    @property
    def url(self) -> str:
        """The address, as the Messages API's SDK wants it."""
        return self._listener.url

    @property
    def chat_url(self) -> str:
        """The address, as OpenAI's SDK wants it, for Chat Completions and Responses."""
        return f"{self.url}/v1"

    def __enter__(self) -> Self:
        self._listener.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.stop()

    def _answer(self, path: str, headers: Mapping[str, str], body: JSON) -> Reply:
        with self._lock:
            if path == "/v1/models":
                return Reply(200, {"object": "list", "data": [{"id": name, "object": "model"} for name in self._named]})
            path, body = gemini_wire.addressed(path, body)
            wire = WIRES.get(path, messages_wire)
            try:
                turn = self._turn(path, headers, body)
            except Refusal as refusal:
                self.requests.append(Request(path, headers, body, refusal.status))
                return Reply(refusal.status, wire.error(refusal), retry_after=refusal.after)
            self.requests.append(Request(path, headers, body, 200))
            return self._reply(wire, body, turn)

    def _turn(self, path: str, headers: Mapping[str, str], body: JSON) -> Answerable:
        if path not in WIRES:
            raise Refusal(f"no such path: {path}", 404)
        given = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
        if self._key is not None and given != self._key:
            raise Refusal("invalid x-api-key", 401, "invalid_api_key")
        WIRES[path].check(body, self._strict)
        if self._models is not None and body["model"] not in self._models:
            raise Refusal(f"model: {body['model']}", 404, "model_not_found")
        turn = next(self._turns, GOODBYE)
        if isinstance(turn, Failing):
            raise Refusal(turn.message, turn.status, turn.code, turn.retry_after)
        if not isinstance(turn, Garbage):
            WIRES[path].fit(body, turn.blocks if isinstance(turn, (Dropped, Slow)) else turn)
        return turn

    def _reply(self, wire: Wire, body: JSON, turn: Answerable) -> Reply:
        match turn:
            case Garbage():
                return Reply(200, turn.body, turn.kind)
            case Dropped():
                return self._spoken(wire, body, turn.blocks)._replace(cut=turn.after)
            case Slow():
                return self._spoken(wire, body, turn.blocks)._replace(pause=turn.seconds)
        return self._spoken(wire, body, turn)

    def _spoken(self, wire: Wire, body: JSON, blocks: Blocks) -> Reply:
        number = len(self.requests)
        named = [numbered(block, number, place) for place, block in enumerate(blocks, 1)]
        spoken = Spoken(number, body["model"], named, estimate(str(body)))
        if body.get("stream"):
            return Reply(200, list(wire.events(spoken)), "text/event-stream")
        return Reply(200, wire.whole(spoken))

    @property
    def _named(self) -> Collection[str]:
        return self._models if self._models is not None else ["scripted"]
