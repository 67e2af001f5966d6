"""What is LangChain's own: `todos` in the state, the way in from `TodoListMiddleware`, summaries that lose a list."""

from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import prompt_cache
import pytest
from adapter_driver import WORK, Call, Step, awaited, mark, write
from driver_langchain import ScriptedChatModel, scripted, summarizing, work
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, HumanInTheLoopMiddleware, TodoListMiddleware
from langchain_anthropic import ChatAnthropic
from langchain_anthropic.middleware import AnthropicPromptCachingMiddleware
from langchain_core.messages import AIMessage, ToolCall
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt
from pydantic import SecretStr

from holdfast import Board
from holdfast.adapters.langchain import HoldfastMiddleware
from holdfast.errors import UsageError
from holdfast.testing import ModelServer, call, text

READ_FIX = [{"content": "Read", "status": "in_progress"}, {"content": "Fix", "status": "pending"}]
THREAD: RunnableConfig = {"configurable": {"thread_id": "a"}}
Middleware: TypeAlias = AgentMiddleware[Any, Any, Any]
TASK: Any = {"messages": [{"role": "user", "content": "Get it done."}]}


def run(middleware: AgentMiddleware[Any, Any, Any], *steps: Step) -> tuple[dict[str, Any], ScriptedChatModel]:
    """The last state of an agent with this middleware, and its model."""
    model = scripted(*steps)
    return create_agent(model, [work], middleware=[middleware]).invoke(TASK), model


def test_todos_are_in_the_state() -> None:
    """UIs that show `todos` of a LangGraph state find them there, in the three statuses that they know."""
    items = [{"content": "Read", "status": "in_progress"}, {"content": "Wait", "status": "blocked"}]
    state, _ = run(HoldfastMiddleware(), [write(*items)], "done")
    assert state["todos"] == [{"content": "Read", "status": "in_progress"}, {"content": "Wait", "status": "pending"}]
    assert "holdfast" not in state


def test_todos_in_the_state_change_with_every_write() -> None:
    """A stream of updates shows each list as it is written."""
    agent = create_agent(
        scripted([write("A")], [write("A", "B")], "done"),
        middleware=[HoldfastMiddleware()],
        checkpointer=InMemorySaver(),
    )
    lists = [len(state["todos"]) for state in agent.stream(TASK, THREAD, stream_mode="values") if "todos" in state]
    assert sorted(set(lists)) == [0, 1, 2]


def test_moving_in_is_one_import_and_one_line() -> None:
    """The same model, used to write_todos, leaves the same state under both."""
    steps = [Call("write_todos", {"todos": READ_FIX})], [WORK], "done"
    before, _ = run(TodoListMiddleware(), *steps)
    after, _ = run(HoldfastMiddleware(dialect="langchain"), *steps)
    assert before["todos"] == after["todos"] == READ_FIX
    assert before["messages"][-1].text == after["messages"][-1].text == "done"


def test_a_thread_of_the_other_middleware_goes_on() -> None:
    """Todos that another middleware left in a thread's state are the plan, and the model is shown them."""
    saver = InMemorySaver()
    old = scripted([Call("write_todos", {"todos": READ_FIX})], "done")
    create_agent(old, middleware=[TodoListMiddleware()], checkpointer=saver).invoke(TASK, THREAD)
    new = scripted("done")
    middleware = HoldfastMiddleware(dialect="langchain")
    state = create_agent(new, middleware=[middleware], checkpointer=saver).invoke(TASK, THREAD)
    assert state["todos"] == READ_FIX
    assert new.requests[0].says("1. [in_progress] Read\n2. [pending] Fix")


def test_a_summary_loses_the_list_under_the_other_middleware_and_not_here() -> None:
    """After `SummarizationMiddleware` the list is in no message; Holdfast's next request shows what is open."""
    steps: list[Step] = [[Call("write_todos", {"todos": READ_FIX})], *[[WORK]] * 5, "done"]

    def requests(middleware: AgentMiddleware[Any, Any, Any]) -> list[bool]:
        model = scripted(*steps)
        create_agent(model, [work], middleware=[summarizing(), middleware]).invoke(TASK)
        return [request.says("Fix") for request in model.requests[1:]]

    assert not all(requests(TodoListMiddleware()))
    assert all(requests(HoldfastMiddleware(dialect="langchain")))


def test_a_thread_that_waits_for_a_person_goes_on_with_its_plan() -> None:
    """An interrupt is no failed call, and the run that takes it up has the plan that it left."""

    @tool
    def approve() -> str:
        """Ask a person."""
        return str(interrupt("may I?"))

    middleware = HoldfastMiddleware(policy="rail")
    model = scripted([write("A", "B")], [Call("approve")], "Done?")
    agent = create_agent(model, [approve], middleware=[middleware], checkpointer=InMemorySaver())
    agent.invoke(TASK, THREAD)
    assert middleware.runs.get("a").board.work.failures == 0
    state = agent.invoke(Command(resume="yes"), THREAD)
    assert "Is item 1 (A) done now?" in model.requests[-1].tail
    assert len(state["todos"]) == 2


def test_a_tool_that_raises_has_failed_and_still_raises() -> None:
    """The middleware hides no error from the host."""

    @tool
    def broken() -> str:
        """Break."""
        raise RuntimeError("no")

    middleware = HoldfastMiddleware()
    agent = create_agent(scripted([Call("broken")]), [broken], middleware=[middleware], checkpointer=InMemorySaver())
    with pytest.raises(RuntimeError, match="no"):
        agent.invoke(TASK, THREAD)
    assert middleware.runs.get("a").board.work.failures == 1


def test_the_prompt_stands_behind_the_agents_own() -> None:
    """An agent without a system prompt gets one; the text of one that has it is untouched."""
    _, bare = run(HoldfastMiddleware(), "done")
    assert Board().prompt in bare.requests[0].system


def test_calls_without_an_id_are_taken() -> None:
    """Some integrations give calls no id."""
    model = scripted()
    nameless = ToolCall(name="TodoWrite", args=dict(write("A").arguments), id="")
    model.messages = iter([AIMessage("", tool_calls=[nameless]), AIMessage("done")])
    state = awaited(create_agent(model, middleware=[HoldfastMiddleware()]).ainvoke(TASK))
    assert [todo["content"] for todo in state["todos"]] == ["A"]


def test_an_agent_that_is_a_node_keeps_its_plan_over_a_thread() -> None:
    """Each invocation of the graph's thread goes on with the plan of that node, and each node has its own."""
    middleware = HoldfastMiddleware()
    worker = create_agent(
        scripted([write("A", "B")], "done", [WORK], [mark("1")], "done"), [work], middleware=[middleware]
    )
    critic = create_agent(scripted([write("Judge")], "done", "done"), middleware=[middleware])
    graph = StateGraph(MessagesState)
    graph.add_node("worker", worker)
    graph.add_node("critic", critic)
    graph.add_edge(START, "worker")
    graph.add_edge("worker", "critic")
    team = graph.compile(checkpointer=InMemorySaver())
    team.invoke(TASK, THREAD)
    team.invoke(TASK, THREAD)
    assert [str(todo.status) for todo in middleware.runs.get("a", "worker").board.plan.todos] == [
        "completed",
        "in_progress",
    ]
    assert [todo.content for todo in middleware.runs.get("a", "critic").board.plan.todos] == ["Judge"]


def test_an_interrupt_that_the_other_middleware_left_is_taken_up() -> None:
    """A run that waits for a person under `TodoListMiddleware` goes on here, with its todos."""
    saver = InMemorySaver()
    asks = HumanInTheLoopMiddleware({"work": True})
    old = scripted([Call("write_todos", {"todos": READ_FIX})], [WORK])
    former: list[Middleware] = [TodoListMiddleware(), asks]
    create_agent(old, [work], middleware=former, checkpointer=saver).invoke(TASK, THREAD)
    new = scripted("done")
    present: list[Middleware] = [asks, HoldfastMiddleware(dialect="langchain")]
    agent = create_agent(new, [work], middleware=present, checkpointer=saver)
    state = agent.invoke(Command(resume={"decisions": [{"type": "approve"}]}), THREAD)
    assert state["messages"][-1].text == "done"
    assert state["todos"] == READ_FIX
    assert new.requests[0].says("1. [in_progress] Read\n2. [pending] Fix")


@pytest.mark.parametrize("is_new_process", [False, True])
def test_a_fork_from_an_older_checkpoint_goes_on_with_the_plan_of_then(is_new_process: bool, tmp_path: Path) -> None:
    """What the model wrote later is not in that branch, and it can still be gone back to."""
    saver, store = InMemorySaver(), tmp_path / "plans.db"

    def agent(*steps: Step) -> Any:
        model = scripted(*steps)
        return create_agent(model, [work], middleware=[HoldfastMiddleware(store=store)], checkpointer=saver), model

    first, model = agent([write("Old one", "Old two")], "done", [write("New")], "done", "done", "done")
    first.invoke(TASK, THREAD)
    old = first.get_state(THREAD).config
    first.invoke(TASK, THREAD)
    newest = first.get_state(THREAD).config
    assert [todo["content"] for todo in first.get_state(newest).values["todos"]] == ["New"]
    if is_new_process:
        first, model = agent("done", "done")
    state = first.invoke(TASK, old)
    assert [todo["content"] for todo in state["todos"]] == ["Old one", "Old two"]
    assert not model.requests[-1].says("New")
    assert not Board(store=store, session="a").plan.edits, "it is nobody's edit"
    assert [todo["content"] for todo in first.invoke(TASK, newest)["todos"]] == ["New"]


def test_a_fork_of_a_graph_takes_the_plans_of_its_nodes_along() -> None:
    """A node begins with a new state each time: what it wrote is known by its messages."""
    middleware = HoldfastMiddleware()
    model = scripted([write("Old")], "done", [write("New")], "done", "done", "done")
    graph = StateGraph(MessagesState)
    graph.add_node("worker", create_agent(model, middleware=[middleware]))
    graph.add_node("critic", create_agent(scripted(*["fine"] * 4), middleware=[middleware]))
    graph.add_edge(START, "worker")
    graph.add_edge("worker", "critic")
    team = graph.compile(checkpointer=InMemorySaver())
    board = middleware.runs.get("a", "worker").board
    team.invoke(TASK, THREAD)
    old = team.get_state(THREAD).config
    team.invoke(TASK, THREAD)
    newest = team.get_state(THREAD).config
    assert [todo.content for todo in board.plan.todos] == ["New"]
    team.invoke(TASK, old)
    assert [todo.content for todo in board.plan.todos] == ["Old"]
    team.invoke(TASK, newest)
    assert [todo.content for todo in board.plan.todos] == ["New"]
    assert not middleware.runs.get("a", "critic").board.plan.todos, "it read the other's messages"


class Account(NamedTuple):
    """Whose run it is, and where that one's plans are."""

    plans: Path


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_store_may_be_found_in_the_context_of_the_run(asynchronous: bool, tmp_path: Path) -> None:
    """One agent serves all accounts, and each has its own file."""
    middleware = HoldfastMiddleware(store=lambda runtime: runtime.context.plans)
    model = scripted([write("Of alice")], "done", [write("Of bob")], "done")
    agent = create_agent(model, middleware=[middleware], context_schema=Account)
    for name in ("alice", "bob"):
        account = Account(tmp_path / f"{name}.db")
        if asynchronous:
            awaited(agent.ainvoke(TASK, THREAD, context=account))
        else:
            agent.invoke(TASK, THREAD, context=account)
    for name in ("alice", "bob"):
        assert Board(store=tmp_path / f"{name}.db", session="a").plan.todos[0].content == f"Of {name}"
    with pytest.raises(UsageError, match="each run has its own store"):
        middleware.runs.get("a")


def test_a_persons_edit_between_two_runs_is_no_fork() -> None:
    """The plan is ahead of the checkpoint then, and stays so."""
    middleware = HoldfastMiddleware()
    agent = create_agent(scripted([write("A")], "done", "done"), middleware=[middleware], checkpointer=InMemorySaver())
    agent.invoke(TASK, THREAD)
    middleware.runs.get("a").board.add("B")
    assert [todo["content"] for todo in agent.invoke(TASK, THREAD)["todos"]] == ["A", "B"]


def test_the_other_middleware_beside_it_offers_nothing_twice() -> None:
    """One tool, one prompt: `TodoListMiddleware` may stay in the list of an agent that a library builds."""
    model = scripted([Call("write_todos", {"todos": READ_FIX})], "done")
    both: list[Middleware] = [TodoListMiddleware(), HoldfastMiddleware(dialect="langchain")]
    state = create_agent(model, system_prompt="You work.", middleware=both).invoke(TASK)
    assert model.requests[0].tools.count('"name": "write_todos"') == 1
    assert model.requests[0].system.count("write_todos") == Board(dialect="langchain").prompt.count("write_todos")
    assert state["todos"] == READ_FIX


def test_the_cache_mark_stands_before_a_reminder() -> None:
    """Under `rail` each request ends with a text that the next one has not: the cache ends before it."""
    script = [[call("TodoWrite", todos=[{"content": "A"}])], [call("work")], [text("Done?")]]
    with ModelServer(script) as server:
        key = SecretStr("none")
        model = ChatAnthropic(model_name="claude-sonnet-5", base_url=server.url, api_key=key, stop=None, timeout=9)
        middleware: list[Middleware] = [
            AnthropicPromptCachingMiddleware(),
            HoldfastMiddleware(policy="rail", dialect="holdfast"),
        ]
        create_agent(model, [work], system_prompt="You work.", middleware=middleware).invoke(TASK)
    for request in server.requests:
        assert "cache_control" not in request.body
        blocks = [block for message in request.body["messages"] for block in content_blocks(message)]
        assert ["cache_control" in block for block in blocks[-2:]] == [True, False]
        assert "item" in blocks[-1]["text"] or "plan" in blocks[-1]["text"]


def test_most_of_a_run_is_read_from_the_cache_under_rail() -> None:
    """By the rule of the Messages API, as much as the docs say; a mark on the reminder would lose most of it."""
    with ModelServer(prompt_cache.TURNS) as server:
        key = SecretStr("none")
        model = ChatAnthropic(model_name="claude-sonnet-5", base_url=server.url, api_key=key, stop=None, timeout=9)
        middleware: list[Middleware] = [
            AnthropicPromptCachingMiddleware(),
            HoldfastMiddleware(policy="rail", dialect="holdfast"),
        ]
        create_agent(model, [work], system_prompt="You work.", middleware=middleware).invoke(TASK)
    told, without = prompt_cache.told_of("LangChain")
    bodies = [request.body for request in server.requests]
    assert abs(prompt_cache.by_marks(bodies).percent - told) <= 1
    assert abs(prompt_cache.by_marks(map(prompt_cache.marked_at_the_end, bodies)).percent - without) <= 1


def content_blocks(message: Any) -> list[Any]:
    """The blocks of a message on the wire."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
