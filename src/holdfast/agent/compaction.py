"""Compaction: older messages become a summary that the model makes. What the user said stays word for word.

The plan is no part of it: it is in the board, and the resume block brings it back.
"""

from collections.abc import Callable, Sequence

from ..board.tokens import compact, estimate
from ..errors import TooLong
from ..text import shorten
from .messages import Message, text, user_message

SYSTEM = (
    "You sum up the work of an agent so that it can go on without its notes. Keep what was found out, what was changed "
    "in which file, what failed and why, and what the user decided. Leave the plan out: it is kept elsewhere."
)
SUMMARY = "<summary>\nWhat happened before, summed up:\n{}\n</summary>"
INSERTED_TAGS = ("<summary>", "<reminder>", "<plan>", "<plan-mode>")
"""How texts on the user's side begin that Holdfast has put there."""

LONGEST_RESULT = 2000
LONGEST_USER_TEXT = 8000
FEWEST_TOKENS = 500
"""A conversation of so many tokens is short enough for every model."""


def token_count(messages: Sequence[Message]) -> int:
    """About how many tokens a conversation has."""
    return sum(estimate(compact(message["content"])) for message in messages)


def cut_position(messages: Sequence[Message], keep_tokens: int) -> int:
    """Where to cut a conversation so that about `keep_tokens` stay; 0 if that is not worth it.

    What stays never begins with the results of calls that are cut off.
    """
    at = len(messages) - 1
    left = keep_tokens - token_count(messages[at:])
    while at > 0 and (left := left - token_count(messages[at - 1 : at])) >= 0:
        at -= 1
    while at > 0 and any(block["type"] == "tool_result" for block in messages[at]["content"]):
        at -= 1
    return at if at > 1 else 0


def summary_request(messages: Sequence[Message], most: int) -> Message:
    """The request for a summary: the messages as one text, with a gap after the beginning if it is too long."""
    lines = "\n".join(line for message in messages for line in _lines(message))
    longest = max(most, FEWEST_TOKENS) * 3  # characters: a token has at least about three
    if len(lines) > longest:
        lines = f"{lines[: longest // 4]}\n[…]\n{lines[-longest * 3 // 4 :]}"
    return user_message(text(f"{lines}\n\nSum this up, in at most 300 words."))


def summarize(messages: Sequence[Message], most: int, ask: Callable[[Message], str]) -> str:
    """A model's summary of messages. Each time they are too long for it, it gets half as much. Raises ModelError."""
    while True:
        try:
            return ask(summary_request(messages, most))
        except TooLong:
            if most <= FEWEST_TOKENS:
                raise
            most //= 2


def insert_summary(messages: Sequence[Message], at: int, summary: str) -> list[Message]:
    """The conversation with a summary in place of what was before the cut. The user's own words stay before it."""
    user_words, room = [], LONGEST_USER_TEXT
    for words in reversed([words for message in messages[:at] for words in user_texts(message)]):
        if room > 0:
            user_words.append(shorten(words, room))
        room -= len(words)
    head = user_message(*(text(words) for words in reversed(user_words)), text(SUMMARY.format(summary)))
    return [head, *messages[at:]]


def user_texts(message: Message) -> list[str]:
    """What a user said in a message, without what Holdfast put there."""
    if message["role"] != "user":
        return []
    texts = [block["text"] for block in message["content"] if block["type"] == "text"]
    return [words for words in texts if not words.startswith(INSERTED_TAGS)]


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
