"""Plans as Markdown task lists: shown on GitHub, easy to write by hand, and read back.

# The summary

- [ ] pending
- [ ] being worked on *(in progress)*
- [ ] waiting *(blocked)*
- [x] completed
- [x] ~~given up~~ *(cancelled)*
"""

import re
from collections.abc import Iterator

from ..plan import Draft, Plan, Status, Wish
from ..text import markdown

_FORMS = {
    Status.PENDING: "- [ ] {}",
    Status.IN_PROGRESS: "- [ ] {} *(in progress)*",
    Status.BLOCKED: "- [ ] {} *(blocked)*",
    Status.COMPLETED: "- [x] {}",
    Status.CANCELLED: "- [x] ~~{}~~ *(cancelled)*",
}
_BOXES = {
    " ": Status.PENDING,
    "x": Status.COMPLETED,
    "/": Status.IN_PROGRESS,  # this one and those below are from note-taking programs
    ">": Status.IN_PROGRESS,
    "-": Status.CANCELLED,
}

_HEADING = re.compile(r" {0,3}#{1,6}\s+(.*?)(?:\s+#+)?\s*")
_CLOSING = re.compile(r"(?<=\s)(?=#+$)")  # where the text of a heading would end without an escape
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[([ xX/>-])\](?:\s+|$))?(.*)")
_RULE = re.compile(r"\s*([-*_])(?:\s*\1){2,}\s*")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_MARK = re.compile(r"(.*?)\s*(?<!\\)\*\((pending|in progress|blocked|completed|cancelled)\)\*", re.IGNORECASE)
_STRUCK = re.compile(r"~~(.*)~~")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])|&(lt|gt|amp|quot);")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}


def to_markdown(plan: Plan) -> str:
    """The plan as a task list, its summary as a heading. Markdown in the texts is escaped."""
    lines = [_FORMS[todo.status].format(markdown(todo.content)) for todo in plan.todos]
    if plan.summary:
        lines = ["# " + _CLOSING.sub(r"\\", markdown(plan.summary)), "", *lines]
    return "".join(line + "\n" for line in lines)


def from_markdown(text: str) -> Draft:
    """The list in a text: every bulleted or numbered item, at any depth, and the heading above them.

    An item without a box is pending. Code blocks and paragraphs are skipped; a line indented under an item belongs to
    it.
    """
    items: list[tuple[str, str]] = []
    summary = None
    continues = False
    for line in _prose(text):
        item = _ITEM.fullmatch(line)
        if item is not None:
            items.append((item[1] or "", item[2]))
        elif continues and line[:1].isspace() and line.strip():
            box, content = items[-1]
            items[-1] = (box, f"{content} {line.strip()}")
            continue
        elif summary is None and not items and (heading := _HEADING.fullmatch(line)) is not None:
            summary = _plain(heading[1])
        continues = item is not None
    wishes = [_wish(box.lower(), content.strip()) for box, content in items]
    return Draft([wish for wish in wishes if wish.content], summary)


def _prose(text: str) -> Iterator[str]:
    """The lines that are neither in a code block nor a horizontal rule."""
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark is not None and mark[1].startswith(fence) else fence
        elif mark is not None:
            fence = mark[1]
        elif _RULE.fullmatch(line) is None:
            yield line


def _wish(box: str, text: str) -> Wish:
    status = _BOXES.get(box, Status.PENDING)
    mark = _MARK.fullmatch(text)
    if mark is not None:
        text, status = mark[1], Status(mark[2].lower().replace(" ", "_"))
    struck = _STRUCK.fullmatch(text)
    if struck is not None:
        text = struck[1]
        status = Status.CANCELLED if status is Status.PENDING else status  # some people strike out completed items
    return Wish(content=_plain(text).strip(), status=status)


def _plain(text: str) -> str:
    return _ESCAPED.sub(lambda found: found[1] or _ENTITIES[found[2]], text)
