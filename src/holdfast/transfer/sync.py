"""A plan and a Markdown file, kept in sync in both directions: `holdfast sync PLAN.md`.

Three sides are merged, todo by todo and field by field: the file, the plan, and the base, which is what both were after
the last sync. What only one side changed is taken from it. Where both changed the same thing, the file wins, as a
person's edit does, and a note says so. A todo that one side removed and the other changed stays. A todo is identified
by the id in the comment behind it, else by its text. All else in the file, such as paragraphs and code, stays.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from ..plan import DetailsWish, Draft, Plan, Status, Todo, Wish
from ..plan.edits import edited
from ..plan.fault import Fault, Refusal
from ..plan.rules import Rules, check, check_result
from ..plan.step import Written
from ..plan.transitions import changed, next_plan
from ..text import brief
from .markdown import MarkdownBlock, blocks, heading_line, item_line

LONGEST_QUOTE = 60
Value = TypeVar("Value")


class SyncedTodo(NamedTuple):
    """What a file can say of a todo. One that is new in the file has no id yet."""

    id: str
    content: str
    status: Status = Status.PENDING
    section: str = ""
    check: str = ""


class SyncBase(NamedTuple):
    """What file and plan were after the last sync."""

    todos: tuple[SyncedTodo, ...] = ()
    summary: str = ""

    def to_json(self) -> str:
        """As it is kept until the next sync."""
        return json.dumps({"summary": self.summary, "todos": self.todos}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "SyncBase | None":
        """The base in a text; None for any other text: then both sides are merged without a base."""
        try:
            kept = json.loads(text)
            rows = [list(map(str, row)) for row in kept["todos"]]
            todos = [SyncedTodo(id, content, Status(status), *more) for id, content, status, *more in rows]
            return cls(tuple(todos), str(kept["summary"]))
        except (ValueError, KeyError, TypeError):
            return None


class Merged(NamedTuple):
    """What both sides are to be. `notes` say where they disagreed, and what was done about it."""

    todos: tuple[SyncedTodo, ...]
    summary: str
    notes: tuple[str, ...] = ()


def base_of(plan: Plan) -> SyncBase:
    """A plan as the base of the next sync."""
    return SyncBase(tuple(map(_of_todo, plan.todos)), plan.summary)


def merge(base: SyncBase | None, text: str, plan: Plan) -> Merged:
    """The file and the plan as one, by what both were before."""
    ours = {todo.id: _of_todo(todo) for todo in plan.todos}
    before = {} if base is None else {todo.id: todo for todo in base.todos}
    found = _parts(text)
    theirs = _with_ids(found, ours, before)
    known = {todo.id: todo for todo in theirs if todo.id}
    notes: list[str] = []
    kept = {
        id: todo
        for id in dict.fromkeys([*known, *ours])
        if (todo := _merge_todo(id, before.get(id), known.get(id), ours.get(id), notes)) is not None
    }
    order = _order([todo.id for todo in theirs if todo.id], list(ours), list(before))
    todos = _with_new([kept[id] for id in order if id in kept], theirs)
    summary = next((block.text for block in found if block.is_summary), "")
    was = None if base is None else base.summary
    return Merged(tuple(todos), _merge_field(was, summary, plan.summary) if summary else plan.summary, tuple(notes))


def apply_merge(merged: Merged, plan: Plan, rules: Rules, now: float) -> Written | Refusal:
    """The plan as the merge has it, as a person's edits: the model is told, and its next write does not undo them."""
    after = next_plan(plan) if not plan.todos and plan.next_id > 1 and not plan.edits and merged.todos else plan
    todos, wishes = [], []
    for todo in merged.todos:
        old = after.get(todo.id) if todo.id else None
        if old is None:
            old, after = Todo(str(after.next_id), "", created_at=now), after._replace(next_id=after.next_id + 1)
        wish = _wish(todo, old)
        todos.append(changed(old, wish, now))
        wishes += [wish] if todos[-1] is not old else []
    after = edited(after, todos, now)
    if merged.summary != after.summary:
        after = after._replace(summary=merged.summary, revision=plan.revision + 1, updated_at=now)
    faults: list[Fault] = [*check(Draft(wishes), rules), *check_result(after, rules, len(plan.todos))]
    return Refusal(tuple(faults)) if faults else Written(after)


def to_file(text: str, plan: Plan) -> str:
    """The text of the file with the plan in it. A line that says the same already stays as it is."""
    end = "\r\n" if "\r\n" in text else "\n"
    layout = _layout(_parts(text), plan)
    lines: list[str] = []
    for at, (place, block) in enumerate(layout):
        own, gap = _split_gap(block)
        lines += own
        if at + 1 < len(layout):
            follower, next_block = layout[at + 1]
            lines += gap if place >= 0 and follower == place + 1 else _gap_between(block, next_block)
    return "".join(line + end for line in lines)


def _parts(text: str) -> list[MarkdownBlock]:
    """The parts of the file. Where some items have boxes, those without are notes, and no todos."""
    has_boxes = any(block.has_box for block in blocks(text))
    return blocks(text, only_boxes=has_boxes)


def _of_todo(todo: Todo) -> SyncedTodo:
    return SyncedTodo(todo.id, todo.content, todo.status, todo.details.section, todo.check)


def _of_block(block: MarkdownBlock) -> SyncedTodo:
    wish = block.wish or Wish()
    check = "" if wish.details is None else wish.details.check or ""
    return SyncedTodo(block.id, wish.content or "", wish.status or Status.PENDING, block.section, check)


def _with_ids(
    found: Sequence[MarkdownBlock], ours: Mapping[str, SyncedTodo], before: Mapping[str, SyncedTodo]
) -> list[SyncedTodo]:
    """The items of the file, each with the id of the todo that it is: by its comment, else by its text."""
    items = [_of_block(block) for block in found if block.wish is not None and block.wish.content]
    taken: set[str] = set()
    for at, item in enumerate(items):  # a line that was copied keeps its comment: only the first one counts
        id = item.id if (item.id in ours or item.id in before) and item.id not in taken else ""
        items[at] = item._replace(id=id)
        taken.add(id)
    for at, item in enumerate(items):
        if not item.id:
            fits = (known.id for known in (*ours.values(), *before.values()) if known.content == item.content)
            items[at] = item._replace(id=next((id for id in fits if id not in taken), ""))
            taken.add(items[at].id)
    return items


def _merge_todo(
    id: str, base: SyncedTodo | None, theirs: SyncedTodo | None, ours: SyncedTodo | None, notes: list[str]
) -> SyncedTodo | None:
    """One todo of both sides; None if it goes."""
    if theirs is None or ours is None:
        left = theirs or ours
        if left is None or left == base:
            return None  # the other side removed it, and nothing was said against it
        if base is not None:
            side, other = ("the file", "the plan") if ours is None else ("the plan", "the file")
            notes.append(f"{id} stays: {other} removed it, and {side} changed it")
        return left
    fields = {}
    for name in SyncedTodo._fields[1:]:
        was, in_file, in_plan = (None if side is None else getattr(side, name) for side in (base, theirs, ours))
        fields[name] = _merge_field(was, in_file, in_plan)
        if in_file != in_plan and was not in (in_file, in_plan):
            notes.append(f"both changed {id}: the file's {name} holds, not {brief(str(in_plan), LONGEST_QUOTE)!r}")
    return ours._replace(**fields)


def _merge_field(base: Value | None, theirs: Value, ours: Value) -> Value:
    """What only one side changed; the file's where both did."""
    return ours if theirs == base else theirs


def _order(theirs: list[str], ours: list[str], before: list[str]) -> list[str]:
    """The ids of both sides in one order: the file's, unless only the plan changed its order."""
    common = {*theirs} & {*ours} & {*before}
    in_file, in_base = [id for id in theirs if id in common], [id for id in before if id in common]
    return _interleaved(ours, theirs) if before and in_file == in_base else _interleaved(theirs, ours)


def _interleaved(lead: list[str], other: list[str]) -> list[str]:
    """The ids of one order, and those that only the other one has, each after the one that it follows there."""
    ids = list(lead)
    for at, id in enumerate(other):
        if id not in ids:
            before = other[at - 1] if at else None
            ids.insert(ids.index(before) + 1 if before is not None else 0, id)
    return ids


def _with_new(kept: list[SyncedTodo], theirs: Sequence[SyncedTodo]) -> list[SyncedTodo]:
    """The todos with those that are new in the file, each after the item that it follows there."""
    todos = list(kept)
    last: SyncedTodo | None = None
    for item in theirs:
        if not item.id:
            at = next((place + 1 for place, todo in enumerate(todos) if todo is last), len(todos) if last else 0)
            todos.insert(at, item)
            last = item
        else:
            last = next((todo for todo in todos if todo.id == item.id), last)
    return todos


def _wish(todo: SyncedTodo, old: Todo) -> Wish:
    return Wish(
        old.id,
        todo.content,
        todo.status,
        "" if old.content and todo.content != old.content else None,
        details=DetailsWish(check=todo.check, section=todo.section),
    )


def _layout(found: Sequence[MarkdownBlock], plan: Plan) -> list[tuple[int, MarkdownBlock]]:
    """The parts of the new file in their order, each with its place in the old one, or -1 for a new part."""
    items = _places_of_items(found, plan)
    headings = [place for place, block in enumerate(found) if block.level and not block.is_summary]
    layout = [(place, found[place]) for place in range(_first_part(found))]
    layout += [(-1, _new_block(heading_line("#", plan.summary), 1))] if _lacks_summary(found, plan) else []
    layout = [(place, _with_summary(block, plan)) for place, block in layout]
    section = ""
    for todo in plan.todos:
        if todo.details.section != section:
            section = todo.details.section
            layout.append(_section_part(section, found, headings))
        layout.append(_item_part(todo, found, items.get(todo.id)))
    layout += [(place, found[place]) for place in headings if _is_kept(place, found)]
    for place, block in enumerate(found):
        if block.wish is not None and place not in items.values():
            _keep_notes(place, block, layout)
    return layout


def _keep_notes(place: int, block: MarkdownBlock, layout: list[tuple[int, MarkdownBlock]]) -> None:
    """Put what was written below an item that goes where it stood: after what was above it."""
    notes = tuple(line for at, line in enumerate(block.lines) if at not in block.own)
    if any(line.strip() for line in notes):
        above = [at for at, (other, _) in enumerate(layout) if -1 < other < place]
        layout.insert(above[-1] + 1 if above else 0, (place, MarkdownBlock(notes)))


def _places_of_items(found: Sequence[MarkdownBlock], plan: Plan) -> dict[str, int]:
    """Where each todo of the plan stands in the file: by the comment, else by the text."""
    places: dict[str, int] = {}
    blocks_ = [(place, block) for place, block in enumerate(found) if block.wish is not None]
    for place, block in blocks_:
        if plan.get(block.id) is not None:
            places.setdefault(block.id, place)
    for todo in plan.todos:
        same = (place for place, block in blocks_ if _of_block(block).content == todo.content)
        free = (place for place in same if place not in places.values())
        if todo.id not in places and (found_at := next(free, None)) is not None:
            places[todo.id] = found_at
    return places


def _first_part(found: Sequence[MarkdownBlock]) -> int:
    """How many parts are above every item and section."""
    is_part = [block.wish is not None or (block.level > 0 and not block.is_summary) for block in found]
    return is_part.index(True) if True in is_part else len(found)


def _lacks_summary(found: Sequence[MarkdownBlock], plan: Plan) -> bool:
    return bool(plan.summary) and not any(block.is_summary for block in found)


def _with_summary(block: MarkdownBlock, plan: Plan) -> MarkdownBlock:
    if not block.is_summary or block.text == plan.summary or not plan.summary:
        return block
    return _with_own(block, heading_line("#", plan.summary))


def _section_part(section: str, found: Sequence[MarkdownBlock], headings: list[int]) -> tuple[int, MarkdownBlock]:
    """The heading of a section: the one that is there, which is then used up, or a new one."""
    place = next((place for place in headings if found[place].text == section), None)
    if place is None:
        return -1, _new_block(heading_line("##", section), 2)
    headings.remove(place)
    return place, found[place]


def _item_part(todo: Todo, found: Sequence[MarkdownBlock], place: int | None) -> tuple[int, MarkdownBlock]:
    line = item_line(todo, todo.id)
    if place is None:
        return -1, _new_block(line, 0)
    block = found[place]
    says_same = block.id == todo.id and _of_block(block)._replace(section="") == _of_todo(todo)._replace(section="")
    return place, block if says_same else _with_own(block, line)


def _is_kept(place: int, found: Sequence[MarkdownBlock]) -> bool:
    """Whether a heading stays although no todo stands under it: it never had one, or has other text under it."""
    block, following = found[place], found[place + 1 : place + 2]
    had_items = any(other.wish is not None for other in following)
    return not had_items or any(line.strip() for line in block.lines[1:])


def _new_block(line: str, level: int) -> MarkdownBlock:
    return MarkdownBlock((line,), (0,), None if level else Wish(), level=level)


def _with_own(block: MarkdownBlock, line: str) -> MarkdownBlock:
    """A part with another heading or item, and everything below it as it was."""
    indent = block.lines[0][: len(block.lines[0]) - len(block.lines[0].lstrip())]
    rest = [text for at, text in enumerate(block.lines) if at not in block.own]
    return block._replace(lines=(indent + line, *rest), own=(0,))


def _split_gap(block: MarkdownBlock) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines of a part, and the blank ones behind them."""
    size = len(block.lines)
    while size and not block.lines[size - 1].strip():
        size -= 1
    return block.lines[:size], block.lines[size:]


def _gap_between(block: MarkdownBlock, following: MarkdownBlock) -> Iterable[str]:
    are_items = block.wish is not None and following.wish is not None
    return () if are_items or not _split_gap(block)[0] else ("",)
