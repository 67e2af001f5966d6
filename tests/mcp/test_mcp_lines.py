"""Lines on standard input that are not messages: some can be repaired, the others are answered."""

from typing import Any

import mcp_types as types
import pytest
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from holdfast.mcp.stdio import repair


def refused(line: str) -> Exception:
    """What the SDK's reader raises for a line."""
    with pytest.raises(ValidationError) as raised:
        types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    return raised.value


@pytest.mark.parametrize(
    ("line", "code", "id"),
    [
        ("{not JSON", types.PARSE_ERROR, None),
        ("[" * 100_000, types.PARSE_ERROR, None),
        ('{"jsonrpc": "2.0", "id": 7}', types.INVALID_REQUEST, 7),
        ('{"jsonrpc": "2.0", "id": true, "method": 5}', types.INVALID_REQUEST, None),
        ('"a text"', types.INVALID_REQUEST, None),
        ('{"jsonrpc": "2.0", "id": "seven", "half": "\\ud83d"}', types.INVALID_REQUEST, "seven"),
        ('["\\ud83d"]', types.INVALID_REQUEST, None),
    ],
)
def test_a_line_that_is_no_message_is_answered(line: str, code: int, id: Any) -> None:
    """The error names the request, where that can be read."""
    answer = repair(refused(line))
    assert isinstance(answer, types.JSONRPCError)
    assert (answer.error.code, answer.id) == (code, id)


def test_half_of_a_pair_is_repair() -> None:
    """A request with a text that was cut in the middle of an emoji reaches the board, which tells the model."""
    line = '{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"_meta": {"words": "cut \\ud83d"}}}'
    message = repair(refused(line))
    assert isinstance(message, SessionMessage)
    assert isinstance(message.message, types.JSONRPCRequest)
    assert message.message.id == 1


def test_a_line_that_cannot_even_be_decoded_is_answered() -> None:
    """Whatever the reader raised, the client is told."""
    answer = repair(UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"))
    assert isinstance(answer, types.JSONRPCError)
    assert answer.error.code == types.PARSE_ERROR
