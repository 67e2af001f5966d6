"""The tables about frameworks in `docs/frameworks.md` and `docs/recipes.md`."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"

FRAMEWORKS = {
    "LangChain": "langchain",
    "Pydantic AI": "pydantic_ai",
    "OpenAI Agents": "openai_agents",
    "Google ADK": "google_adk",
    "Claude Agent SDK": "claude_agent_sdk",
    "Agent Framework": "agent_framework",
    "Strands": "strands",
}
"""The columns of the first page, and the module of each."""
RECIPES = {
    "plain LangGraph": "langgraph",
    "LlamaIndex": "llama_index",
    "smolagents": "smolagents",
    "CrewAI": "crewai",
}
"""The columns of the second page."""


def table(mark: str, page: str = "frameworks.md") -> dict[str, dict[str, str]]:
    """A table of a page: its lines, each with a cell for every framework."""
    found = re.search(rf"<!-- {mark} -->\n\n(.*?)\n\n<!--", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    head, _, *lines = ([cell.strip() for cell in line.strip("|").split("|")] for line in found[1].splitlines())
    columns = [{**FRAMEWORKS, **RECIPES}[name] for name in head[1:]]
    return {line[0]: dict(zip(columns, line[1:], strict=True)) for line in lines}
