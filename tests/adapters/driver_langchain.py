"""LangChain, driven: `create_agent` with the middleware and a fake chat model."""

import time
from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

import adapter_driver
from adapter_driver import Ran, Request, Script, Step, as_json, awaited, write
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, SummarizationMiddleware
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolCall
from langchain_core.outputs import ChatResult
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.tools import BaseTool, ToolException, tool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.checkpoint.memory import InMemorySaver

from holdfast import Board
from holdfast.adapters.langchain import HoldfastMiddleware
from holdfast.attention.policies import Policy, PolicyName
from holdfast.dialects import DialectName
from holdfast.stores import Store


class ScriptedChatModel(GenericFakeChatModel):
    """Plays answers, and remembers what it was sent."""

    requests: list[Request]
    model_name: str
    bound: str = ""

    def bind_tools(
        self, tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool], **_: Any
    ) -> Runnable[Any, AIMessage]:
        """Remember the tools in the form in which they would be sent."""
        self.bound = as_json([convert_to_openai_tool(tool) for tool in tools])
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **_: Any,
    ) -> ChatResult:
        system = [message.content for message in messages if message.type == "system"]
        texts = [written(message) for message in messages if message.type != "system"]
        self.requests.append(Request(as_json(system), self.bound, texts))
        return super()._generate(messages)


def scripted(*steps: Step, model: str = "scripted") -> ScriptedChatModel:
    """A model of this name that plays these steps."""
    return ScriptedChatModel(messages=iter([answer(step) for step in steps]), requests=[], model_name=model)


def written(message: BaseMessage) -> str:
    """A message as one text."""
    calls = as_json(message.tool_calls) if isinstance(message, AIMessage) and message.tool_calls else ""
    return f"{message.type}: {message.text}{calls}"


def answer(step: Step) -> AIMessage:
    """A step of a script as the model says it."""
    if isinstance(step, str):
        return AIMessage(step)
    calls = [ToolCall(name=call.name, args=dict(call.arguments), id=uuid4().hex) for call in step]
    return AIMessage("", tool_calls=calls)


@tool
def work(fails: bool = False, seconds: float = 0.0) -> str:
    """Do some work."""
    time.sleep(seconds)
    if fails:
        raise ToolException("it broke")
    return "worked"


work.handle_tool_error = True


@tool
def bash(command: str) -> str:
    """Run a command."""
    return f"ran {command}"


def summarizing() -> SummarizationMiddleware:
    """LangChain's own compaction: from six messages on only the last three are kept, after a summary."""
    summaries = scripted(*["Nothing of the plan."] * 20)
    return SummarizationMiddleware(summaries, trigger=("messages", 6), keep=("messages", 3))


class Driver(adapter_driver.Driver):
    """LangChain with Holdfast in it."""

    def __init__(
        self, policy: PolicyName | Policy = "quiet", store: Store | None = None, dialect: DialectName | None = None
    ) -> None:
        self.middleware = HoldfastMiddleware(store=store, dialect=dialect, policy=policy)
        self.saver = InMemorySaver()
        self.state: dict[str, Any] = {}
        self.subagent: dict[str, Any] = {}

    def play(self, script: Script) -> Ran:
        """Play a script."""
        chat = scripted(*script.steps, model=script.model)
        before: list[AgentMiddleware[Any, Any, Any]] = [summarizing()] if script.compacted else []
        conversation = script.conversation
        agent = create_agent(
            chat,
            [work, *[bash] * script.with_shell, self.researcher()],
            system_prompt="You work.",
            middleware=[*before, self.middleware],
            checkpointer=None if conversation is None else self.saver,
        )
        config: RunnableConfig = {"configurable": {"thread_id": conversation}} if conversation else {}
        task: Any = {"messages": [{"role": "user", "content": "Get it done."}]}
        if script.streamed:
            *_, self.state = agent.stream(task, config, stream_mode="values")
        else:
            self.state = awaited(agent.ainvoke(task, config)) if script.asynchronous else agent.invoke(task, config)
        history = [written(message) for message in self.state["messages"]]
        plan = self.plan(conversation) if conversation else Board().update(self.state["todos"]).plan
        return Ran(chat.requests, history, plan)

    def board(self, conversation: str) -> Board:
        """The board of a conversation."""
        return self.middleware.runs.get(conversation).board

    def researcher(self) -> BaseTool:
        """A subagent, as a tool."""

        @tool
        def researcher(input: str) -> str:
            """Look something up."""
            model = scripted([write("Look it up")], "found")
            self.subagent = create_agent(model, [work], middleware=[self.middleware]).invoke(
                {"messages": [{"role": "user", "content": input}]}
            )
            return str(self.subagent["messages"][-1].text)

        return researcher
