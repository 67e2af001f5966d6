"""Lines that nobody needs after every tool's answer, as real tools print them; and a limit on how long one takes."""

import random
from collections.abc import Sequence
from typing import Any

from ..agent.tools import AgentTool, Workspace
from ..agent.tools.bash import bash_tool
from ..agent.tools.files import file_tools

SECONDS = 20
"""How long one command may take, whatever the model asks for."""
MOST_OUTPUT = 2000


def noisy_tools(workspace: Workspace, home: str, lines: int, rng: random.Random) -> list[AgentTool]:
    """The agent's own tools over a folder, with noise after their answers. `home` replaces the user's folders."""
    bash = bash_tool(workspace, more={"HOME": home, "TMPDIR": home}, most_output=MOST_OUTPUT, timeout=SECONDS)
    return [add_noise(tool, lines, rng) for tool in (without_timeout(bash), *file_tools(workspace, MOST_OUTPUT))]


def without_timeout(bash: AgentTool) -> AgentTool:
    """The tool for commands without the field `timeout`."""
    properties = {name: value for name, value in bash.schema["properties"].items() if name != "timeout"}
    return bash._replace(schema={**bash.schema, "properties": properties})


def add_noise(tool: AgentTool, lines: int, rng: random.Random) -> AgentTool:
    """A tool with so many lines of noise after its answer."""

    def run(**arguments: Any) -> str:
        return "\n".join([tool.run(**arguments), *noise_lines(lines, rng)])

    return tool._replace(run=run)


def noise_lines(lines: int, rng: random.Random) -> Sequence[str]:
    """So many lines."""
    return [
        f"[log] {rng.choice(SUBJECTS)} {rng.randint(100, 999)} checked in {rng.random():.3f} s" for _ in range(lines)
    ]


SUBJECTS = ("cache", "index", "mirror", "queue", "shard", "worker")
