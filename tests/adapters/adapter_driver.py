"""What the behaviour suite of the adapters needs: scripted models, what they were sent, and the results."""

import asyncio
import importlib.util
import json
from abc import ABC, abstractmethod
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, TypeVar

from holdfast import Board, Plan
from holdfast.attention.policies import Policy
from holdfast.errors import StoreError
from holdfast.stores import Store

T = TypeVar("T")

ENVIRONMENTS: Mapping[str, Sequence[str]] = {
    "strands": ("google_adk", "strands"),
    "crewai": ("llama_index", "smolagents", "crewai", "temporal"),
    "langchain": ("langchain", "langgraph", "pydantic_ai", "openai_agents", "claude_agent_sdk", "agent_framework"),
}
"""What is tested where. No environment can have them all; each is known by one package that only it has."""

COMPACTION = {"test_the_plan_comes_back_after_the_frameworks_own_compaction": "the host calls `after_compaction`"}
DEFINITIONS = "its hooks see no definitions"
LACKS: Mapping[str, Mapping[str, str]] = {
    "claude_agent_sdk": {
        "test_rail_names_the_shell_that_the_agent_has": DEFINITIONS,
        "test_quiet_helps_a_model_that_only_writes_its_plan": DEFINITIONS,
    },
    "langgraph": COMPACTION,
    "llama_index": COMPACTION,
    "crewai": COMPACTION,
    "smolagents": {
        **COMPACTION,
        "test_a_mark_before_a_failed_call_of_the_same_answer_is_no_completion": "an error hides the other results",
    },
}
"""The tests that a framework is not put to, and why. The pages say so, too."""

HERE = next(names for package, names in ENVIRONMENTS.items() if importlib.util.find_spec(package))
"""What is tested in this environment."""


class Call(NamedTuple):
    """A tool call of the scripted model."""

    name: str
    arguments: Mapping[str, Any] = {}


Step = str | Sequence[Call]
"""One answer of the scripted model: words that end its turn, or calls."""

WORK = Call("work")
SLOW_WORK = Call("work", {"seconds": 0.2})
FAIL = Call("work", {"fails": True})
ASK = Call("researcher", {"input": "look it up"})
"""Have a subagent do something; it writes a plan of its own, with the one todo `Look it up`."""


def write(*todos: Mapping[str, str] | str) -> Call:
    """A write of the plan, in the default dialect."""
    items = [{"content": todo} if isinstance(todo, str) else dict(todo) for todo in todos]
    return Call("TodoWrite", {"todos": items})


def mark(id: str, status: str = "completed") -> Call:
    """A write that marks one todo."""
    return write({"id": id, "status": status})


class Request(NamedTuple):
    """One request as the model got it: system prompt and tools byte for byte, its messages as texts in order."""

    system: str
    tools: str
    messages: Sequence[str]

    @property
    def tail(self) -> str:
        """What it ends with."""
        return self.messages[-1]

    def says(self, text: str) -> bool:
        """Whether a text is somewhere in its messages."""
        return any(text in message for message in self.messages)


class Ran(NamedTuple):
    """What a run came to: the requests of its main agent, the history that the framework kept, and the plan."""

    requests: Sequence[Request]
    history: Sequence[str]
    plan: Plan

    def keeps(self, text: str) -> bool:
        """Whether a text is somewhere in the history."""
        return any(text in message for message in self.history)


class Script(NamedTuple):
    """What a model plays. A conversation goes on where it was left; `compacted` lets the framework compact it.

    The framework keeps only the last few messages then, from about the fourth request on. `with_shell`: the agent has
    the tool `bash`, too.
    """

    steps: Sequence[Step]
    conversation: str | None
    asynchronous: bool
    compacted: bool
    model: str
    streamed: bool = False
    with_shell: bool = False


class Driver(ABC):
    """One framework with Holdfast in it, and a model that plays a script."""

    forgets: ClassVar[bool] = True
    """Whether a reminder is gone after its request: Claude Code keeps what it is told."""
    forgets_news: ClassVar[bool] = True
    """Whether the history stays without what is said in later requests, too: recipes put that into it."""
    tool: ClassVar[str] = "TodoWrite"
    """The plan's tool as the model sees it."""

    @abstractmethod
    def __init__(self, policy: str | Policy = "quiet", store: Store | None = None, dialect: str | None = None) -> None:
        """An adapter that several runs share."""

    @abstractmethod
    def board(self, conversation: str) -> Board:
        """The board of a conversation, for a person to edit."""

    def plan(self, conversation: str) -> Plan:
        """The plan of a conversation; an empty one while the store is away."""
        try:
            return self.board(conversation).plan
        except StoreError:
            return Plan()

    @abstractmethod
    def play(self, script: Script) -> Ran:
        """What a script came to."""

    def run(
        self,
        *steps: Step,
        conversation: str | None = None,
        asynchronous: bool = False,
        compacted: bool = False,
        model: str = "scripted",
        streamed: bool = False,
        with_shell: bool = False,
    ) -> Ran:
        """Play a script, step by step."""
        return self.play(Script(steps, conversation, asynchronous, compacted, model, streamed, with_shell))


def as_json(value: object) -> str:
    """A value as the bytes of a request would have it: nothing sorted, nothing left out."""
    return json.dumps(value, ensure_ascii=False, default=str)


LOOPS: list[asyncio.AbstractEventLoop] = []
"""The loops that run now."""


def awaited(coroutine: Coroutine[Any, Any, T]) -> T:
    """What a coroutine comes to, on a loop of its own: `asyncio.run` would take away the one that is there."""
    loop = asyncio.new_event_loop()
    LOOPS.append(loop)
    try:
        return loop.run_until_complete(coroutine)
    finally:
        LOOPS.remove(loop)
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()
