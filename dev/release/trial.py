"""What a new user does with an install: a small real use each, and the examples of the docs."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from dev.database import database_server

from .environments import CheckFailed, Environment, Interpreter

USES = Path(__file__).parent / "uses"
EXAMPLE = re.compile(r"```python[^\n]*\n(.*?)```\s*```text\n(.*?)```", re.DOTALL)
FLOOR = re.compile(r"([\w.-]+)(?:\[[^\]]*\])?>=([\w.]+)")

EXAMPLES_BY_EXTRA = {
    "mcp": "from mcp.client",
    "langchain": "from holdfast.adapters.langchain",
    "pydantic-ai": "from holdfast.adapters.pydantic_ai",
    "openai-agents": "from holdfast.adapters.openai_agents",
    "google-adk": "from holdfast.adapters.google_adk",
    "agent-framework": "from holdfast.adapters.agent_framework",
    "strands": "from holdfast.adapters.strands",
    "claude-agent-sdk": "from holdfast.adapters.claude_agent_sdk",
    "otel": "from holdfast.adapters.opentelemetry",
}
"""The extras with examples in the docs, and the words in such an example. The others have a program in `uses`."""

EXAMPLES_BY_RECIPE = {
    "crewai": "from crewai",
    "llama-index-core": "from llama_index",
    "smolagents": "from smolagents",
}
"""The frameworks without an adapter, and the words in their examples. `requirements/recipes.txt` has their versions."""


def requirements_by_extra(root: Path) -> dict[str, list[str]]:
    """The requirements of each extra, and of the default install."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {"default": project["dependencies"], **project["optional-dependencies"]}


def recipes(root: Path) -> dict[str, str]:
    """The frameworks without an adapter, each with its version as pip wants it."""
    lines = (root / "requirements" / "recipes.txt").read_text(encoding="utf-8").splitlines()
    return {line.partition("==")[0]: line for line in lines if "==" in line}


def floors(requirements: Iterable[str]) -> dict[str, str]:
    """The oldest version of each requirement."""
    return {found[1]: found[2] for each in requirements if (found := FLOOR.match(each))}


def examples(root: Path, word: str) -> list[tuple[str, str]]:
    """The examples in the docs that contain a word, each with its output."""
    pages = (page.read_text(encoding="utf-8") for page in sorted((root / "docs").glob("*.md")))
    return [(code, printed) for page in pages for code, printed in EXAMPLE.findall(page) if word in code]


def try_install(python: Interpreter, root: Path, use: str, install: Iterable[str], names: Iterable[str] = ()) -> str:
    """Install into an empty environment and use what is there; returns the versions of `names`."""
    with TemporaryDirectory(prefix="holdfast-release-") as folder:
        environment = Environment(python, Path(folder) / "environment")
        environment.install(*install)
        environment.check_alone() if use == "core" else environment.check_requirements()
        (desk := Path(folder) / "desk").mkdir()
        environment.check_import(desk)
        word = {**EXAMPLES_BY_EXTRA, **EXAMPLES_BY_RECIPE}.get(use)
        if word is not None:
            _run_examples(environment, examples(root, word), desk)
        else:
            with _services_for(use) as variables:
                environment.run("-P", USES / f"{use}.py", folder=desk, HOME=str(desk), **variables)
        return environment.versions(names)


def _run_examples(environment: Environment, shown: list[tuple[str, str]], desk: Path) -> None:
    if not shown:
        raise CheckFailed("the docs show no example of it")
    for code, expected in shown:
        program = desk / "example.py"  # a file: some frameworks read the source of a function
        program.write_text(code, encoding="utf-8")
        printed = environment.run(program, folder=desk, HOME=str(desk))
        if printed.rstrip() != expected.rstrip():
            raise CheckFailed(f"the example printed\n{printed}\nand not\n{expected}")


@contextmanager
def _services_for(use: str) -> Iterator[dict[str, str]]:
    """What a use needs in addition to the install, as environment variables."""
    if use != "postgres":
        yield {}
        return
    with database_server() as server:
        yield {"HOLDFAST_DB": server.address()}
