"""What a tool is: a value. What it cannot do it says by raising; the loop turns that into an answer."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...text import describe

_TYPES: Mapping[str, type] = {"string": str, "integer": int}


class Failure(Exception):
    """A tool could not do what it was asked for. The message is for the model to read, as it stands."""


class Unsuccessful(Failure):
    """A tool did what it was asked for, and it came to nothing good: a command that ended with an exit code."""


class Tool(NamedTuple):
    """Something the model can do besides planning.

    `reads_only`: it changes nothing, so it is there in plan mode. `asks`: the user must allow each use.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    run: Callable[..., str]
    reads_only: bool = False
    asks: bool = False

    @property
    def definition(self) -> dict[str, Any]:
        """The tool in the form of the Messages API."""
        return {"name": self.name, "description": self.description, "input_schema": dict(self.schema)}

    def checked(self, arguments: object) -> Mapping[str, Any]:
        """The arguments that a model sent. Raises Failure if they are not what the schema asks for."""
        if not isinstance(arguments, Mapping):
            raise Failure(f"the input must be a JSON object, received {describe(arguments)}")
        faults = [*self._unknown(arguments), *self._missing(arguments), *self._mistyped(arguments)]
        if faults:
            raise Failure("; ".join(faults))
        return arguments

    @property
    def _properties(self) -> Mapping[str, Mapping[str, Any]]:
        found: Mapping[str, Mapping[str, Any]] = self.schema.get("properties", {})
        return found

    def _unknown(self, arguments: Mapping[str, object]) -> list[str]:
        known = self._properties
        takes = ", ".join(known) or "nothing"
        return [f"{name}: unknown; {self.name} takes {takes}" for name in arguments if name not in known]

    def _missing(self, arguments: Mapping[str, object]) -> list[str]:
        return [f"{name}: required" for name in self.schema.get("required", ()) if name not in arguments]

    def _mistyped(self, arguments: Mapping[str, object]) -> list[str]:
        return [
            f"{name}: expected {wanted['type']}, received {describe(arguments[name])}"
            for name, wanted in self._properties.items()
            if name in arguments and not _is(arguments[name], wanted.get("type"))
        ]


def schema(required: Mapping[str, str], optional: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, Any]:
    """The schema of a tool's input: texts that it needs, each with its description, and what may be given besides."""
    texts = {name: {"type": "string", "description": description} for name, description in required.items()}
    return {
        "type": "object",
        "properties": {**texts, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def _is(value: object, wanted: object) -> bool:
    kind = _TYPES.get(str(wanted))
    return kind is None or (isinstance(value, kind) and not isinstance(value, bool))
