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
from typing import NamedTuple
from urllib.parse import quote, unquote

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
_ID = re.compile(r"(.*?)\s*<!--\s*([\w.~%-]+)\s*-->\s*")
_STRUCK = re.compile(r"~~(.*)~~")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])|&(lt|gt|amp|quot);")
_ESCAPE = r"\\"
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}


def to_markdown(plan: Plan) -> str:
    """The plan as a task list, its summary as a heading. Markdown in the texts is escaped."""
    lines = [heading_line("#", plan.summary), ""] if plan.summary else []
    section = ""
    for todo in plan.todos:
        if todo.details.section != section:
            section = todo.details.section
            lines += [*([""] if lines and lines[-1] else []), heading_line("##", section), ""]
        lines.append(_FORMS[todo.status].format(markdown(todo.content)) + _check(todo))
    return "".join(line + "\n" for line in lines)


def heading_line(mark: str, text: str) -> str:
    """A heading that reads as this text."""
    return f"{mark} {_CLOSING.sub(_ESCAPE, markdown(text))}".rstrip()


def _check(todo: Todo) -> str:
    if todo.proof is not None:
        return f" *(proved by: {markdown(todo.proof.check)})*"
    return f" *(check: {markdown(todo.check)})*" if todo.check else ""


class MarkdownBlock(NamedTuple):
    """A part of a Markdown file: a heading or an item with everything up to the next one, or what is above the first.

    `lines` are as they are in the file, `own` of them make up the heading or the item itself. `section` is what an item
    stands under. `level` is that of a heading, 0 for anything else.
    """

    lines: tuple[str, ...] = ()
    own: tuple[int, ...] = ()
    wish: Wish | None = None
    id: str = ""
    section: str = ""
    level: int = 0
    text: str = ""
    is_summary: bool = False
    has_box: bool = False


def from_markdown(text: str) -> Draft:
    """The list in a text: every bulleted or numbered item, at any depth, and the headings above them.

    A heading of the first level above all items is the summary. Any other is the section of the items below it, and an
    empty one ends it. An item without a box is pending. Code blocks and paragraphs are skipped; a line indented under
    an item belongs to it. The comment that `holdfast sync` puts behind an item is left out.

    A check is read; that it was passed is not: a text that anybody can write proves nothing.
    """
    found = blocks(text)
    summary = next((block.text for block in found if block.is_summary), None)
    return Draft([block.wish for block in found if block.wish is not None and block.wish.content], summary)


def blocks(text: str, only_boxes: bool = False) -> list[MarkdownBlock]:
    """The parts of a Markdown file in their order. Their lines, one after the other, are the lines of the file.

    With `only_boxes`, what has no box is no item, and belongs to the part above it.
    """
    reader = BlockReader(only_boxes)
    for line, is_prose in _lines(text):
        reader.take(line, is_prose)
    return reader.end()


class BlockReader:
    """Reads a Markdown file line by line into its parts."""

    def __init__(self, only_boxes: bool) -> None:
        self._only_boxes = only_boxes
        self._found: list[MarkdownBlock] = []
        self._current, self._content = MarkdownBlock(), ""
        self._lines: list[str] = []
        self._own: list[int] = []
        self._section, self._has_summary = "", False
        self._continues = False  # whether an indented line belongs to the item above it

    def take(self, line: str, is_prose: bool) -> None:
        """Read the next line. What is no prose, such as code, belongs to the part above it."""
        item = _ITEM.fullmatch(line) if is_prose else None
        if item is not None and self._only_boxes and item[1] is None:
            is_prose, self._continues, item = False, False, None
        heading = _HEADING.fullmatch(line) if is_prose and item is None else None
        if item is not None:
            self._begin_item(item[1], item[2])
        elif heading is not None:
            self._begin_heading(len(heading[1]), _plain(heading[2] or "").strip())
        elif is_prose and self._continues and line[:1].isspace() and line.strip():
            self._content = f"{self._content} {line.strip()}"
            self._own.append(len(self._lines))
            self._lines.append(line)
            return
        self._lines.append(line)
        self._continues = item is not None if is_prose else self._continues

    def end(self) -> list[MarkdownBlock]:
        """The parts, after the last line."""
        self._close()
        return self._found

    def _begin_item(self, box: str | None, text: str) -> None:
        self._close()
        self._content, id = _without_id(text)
        self._current = MarkdownBlock(id=id, section=self._section, text=box or " ", has_box=box is not None)
        self._own = [0]

    def _begin_heading(self, level: int, words: str) -> None:
        self._close()
        has_items = any(block.text and not block.level for block in self._found)
        is_summary = level == 1 and not self._has_summary and not self._section and not has_items
        self._has_summary = self._has_summary or is_summary
        self._section = self._section if is_summary else words
        self._current = MarkdownBlock(level=level, text=words, is_summary=is_summary)
        self._own = [0]

    def _close(self) -> None:
        """Keep the part that was read, and be ready for the next."""
        box, is_item = self._current.text.lower(), bool(self._current.text) and not self._current.level
        wish = _wish(box, self._content.strip(), self._current.section) if is_item else None
        self._found.append(self._current._replace(lines=tuple(self._lines), own=tuple(self._own), wish=wish))
        self._lines, self._own, self._content = [], [], ""


def item_line(todo: Todo, id: str) -> str:
    """A todo as an item, with its id in a comment that readers do not see."""
    return f"{_FORMS[todo.status].format(markdown(todo.content))}{_check(todo)} <!-- {quote(id, safe='')} -->"


def _without_id(content: str) -> tuple[str, str]:
    """The text of an item, and the id in the comment behind it."""
    comment = _ID.fullmatch(content)
    return (content, "") if comment is None else (comment[1], unquote(comment[2]))


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it is neither in a code block nor a horizontal rule."""
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        is_code = bool(fence) or mark is not None
        if fence:
            fence = "" if mark is not None and mark[1].startswith(fence) else fence
        elif mark is not None:
            fence = mark[1]
        yield line, not is_code and _RULE.fullmatch(line) is None


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
