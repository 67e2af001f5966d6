"""One tool call, from its name to its answer. Whatever goes wrong on the way is an answer, too."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...text import describe, shorten
from .tool import Failure, Tool, Unsuccessful

Permission = Callable[[Tool, Mapping[str, Any]], bool]

LONGEST_ERROR = 4000


class Outcome(NamedTuple):
    """What a model reads of its call."""

    text: str
    failed: bool = False


def use(
    tools: Mapping[str, Tool], name: str, arguments: object, permission: Permission | None, plan_mode: bool = False
) -> Outcome:
    """Run a tool with what a model sent. `permission` is asked for tools that want it; without one all is allowed."""
    try:
        tool = _found(tools, name, plan_mode)
        checked = tool.checked(arguments)
        if tool.asks and permission is not None and not permission(tool, checked):
            raise Failure("the user did not allow this. Do without it, or say why it is needed")
        return Outcome(tool.run(**checked))
    except Unsuccessful as ended:
        return Outcome(str(ended), failed=True)
    except Failure as failure:
        return Outcome(f"Error: {failure}", failed=True)
    except Exception as error:
        return Outcome(shorten(f"Error: {type(error).__name__}: {error}", LONGEST_ERROR), failed=True)


def _found(tools: Mapping[str, Tool], name: str, plan_mode: bool) -> Tool:
    tool = tools.get(name)
    if tool is None:
        raise Failure(f"no tool {describe(name)}; there are {', '.join(tools)}")
    if plan_mode and not tool.reads_only:
        raise Failure(f"{name} is not available in plan mode: nothing is changed before the user says go")
    return tool
