"""What a stranger does with an install: a small real use each, and what the docs show."""

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from .environments import Environment, Failed, Python

USES = Path(__file__).parent / "uses"
EXAMPLE = re.compile(r"```python[^\n]*\n(.*?)```\s*```text\n(.*?)```", re.DOTALL)
FLOOR = re.compile(r"([\w.-]+)(?:\[[^\]]*\])?>=([\w.]+)")

SHOWN = {
    "mcp": "from mcp.client",
    "langchain": "from holdfast.adapters.langchain",
    "pydantic-ai": "from holdfast.adapters.pydantic_ai",
    "openai-agents": "from holdfast.adapters.openai_agents",
    "google-adk": "from holdfast.adapters.google_adk",
    "claude-agent-sdk": "from holdfast.adapters.claude_agent_sdk",
}
"""The extras whose use the docs show, and how to know the examples. The others have a program in `uses`."""


class NotRun(Exception):
    """A check that cannot be made on this machine, and why."""


def asked(root: Path) -> dict[str, list[str]]:
    """What each extra asks for, and the default install."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {"default": project["dependencies"], **project["optional-dependencies"]}


def floors(requirements: Iterable[str]) -> dict[str, str]:
    """The oldest version of each that these requirements say is enough."""
    return {found[1]: found[2] for each in requirements if (found := FLOOR.match(each))}


def examples(root: Path, word: str) -> list[tuple[str, str]]:
    """The examples in the docs that have a word in them, each with what it prints."""
    pages = (page.read_text(encoding="utf-8") for page in sorted((root / "docs").glob("*.md")))
    return [(code, printed) for page in pages for code, printed in EXAMPLE.findall(page) if word in code]


def tried(python: Python, root: Path, use: str, install: Iterable[str], names: Iterable[str] = ()) -> str:
    """Install into an empty environment and use what is there; which versions of these names it was."""
    with TemporaryDirectory(prefix="holdfast-release-") as folder:
        environment = Environment(python, Path(folder) / "environment")
        environment.install(*install)
        environment.is_alone() if use == "core" else environment.fits()
        (desk := Path(folder) / "desk").mkdir()
        environment.is_ours(desk)
        if use in SHOWN:
            _as_shown(environment, examples(root, SHOWN[use]), desk)
        else:
            with _needs(use) as variables:
                environment.run("-P", USES / f"{use}.py", folder=desk, HOME=str(desk), **variables)
        return environment.versions(names)


def _as_shown(environment: Environment, shown: list[tuple[str, str]], desk: Path) -> None:
    if not shown:
        raise Failed("the docs show no example of it")
    for code, expected in shown:
        printed = environment.run("-c", code, folder=desk, HOME=str(desk))
        if printed.rstrip() != expected.rstrip():
            raise Failed(f"the example printed\n{printed}\nand not\n{expected}")


@contextmanager
def _needs(use: str) -> Iterator[dict[str, str]]:
    """What a use needs beside the install, as environment variables."""
    if use != "postgres":
        yield {}
        return
    sys.path.append(str(Path(__file__).parents[2] / "tests"))  # where the server comes from that ends with this process
    from postgres_server import Server, programs

    if programs() is None:
        raise NotRun("PostgreSQL's server is not installed: apt-get install postgresql")
    server = Server()
    server.start()
    try:
        yield {"HOLDFAST_DB": server.address()}
    finally:
        server.remove()
