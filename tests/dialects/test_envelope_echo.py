"""`context.params_input` of the `envelope` dialect: the input exactly as received, whatever it is."""

import json
from types import MappingProxyType

import pytest
from envelope_calls import EXAMPLE, a_board, call, envelope, todo


class TestParamsInput:
    """`context.params_input` is the input exactly as received."""

    @pytest.mark.parametrize(
        "payload",
        [
            pytest.param(EXAMPLE, id="a good call"),
            pytest.param({**EXAMPLE, "why": {"nested": [1, 2.5, None, True]}}, id="with keys that nobody asked for"),
            pytest.param(call(todo("  A  ", id="7")), id="with blanks and ids"),
            pytest.param({"summary": "S", "todos": '[{"content": "A", "status": "pending"}]'}, id="a list as text"),
            pytest.param({"todos": None}, id="a bad call"),
            pytest.param([1, "x"], id="a list"),
            pytest.param(None, id="null"),
            pytest.param(3.5, id="a number"),
            pytest.param("{not json", id="a text that is no JSON"),
            pytest.param('{"todos": [], "todos": []}', id="a JSON text with a key twice"),
            pytest.param("[1, NaN]", id="a text that only looks like JSON"),
            pytest.param({"summary": "\ud83d", "todos": []}, id="half of a surrogate pair"),
        ],
    )
    def test_it_is_what_was_sent(self, payload: object) -> None:
        """Good or bad, whatever JSON can hold comes back unchanged."""
        assert envelope(a_board().write(payload))["context"] == {"cwd": ".", "params_input": payload}

    def test_json_text_comes_back_as_its_value(self) -> None:
        """Arguments that arrive as JSON text, as with OpenAI, are echoed as the object they are."""
        assert envelope(a_board().write(json.dumps(EXAMPLE)))["context"]["params_input"] == EXAMPLE

    def test_any_mapping_comes_back_as_an_object(self) -> None:
        """A host may pass a mapping of its own."""
        data = envelope(a_board().write(MappingProxyType(EXAMPLE)))
        assert data["status"] == "success"
        assert data["context"]["params_input"] == EXAMPLE

    def test_it_does_not_change_when_the_host_changes_the_payload(self) -> None:
        """The reply holds a copy: what a host does to its payload afterwards is not seen in it."""
        payload = call(todo("A"))
        data = envelope(a_board().write(payload))
        payload["todos"][0]["content"] = "changed"
        assert data["context"]["params_input"] == call(todo("A"))

    @pytest.mark.parametrize(
        ("payload", "instead"),
        [
            pytest.param(call(todo(content=b"bytes")), "an object that JSON cannot hold", id="bytes"),
            pytest.param(call(todo(content=float("nan"))), "an object that JSON cannot hold", id="not a number"),
            pytest.param(call(todo(content={1, 2})), "an object that JSON cannot hold", id="a set"),
            pytest.param({("a", "b"): 1}, "an object that JSON cannot hold", id="a key that is no text"),
            pytest.param(b"\xff", "a bytes that JSON cannot hold", id="bytes that are no text"),
            pytest.param(
                {**EXAMPLE, "more": "x" * 100_000}, "more than 100000 characters of JSON", id="more than anybody reads"
            ),
        ],
    )
    def test_what_json_cannot_hold_is_described(self, payload: object, instead: str) -> None:
        """An input that no JSON can hold, or that would bury the model, is named instead of echoed."""
        assert envelope(a_board().write(payload))["context"]["params_input"] == f"not echoed: {instead}"

    def test_a_long_input_is_echoed(self) -> None:
        """The limit is counted in characters, whatever the script, and far above every real list."""
        payload = {**EXAMPLE, "more": "字" * 99_000}
        assert envelope(a_board().write(payload))["context"]["params_input"] == payload

    def test_nesting_of_any_depth_gets_an_envelope(self) -> None:
        """However deep an input is nested, the reply is valid JSON and nothing is raised."""
        deep: object = "bottom"
        for depth in range(1200):
            deep = [deep]
            if depth > 850:  # around the depth at which Python's own writer gives up
                assert envelope(a_board().write({**EXAMPLE, "more": deep}))["status"] == "success"
