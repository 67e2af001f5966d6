"""What is LangChain's own: `todos` in the state, the way in from `TodoListMiddleware`, summaries that lose a list."""

from typing import Any

import pytest
from adapter_driver import WORK, Call, Step, awaited, write
from driver_langchain import ScriptedChatModel, scripted, summarizing, work
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, TodoListMiddleware
from langchain_core.messages import AIMessage, ToolCall
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

from holdfast import Board
from holdfast.adapters.langchain import HoldfastMiddleware

READ_FIX = [{"content": "Read", "status": "in_progress"}, {"content": "Fix", "status": "pending"}]
THREAD: RunnableConfig = {"configurable": {"thread_id": "a"}}
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
