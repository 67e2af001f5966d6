"""What a user's text asks for, point by point: the lists in it, so that a plan can be held against them."""

import re

_POINT = re.compile(r"\s*(?:[-*+•]|\(?\d{1,3}[.):])\s+(\S.*)")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})")


def listed_points(text: str) -> tuple[str, ...]:
    """The points of the lists in a text, numbered or bulleted, outside of code blocks. A single one is no list."""
    points: list[str] = []
    is_code = False
    for line in text.splitlines():
        if _FENCE.match(line):
            is_code = not is_code
        elif not is_code and (point := _POINT.fullmatch(line.rstrip())) is not None:
            points.append(point[1])
    return tuple(points) if len(points) > 1 else ()
