"""LangChain: middleware for `create_agent`, instead of `TodoListMiddleware`.

    from holdfast.adapters.langchain import HoldfastMiddleware

    agent = create_agent(model, tools, middleware=[HoldfastMiddleware()])

`todos` in the state is kept filled. List it last, so that it sees the messages as the model will.
"""

from ..extras import require

require("langchain")

import copy
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Annotated, Any, Literal, NotRequired, TypeAlias

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse, hook_config
from langchain.agents.middleware.todo import WRITE_TODOS_SYSTEM_PROMPT
from langchain.agents.middleware.types import OmitFromInput, PrivateStateAttr
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolCall, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.errors import GraphBubbleUp
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.runtime import Runtime
from langgraph.types import Command

from .. import dialects
from ..attention.policies import Policy, PolicyName
from ..dialects import Dialect, DialectName, Reply, Tool
from ..errors import StoreError, UsageError
from ..plan import Plan
from ..plan.rules import Rules
from ..plan.step import Step, Written
from .run import ModelCall, Note, Run, RunningTool, insert_notes
from .runs import Runs, Stored, StoreOf, unique_name

Todo: TypeAlias = dict[str, Any]
Update: TypeAlias = dict[str, Any]

LANGCHAIN = dialects.get("langchain")
TOOL_NODE = "tools"
"""The node in which LangChain runs tools: a graph inside it is a subagent of that call."""
UNNAMED, SUBAGENT = "run-", "subagent-"
"""How the names of plans begin that nobody can come back to."""
FORK = "fork"
"""The action of the change that brings a plan to where an older checkpoint had it."""


def _newest(left: int, right: int) -> int:
    return max(left, right)  # a function with a signature: LangGraph reads it


class PlanState(AgentState[Any]):
    """The agent's state with its todos, in the form that UIs know, and the name of the plan behind them.

    With the revision in it, a run that goes on from an older checkpoint finds the plan as it was then.
    """

    todos: Annotated[NotRequired[list[Todo]], OmitFromInput]
    holdfast: Annotated[NotRequired[list[str]], PrivateStateAttr]
    holdfast_revision: Annotated[NotRequired[int], PrivateStateAttr, _newest]


class HoldfastMiddleware(AgentMiddleware[PlanState, Any, Any]):
    """The plan's tool, kept before the model by a policy.

    A thread has its own plan, and so has each agent that is a node of a graph, a run without a thread, and a subagent.
    The arguments are those of `Runs`.
    """

    state_schema = PlanState

    def __init__(
        self,
        *,
        store: Stored | StoreOf | None = None,
        dialect: DialectName | Dialect | None = None,
        policy: PolicyName | Policy = "quiet",
        rules: Rules | None = None,
        prompt: str | None = None,
        description: str | None = None,
    ) -> None:
        super().__init__()
        self.runs = Runs(
            store=store, dialect=dialect, policy=policy, rules=rules, prompt=prompt, description=description
        )
        # without a dialect, the tool that suits the model is added to each request
        self.tools = [] if dialect is None else [_tool(tool) for tool in self.runs.tools(self.runs.dialect())]

    def before_agent(self, state: PlanState, runtime: Runtime[Any]) -> Update:
        """A run begins: it gets a name, and continues with the plan that it has."""
        name = _name(state, runtime)
        return _begin(self.runs.within(runtime).get(*name), name, state)

    async def abefore_agent(self, state: PlanState, runtime: Runtime[Any]) -> Update:
        """The same for async callers."""
        name = _name(state, runtime)
        run = await (await self.runs.within_async(runtime)).get_async(*name)
        return await run.in_order(_begin, run, name, state)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Give the request its tool, its prompt, and what the model must be told now."""
        runs = self.runs.within(request.runtime)
        run = runs.get(*_name(request.state, request.runtime), model=_model_name(request))
        return handler(self._with_plan(request, run, _notes(run, request)))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """The same for async callers."""
        runs = await self.runs.within_async(request.runtime)
        run = await runs.get_async(*_name(request.state, request.runtime), model=_model_name(request))
        return await handler(self._with_plan(request, run, await run.in_order(_notes, run, request)))

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        """Write the plan, or report the use of any other tool to the board."""
        run = self.runs.within(request.runtime).get(*_name(request.state, request.runtime))
        call = request.tool_call
        if call["name"] in run.tools:
            return _answer(run, run.write(call["args"], _call_id(call), call["name"]), call)
        with RunningTool(run, call["name"], call["args"], _call_id(call), (GraphBubbleUp,)) as use:
            result = handler(request)
            use.failed = _has_failed(result)
        return result

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]
    ) -> ToolMessage | Command[Any]:
        """The same for async callers."""
        runs = await self.runs.within_async(request.runtime)
        run, call = await runs.get_async(*_name(request.state, request.runtime)), request.tool_call
        if call["name"] in run.tools:
            return _answer(run, await run.write_async(call["args"], _call_id(call), call["name"]), call)
        async with RunningTool(run, call["name"], call["args"], _call_id(call), (GraphBubbleUp,)) as use:
            result = await handler(request)
            use.failed = _has_failed(result)
        return result

    @hook_config(can_jump_to=["model"])
    def after_model(self, state: PlanState, runtime: Runtime[Any]) -> Update | None:
        """Note the order of the calls. The policy may hold a model that would end with work left."""
        return _check_answer(self.runs.within(runtime).get(*_name(state, runtime)), state)

    @hook_config(can_jump_to=["model"])
    async def aafter_model(self, state: PlanState, runtime: Runtime[Any]) -> Update | None:
        """The same for async callers."""
        run = await (await self.runs.within_async(runtime)).get_async(*_name(state, runtime))
        return await run.in_order(_check_answer, run, state)

    def after_agent(self, state: PlanState, runtime: Runtime[Any]) -> Update:
        """A run has ended: its todos are in the state."""
        runs = self.runs.within(runtime)
        return _end(runs, runs.get(*_name(state, runtime)))

    async def aafter_agent(self, state: PlanState, runtime: Runtime[Any]) -> Update:
        """The same for async callers."""
        runs = await self.runs.within_async(runtime)
        run = await runs.get_async(*_name(state, runtime))
        return await run.in_order(_end, runs, run)

    def _with_plan(self, request: ModelRequest[Any], run: Run, notes: list[Note]) -> ModelRequest[Any]:
        dialect = run.board.dialect
        ours = self.runs.tools(dialect)
        replaced = {tool.name for tool in ours} | {LANGCHAIN.tool_name}
        messages, settings = _cache_point(request, notes)
        return request.override(
            messages=insert_notes(messages, notes, HumanMessage),
            tools=[*(tool for tool in request.tools if _tool_name(tool) not in replaced), *map(_tool, ours)],
            system_message=_with_prompt(request.system_message, self.runs.prompt(dialect)),
            model_settings=settings,
        )


def _name(state: Any, runtime: Any) -> tuple[str, str]:
    """Whose plan it is: the name in the state, or the thread's and that of the node that the agent is.

    `before_agent` puts the name into the state. A run that starts in its middle, from a checkpoint that another
    middleware left, has none. A graph that runs inside another one's tool shares its thread, and is a subagent.
    """
    kept = state.get("holdfast")
    if kept:
        return kept[0], kept[1]
    info = getattr(runtime, "execution_info", None)  # tests of a host may give any object
    thread = None if info is None else info.thread_id
    outer = [] if info is None else [part.partition(":")[0] for part in info.checkpoint_ns.split("|")[:-1]]
    agent = unique_name(SUBAGENT) if TOOL_NODE in outer else "/".join(outer) or "main"
    return thread or unique_name(UNNAMED), agent


def _begin(run: Run, name: tuple[str, str], state: PlanState) -> Update:
    text = next((message.text for message in reversed(state["messages"]) if isinstance(message, HumanMessage)), "")
    run.on_user_message(text)
    _go_on_from(run, state)
    return {"holdfast": list(name), **_in_state(run)}


def _end(runs: Runs, run: Run) -> Update:
    session, agent = run.board.key
    update = _in_state(run)
    if session.startswith(UNNAMED) or agent.startswith(SUBAGENT):
        runs.forget(session, agent)  # nobody can come back to it
    return update


def _notes(run: Run, request: ModelRequest[Any]) -> list[Note]:
    _go_on_from(run, request.state)
    tools = [tool if isinstance(tool, dict) else convert_to_openai_tool(tool) for tool in request.tools]
    return run.request(request.messages, _call_ids(request.messages), tools)


def _go_on_from(run: Run, state: Any) -> None:
    """Bring the plan to where the state is, if it is somewhere else.

    It may be empty, because its store was lost or another middleware wrote the state. Or the model has written since:
    then this run goes on from an older checkpoint. If only people have edited since, it is no fork, and stays as it is.
    """
    plan, todos = run.plan, state.get("todos")
    revision = state.get("holdfast_revision", 0) or _revision_in(state["messages"], run)
    if plan is not None and todos and not plan.revision:
        run.board.update(todos)
        run.attention.after_compaction()
    elif plan is not None and 0 < revision != run.checkpoint:
        with suppress(StoreError, UsageError):  # an outage, or a history that was cut: it goes on with what there is
            if _has_written_since(run, revision):
                run.board.apply(_fork(run.board.at(revision)), FORK)


def _revision_in(messages: Sequence[AnyMessage], run: Run) -> int:
    """The revision of the last write of this plan among the messages.

    An agent that is a node of a graph begins each time with a new state: only its messages come back.
    """
    plan = list(run.board.key)
    for message in reversed(messages):
        artifact = message.artifact if isinstance(message, ToolMessage) else None
        if isinstance(artifact, dict) and artifact.get("holdfast") == plan:
            return int(artifact["revision"])
    return 0


def _fork(old: Plan) -> Step:
    """The plan as it was, with the edits that the model had not been told of then."""
    return lambda plan, now: Written(old._replace(revision=plan.revision + 1, updated_at=now, settings=plan.settings))


def _has_written_since(run: Run, revision: int) -> bool:
    for record in run.board.history():
        if record.change.after.revision <= revision:
            return False
        if record.change.by == "model" or record.change.action == FORK:
            return True
    return False


def _in_state(run: Run) -> Update:
    """The plan as the state has it. While the store cannot be read, the state stays as it is."""
    plan = run.plan
    if plan is None:
        return {}
    run.checkpoint = plan.revision
    return {"todos": _todos(plan), "holdfast_revision": plan.revision}


def _cache_point(request: ModelRequest[Any], notes: list[Note]) -> tuple[list[AnyMessage], dict[str, Any]]:
    """The messages and settings of a request whose cache ends before a text that only this request has.

    `cache_control` in the settings asks the API to cache up to the last message. The mark goes to the one before.
    Only a block can have a mark, so all messages are blocks: each stays as it is when another one is marked.
    """
    messages, settings = request.messages, request.model_settings
    mark = settings.get("cache_control")
    if mark is None:
        return messages, settings
    messages = [_in_blocks(message) for message in messages]
    if not messages or not messages[-1].content or not notes or notes[-1].keep:
        return messages, settings
    rest = {name: value for name, value in settings.items() if name != "cache_control"}
    return [*messages[:-1], _marked(messages[-1], mark)], rest


def _in_blocks(message: AnyMessage) -> AnyMessage:
    """A message of the user or of a tool with blocks in place of a text."""
    content = message.content
    if not content or not isinstance(content, str) or message.type not in ("human", "tool"):
        return message
    return message.model_copy(update={"content": [{"type": "text", "text": content}]})


def _marked(message: AnyMessage, mark: object) -> AnyMessage:
    """A copy of a message with a cache mark on its last block."""
    content = message.content
    blocks: list[Any] = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    last = {"type": "text", "text": blocks[-1]} if isinstance(blocks[-1], str) else blocks[-1]
    return message.model_copy(update={"content": [*blocks[:-1], {**last, "cache_control": mark}]})


def _tool(definition: Tool) -> StructuredTool:
    """The tool as the model sees it; `wrap_tool_call` takes its calls."""
    return StructuredTool.from_function(
        _never_called,
        name=definition.name,
        description=definition.description,
        args_schema=copy.deepcopy(dict(definition.schema)),
        infer_schema=False,
    )


def _tool_name(tool: BaseTool | dict[str, Any]) -> str:
    return str(tool.get("name")) if isinstance(tool, dict) else tool.name


def _never_called(**_: object) -> None:
    raise UsageError("the plan is written by HoldfastMiddleware: add it to the agent's middleware")


def _with_prompt(system: SystemMessage | None, prompt: str) -> SystemMessage:
    if system is None:
        return SystemMessage(prompt)
    others = f"\n\n{WRITE_TODOS_SYSTEM_PROMPT}"  # of TodoListMiddleware, whose tool is replaced
    kept = [block for block in system.content_blocks if block.get("text") != others]
    return SystemMessage(content_blocks=[*kept, {"type": "text", "text": f"\n\n{prompt}"}])


def _check_answer(run: Run, state: PlanState) -> Update | None:
    message, known = state["messages"][-1], {"todos": state.get("todos", [])}
    update = _in_state(run)
    if update == {**known, "holdfast_revision": state.get("holdfast_revision", 0)}:
        update = {}  # whoever streams the state is told of changes only
    if isinstance(message, AIMessage):
        run.on_answer(ModelCall(_call_id(call), call["name"]) for call in message.tool_calls)
        if not message.tool_calls and (text := run.before_stop(message.text)):
            update = {"messages": [HumanMessage(text)], "jump_to": "model", **update}
    return update or None


def _answer(run: Run, reply: Reply, call: ToolCall) -> ToolMessage | Command[Any]:
    """The reply, with the todos for the state; after several calls in one turn, `_check_answer` has them."""
    message = _message(run, reply, call)
    if not reply.ok:
        return message
    run.checkpoint = max(run.checkpoint, reply.plan.revision)
    update: Update = {"messages": [message], "holdfast_revision": reply.plan.revision}
    if run.board.dialect.states_whole_plan:
        update["todos"] = _todos(reply.plan)
    return Command(update=update)


def _message(run: Run, reply: Reply, call: ToolCall) -> ToolMessage:
    """The reply. Its artifact, which no model sees, says which plan it is about."""
    status: Literal["success", "error"] = "success" if reply.ok else "error"
    artifact = {"holdfast": list(run.board.key), "revision": reply.plan.revision} if reply.ok else None
    return ToolMessage(reply.text, tool_call_id=_call_id(call), name=call["name"], status=status, artifact=artifact)


def _todos(plan: Plan) -> list[Todo]:
    """The todos in LangChain's own words."""
    return LANGCHAIN.items(plan)


def _has_failed(result: ToolMessage | Command[Any]) -> bool:
    return isinstance(result, ToolMessage) and result.status == "error"


def _call_id(call: ToolCall) -> str:
    return call["id"] or ""


def _call_ids(messages: Sequence[AnyMessage]) -> set[str]:
    return {_call_id(call) for message in messages if isinstance(message, AIMessage) for call in message.tool_calls}


def _model_name(request: ModelRequest[Any]) -> str:
    """The model's name. Each integration has another attribute for it."""
    names = (getattr(request.model, attribute, None) for attribute in ("model_name", "model", "model_id"))
    return next((name for name in names if isinstance(name, str)), "")
