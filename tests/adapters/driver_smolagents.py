"""smolagents, driven: the agent of the docs and a model that plays a script."""

import asyncio
import time
from typing import Any
from uuid import uuid4

from adapter_driver import Request, Script, Step, as_json, awaited
from recipe_driver import RESEARCH, RecipeDriver, recipe
from smolagents import ChatMessage, MessageRole, Model, MultiStepAgent, Tool, tool  # type: ignore[import-untyped]
from smolagents.models import (  # type: ignore[import-untyped]
    ChatMessageStreamDelta,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    ChatMessageToolCallStreamDelta,
    get_tool_json_schema,
)

from holdfast import Attention, Board

SMOLAGENTS = recipe("recipes.md", "smolagents")


class ScriptedSmolModel(Model):  # type: ignore[misc] # the framework is untyped
    """Plays answers, and remembers what it was sent."""

    def __init__(self, steps: list[Step], requests: list[Request]) -> None:
        super().__init__()
        self.steps = steps
        self.requests = requests

    def generate(self, messages: list[Any], tools_to_call_from: Any = (), **_: Any) -> ChatMessage:
        """The next answer. Words that end the work are a call, too."""
        system = [written(message) for message in messages if message.role == MessageRole.SYSTEM]
        texts = [written(message) for message in messages if message.role != MessageRole.SYSTEM]
        tools = as_json([get_tool_json_schema(tool) for tool in tools_to_call_from])
        self.requests.append(Request("\n".join(system), tools, texts))
        step = self.steps.pop(0)
        calls = [("final_answer", {"answer": step})] if isinstance(step, str) else step
        return ChatMessage(
            MessageRole.ASSISTANT,
            "",
            [
                ChatMessageToolCall(
                    ChatMessageToolCallFunction(name=name, arguments=dict(arguments)), f"{at}-{uuid4().hex}", "function"
                )
                for at, (name, arguments) in enumerate(calls)
            ],
        )

    def generate_stream(self, messages: list[Any], **options: Any) -> Any:
        """The same, as it comes."""
        answer = self.generate(messages, **options)
        yield ChatMessageStreamDelta(
            content="",
            tool_calls=[
                ChatMessageToolCallStreamDelta(
                    index=at,
                    id=call.id,
                    type="function",
                    function=ChatMessageToolCallFunction(
                        name=call.function.name, arguments=as_json(call.function.arguments)
                    ),
                )
                for at, call in enumerate(answer.tool_calls)
            ],
        )


def written(message: Any) -> str:
    """A message as one text."""
    content = message.content
    texts = content if isinstance(content, str) else "\n".join(block.get("text", "") for block in content or [])
    return f"{message.role.value}: {texts}"


@tool  # type: ignore[untyped-decorator]
def work(fails: bool = False, seconds: float = 0.0) -> str:
    """Do some work.

    Args:
        fails: Whether it fails.
        seconds: How long it takes.

    """
    time.sleep(seconds)
    if fails:
        raise ValueError("it broke")
    return "worked"


@tool  # type: ignore[untyped-decorator]
def bash(command: str) -> str:
    """Run a command.

    Args:
        command: The command.

    """
    return f"ran {command}"


class Driver(RecipeDriver):
    """The agent of the docs."""

    forgets_news = True

    def converse(self, conversation: str, script: Script, requests: list[Request]) -> list[str]:
        """A conversation is an agent. It is sync only, so an event loop has it in a thread."""
        model = ScriptedSmolModel(list(script.steps), requests)
        session = self.session(conversation)
        known: list[Any] = self.histories.setdefault(conversation, [])
        if not known:
            tools = [work, *[bash] * script.with_shell, self.researcher(conversation)]
            known.append(self.agent(model, session.attention, tools, script.streamed))
        (agent,) = known
        agent.model = model
        session.attention.on_user_message("Get it done.")
        if script.streamed:
            *_, last = agent.run("Get it done.", reset=False, stream=True)
            answer = last.output
        elif script.asynchronous:
            answer = awaited(asyncio.to_thread(agent.run, "Get it done.", reset=False))
        else:
            answer = agent.run("Get it done.", reset=False)
        kept = [written(message) for message in MultiStepAgent.write_memory_to_messages(agent)]
        return [*kept[1:-3], f"assistant: {answer}"]  # the call of `final_answer` and its result are three messages

    def agent(self, model: Model, attention: Attention[Board], tools: list[Tool], streamed: bool = False) -> Any:
        """An agent with a plan."""
        options = {"verbosity_level": -1, "stream_outputs": streamed}
        return SMOLAGENTS.PlanAgent(tools, model, attention, "You work.", **options)

    def researcher(self, conversation: str) -> Tool:
        """A subagent, as a tool."""

        @tool  # type: ignore[untyped-decorator]
        def researcher(input: str) -> str:
            """Look something up.

            Args:
                input: What.

            """
            model = ScriptedSmolModel(list(RESEARCH), [])
            return str(self.agent(model, self.research(conversation), []).run(input))

        return researcher
