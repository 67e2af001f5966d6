"""A board's tool as a typed Python function, for frameworks that make a tool out of a function's signature."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, NotRequired, Required, TypedDict, TypeVar

from ..dialects import Reply
from ..dialects.dialect import Tool

try:  # below Python 3.12 pydantic takes only this one, and whoever has pydantic has it
    from typing_extensions import TypedDict as _TypedDict
except ImportError:
    _TypedDict = TypedDict

F = TypeVar("F", bound=Callable[..., Any])

_TYPES: Mapping[str, type] = {"string": str, "integer": int, "number": float, "boolean": bool, "object": dict}


def function_of(tool: Tool, write: Callable[[object, str], Reply]) -> Callable[..., str]:
    """A function with the tool's name, description and parameters. It returns what the model reads."""

    def call(**arguments: object) -> str:
        return write(_given(tool, arguments), tool.name).text

    return _typed(call, tool)


def async_function_of(tool: Tool, write: Callable[[object, str], Awaitable[Reply]]) -> Callable[..., Awaitable[str]]:
    """The same as an async function."""

    async def call(**arguments: object) -> str:
        return (await write(_given(tool, arguments), tool.name)).text

    return _typed(call, tool)


def _given(tool: Tool, arguments: Mapping[str, object]) -> dict[str, object]:
    """What was really given: frameworks fill in None for what was not."""
    required = tool.schema.get("required", [])
    return {name: value for name, value in arguments.items() if value is not None or name in required}


def _typed(call: F, tool: Tool) -> F:
    """The function with the tool's name, description, and the signature that its schema describes."""
    properties, required = tool.schema["properties"], tool.schema.get("required", [])
    call.__name__ = call.__qualname__ = tool.name
    call.__doc__ = tool.description
    hints = {name: _type_of(schema, f"{tool.name}_{name}") for name, schema in properties.items()}
    hints = {name: hint if name in required else hint | None for name, hint in hints.items()}
    parameters = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if name in required else None,
            annotation=hint,
        )
        for name, hint in sorted(hints.items(), key=lambda item: item[0] not in required)
    ]
    call.__signature__ = inspect.Signature(parameters, return_annotation=str)  # type: ignore[attr-defined] # read by inspect
    call.__annotations__ = {**hints, "return": str}
    return call


def _type_of(schema: Mapping[str, Any], name: str) -> Any:
    """The type that a JSON Schema of ours describes."""
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    if schema.get("type") == "array":
        item: Any = _type_of(schema.get("items", {}), name)
        return list[item]
    if "properties" not in schema:
        return _TYPES.get(schema.get("type", ""), Any)
    fields: dict[str, Any] = {key: _type_of(its, f"{name}_{key}") for key, its in schema["properties"].items()}
    required = schema.get("required", [])
    make: Any = _TypedDict  # out of a schema, which no type checker can follow
    return make(name, {key: (Required if key in required else NotRequired)[its] for key, its in fields.items()})
