"""Lines that nobody needs after every tool's answer, as real tools print them; and limits on what a command may do."""

import random
from collections.abc import Callable, Sequence
from typing import Any

from ..agent.tools import AgentTool, ToolFailure, Workspace
from ..agent.tools.bash import bash_tool
from ..agent.tools.files import file_tools

SECONDS = 20
"""How long one command may take, whatever the model asks for."""
MOST_OUTPUT = 2000


NOWHERE = "http://127.0.0.1:9"
PROXIES = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), NOWHERE)
"""Nothing listens there: what a command asks the network for, it does not get."""

Shell = Callable[[str], tuple[str, bool]]
"""Runs a command. Returns its answer, and whether it failed."""


def noisy_tools(workspace: Workspace, home: str, lines: int, rng: random.Random) -> list[AgentTool]:
    """The agent's own tools over a folder, with noise after their answers. `home` replaces the user's folders."""
    return [add_noise(tool, lines, rng) for tool in (_bash(workspace, home), *file_tools(workspace, MOST_OUTPUT))]


def noisy_shell(workspace: Workspace, home: str, lines: int, rng: random.Random) -> Shell:
    """Commands in a folder with the same limits, for a host with tools of its own. Noise follows failures, too."""
    bash = _bash(workspace, home)

    def run(command: str) -> tuple[str, bool]:
        try:
            output, failed = bash.run(command=command), False
        except (ToolFailure, ValueError) as failure:  # also a character that no command can have
            output, failed = str(failure), True
        return "\n".join([output, *noise_lines(lines, rng)]), failed

    return run


def _bash(workspace: Workspace, home: str) -> AgentTool:
    """The tool for commands, without the field `timeout`."""
    more = {"HOME": home, "TMPDIR": home, **PROXIES}
    bash = bash_tool(workspace, more=more, most_output=MOST_OUTPUT, timeout=SECONDS)
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
