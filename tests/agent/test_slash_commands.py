"""What a person can say besides a task: commands with a slash, go, yes and no."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from holdfast import Session
from holdfast.agent import Agent, AgentEvent, AgentTool, Model, Rehearsal, call, text
from holdfast.agent.dialogue import permission_prompt, run_dialogue, run_task
from holdfast.agent.slash_commands import COMMANDS, GO, LineOutcome, SlashContext, take_line
from holdfast.agent.tools import Workspace, standard_tools
from holdfast.errors import ModelError
from holdfast.plan import Status

NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
LOOK = AgentTool("look", "Look.", NOTHING, lambda: "seen", read_only=True)
CHANGE = AgentTool("change", "Change.", NOTHING, lambda: "changed", needs_permission=True)
PLAN = [call("TodoWrite", todos=[{"content": "A"}, {"content": "B"}])]


class Person:
    """A screen with somebody at it who has their answers ready."""

    def __init__(self, *answers: str | BaseException) -> None:
        self.answers = iter(answers)
        self.said: list[str] = []
        self.asked: list[str] = []

    def show(self, event: AgentEvent) -> None:
        """Nothing to see."""

    def say(self, text: str) -> None:
        """Remember what was said."""
        self.said.append(text)

    def ask(self, prompt: str, fresh: bool = False) -> str:
        """The next answer; when there is none left, nobody is there."""
        self.asked.append(prompt)
        answer = next(self.answers, EOFError())
        if isinstance(answer, BaseException):
            raise answer
        return answer

    @contextmanager
    def working(self) -> Iterator[None]:
        """Nothing changes."""
        yield

    def unfold(self) -> str:
        """The last result."""
        return "all of it"


def context_of(*turns: list[Any], open_model: Callable[[str], Model] | None = None) -> SlashContext:
    """An agent that plays these turns, on a context."""
    agent = Agent(Rehearsal(turns), Session(), [LOOK, CHANGE])
    return SlashContext(agent, open_model or (lambda name: Rehearsal([])), lambda: "all of it")


def planned() -> SlashContext:
    """A context with a plan of two todos on it."""
    context = context_of(PLAN, [text("Planned.")])
    context.agent.run("Plan it")
    return context


def statuses(context: SlashContext) -> list[Status]:
    """How the todos stand."""
    return [todo.status for todo in context.agent.board.plan.todos]


def test_what_is_no_command_is_a_task() -> None:
    """A line without a slash goes to the model as it is."""
    assert take_line("  Mend it / now ", context_of()) == LineOutcome(task="Mend it / now")
    assert take_line("go", context_of()) == LineOutcome(task="go")


def test_todos_shows_the_plan() -> None:
    """`/todos` names every todo with its id."""
    assert take_line("/todos", planned()).text == "○ 1  A\n○ 2  B"
    assert take_line("/todos", context_of()).text == "No todos."


def test_edits_of_the_plan() -> None:
    """`/add`, `/done`, `/cancel` and `/undo` change the plan, and the model is told at its next request."""
    context = planned()
    assert take_line("/add Tell the team", context).text.endswith("○ 3  Tell the team")
    take_line("/done 1", context)
    take_line("/cancel 2", context)
    assert statuses(context) == [Status.COMPLETED, Status.CANCELLED, Status.PENDING]
    take_line("/undo", context)
    assert statuses(context) == [Status.COMPLETED, Status.PENDING, Status.PENDING]
    context.agent.run("Go on")
    assert isinstance(context.agent.model, Rehearsal)
    tail = context.agent.model.requests[-1]["messages"][-1]["content"][-1]["text"]
    assert tail.startswith("<reminder>") and "Tell the team" in tail


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("/done 9", "9"),
        ("/done", "/done needs ID"),
        ("/add", "/add needs TEXT"),
        ("/undo", "there is nothing to undo"),
        ("/fly", "unknown command /fly; /help lists them"),
        ("/", "unknown command /; /help lists them"),
        ("/model x:y", "no model 'x'"),
        ("/compact", "there is nothing to sum up yet"),
    ],
)
def test_what_cannot_be_done_is_said(line: str, answer: str) -> None:
    """A command that is wrong changes nothing, and says what is wrong."""

    def refuse(name: str) -> Model:
        raise ModelError(f"no model {name.partition(':')[0]!r}")

    turn = take_line(line, context_of(open_model=refuse))
    assert answer in turn.text
    assert not turn.task and not turn.quits


def test_compact_sums_up() -> None:
    """`/compact` leaves a summary, and the plan comes back at the next request."""
    context = planned()
    assert take_line("/compact", context).text == ""
    assert "summed up" in context.agent.messages[0]["content"][-1]["text"]
    context.agent.run("Go on")
    assert isinstance(context.agent.model, Rehearsal)
    assert context.agent.model.requests[-1]["messages"][-1]["content"][-1]["text"].startswith("<plan>")


def test_model_takes_another_one() -> None:
    """`/model` says which one answers; with a name the next request goes to that one."""
    other = Rehearsal([[text("I am another.")]])
    context = context_of(open_model=lambda name: other)
    assert take_line("/model", context).text == "the model is Rehearsal"
    take_line("/model openai:other", context)
    assert context.agent.run("Who are you?").text == "I am another."


def test_more_unfolds_the_last_result() -> None:
    """`/more` shows in full what the screen has told in one line."""
    assert take_line("/more", context_of()).text == "all of it"


def test_help_names_every_command() -> None:
    """`/help` has a line for each, and `/quit` ends."""
    told = take_line("/help", context_of()).text
    assert all(command.name in told and command.help in told for command in COMMANDS)
    named = ["/todos", "/plan", "/compact", "/undo", "/add", "/done", "/cancel", "/model", "/help", "/quit"]
    assert set(named) <= {command.name for command in COMMANDS}
    assert take_line("/quit", context_of()).quits


def test_plan_mode_only_looks_until_go() -> None:
    """In plan mode what changes something is neither offered nor run, nor is TodoWrite; `go` starts the work."""
    context = context_of(
        [call("look"), call("change"), PLAN[0]], [text("Here is my plan.")], [call("change")], PLAN, [text("Done.")]
    )
    assert "plan mode" in take_line("/plan", context).text
    context.agent.run("Mend it")
    assert isinstance(context.agent.model, Rehearsal)
    first = context.agent.model.requests[0]
    assert [tool["name"] for tool in first["tools"]] == ["look"]
    assert "<plan-mode>" in first["messages"][0]["content"][-1]["text"]
    looked, changed, wrote = context.agent.messages[2]["content"]
    assert looked["content"] == "seen"
    assert changed["content"].startswith("Error: change is not available in plan mode")
    assert "plan mode" in wrote["content"] and wrote["is_error"]
    assert context.agent.board.plan.todos == ()
    assert take_line("go", context) == LineOutcome(task=GO)
    context.agent.run(GO)
    assert [tool["name"] for tool in context.agent.model.requests[2]["tools"]] == ["look", "change", "TodoWrite"]
    assert len(context.agent.board.plan.todos) == 2


def test_plan_mode_on_and_off() -> None:
    """`/plan` again leaves plan mode."""
    context = context_of()
    take_line("/plan", context)
    assert context.agent.session.plan_mode
    assert take_line("/plan", context).text == "plan mode is off"
    assert not context.agent.session.plan_mode


def test_rail_does_not_ask_for_a_plan_in_plan_mode() -> None:
    """The tool is not there, so nobody is told to use it, and nobody is held."""
    session = Session(policy="rail")
    model = Rehearsal([[text("Here is my plan.")]])
    agent = Agent(model, session, [LOOK])
    session.plan_mode = True
    assert agent.run("Mend it").text == "Here is my plan."
    assert "First write the plan" not in str(model.requests)


@pytest.mark.parametrize(("answer", "starts"), [("y", True), ("YES", True), ("", False), ("n", False)])
def test_one_task_in_plan_mode_asks_before_it_starts(answer: str, starts: bool) -> None:
    """With `--plan` and a task, the person's yes starts the work."""
    context = context_of([text("Here is my plan.")], [text("Done.")])
    context.agent.session.plan_mode = True
    result = run_task(context, Person(answer), "Mend it")
    assert result.text == ("Done." if starts else "Here is my plan.")


def test_one_task_in_plan_mode_with_nobody_there() -> None:
    """Without anybody to ask, it ends with the plan and says how to start the work."""
    context = context_of([text("Here is my plan.")], [text("never")])
    context.agent.session.plan_mode = True
    nobody = Person()
    assert run_task(context, nobody, "Mend it").text == "Here is my plan."
    assert "--continue go" in nobody.said[-1]


@pytest.mark.parametrize(
    ("answers", "runs"),
    [(["y", "y"], 2), (["n", "y"], 1), (["a"], 2), (["nonsense", ""], 0), ([], 0)],
)
def test_permission_is_asked_for(answers: list[str], runs: int) -> None:
    """A tool that wants it runs on yes and always, not on anything else, and not if nobody is there."""
    ran: list[str] = []

    def bash(command: str) -> str:
        ran.append(command)
        return "ok"

    tool = AgentTool(
        "bash", "", {"type": "object", "properties": {"command": {"type": "string"}}}, bash, needs_permission=True
    )
    person = Person(*answers)
    turns = [[call("bash", command="rm -r x\necho \x1b[2J")], [call("bash", command="ls")], [text("Done.")]]
    agent = Agent(Rehearsal(turns), Session(), [tool, LOOK], permission=permission_prompt(person))
    assert agent.run("Do it").reason == "done"
    assert len(ran) == runs
    assert "    rm -r x\n    echo" in person.said[0]
    if not runs:
        assert "the user did not allow this" in agent.messages[2]["content"][0]["content"]


@pytest.mark.parametrize("is_allowed", [False, True])
def test_neither_yes_nor_always_covers_a_protected_place(tmp_path: Path, is_allowed: bool) -> None:
    """They are for commands. Each write to a protected place is a question of its own; with nobody there, it is no."""
    person = Person(*([] if is_allowed else ["always"]), "always", "yes")
    turns = [call("bash", command="true")], *[[call("write_file", path=".git/config", content=evil)] for evil in "123"]
    tools = standard_tools(Workspace(tmp_path))
    agent = Agent(
        Rehearsal([*turns, [text("Done.")]]), Session(), tools, permission=permission_prompt(person, is_allowed)
    )
    assert agent.run("Do it").reason == "done"
    results = [message["content"][0]["content"] for message in agent.messages[2::2]]
    assert ["the user did not allow this" in result for result in results] == [False, True, False, True]
    assert person.said[-1].startswith("nobody is there to allow it: other programs run")


def test_a_conversation_goes_on_until_quit() -> None:
    """Tasks and commands take turns; Ctrl-C at the prompt ends nothing, `/quit` does."""
    context = context_of([text("First.")], [text("Second.")])
    person = Person("Do it", KeyboardInterrupt(), "", "/plan", "Again", "/quit", "never")
    run_dialogue(context, person)
    assert [message["content"] for message in context.agent.messages[1::2]] == [[text("First.")], [text("Second.")]]
    assert person.asked == ["> ", "> ", "> ", "> ", "plan> ", "plan> "]
    assert next(person.answers) == "never"


def test_the_end_of_input_ends_a_conversation() -> None:
    """Ctrl-D is a way out."""
    run_dialogue(context_of(), Person())
