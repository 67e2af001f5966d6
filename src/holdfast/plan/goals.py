"""What the user said around a list, told for one of its todos.

A list often stands for more than its points say: "Each person has a file, like people/anvil.txt. Collect these numbers
in answers.txt: the desk of anvil, the room of cabin". So the room of cabin is in people/cabin.txt, and belongs in
answers.txt. Small models do not see that: they take the example for what they are asked for, and read people/anvil.txt
for everybody.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from ..text import pattern
from .names import named_in, names_of
from .plan import Plan
from .todo import Todo

_EXAMPLE = r"(?i)\b(?:like|such as|e\.g\.|for example|for instance),?\s+(?:`[^`]*`|\S+)"
_FILE = r"[\w./-]+\.\w+"


def goal_for(plan: Plan, todo: Todo) -> str:
    """The goal of a plan, with its examples about this todo instead of another one of the same form."""
    return _told_for(plan.summary, todo.content, plan.contents)


def files_to_read(plan: Plan, todo: Todo) -> tuple[str, ...]:
    """The files in the goal's examples that are about this todo, by its own words."""
    return _example_files(plan.summary, todo.content, plan.contents)


def file_to_fill(plan: Plan, todo: Todo) -> str:
    """The one file that the goal names, apart from examples, for a todo that names nothing itself; empty if none."""
    return "" if named_in(todo.content) else _collecting_file(plan.summary)


def names_for(plan: Plan, todo: Todo) -> tuple[str, ...]:
    """What the calls for a todo have to mention: the names in its text, and the file that it belongs in."""
    names = names_of(todo.content, plan.contents)
    file = file_to_fill(plan, todo)
    return (*names, file) if names and file else names


def shared_files(plan: Plan, todo: Todo) -> tuple[str, ...]:
    """The files that the goal names, and that the calls for other todos have written to."""
    calls = [use.label.lower() for other in plan.todos if other.id != todo.id for use in other.work if use.changes]
    names = [name for name in named_in(plan.summary) if pattern(_FILE).fullmatch(name)]
    return tuple([name for name in names if any(_writes_to(call, name) for call in calls)])


@lru_cache(maxsize=64)
def _told_for(goal: str, todo: str, others: tuple[str, ...]) -> str:
    return pattern(_EXAMPLE).sub(lambda match: _example_for(match[0], todo, others), goal)


@lru_cache(maxsize=64)
def _example_files(goal: str, todo: str, others: tuple[str, ...]) -> tuple[str, ...]:
    own = names_of(todo, others)
    examples = " ".join(pattern(_EXAMPLE).findall(_told_for(goal, todo, others)))
    return tuple(
        [name for name in named_in(examples) if pattern(_FILE).fullmatch(name) and any(word in name for word in own)]
    )


@lru_cache(maxsize=64)
def _collecting_file(goal: str) -> str:
    names = [name for name in named_in(pattern(_EXAMPLE).sub("", goal)) if pattern(_FILE).fullmatch(name)]
    return names[0] if len(names) == 1 else ""


def _example_for(example: str, todo: str, others: tuple[str, ...]) -> str:
    """An example with the words of another todo changed into those that this todo has in their place."""
    words = todo.split()
    for other in others:
        theirs = other.split()
        if len(theirs) != len(words):
            continue
        changed = {old: new for old, new in zip(theirs, words, strict=True) if old != new}
        if len(changed) * 2 > len(words) or not any(_has_word(example, old) for old in changed):
            continue
        return _with_other_words(example, changed)
    return example


def _with_other_words(text: str, words: Mapping[str, str]) -> str:
    return re.sub(r"\w+", lambda match: words.get(match[0], match[0]), text)


def _has_word(text: str, word: str) -> bool:
    return re.search(rf"\b{re.escape(word)}\b", text) is not None


def _writes_to(call: str, file: str) -> bool:
    """Whether a call, in short, is a command that sends something to a file, or a tool for files that changes it."""
    return re.search(rf"(?:>|\btee(?: -a)?) ?['\"]?{re.escape(file)}|^\w+ path={re.escape(file)}", call) is not None
