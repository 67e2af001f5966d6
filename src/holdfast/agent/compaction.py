"""Compaction: older messages become a summary that the model makes. What the user said stays word for word.

The plan is no part of it: it is in the board, and the resume block brings it back.
"""

from collections.abc import Callable, Sequence

from ..board.tokens import compact, estimate
from ..errors import TooLong
from ..text import shorten
from .messages import Message, text, user

SYSTEM = (
    "You sum up the work of an agent so that it can go on without its notes. Keep what was found out, what was changed "
    "in which file, what failed and why, and what the user decided. Leave the plan out: it is kept elsewhere."
)
SUMMARY = "<summary>\nWhat happened before, summed up:\n{}\n</summary>"
OURS = ("<summary>", "<reminder>", "<plan>", "<plan-mode>")
"""How texts on the user's side begin that no user said."""

LONGEST_RESULT = 2000
MOST_OF_USER = 8000
LEAST = 500
"""Tokens of a conversation that every model can read."""


def size(messages: Sequence[Message]) -> int:
    """About how many tokens a conversation has."""
    return sum(estimate(compact(message["content"])) for message in messages)


def place(messages: Sequence[Message], kept: int) -> int:
    """Where to cut a conversation so that about so many tokens stay; 0 if that is not worth it.

    What stays never begins with the results of calls that are cut off.
    """
    at = len(messages) - 1
    left = kept - size(messages[at:])
    while at > 0 and (left := left - size(messages[at - 1 : at])) >= 0:
        at -= 1
    while at > 0 and any(block["type"] == "tool_result" for block in messages[at]["content"]):
        at -= 1
    return at if at > 1 else 0


def question(messages: Sequence[Message], most: int) -> Message:
    """What the model is asked for a summary: the messages as one text, the oldest cut short if it is too long."""
    lines = "\n".join(line for message in messages for line in _lines(message))
    longest = max(most, LEAST) * 3  # characters: three a token is little
    if len(lines) > longest:
        lines = f"{lines[: longest // 4]}\n[…]\n{lines[-longest * 3 // 4 :]}"
    return user(text(f"{lines}\n\nSum this up, in at most 300 words."))


def summed_up(messages: Sequence[Message], most: int, ask: Callable[[Message], str]) -> str:
    """What a model makes of messages, of half as much each time that it cannot read so much. Raises ModelError."""
    while True:
        try:
            return ask(question(messages, most))
        except TooLong:
            if most <= LEAST:
                raise
            most //= 2


def compacted(messages: Sequence[Message], at: int, summary: str) -> list[Message]:
    """The conversation with a summary in place of what was before the cut. The user's own words stay before it."""
    kept, room = [], MOST_OF_USER
    for words in reversed([words for message in messages[:at] for words in said(message)]):
        if room > 0:
            kept.append(shorten(words, room))
        room -= len(words)
    head = user(*(text(words) for words in reversed(kept)), text(SUMMARY.format(summary)))
    return [head, *messages[at:]]


def said(message: Message) -> list[str]:
    """What a user said in a message, without what Holdfast put there."""
    if message["role"] != "user":
        return []
    texts = [block["text"] for block in message["content"] if block["type"] == "text"]
    return [words for words in texts if not words.startswith(OURS)]


def _lines(message: Message) -> list[str]:
    lines = []
    for block in message["content"]:
        match block["type"]:
            case "text":
                lines.append(f"{message['role']}: {block['text']}")
            case "tool_use":
                lines.append(f"call {block['name']}: {shorten(compact(block['input']), LONGEST_RESULT)}")
            case "tool_result":
                lines.append(f"result: {shorten(str(block['content']), LONGEST_RESULT)}")
    return lines
