"""Repairs: what has one sensible reading is read that way instead of being refused. The model is told in a few words.

A small model cannot argue with a rule: it sends the same call again and again. So, where the rules say so:

    what the model sends                                what is made of it
    --------------------------------------------------  ------------------------------------------------
    a first plan with statuses                          every todo is pending
    more todos in progress than there may be            the first ones run, the others wait
    a todo started by id while another one is running   the new one runs, the other one waits
    an id that the plan does not hold, with a text      the todo with that text, else a new one
    the same text twice in one list                     one todo
"""

from collections.abc import Sequence

from .plan import Plan
from .rules import Rules
from .todo import IN_PROGRESS, PENDING, Draft, Wish
from .transitions import match

ALL_PENDING = "All todos start as pending."


def repair(plan: Plan, draft: Draft, rules: Rules) -> tuple[Draft, tuple[str, ...]]:
    """The draft as it must be meant, and short lines that say what was changed in it."""
    wishes = _without_duplicates(_with_known_ids(plan, draft))
    draft = draft._replace(wishes=wishes)
    if _is_first_plan(plan, wishes):
        has_statuses = any(wish.status not in (None, PENDING) for wish in wishes)
        # in an update ids are ours to give; in a whole list they are names that the model goes on using
        first = [wish._replace(id=None if draft.merge else wish.id, status=PENDING) for wish in wishes]
        return draft._replace(wishes=first, merge=False), (ALL_PENDING,) if has_statuses else ()
    return _with_one_focus(plan, draft, rules.max_in_progress)


def _is_first_plan(plan: Plan, wishes: Sequence[Wish]) -> bool:
    """Whether a list begins a plan: nothing is open, every todo says what to do, and none restates finished work."""
    if plan.open or any(wish.content is None for wish in wishes):
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
