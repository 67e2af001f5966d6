"""A scripted model behind a real API: a server on loopback with four APIs, which refuses what they refuse."""

import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple, Self

from ..agent.rehearsal import text, with_call_id
from ..board.tokens import estimate
from . import chat_wire, gemini_wire, messages_wire, responses_wire
from .chat_rules import check_answer
from .loopback import HTTPReply, LoopbackServer
from .turns import Blocks, Dropped, Failing, Garbage, ScriptedTurn, Slow
from .wire import JSON, APIRefusal, ScriptedAnswer, Wire

WIRES: Mapping[str, Wire] = {
    "/v1/messages": messages_wire,
    "/v1/chat/completions": chat_wire,
    "/v1/responses": responses_wire,
    gemini_wire.PATH: gemini_wire,
}
AnsweringTurn = Blocks | Dropped | Garbage | Slow
END_OF_SCRIPT = [text("The script ends here.")]


class Request(NamedTuple):
    """A request, and the status of its reply."""

    path: str
    headers: Mapping[str, str]
    body: JSON
    status: int


class ModelServer:
    """Answers requests with the turns of a script, over HTTP, on 127.0.0.1 at a port of its own.

        with ModelServer([[call("bash", command="ls")], [text("Done.")]]) as server:
            model = open_model("anthropic:scripted", base_url=server.url)

    It says only what the script says, and its answers say that they are scripted. A turn is the blocks of an answer,
    or a Failing, Dropped, Garbage or Slow one. A refused request takes no turn. `requests` has all that was sent.
    Where several conversations stand side by side, the script is a function: it gets a request, and returns the turn.
    `key`: the only key that is accepted. `models`: the only models that exist. `strict`: also refuse calls in the
    history of tools that are not offered, which the real APIs accept.
    """

    def __init__(
        self,
        turns: Iterable[ScriptedTurn] | Callable[[JSON], ScriptedTurn] = (),
        key: str | None = None,
        models: Collection[str] | None = None,
        strict: bool = False,
    ) -> None:
        self.requests: list[Request] = []
        self._turns = turns if callable(turns) else _in_order(turns)
        self._key = key
        self._models = models
        self._strict = strict
        self._lock = threading.Lock()
        self._listener = LoopbackServer(self._answer)

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

    def __exit__(self, *_: object) -> None:
        self._listener.stop()

    def _answer(self, path: str, headers: Mapping[str, str], body: JSON) -> HTTPReply:
        with self._lock:
            if path == "/v1/models":
                names = ["scripted"] if self._models is None else self._models
                return HTTPReply(200, {"object": "list", "data": [{"id": name, "object": "model"} for name in names]})
            path, body = gemini_wire.normalize_request(path, body)
            wire = WIRES.get(path, messages_wire)
            try:
                turn = self._next_turn(path, headers, body)
            except APIRefusal as refusal:
                self.requests.append(Request(path, headers, body, refusal.status))
                return HTTPReply(refusal.status, wire.error_body(refusal), retry_after=refusal.after)
            self.requests.append(Request(path, headers, body, 200))
            return self._reply(wire, body, turn)

    def _next_turn(self, path: str, headers: Mapping[str, str], body: JSON) -> AnsweringTurn:
        if path not in WIRES:
            raise APIRefusal(f"no such path: {path}", 404)
        given = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
        if self._key is not None and given != self._key:
            raise APIRefusal("invalid x-api-key", 401, "invalid_api_key")
        WIRES[path].check_request(body, self._strict)
        if self._models is not None and body["model"] not in self._models:
            raise APIRefusal(f"model: {body['model']}", 404, "model_not_found")
        turn = self._turns(body)
        if isinstance(turn, Failing):
            raise APIRefusal(turn.message, turn.status, turn.code, turn.retry_after)
        if not isinstance(turn, Garbage):
            check_answer(body, turn.blocks if isinstance(turn, (Dropped, Slow)) else turn)
        return turn

    def _reply(self, wire: Wire, body: JSON, turn: AnsweringTurn) -> HTTPReply:
        match turn:
            case Garbage():
                return HTTPReply(200, turn.body, turn.kind)
            case Dropped():
                return self._scripted_reply(wire, body, turn.blocks)._replace(cut=turn.after)
            case Slow():
                return self._scripted_reply(wire, body, turn.blocks)._replace(pause=turn.seconds)
        return self._scripted_reply(wire, body, turn)

    def _scripted_reply(self, wire: Wire, body: JSON, blocks: Blocks) -> HTTPReply:
        number = len(self.requests)
        named = [with_call_id(block, number, place) for place, block in enumerate(blocks, 1)]
        answer = ScriptedAnswer(number, body["model"], named, estimate(str(body)))
        if body.get("stream"):
            return HTTPReply(200, list(wire.answer_events(answer)), "text/event-stream")
        return HTTPReply(200, wire.answer_body(answer))


def _in_order(turns: Iterable[ScriptedTurn]) -> Callable[[JSON], ScriptedTurn]:
    left = iter(turns)
    return lambda _: next(left, END_OF_SCRIPT)
