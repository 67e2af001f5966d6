"""What goes wrong on the wire: what may pass is asked again, a few times; what will not is told in one line."""

from typing import Any

import pytest

pytest.importorskip("anthropic", reason="the SDKs are not installed: pip install 'holdfast[agent]'")
pytest.importorskip("openai", reason="the SDKs are not installed: pip install 'holdfast[agent]'")

from holdfast.agent import Model
from holdfast.agent.models import Retries
from holdfast.agent.models.anthropic import AnthropicModel
from holdfast.agent.models.openai import OpenAIModel
from holdfast.errors import ModelError, TooLong
from holdfast.testing import Dropped, Failing, Garbage, ModelServer, ScriptedTurn, Slow, call, text

TASK: dict[str, Any] = {"role": "user", "content": [{"type": "text", "text": "Do it"}]}
DONE = [text("All is well.")]


class Asking:
    """A model on one wire that waits for nothing, and what it was told meanwhile."""

    def __init__(self, wire: str) -> None:
        self.wire = wire
        self.waits: list[float] = []
        self.lines: list[str] = []

    def model(self, server: ModelServer, timeout: float = 10.0) -> Model:
        """The model, at a server."""
        retries = Retries(sleep=self.waits.append, jitter=lambda: 1.0, on_retry=self.lines.append)
        if self.wire == "anthropic":
            return AnthropicModel("scripted", "key", server.url, retries, timeout=timeout)
        return OpenAIModel("scripted", "key", server.chat_url, retries, timeout=timeout)

    def play(self, *turns: ScriptedTurn, timeout: float = 10.0) -> tuple[str, int]:
        """What the model said, or what was raised, and how many requests it took."""
        with ModelServer(turns) as server:
            try:
                answer = self.model(server, timeout).query("", [TASK], [])
                said = "".join(block["text"] for block in answer.blocks)
            except ModelError as error:
                said = str(error).replace(server.url, "URL")
            return said, len(server.requests)


@pytest.fixture(params=["anthropic", "openai"])
def asking(request: pytest.FixtureRequest) -> Asking:
    """Both wires."""
    return Asking(request.param)


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_asked_again(asking: Asking, status: int) -> None:
    """A limit, an overload or a fault of the server is asked again, with waits that double."""
    assert asking.play(Failing(status), Failing(status), Failing(status), DONE) == ("All is well.", 4)
    assert asking.waits == [0.5, 1.0, 2.0]
    assert len(asking.lines) == 3


def test_a_server_that_says_how_long_to_wait_is_heard(asking: Asking) -> None:
    """`retry-after` is the wait."""
    assert asking.play(Failing(429, retry_after=7), DONE) == ("All is well.", 2)
    assert asking.waits == [7.0]
    assert asking.lines == [f"{asking.wire}:scripted is at its rate limit (429); again in 7.0 s"]


def test_a_server_that_asks_for_too_long_a_wait_is_not_waited_for(asking: Asking) -> None:
    """An hour is not waited: the line says so."""
    said, requests = asking.play(Failing(429, retry_after=3600), DONE)
    assert said == f"{asking.wire}:scripted is at its rate limit (429), and asks to wait 3600 s: try again then"
    assert (requests, asking.waits) == (1, [])


@pytest.mark.parametrize("after", [0, 1, 3, 5])
def test_a_dropped_connection_is_asked_again(asking: Asking, after: int) -> None:
    """A connection cut in mid-answer, before or after a call, is asked again, and the whole answer counts."""
    cut = Dropped([text("Let me look at this first, then go on."), call("echo", words="x")], after)
    assert asking.play(cut, cut, DONE) == ("All is well.", 3)
    assert len(asking.waits) == 2


@pytest.mark.parametrize(
    "garbage",
    [
        Garbage(),
        Garbage(""),
        Garbage("data: {not json\n\n", "text/event-stream"),
        Garbage("event: message_start\ndata: {not json\n\n", "text/event-stream"),
        Garbage("data: 42\n\n", "text/event-stream"),
        Garbage("event: message_start\ndata: 42\n\n", "text/event-stream"),
        Garbage('data: {"choices": [{}]}\n\n', "text/event-stream"),
        Garbage('event: message_start\ndata: {"type": "message_start"}\n\n', "text/event-stream"),
        Garbage(
            'event: content_block_delta\ndata: {"type": "content_block_delta", "index": 9}\n\n', "text/event-stream"
        ),
    ],
)
def test_an_answer_that_is_none_is_asked_again(asking: Asking, garbage: Garbage) -> None:
    """Whatever a server sends in place of an answer, it is asked again, and then given up in a line."""
    assert asking.play(garbage, DONE) == ("All is well.", 2)
    said, requests = asking.play(*[garbage] * 9)
    assert requests == 5
    assert said.startswith(f"{asking.wire}:scripted ")
    assert "\n" not in said


@pytest.mark.parametrize("kind", ["overloaded_error", "rate_limit_error", "api_error"])
def test_an_error_in_mid_stream_is_asked_again(kind: str) -> None:
    """An overload that the Messages API tells of in the stream, under status 200, may pass too."""
    body = f'event: error\ndata: {{"type": "error", "error": {{"type": "{kind}", "message": "Overloaded"}}}}\n\n'
    assert Asking("anthropic").play(Garbage(body, "text/event-stream"), DONE) == ("All is well.", 2)


def test_a_chat_server_that_refuses_in_mid_stream() -> None:
    """llama.cpp tells of a context that is too small in the stream: that will not pass, another fault may."""
    told = 'data: {"error": {"code": 400, "message": "the context is too small", "type": "invalid_request_error"}}\n\n'
    said, requests = Asking("openai").play(Garbage(told, "text/event-stream"), DONE)
    assert (said, requests) == ("openai:scripted refused the request (400): the context is too small", 1)
    told = 'data: {"error": {"message": "slot lost"}}\n\n'
    assert Asking("openai").play(Garbage(told, "text/event-stream"), DONE) == ("All is well.", 2)


def test_a_server_that_is_too_slow_is_asked_again(asking: Asking) -> None:
    """No answer within the time-out is a connection lost."""
    assert asking.play(Slow(DONE, 60.0), DONE, timeout=2.0) == ("All is well.", 2)


def test_a_server_that_is_slow_but_answers_is_waited_for(asking: Asking) -> None:
    """Time between the pieces does no harm."""
    assert asking.play(Slow(DONE, 0.01)) == ("All is well.", 1)


@pytest.mark.parametrize(
    ("turn", "line", "requests"),
    [
        (Failing(400, "prompt is too long"), "{} refused the request (400): prompt is too long", 1),
        (Failing(401), "{} refused the key (401): check {}", 1),
        (Failing(403, "not for you"), "the key in {1} may not use {0} (403): not for you", 1),
        (Failing(413, "too big"), "the request is too large for {} (413): too big", 1),
        (Failing(422, "a\nb \x1b[31m"), "{} refused the request (422): a b ", 1),
        (Failing(429), "{} is at its rate limit (429), after 5 tries: wait, or take another model", 5),
        (
            Failing(529, "Overloaded"),
            "{} fails (529): Overloaded, after 5 tries: try again later, or take another model",
            5,
        ),
        (Dropped(DONE, 2), "", 5),
    ],
)
def test_what_will_not_pass_is_told_in_one_line(asking: Asking, turn: ScriptedTurn, line: str, requests: int) -> None:
    """The line says what was wrong and what to do; tries are counted, and no control code gets through."""
    key = "ANTHROPIC_API_KEY" if asking.wire == "anthropic" else "OPENAI_API_KEY"
    said, asked = asking.play(*[turn] * 9)
    assert asked == requests
    assert said.startswith(line.format(f"{asking.wire}:scripted", key))
    assert said.isprintable()


def test_an_account_without_credit_is_not_asked_again() -> None:
    """OpenAI says 429 for that too; it will not pass."""
    said, asked = Asking("openai").play(Failing(429, "You exceeded your quota.", code="insufficient_quota"), DONE)
    assert (said, asked) == ("there is no credit left for openai:scripted (429): You exceeded your quota.", 1)


def test_an_unknown_model_and_a_wrong_key(asking: Asking) -> None:
    """A name that the server does not know, and a key that it does not take."""
    with ModelServer([DONE], models=["other"]) as server, pytest.raises(ModelError) as raised:
        asking.model(server).query("", [TASK], [])
    address = server.url if asking.wire == "anthropic" else server.chat_url
    assert str(raised.value) == f"no model 'scripted' at {address} (404): check its name, and the address"
    with ModelServer([DONE], key="another") as server, pytest.raises(ModelError, match="refused the key"):
        asking.model(server).query("", [TASK], [])


def test_a_server_that_is_not_there(asking: Asking) -> None:
    """Nobody listens at the address: it is tried again, then told."""
    with ModelServer() as gone:
        pass
    with pytest.raises(ModelError) as raised:
        asking.model(gone).query("", [TASK], [])
    assert str(raised.value).startswith(f"no connection to {gone.url}")
    assert str(raised.value).endswith("after 5 tries: check the address, and that the server runs")
    assert len(asking.waits) == 4


def test_what_a_listener_raises_is_its_own(asking: Asking) -> None:
    """An error in the host's own code is no trouble of the model's, and nothing is asked again."""

    def broken(piece: str) -> None:
        raise ValueError(piece)

    with ModelServer([DONE, DONE]) as server:
        with pytest.raises(ValueError, match="All"):
            asking.model(server).query("", [TASK], [], broken)
        assert len(server.requests) == 1


@pytest.mark.parametrize("random", [0.0, 0.5, 1.0])
def test_waits_have_jitter_and_a_bound(random: float) -> None:
    """A wait is between half of its length and the whole, and never longer than the longest."""
    waits: list[float] = []
    retries = Retries(tries=9, first=1.0, longest=4.0, sleep=waits.append, jitter=lambda: random)
    with pytest.raises(ModelError):
        retries.run(_fails)
    share = 0.5 + random / 2
    assert waits == [wait * share for wait in (1, 2, 4, 4, 4, 4, 4, 4)]


def test_one_try_is_one_try() -> None:
    """Without retries there is no wait, and the line says how often it was tried."""
    with pytest.raises(ModelError, match=r"^it is late, after one try: go home$"):
        Retries(tries=1).run(_fails)


def _fails() -> None:
    from holdfast.agent.models.retries import TransientError

    raise TransientError("it is late", "go home")


@pytest.mark.parametrize(
    "words",
    [
        "prompt is too long: 210000 tokens > 200000 maximum",
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
        "the request exceeds the available context size, try increasing it",
    ],
)
def test_a_request_that_is_too_long_is_told_apart(asking: Asking, words: str) -> None:
    """Whichever server says so: the conversation can then be made shorter."""
    with ModelServer([Failing(400, words)]) as server, pytest.raises(TooLong, match="refused the request"):
        asking.model(server).query("", [TASK], [])
