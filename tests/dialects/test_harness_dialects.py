"""The dialects of other harnesses against what their tools take and answer."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from holdfast import Board, Change, Plan, Rules, Status, Todo, dialects
from holdfast.dialects import Dialect, DialectName
from holdfast.plan import Details
from holdfast.plan.rules import NO_LIMIT

THREE = ["pending", "in_progress", "completed"]


class Facts(NamedTuple):
    """What is known of a harness's tool: its name, its list, its items, its statuses, and whether one may run."""

    tool: str
    list_field: str
    required: list[str]
    optional: list[str]
    statuses: list[str]
    one_runs: bool


FACTS = {
    "claude-code": Facts("TodoWrite", "todos", ["content", "status", "activeForm"], [], THREE, True),
    "codex": Facts("update_plan", "plan", ["step", "status"], [], THREE, True),
    "gemini": Facts("write_todos", "todos", ["description", "status"], [], [*THREE, "cancelled", "blocked"], True),
    "opencode": Facts("todowrite", "todos", ["content", "status", "priority"], [], [*THREE, "cancelled"], True),
    "langchain": Facts("write_todos", "todos", ["content", "status"], [], THREE, False),
    "qwen": Facts("todo_write", "todos", ["id", "content", "status"], ["blockedBy"], THREE, True),
    "kimi": Facts("SetTodoList", "todos", ["title", "status"], [], ["pending", "in_progress", "done"], False),
    "hermes": Facts("todo", "todos", [], ["id", "content", "status"], [*THREE, "cancelled"], False),
}

PLAN = Plan(
    (
        Todo("1", "Read the code", Status.COMPLETED, "Reading the code"),
        Todo("2", "Ask for a key", Status.CANCELLED),
        Todo("3", "Fix the bug", Status.IN_PROGRESS, "Fixing the bug", details=Details(priority="high")),
        Todo("4", "Run the tests", details=Details("All of them", blocked_by=("3",), owner="tester")),
    )
)


@pytest.mark.parametrize("name", FACTS)
class TestTheTool:
    def test_it_is_named_and_shaped_as_the_harness_has_it(self, name: DialectName) -> None:
        """Names, fields and statuses are those that the models know."""
        facts, dialect = FACTS[name], dialects.get(name)
        tool = Board(dialect=name).tool("anthropic")
        items = tool["input_schema"]["properties"][facts.list_field]["items"]
        assert tool["name"] == facts.tool
        assert items.get("required", []) == facts.required
        assert set(items["properties"]) == {*facts.required, *facts.optional}
        assert items["properties"]["status"]["enum"] == facts.statuses
        assert items["additionalProperties"] is False
        assert dialect.rules.max_in_progress == (1 if facts.one_runs else NO_LIMIT)

    def test_an_unknown_key_is_a_fault(self, name: DialectName) -> None:
        """What the harness's own schema does not have is not taken."""
        board = Board(dialect=name)
        payload = board.dialect.payload(PLAN)
        payload[FACTS[name].list_field][0]["surplus"] = "x"
        assert [fault.code for fault in board.write(payload).faults] == ["unknown_key"]


def replies(dialect: Dialect) -> dict[str, str]:
    """What a model is answered: a plan written, a fault or two, an edit by a person, the plan cleared."""
    board = Board(dialect=dialect, clock=lambda: 1.0)
    field = dialect.form.list_field
    written = {"a plan": board.write(dialect.payload(PLAN)).text}
    if dialect.form.parse is None:
        bad: list[Any] = [{dialect.form.key("content"): " ", "status": "sleeping"}, "text"]
        written["faults"] = board.write({field: bad}).text
    written["no list"] = board.write({}).text
    written["nonsense"] = board.write("{").text
    board.edit(board.plan.todos[3].id, content="Run every test")
    written["after a person's edit"] = board.write(dialect.payload(PLAN)).text
    written["cleared"] = board.write({field: "" if dialect.form.parse else []}).text
    return written


@pytest.mark.parametrize("name", [*FACTS, "roo"])
def test_what_a_model_reads(name: DialectName, snapshot: Callable[[str, str], None]) -> None:
    """Definition, prompt and replies are what was read and approved."""
    dialect = dialects.get(name)
    snapshot(f"{name}-definition.json", json.dumps(Board(dialect=name).tool("anthropic"), indent=2))
    snapshot(f"{name}-prompt.txt", dialect.prompt)
    parts = [f"{rule}\n{text}" for rule, text in replies(dialect).items()]
    snapshot(f"{name}-replies.txt", "\n\n".join(parts))


class TestClaudeCode:
    def test_the_host_gets_the_list_before_and_after(self) -> None:
        """The structured form has both, in the dialect's own items."""
        board = Board(dialect="claude-code")
        first = [{"content": "A", "status": "pending", "activeForm": "Doing A"}]
        second = [{**first[0], "status": "completed"}]
        assert board.write({"todos": first}).data == {"oldTodos": [], "newTodos": first}
        assert board.write({"todos": second}).data == {"oldTodos": first, "newTodos": second}

    def test_a_list_with_all_completed_is_then_empty(self) -> None:
        """For the model the list is empty; the plan stays finished, and the next list begins another."""
        board = Board(dialect="claude-code")
        done = [{"content": "A", "status": "completed", "activeForm": "Doing A"}]
        board.write({"todos": done})
        assert board.dialect.render(board.plan) == "No todos."
        assert board.plan.is_finished
        new = [{"content": "B", "status": "pending", "activeForm": "Doing B"}]
        assert board.write({"todos": new}).data == {"oldTodos": [], "newTodos": new}
        assert board.plan.number == 2


class TestCodex:
    def test_an_explanation_is_taken_and_not_kept(self) -> None:
        """It says why the plan changed; what the plan is for is something else."""
        board = Board(dialect="codex")
        assert board.write({"explanation": "Found more", "plan": [{"step": "A", "status": "pending"}]}).ok
        assert board.plan.summary == ""
        assert board.write({"explanation": 7, "plan": []}).faults[0].path == "explanation"

    def test_places_are_named_in_its_own_words(self) -> None:
        """A fault of the rules names the step, too."""
        reply = Board(dialect="codex").write({"plan": [{"step": "x" * 100_001, "status": "pending"}]})
        assert [fault.path for fault in reply.faults] == ["plan[0].step"]


class TestOpencode:
    def test_a_priority_is_kept(self) -> None:
        """It is in the plan, and comes back."""
        board = Board(dialect="opencode")
        board.write({"todos": [{"content": "A", "status": "pending", "priority": "high"}]})
        assert board.plan.todos[0].details.priority == "high"

    def test_a_priority_that_is_none_is_refused(self) -> None:
        """There are three."""
        reply = Board(dialect="opencode").write(
            {"todos": [{"content": "A", "status": "pending", "priority": "urgent"}]}
        )
        assert reply.faults[0].path == "todos[0].priority"
        assert "expected one of high, medium, low, received 'urgent'" in reply.text


class TestQwen:
    def test_the_models_own_ids_stand(self) -> None:
        """A todo keeps the name that the model gave it, over new words and a new place."""
        board = Board(dialect="qwen")
        board.write({"todos": [{"id": "a", "content": "A", "status": "pending"}]})
        board.write(
            {
                "todos": [
                    {"id": "b", "content": "B", "status": "pending"},
                    {"id": "a", "content": "A, better", "status": "in_progress"},
                ]
            }
        )
        assert [(todo.id, todo.content) for todo in board.plan.todos] == [("b", "B"), ("a", "A, better")]

    def test_dependencies_left_out_stay(self) -> None:
        """What waits goes on waiting until an empty list ends that."""
        board = Board(dialect="qwen")
        a, b = {"id": "a", "content": "A", "status": "pending"}, {"id": "b", "content": "B", "status": "pending"}
        board.write({"todos": [a, {**b, "blockedBy": ["a"]}]})
        board.write({"todos": [a, b]})
        assert board.plan.todos[1].details.blocked_by == ("a",)
        assert board.plan.next == board.plan.todos[0]
        board.write({"todos": [a, {**b, "blockedBy": []}]})
        assert not board.plan.todos[1].details.blocked_by

    @pytest.mark.parametrize(
        ("blockers", "message"),
        [
            ({"a": ["b"], "b": ["a"]}, "todos wait for each other: a → b → a"),
            ({"a": ["a"]}, "todos wait for each other: a → a"),
            ({"a": ["c"]}, "no todo 'c' to wait for"),
            ({"a": [7.5]}, "todos[0].blockedBy[0]: expected an id, received"),
            ({"a": "b, c"}, "todos[0].blockedBy: expected a list of ids"),
        ],
    )
    def test_dependencies_that_cannot_be(self, blockers: dict[str, Any], message: str) -> None:
        """A ring is named, and so is a todo that is not there."""
        items = [{"id": id, "content": id, "status": "pending"} for id in "ab"]
        payload = {
            "todos": [
                {**item, **({"blockedBy": blockers[item["id"]]} if item["id"] in blockers else {})} for item in items
            ]
        }
        reply = Board(dialect="qwen").write(payload)
        assert not reply.ok and message in reply.text

    def test_an_id_given_twice(self) -> None:
        """Two todos cannot have one name."""
        twice = [{"id": "a", "content": text, "status": "pending"} for text in ("A", "B")]
        assert "id a is given twice" in Board(dialect="qwen").write({"todos": twice}).text


class TestRoo:
    def test_a_checklist(self) -> None:
        """One line per todo, with or without a dash before it; blank lines do not count."""
        board = Board(dialect="roo")
        assert board.write({"todos": "- [x] A\n\n  [-] B\n[~] C\n* [ ] D\n[] E\n[X] F"}).ok
        assert [(todo.content, str(todo.status)) for todo in board.plan.todos] == [
            ("A", "completed"),
            ("B", "in_progress"),
            ("C", "in_progress"),
            ("D", "pending"),
            ("E", "pending"),
            ("F", "completed"),
        ]

    @pytest.mark.parametrize("line", ["Here is the plan:", "[?] A", "[x]A", "[ ]", "- A"])
    def test_a_line_that_is_no_todo_is_a_fault(self, line: str) -> None:
        """It is not skipped in silence: the reply names the line, and nothing changes."""
        board = Board(dialect="roo")
        board.write({"todos": "[ ] Old"})
        reply = board.write({"todos": f"[ ] A\n{line}"})
        assert [fault.path for fault in reply.faults] == ["todos, line 2"]
        assert [todo.content for todo in board.plan.todos] == ["Old"]

    @pytest.mark.parametrize("value", [None, 7, [], ["[ ] A"], {"content": "A"}])
    def test_what_is_no_text_is_a_fault(self, value: object) -> None:
        """A list of items is what other dialects take."""
        reply = Board(dialect="roo").write({"todos": value})
        assert "todos: expected text, a line a todo" in reply.text

    def test_its_definition_is_the_same_where_evidence_is_asked_for(self) -> None:
        """A checklist has no place for it."""
        assert Board(dialect="roo", rules=Rules(evidence="optional")).tool() == Board(dialect="roo").tool()

    def test_an_empty_text_clears(self) -> None:
        """There is nothing on such a list."""
        board = Board(dialect="roo")
        board.write({"todos": "[ ] A"})
        assert board.write({"todos": "\n"}).ok
        assert board.plan.todos == ()


@pytest.mark.parametrize("name", ["kimi", "hermes"])
class TestLooking:
    @pytest.mark.parametrize("payload", [{}, {"todos": None}, "{}"])
    def test_a_call_without_a_list_shows_it(self, name: DialectName, payload: object) -> None:
        """Nothing is written, no listener is called, and work done since counts as before."""
        board, heard = Board(dialect=name), list[Change]()
        board.write(board.dialect.payload(PLAN))
        board.on_change(heard.append)
        board.record_tool_use("bash")
        before, reply = board.plan, board.write(payload)
        assert reply.ok and "Fix the bug" in reply.text
        assert board.plan is before and heard == [] and board.work.calls == 1

    def test_it_is_allowed_where_a_write_is_not(self, name: DialectName) -> None:
        """Gates are for writes."""
        board = Board(dialect=name)
        board.on_write(lambda: pytest.fail("a look is no write"))
        assert board.write({}).ok

    def test_what_people_did_is_told_with_it(self, name: DialectName) -> None:
        """Once; then the model knows."""
        board = Board(dialect=name)
        board.write(board.dialect.payload(PLAN))
        board.edit(board.plan.todos[3].id, content="Run every test")
        assert "The user changed the plan" in board.write({}).text
        assert "The user changed" not in board.write({}).text


class TestHermes:
    @pytest.fixture
    def board(self) -> Board:
        """A board with two todos that the model has named."""
        board = Board(dialect="hermes")
        board.write({"todos": [{"id": "a", "content": "A"}, {"id": "b", "content": "B", "status": "in_progress"}]})
        return board

    def test_merging_changes_what_is_named(self, board: Board) -> None:
        """By id, field by field; the rest stays."""
        reply = board.write({"todos": [{"id": "b", "status": "completed"}], "merge": True})
        assert reply.data is not None
        assert reply.data["todos"] == [
            {"id": "a", "content": "A", "status": "pending"},
            {"id": "b", "content": "B", "status": "completed"},
        ]
        assert reply.data["summary"] == {"total": 2, "pending": 1, "in_progress": 0, "completed": 1, "cancelled": 0}
        assert json.loads(reply.text) == reply.data

    def test_merging_adds_what_is_new_under_its_own_id(self, board: Board) -> None:
        """New todos come last."""
        assert board.write({"todos": [{"id": "c", "content": "C"}, {"id": "a", "content": "A2"}], "merge": True}).ok
        assert [(todo.id, todo.content) for todo in board.plan.todos] == [("a", "A2"), ("b", "B"), ("c", "C")]

    @pytest.mark.parametrize(
        ("payload", "message"),
        [
            ({"todos": [{"id": "x", "status": "completed"}], "merge": True}, "todos[0].content: required: there is no"),
            ({"todos": [{"content": "C"}], "merge": True}, "todos[0].id: required"),
            ({"todos": [{"id": "a"}], "merge": "yes"}, "merge: expected true or false, received 'yes'"),
            ({"todos": [{"id": "a", "status": "completed"}]}, "todos[0].content: required"),
        ],
    )
    def test_what_cannot_be_merged(self, board: Board, payload: object, message: str) -> None:
        """A todo that is not there needs a content, and only `merge` may leave one out."""
        before = board.plan
        assert message in board.write(payload).text
        assert board.plan is before

    def test_merging_nothing_is_no_wipe(self, board: Board) -> None:
        """An empty list clears; an empty update does not."""
        assert board.write({"todos": [], "merge": True}).ok
        assert len(board.plan.todos) == 2
        assert board.write({"todos": []}).ok
        assert len(board.plan.todos) == 0
