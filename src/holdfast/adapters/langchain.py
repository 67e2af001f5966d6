"""LangChain: middleware for `create_agent`, instead of `TodoListMiddleware`.

    from holdfast.adapters.langchain import HoldfastMiddleware

    agent = create_agent(model, tools, middleware=[HoldfastMiddleware()])

`todos` in the state is kept filled. List it last, so that it sees the messages as the model will.
"""

from collections.abc import Awaitable, Callable, Sequence
from os import PathLike
from typing import Annotated, Any, Literal, NotRequired, TypeAlias

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse, hook_config
from langchain.agents.middleware.types import OmitFromInput, PrivateStateAttr
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolCall, ToolMessage
from langchain_core.tools import StructuredTool
from langgraph.errors import GraphBubbleUp
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.runtime import Runtime
from langgraph.types import Command

from .. import dialects
from ..attention.policies import Policy, PolicyName
from ..dialects import Dialect, DialectName, Reply
from ..errors import UsageError
from ..plan import Plan
from ..plan.rules import Rules
from ..stores import Store
from .run import Note, Run, Runs, insert_notes, unique_name

Todo: TypeAlias = dict[str, Any]
Update: TypeAlias = dict[str, Any]

LANGCHAIN = dialects.get("langchain")


class PlanState(AgentState[Any]):
    """The agent's state with its todos, in the form that UIs know, and the name of the plan behind them."""

    todos: Annotated[NotRequired[list[Todo]], OmitFromInput]
    holdfast: Annotated[NotRequired[list[str]], PrivateStateAttr]


class HoldfastMiddleware(AgentMiddleware[PlanState, Any, Any]):
    """The plan's tool, kept before the model by a policy.

    A thread has its own plan, a run without a thread too, and so has a subagent. The arguments are those of `Runs`.
    """

    state_schema = PlanState

    def __init__(
        self,
        *,
        store: Store | str | PathLike[str] | None = None,
        dialect: DialectName | Dialect | None = None,
        policy: PolicyName | Policy = "quiet",
        rules: Rules | None = None,
    ) -> None:
        super().__init__()
        self.tools = []  # the tool that suits the model is added to each request
        self.runs = Runs(store=store, dialect=dialect, policy=policy, rules=rules)

    def before_agent(self, state: PlanState, runtime: Runtime[Any]) -> Update:
        """A run begins: it gets a name, and continues with the plan that it has."""
        name = state.get("holdfast") or self._plan_name(runtime)
        return _begin(self.runs.get(*name), name, state.get("todos", []))

    async def abefore_agent(self, state: PlanState, runtime: Runtime[Any]) -> Update:
        """The same for async callers."""
        name = state.get("holdfast") or self._plan_name(runtime)
        run = await self.runs.get_async(*name)
        return await run.in_thread(_begin, run, name, state.get("todos", []))

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Give the request its tool, its prompt, and what the model must be told now."""
        run = self.runs.get(*_stored_name(request.state), model=_model_name(request))
        return handler(_with_plan(request, run, run.request(request.messages, _call_ids(request.messages))))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """The same for async callers."""
        run = await self.runs.get_async(*_stored_name(request.state), model=_model_name(request))
        notes = await run.in_thread(run.request, request.messages, _call_ids(request.messages))
        return await handler(_with_plan(request, run, notes))

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        """Write the plan, or report the use of any other tool to the board."""
        run, call = self.runs.get(*_stored_name(request.state)), request.tool_call
        if call["name"] in run.tools:
            return _answer(run, run.write(call["args"], _call_id(call), call["name"]), call)
        with run.failing(call["name"], but=(GraphBubbleUp,)):
            result = handler(request)
        run.attention.after_tool(call["name"], call["args"], failed=_has_failed(result))
        return result

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]
    ) -> ToolMessage | Command[Any]:
        """The same for async callers."""
        run, call = await self.runs.get_async(*_stored_name(request.state)), request.tool_call
        if call["name"] in run.tools:
            return _answer(run, await run.write_async(call["args"], _call_id(call), call["name"]), call)
        with run.failing(call["name"], but=(GraphBubbleUp,)):
            result = await handler(request)
        run.attention.after_tool(call["name"], call["args"], failed=_has_failed(result))
        return result

    @hook_config(can_jump_to=["model"])
    def after_model(self, state: PlanState, runtime: Runtime[Any]) -> Update:
        """Refuse all writes of a turn but the first. The policy may hold a model that would end with work left."""
        return _check_answer(self.runs.get(*_stored_name(state)), state["messages"][-1])

    @hook_config(can_jump_to=["model"])
    async def aafter_model(self, state: PlanState, runtime: Runtime[Any]) -> Update | None:
        """The same for async callers."""
        run = await self.runs.get_async(*_stored_name(state))
        return await run.in_thread(_check_answer, run, state["messages"][-1])

    def after_agent(self, state: PlanState, runtime: Runtime[Any]) -> Update:
        """A run has ended: its todos are in the state."""
        return self._end(self.runs.get(*_stored_name(state)), runtime)

    async def aafter_agent(self, state: PlanState, runtime: Runtime[Any]) -> Update:
        """The same for async callers."""
        run = await self.runs.get_async(*_stored_name(state))
        return await run.in_thread(self._end, run, runtime)

    def _end(self, run: Run, runtime: Runtime[Any]) -> Update:
        if _thread_id(runtime) is None:
            self.runs.forget(*run.board.key)
        return {"todos": _todos(run.board.plan)}

    def _plan_name(self, runtime: Runtime[Any]) -> list[str]:
        """Whose plan it is. A graph that runs inside another one's tool shares its thread, and is a subagent."""
        info = runtime.execution_info
        is_nested = info is not None and "|" in info.checkpoint_ns
        return [_thread_id(runtime) or unique_name(), unique_name("subagent") if is_nested else "main"]


def _begin(run: Run, name: list[str], todos: list[Todo]) -> Update:
    run.attention.on_user_message()
    if todos and not run.board.plan.revision:  # the store was lost, or another middleware wrote the state
        run.board.update(todos)
        run.attention.after_compaction()
    return {"holdfast": name, "todos": _todos(run.board.plan)}


def _with_plan(request: ModelRequest[Any], run: Run, notes: list[Note]) -> ModelRequest[Any]:
    return request.override(
        messages=insert_notes(request.messages, notes, HumanMessage),
        tools=[*request.tools, *map(_tool, run.board.tools())],
        system_message=_with_prompt(request.system_message, run.board.prompt),
    )


def _tool(definition: dict[str, Any]) -> StructuredTool:
    """The tool as the model sees it; `wrap_tool_call` takes its calls."""
    return StructuredTool.from_function(
        _never_called,
        name=definition["name"],
        description=definition["description"],
        args_schema=definition["parameters"],
        infer_schema=False,
    )


def _never_called(**_: object) -> None:
    raise UsageError("the plan is written by HoldfastMiddleware: add it to the agent's middleware")


def _with_prompt(system: SystemMessage | None, prompt: str) -> SystemMessage:
    if system is None:
        return SystemMessage(prompt)
    return SystemMessage(content_blocks=[*system.content_blocks, {"type": "text", "text": f"\n\n{prompt}"}])


def _check_answer(run: Run, message: AnyMessage) -> Update:
    todos = {} if run.board.dialect.states_whole_plan else {"todos": _todos(run.board.plan)}
    if not isinstance(message, AIMessage):
        return todos
    if not message.tool_calls:
        text = run.before_stop(message.text)
        return {"messages": [HumanMessage(text)], "jump_to": "model", **todos} if text else todos
    others = [call for call in message.tool_calls if run.is_write(call["name"], call["args"])][1:]
    return {
        "messages": [_message(run.refuse_second_write(call["args"], call["name"]), call) for call in others],
        **todos,
    }


def _answer(run: Run, reply: Reply, call: ToolCall) -> ToolMessage | Command[Any]:
    """The reply, with the todos for the state; after several calls in one turn, `_check_answer` has them."""
    message = _message(reply, call)
    if not reply.ok or not run.board.dialect.states_whole_plan:
        return message
    return Command(update={"todos": _todos(reply.plan), "messages": [message]})


def _message(reply: Reply, call: ToolCall) -> ToolMessage:
    status: Literal["success", "error"] = "success" if reply.ok else "error"
    return ToolMessage(reply.text, tool_call_id=_call_id(call), name=call["name"], status=status)


def _todos(plan: Plan) -> list[Todo]:
    """The todos in LangChain's own words."""
    return LANGCHAIN.items(plan)


def _has_failed(result: ToolMessage | Command[Any]) -> bool:
    return isinstance(result, ToolMessage) and result.status == "error"


def _call_id(call: ToolCall) -> str:
    return call["id"] or ""


def _call_ids(messages: Sequence[AnyMessage]) -> set[str]:
    return {_call_id(call) for message in messages if isinstance(message, AIMessage) for call in message.tool_calls}


def _stored_name(state: Any) -> tuple[str, str]:
    """The name that `before_agent` gave the plan; `state` is any mapping that LangGraph passes."""
    session, agent = state["holdfast"]
    return session, agent


def _thread_id(runtime: Runtime[Any]) -> str | None:
    return None if runtime.execution_info is None else runtime.execution_info.thread_id


def _model_name(request: ModelRequest[Any]) -> str:
    """The model's name. Each integration has another attribute for it."""
    names = (getattr(request.model, attribute, None) for attribute in ("model_name", "model", "model_id"))
    return next((name for name in names if isinstance(name, str)), "")
