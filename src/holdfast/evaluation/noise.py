"""Lines that nobody needs, behind every tool's answer, as real tools print them; and a bound on how long one takes."""

import random
from collections.abc import Sequence
from typing import Any

from ..agent.tools import Tool, Workspace
from ..agent.tools.bash import bash_tool
from ..agent.tools.files import file_tools

SECONDS = 20
"""How long one command may take, whatever the model asks for."""
MOST_OUTPUT = 2000


def tools(workspace: Workspace, home: str, lines: int, rng: random.Random) -> list[Tool]:
    """The agent's own tools over a folder, with noise behind their answers. `home` stands for the user's folders."""
    bash = bash_tool(workspace, more={"HOME": home, "TMPDIR": home}, most_output=MOST_OUTPUT, timeout=SECONDS)
    return [noisy(tool, lines, rng) for tool in (bounded(bash), *file_tools(workspace, MOST_OUTPUT))]


def bounded(bash: Tool) -> Tool:
    """The tool for commands, with no say in how long one takes: the field is gone."""
    properties = {name: value for name, value in bash.schema["properties"].items() if name != "timeout"}
    return bash._replace(schema={**bash.schema, "properties": properties})


def noisy(tool: Tool, lines: int, rng: random.Random) -> Tool:
    """A tool with so many lines of noise behind its answer."""

    def run(**arguments: Any) -> str:
        return "\n".join([tool.run(**arguments), *noise(lines, rng)])

    return tool._replace(run=run)


def noise(lines: int, rng: random.Random) -> Sequence[str]:
    """So many lines."""
    return [
        f"[log] {rng.choice(SUBJECTS)} {rng.randint(100, 999)} checked in {rng.random():.3f} s" for _ in range(lines)
    ]


SUBJECTS = ("cache", "index", "mirror", "queue", "shard", "worker")
