"""What the frameworks without an adapter share in the suite: the code of the docs, and a session per conversation."""

import ast
import importlib.util
import re
import sys
import tempfile
from abc import abstractmethod
from pathlib import Path
from typing import Any
from uuid import uuid4

import adapter_driver
from adapter_driver import Ran, Request, Script, Step, write

from holdfast import Attention, Board, Session, dialects
from holdfast.attention.policies import Policy, PolicyName
from holdfast.dialects import DialectName
from holdfast.stores import Store

DOCS = Path(__file__).parents[2] / "docs"
FOLDER = tempfile.TemporaryDirectory()
"""Where the programs are: some frameworks read the source of a tool when they are given it."""
DEFINITIONS = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def recipe(page: str, heading: str) -> Any:
    """What the program under a heading of the docs defines, as a module. Its own run at the end is left out."""
    found = re.search(rf"^## {heading}$.*?```python.*?\n(.*?)```", (DOCS / page).read_text("utf-8"), re.M | re.S)
    assert found is not None, f"{page} has no program under {heading}"
    tree = ast.parse(found[1], filename=page)
    tree.body = [node for node in tree.body if isinstance(node, DEFINITIONS)]
    file = Path(FOLDER.name) / f"{heading}.py"
    file.write_text(ast.unparse(tree), "utf-8")
    spec = importlib.util.spec_from_file_location(f"recipe of {heading}", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


RESEARCH: tuple[Step, ...] = ([write("Look it up")], "found")
"""What a subagent does."""


class RecipeDriver(adapter_driver.Driver):
    """A framework with a recipe. What is to be kept is in the history, as a recipe has no other place for it."""

    forgets_news = False

    def __init__(
        self, policy: PolicyName | Policy = "quiet", store: Store | None = None, dialect: DialectName | None = None
    ) -> None:
        self.policy: PolicyName | Policy = policy
        self.store = store
        self.dialect = dialect
        self.sessions: dict[str, Session] = {}
        self.histories: dict[str, list[object]] = {}

    def session(self, conversation: str, model: str = "") -> Session:
        """The session of a conversation, made in the dialect of its model."""
        if conversation not in self.sessions:
            dialect = dialects.get(self.dialect or dialects.for_model(model))
            self.sessions[conversation] = Session(
                store=self.store, name=conversation, dialect=dialect, policy=self.policy
            )
        return self.sessions[conversation]

    def board(self, conversation: str) -> Board:
        """The board of a conversation."""
        return self.session(conversation).board

    def research(self, conversation: str) -> Attention[Board]:
        """A new subagent's attention, over a plan of its own."""
        return Attention(self.session(conversation).subagent(f"researcher-{uuid4().hex[:6]}"))

    def play(self, script: Script) -> Ran:
        """Play a script in its conversation, or in a new one."""
        conversation = script.conversation or uuid4().hex
        self.session(conversation, script.model)
        requests: list[Request] = []
        history = self.converse(conversation, script, requests)
        return Ran(requests, history, self.plan(conversation))

    @abstractmethod
    def converse(self, conversation: str, script: Script, requests: list[Request]) -> list[str]:
        """Play a script; returns the history that the framework kept."""
