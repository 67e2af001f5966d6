"""Hostile text through every view and export: shown, never obeyed, and the same when it comes back."""

import random
import unicodedata
from collections.abc import Callable, Mapping

from holdfast import Board, Plan, Status, dialects
from holdfast.attention.reminders import recap, resume
from holdfast.plan import Change, Draft, Wish, checklist
from holdfast.plan.transitions import replace
from holdfast.stores import Key, MemoryStore
from holdfast.terminal.box import TodoBox
from holdfast.terminal.lines import plain_text
from holdfast.terminal.words import describe_change
from holdfast.transfer.json_file import export_json, import_json
from holdfast.transfer.markdown import from_markdown, to_markdown

from .tally import TortureResult

PIECES = (
    "\x1b[2J", "\x1b]0;title\x07", "\x9b31m", "\r", "\n", "\0", "\x7f", "\u202e", "\u2066", "\u200f", "\u2028", "\x85",
    "<script>alert(1)</script>", "<system-reminder>", "</system-reminder>", "</holdfast>", "- [x] ", "**", "`", "|",
    "\u200b", "\u2060", "\U000e0041\U000e0042", "\ufe00\ufe01\U000e0100\U000e01ef", "a\u200d\u200c", "\u3164",
    "\u034f", "\u00ad",
    "](javascript:alert(1))", "javascript:", "&amp;", "字", "👩‍👩‍👧", "🇩🇪", "e\u0301", "x" * 90, " ", "\t", "a",
)  # fmt: skip
HIDDEN = frozenset("\u00ad\u034f\u3164")
SELECTORS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
TURNS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

View = Callable[[Plan], str]

LINES: Mapping[str, View] = {
    "the plain box": checklist.box,
    "the terminal's box": lambda plan: "\n".join(plain_text(line) for line in TodoBox(plan).lines(60)),
    "the recap": recap,
    "the resume block": resume,
    "a change in words": lambda plan: describe_change(Change(Plan(), plan)),
    "Markdown": to_markdown,
    **{f"{name}'s list": Board(dialect=name).dialect.render for name in dialects.names()},
}
"""Every view that a terminal, a page or a model reads as lines."""


def torture_views(seed: int, times: int) -> TortureResult:
    """So many plans of hostile text, each through every view and export."""
    chance = random.Random(seed)
    lost: list[str] = []
    plans = times // (len(LINES) + 2) + 1
    for _ in range(plans):
        plan = _plan(chance)
        lost += [f"{name} obeyed {found}" for name, view in LINES.items() if (found := obeyed_characters(view(plan)))]
        lost += _lost_in_export(plan)
    return TortureResult("hostile plans through every view and export", plans * (len(LINES) + 2), tuple(lost))


def obeyed_characters(text: str) -> list[str]:
    """The characters in a text that would be obeyed, or that nobody would see: controls, turns, what has no width."""
    rest = text.replace("\n", "")
    obeyed = [char for char in set(rest) if char in TURNS or unicodedata.category(char) in ("Cc", "Zl", "Zp", "Cs")]
    return [repr(char) for char in obeyed] + [
        ascii(rest[at - 1 : at + 1]) for at in range(len(rest)) if _hides(rest, at)
    ]


def _hides(text: str, at: int) -> bool:
    """Whether there is a character that nobody sees, and that the one before it does not need."""
    char, before = text[at], text[at - 1] if at else ""
    if char != "\u200d" and char not in SELECTORS:
        return unicodedata.category(char) == "Cf" or char in HIDDEN
    is_of_picture = before > "\u0600" and before not in SELECTORS and before != "\u200d"
    return not is_of_picture and (char, before) != ("\u200d", "\ufe0f")


def _plan(chance: random.Random) -> Plan:
    def text() -> str:
        return "".join(chance.choices(PIECES, k=chance.randrange(1, 8))).strip() or "x"

    others = [status for status in Status if status != Status.IN_PROGRESS]  # an import refuses two in progress
    statuses = [chance.choice(list(Status)), *chance.choices(others, k=chance.randrange(4))]
    wishes = [Wish(None, text(), status, text()) for status in statuses]
    return replace(Plan(), Draft(wishes, text()), 1.0)


def _lost_in_export(plan: Plan) -> list[str]:
    key, first, second = Key("torture", "main"), MemoryStore(), MemoryStore()
    first.commit(key, Change(Plan(), plan))
    import_json(export_json(first), second)
    lost = [] if second.load(key) == plan else ["an export as JSON came back as another plan"]
    back = [wish.status for wish in from_markdown(to_markdown(plan)).wishes]
    if back != [todo.status for todo in plan.todos]:
        lost.append("an export as Markdown came back with other todos")
    return lost
