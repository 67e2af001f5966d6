"""Plans as Markdown task lists: shown on GitHub, easy to write by hand, and read back.

# The summary

- [ ] pending

## A section

- [ ] being worked on *(in progress)*
- [ ] waiting *(blocked)*
- [x] completed
- [x] ~~given up~~ *(cancelled)*
- [ ] with a check *(check: make test)*
- [x] that has passed one *(proved by: make test)*
"""

import re
from collections.abc import Iterator

from ..plan import DetailsWish, Draft, Plan, Status, Todo, Wish
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

_HEADING = re.compile(r" {0,3}(#{1,6})(?:\s+(.*?)(?:\s+#+)?)?\s*")
_CLOSING = re.compile(r"(?<=\s)(?=#+$)")  # where the text of a heading would end without an escape
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[([ xX/>-])\](?:\s+|$))?(.*)")
_RULE = re.compile(r"\s*([-*_])(?:\s*\1){2,}\s*")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_MARK = re.compile(r"(.*?)\s*(?<!\\)\*\((pending|in progress|blocked|completed|cancelled)\)\*", re.IGNORECASE)
_CHECK = re.compile(r"(.*?)\s*(?<!\\)\*\((?:check|proved by): *(.*)\)\*", re.IGNORECASE)
_STRUCK = re.compile(r"~~(.*)~~")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])|&(lt|gt|amp|quot);")
_ESCAPE = r"\\"
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}


def to_markdown(plan: Plan) -> str:
    """The plan as a task list, its summary as a heading. Markdown in the texts is escaped."""
    lines = [_heading("#", plan.summary), ""] if plan.summary else []
    section = ""
    for todo in plan.todos:
        if todo.details.section != section:
            section = todo.details.section
            lines += [*([""] if lines and lines[-1] else []), _heading("##", section), ""]
        lines.append(_FORMS[todo.status].format(markdown(todo.content)) + _check(todo))
    return "".join(line + "\n" for line in lines)


def _heading(mark: str, text: str) -> str:
    return f"{mark} {_CLOSING.sub(_ESCAPE, markdown(text))}".rstrip()


def _check(todo: Todo) -> str:
    if todo.proof is not None:
        return f" *(proved by: {markdown(todo.proof.check)})*"
    return f" *(check: {markdown(todo.check)})*" if todo.check else ""


def from_markdown(text: str) -> Draft:
    """The list in a text: every bulleted or numbered item, at any depth, and the headings above them.

    A heading of the first level above all items is the summary. Any other is the section of the items below it, and an
    empty one ends it. An item without a box is pending. Code blocks and paragraphs are skipped; a line indented under
    an item belongs to it.

    A check is read; that it was passed is not: a text that anybody can write proves nothing.
    """
    items: list[tuple[str, str]] = []
    sections: list[str] = []
    summary, section = None, ""
    continues = False
    for line in _prose(text):
        item = _ITEM.fullmatch(line)
        if item is not None:
            items.append((item[1] or "", item[2]))
            sections.append(section)
        elif continues and line[:1].isspace() and line.strip():
            box, content = items[-1]
            items[-1] = (box, f"{content} {line.strip()}")
            continue
        elif (heading := _HEADING.fullmatch(line)) is not None:
            text = _plain(heading[2] or "").strip()
            if summary is None and not items and not section and heading[1] == "#":
                summary = text
            else:
                section = text
        continues = item is not None
    wishes = [
        _wish(box.lower(), content.strip(), section) for (box, content), section in zip(items, sections, strict=True)
    ]
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


def _wish(box: str, text: str, section: str) -> Wish:
    status = _BOXES.get(box, Status.PENDING)
    checked = _CHECK.fullmatch(text)
    text, check = (text, None) if checked is None else (checked[1], _plain(checked[2]))
    details = DetailsWish(check=check, section=section or None)
    mark = _MARK.fullmatch(text)
    if mark is not None:
        text, status = mark[1], Status(mark[2].lower().replace(" ", "_"))
    struck = _STRUCK.fullmatch(text)
    if struck is not None:
        text = struck[1]
        status = Status.CANCELLED if status is Status.PENDING else status  # some people strike out completed items
    return Wish(content=_plain(text).strip(), status=status, details=None if details == DetailsWish() else details)


def _plain(text: str) -> str:
    return _ESCAPED.sub(lambda found: found[1] or _ENTITIES[found[2]], text)
