"""Repairs: what has one sensible reading is read that way instead of being refused. The model is told in a few words.

A small model cannot argue with a rule: it sends the same call again and again. So, where the rules say so:

    what the model sends                                what is made of it
    --------------------------------------------------  ------------------------------------------------
    a first plan with statuses                          every todo is pending
    more todos in progress than there may be            the first ones run, the others wait
    a todo started by id while another one is running   the new one runs, the other one waits
    an id that the plan does not hold, with a text      the todo with that text, else a new one
    the same text twice in one list                     one todo
    "..." as a summary or as a text                     nothing: a placeholder was copied
    a summary, while there is work to do                nothing: what the plan is for was said before
    a done todo as pending, while there is work to do   it stays done; to do it again is to start it
    a finished plan in other words, all of it done      nothing: the plan is finished
"""

from collections.abc import Sequence

from .plan import Plan
from .rules import Rules
from .todo import DONE, IN_PROGRESS, PENDING, Draft, Wish
from .transitions import match

ALL_PENDING = "All todos start as pending."
ALL_DONE = "The plan is finished."
STAYS_DONE = "What is done stays done: to do it again, set it in_progress."


def repair(plan: Plan, draft: Draft, rules: Rules) -> tuple[Draft, tuple[str, ...]]:
    """The draft as it must be meant, and short lines that say what was changed in it."""
    draft = _without_placeholders(plan, draft)
    draft = draft._replace(wishes=_without_duplicates(_with_known_ids(plan, draft)))
    if plan.has_open:
        draft, notes = _within_open_plan(plan, draft)
        draft, more = _with_one_focus(plan, draft, rules.max_in_progress)
        return draft, (*notes, *more)
    wishes = draft.wishes
    if plan.is_finished and wishes and all(wish.status in DONE for wish in wishes):
        return draft._replace(wishes=[], summary=None, merge=True), (ALL_DONE,)
    if _is_first_plan(plan, wishes):
        has_statuses = any(wish.status not in (None, PENDING) for wish in wishes)
        # in an update ids are ours to give; in a whole list they are names that the model goes on using
        first = [wish._replace(id=None if draft.merge else wish.id, status=PENDING) for wish in wishes]
        return draft._replace(wishes=first, merge=False), (ALL_PENDING,) if has_statuses else ()
    return _with_one_focus(plan, draft, rules.max_in_progress)


def _without_placeholders(plan: Plan, draft: Draft) -> Draft:
    """The draft without the dots that a model has copied from the form of a call. A list of dots clears no plan."""
    wishes, known = [], {todo.id for todo in plan.todos}
    for wish in draft.wishes:
        if not _is_dots(wish.content):
            wishes.append(wish)
        elif wish.id in known:  # the rest of it may be meant
            wishes.append(wish._replace(content=None))
    is_empty = len(draft.wishes) > 0 and not wishes
    summary = None if _is_dots(draft.summary) else draft.summary
    return draft._replace(wishes=wishes, summary=summary, merge=draft.merge or is_empty)


def _is_dots(text: str | None) -> bool:
    return text is not None and not text.strip(" .…")


def _within_open_plan(plan: Plan, draft: Draft) -> tuple[Draft, tuple[str, ...]]:
    """The draft without what a small model says by the way, and does not mean, while there is work to do."""
    wishes, has_reopened = [*draft.wishes], False
    for place, (wish, todo) in enumerate(zip(wishes, match(plan.todos, wishes), strict=True)):
        if todo is not None and todo.status in DONE and wish.status is PENDING:
            wishes[place] = wish._replace(status=None)
            has_reopened = True
    return draft._replace(wishes=wishes, summary=None), (STAYS_DONE,) if has_reopened else ()


def _is_first_plan(plan: Plan, wishes: Sequence[Wish]) -> bool:
    """Whether a list begins a plan: nothing is open, every todo says what to do, and none restates finished work."""
    if not wishes or any(wish.content is None for wish in wishes):
        return False
    return not any(todo is not None for todo in match(plan.todos, wishes))


def _with_known_ids(plan: Plan, draft: Draft) -> list[Wish]:
    """The wishes without the ids that the plan does not hold, where a text says what is meant."""
    if not draft.merge:
        return list(draft.wishes)
    known = {todo.id for todo in plan.todos}
    return [
        wish._replace(id=None) if wish.id not in known and wish.content is not None else wish for wish in draft.wishes
    ]


def _without_duplicates(wishes: Sequence[Wish]) -> list[Wish]:
    """The wishes with each id and each new text once: of two with one id the later one counts."""
    kept: dict[tuple[str, str], Wish] = {}
    for number, wish in enumerate(wishes):
        if wish.id is not None:
            kept[("id", wish.id)] = wish
        else:
            kept.setdefault(("content", wish.content) if wish.content is not None else ("number", str(number)), wish)
    return list(kept.values())


def _with_one_focus(plan: Plan, draft: Draft, most_running: int) -> tuple[Draft, tuple[str, ...]]:
    """The draft with no more todos in progress than there may be."""
    found = match(plan.todos, draft.wishes)
    named = {todo.id for todo in found if todo is not None}
    started = [place for place, wish in enumerate(draft.wishes) if wish.status is IN_PROGRESS]
    others = [todo for todo in plan.todos if todo.status is IN_PROGRESS and todo.id not in named] if draft.merge else []
    if len(started) + len(others) <= most_running or not started:
        return draft, ()
    wishes = list(draft.wishes)
    for place in started[most_running:]:
        wishes[place] = wishes[place]._replace(status=PENDING)
    room = max(most_running - len(started), 0)
    wishes += [Wish(todo.id, status=PENDING) for todo in others[room:]]
    at_once = "Only one todo is" if most_running == 1 else f"Only {most_running} todos are"
    return draft._replace(wishes=wishes), (f"{at_once} in_progress at a time: the others wait.",)
