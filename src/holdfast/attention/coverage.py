"""What a user's text asks for, point by point, so that it can be the plan, or a plan can be held against it."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..plan.names import named_in, names_of
from .requests import introduces_no_plan, named_sentences, requests_in

HARDLY_ANYTHING = 100
"""How many characters around a list say no more than that it is one."""

MOST_AROUND = 600
"""How many characters may stand around a list that says all there is to do."""

MOST_COMPARED = 200
"""How many points are compared with each other: it takes the square of it."""

_BULLET = r"[-*+•]\s+|\(?\d{1,3}[.):]\s+"
_DIGITS = r"(?:\d{1,3}|[一二三四五六七八九十]{1,3})"
_CHINESE_NUMBER = rf"(?:{_DIGITS}[、．]|[（(]{_DIGITS}[）)]|[①-⑳])\s*"
_POINT = re.compile(rf"\s*(?:{_BULLET}|{_CHINESE_NUMBER})(?:\[([ xX])\]\s+)?(\S.*)")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})")


class Message(NamedTuple):
    """What a user's message asks for, as far as it can be read off it.

    `listed` is how many points its lists have. `plan` has them, or its requests, if the message is a plan as it stands;
    `points` is what a model in trouble is held to. `goal` is what the message says around them.
    """

    listed: int = 0
    plan: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    goal: str = ""


def read_message(text: str) -> Message:
    """What a user's message asks for."""
    plan = points_to_adopt(text)
    return Message(len(listed_points(text)), plan, plan or points_to_catch_up(text), goal_around(text))


def listed_points(text: str) -> tuple[str, ...]:
    """The points of the lists in a text, numbered or bulleted, outside of code blocks. A single one is no list."""
    points = tuple([point for point, _ in _lines(text) if point])
    return points if len(points) > 1 else ()


def around_points(text: str) -> str:
    """What a text says outside of its lists."""
    return "\n".join(line.strip() for point, line in _lines(text) if not point).strip()


def goal_around(text: str) -> str:
    """What a text says around the points of a plan: how to do it all. Empty if that is hardly anything."""
    around = around_points(text) if listed_points(text) else requests_in(text).beside
    return around if len(around) > HARDLY_ANYTHING else ""


def points_to_adopt(text: str) -> tuple[str, ...]:
    """The points of a text that is a plan as it stands: a list with a few words around it, or plain requests.

    Where there is more around a list, each point must name what it is about. Otherwise there are none, and the model
    must put the plan into its own words. So it must if the list is asked about, or is of what must not be done.
    """
    points = listed_points(text)
    if not points:
        return requests_in(text).points
    around = around_points(text)
    is_all = len(around) <= HARDLY_ANYTHING or (len(around) <= MOST_AROUND and _say_what_they_are_about(points))
    is_flat = not any(line[:1].isspace() and point for point, line in _lines(text))
    if not (is_all and is_flat) or introduces_no_plan(around):
        return ()
    return points if len(set(points)) == len(points) else ()


def points_to_catch_up(text: str) -> tuple[str, ...]:
    """What a model in trouble is held to: a plan as it stands, or else each sentence that names something."""
    return points_to_adopt(text) or (() if listed_points(text) else named_sentences(text))


def _say_what_they_are_about(points: tuple[str, ...]) -> bool:
    """Whether each point has names, or words that set it apart from the others, as far as they can be compared."""
    if all(map(named_in, points)):
        return True
    return len(points) <= MOST_COMPARED and all(names_of(point, points) for point in points)


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """Each line of a text with the point in it; an empty one if it has none. A box that is ticked asks for nothing."""
    is_code = False
    for line in text.splitlines():
        if _FENCE.match(line):
            is_code = not is_code
        point = None if is_code else _POINT.fullmatch(line.rstrip())
        if point is None or (point[1] or " ") == " ":
            yield (point[2] if point is not None else "", line)
