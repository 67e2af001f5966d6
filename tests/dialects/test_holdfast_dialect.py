"""The default dialect against decision 5 of the design: whole lists and updates by id, short replies, few demands."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from holdfast import Board, Rules, Status

THREE: dict[str, Any] = {"todos": [{"content": "Read"}, {"content": "Fix"}, {"content": "Test"}]}


def board_with_three() -> Board:
    """A board with three pending todos."""
    board = Board(clock=lambda: 1.0)
    assert board.write(THREE).ok
    return board


@pytest.fixture
def board() -> Board:
    """A board with three pending todos."""
    return board_with_three()


def rows(board: Board) -> list[tuple[str, str, str]]:
    """The plan as ids, texts and statuses."""
    return [(todo.id, todo.content, str(todo.status)) for todo in board.plan.todos]


READ, FIX, TEST = ("1", "Read", "pending"), ("2", "Fix", "pending"), ("3", "Test", "pending")


class TestWholeLists:
    def test_without_ids_it_is_the_whole_list(self, board: Board) -> None:
        """A list without ids replaces the old one; todos that stay keep their ids by their text."""
        assert board.write({"todos": [{"content": "Fix", "status": "in_progress"}, {"content": "Ship"}]}).ok
        assert rows(board) == [("2", "Fix", "in_progress"), ("4", "Ship", "pending")]

    def test_a_status_may_be_left_out(self, board: Board) -> None:
        """A todo of a whole list is pending if nothing is said, also one that was further before."""
        board.write({"todos": [{"id": "1", "status": "completed"}]})
        board.write(THREE)
        assert rows(board)[0] == READ

    def test_a_summary_is_kept_until_another_comes(self, board: Board) -> None:
        """What the plan is for is said once and stays."""
        board.write({**THREE, "summary": "Mend it"})
        board.write({"todos": [{"id": "1", "status": "completed"}]})
        assert board.plan.summary == "Mend it"
        board.write({**THREE, "summary": "Ship it"})
        assert board.plan.summary == "Ship it"

    def test_a_list_with_ids_is_a_first_plan_where_there_is_none(self) -> None:
        """A model that numbers its first list itself is understood, and its numbers stand."""
        board = Board()
        reply = board.write({"todos": [{"id": "1", "content": "A"}, {"id": "2", "content": "B"}]})
        assert reply.ok
        assert rows(board) == [("1", "A", "pending"), ("2", "B", "pending")]


class TestUpdates:
    def test_only_what_is_named_changes(self, board: Board) -> None:
        """An update by id changes the todos that it names, in what it names, and leaves the rest."""
        board.write({"todos": [{"id": "2", "content": "Fix it"}]})
        assert rows(board) == [READ, ("2", "Fix it", "pending"), TEST]

    def test_content_may_be_left_out(self, board: Board) -> None:
        """An id and a status are enough."""
        board.write({"todos": [{"id": "2", "status": "blocked"}]})
        assert rows(board) == [READ, ("2", "Fix", "blocked"), TEST]

    def test_an_exact_text_names_a_todo_too(self, board: Board) -> None:
        """In an update, an item without an id is the todo with exactly its text."""
        board.write({"todos": [{"id": "1", "status": "blocked"}, {"content": "Test", "status": "in_progress"}]})
        assert rows(board) == [("1", "Read", "blocked"), FIX, ("3", "Test", "in_progress")]

    def test_a_text_without_a_status_leaves_it_alone(self, board: Board) -> None:
        """In an update, a known text with no status does not set that todo back to pending."""
        board.write({"todos": [{"id": "3", "status": "blocked"}]})
        board.write({"todos": [{"id": "1", "status": "blocked"}, {"content": "Test"}]})
        assert rows(board)[2] == ("3", "Test", "blocked")

    def test_new_todos_go_to_the_end(self, board: Board) -> None:
        """In an update, a new text is a new todo behind the others, wherever it stood in the call."""
        reply = board.write({"todos": [{"content": "Ship"}, {"id": "1", "status": "blocked"}]})
        assert rows(board) == [("1", "Read", "blocked"), FIX, TEST, ("4", "Ship", "pending")]
        assert reply.text.startswith("Saved 4. ")

    def test_an_unknown_id_is_told_with_those_there_are(self, board: Board) -> None:
        """A wrong id is a fault that lists the right ones, and nothing changes."""
        reply = board.write({"todos": [{"id": "9", "status": "completed"}, {"id": "1", "status": "completed"}]})
        assert reply.text == "Not saved, the plan is unchanged. todos[0].id: no todo 9; the plan has 1, 2, 3"
        assert rows(board) == [READ, FIX, TEST]

    def test_an_id_with_no_plan_yet(self) -> None:
        """The answer to an update without a plan says how to begin one."""
        reply = Board().write({"todos": [{"id": "1", "status": "completed"}]})
        assert reply.text == (
            "Not saved, the plan is unchanged. "
            "todos[0].id: no todo 1; there is no plan yet: send todos with content and no id"
        )

    def test_an_id_given_twice_is_a_fault(self, board: Board) -> None:
        """Two items for one todo leave open which is meant."""
        reply = board.write({"todos": [{"id": "1", "status": "completed"}, {"id": "1", "status": "pending"}]})
        assert [(fault.path, fault.code) for fault in reply.faults] == [("todos[1].id", "duplicate_id")]

    def test_ids_may_be_numbers(self, board: Board) -> None:
        """Models write ids as numbers as often as not."""
        board.write({"todos": [{"id": 2, "status": "blocked"}]})
        assert rows(board)[1] == ("2", "Fix", "blocked")

    @pytest.mark.parametrize(
        "id", ["", " ", "x" * 65, "1\n2", "\x1b[2J", None, True, 1.5, -1, 10**80, ["1"]], ids=ascii
    )
    def test_what_cannot_be_an_id_is_refused(self, id: object) -> None:
        """An id is a short plain text or a number; anything else is a fault with its place, on one line."""
        for board in (Board(), board_with_three()):
            before = board.plan
            reply = board.write({"todos": [{"id": id, "status": "completed"}]})
            assert [fault.path for fault in reply.faults] == ["todos[0].id"]
            assert reply.text.isprintable() and len(reply.text) < 250
            assert board.plan is before

    def test_blanks_around_an_id_do_not_count(self, board: Board) -> None:
        """An id with a space after it is still that id."""
        assert board.write({"todos": [{"id": " 2 ", "status": "blocked"}]}).ok
        assert rows(board)[1] == ("2", "Fix", "blocked")

    def test_the_focus_is_counted_over_the_merged_list(self, board: Board) -> None:
        """Starting a second todo by id is refused, though the call names only one."""
        board.write({"todos": [{"id": "1", "status": "in_progress"}]})
        reply = board.write({"todos": [{"id": "2", "status": "in_progress"}]})
        assert reply.text == ("Not saved, the plan is unchanged. todos: at most 1 in_progress, received 2: ids 1, 2")

    def test_the_number_is_counted_over_the_merged_list(self) -> None:
        """Todos that are added may not push the list over its limit."""
        board = Board()
        board.write({"todos": [{"content": f"todo {number}"} for number in range(50)]})
        reply = board.write({"todos": [{"id": "1", "status": "completed"}, {"content": "One more"}]})
        assert [fault.message for fault in reply.faults] == ["at most 50 todos, received 51"]

    def test_a_blank_content_is_refused_in_an_update_too(self, board: Board) -> None:
        """A content that is given must not be blank."""
        reply = board.write({"todos": [{"id": "1", "content": "  "}]})
        assert [(fault.path, fault.code) for fault in reply.faults] == [("todos[0].content", "blank")]


class TestAdvancing:
    def test_completing_by_id_starts_the_next(self, board: Board) -> None:
        """After a todo is completed by id, the first pending one is in progress."""
        reply = board.write({"todos": [{"id": "1", "status": "completed"}]})
        assert reply.text == "1/3 done. Now 2: Fix"
        assert rows(board) == [("1", "Read", "completed"), ("2", "Fix", "in_progress"), TEST]

    def test_cancelling_starts_the_next_too(self, board: Board) -> None:
        """A cancelled todo is done with: the work goes on with the next."""
        board.write({"todos": [{"id": "1", "status": "cancelled"}]})
        assert board.plan.current == board.plan.get("2")

    def test_what_the_model_starts_itself_stands(self, board: Board) -> None:
        """An update that also starts a todo is taken at its word."""
        board.write({"todos": [{"id": "1", "status": "completed"}, {"id": "3", "status": "in_progress"}]})
        assert rows(board) == [("1", "Read", "completed"), FIX, ("3", "Test", "in_progress")]

    def test_a_blocked_todo_is_passed_over(self, board: Board) -> None:
        """What waits for something is not started."""
        board.write({"todos": [{"id": "2", "status": "blocked"}]})
        board.write({"todos": [{"id": "1", "status": "completed"}]})
        assert board.plan.current == board.plan.get("3")

    def test_a_whole_list_is_taken_as_it_is(self, board: Board) -> None:
        """Only updates go on by themselves: a whole list says itself what is in progress."""
        board.write({"todos": [{"content": "Read", "status": "completed"}, {"content": "Fix"}]})
        assert board.plan.current is None

    def test_it_can_be_switched_off(self) -> None:
        """A host that wants the model to start each todo itself says so in the rules."""
        board = Board(rules=Rules(advance=False))
        board.write(THREE)
        assert board.write({"todos": [{"id": "1", "status": "completed"}]}).text == "1/3 done. Next 2: Fix"


class TestLeniency:
    @pytest.mark.parametrize(
        ("word", "status"),
        [
            ("done", Status.COMPLETED),
            ("complete", Status.COMPLETED),
            ("finished", Status.COMPLETED),
            ("todo", Status.PENDING),
            ("open", Status.PENDING),
            ("not_started", Status.PENDING),
            ("in-progress", Status.IN_PROGRESS),
            ("in progress", Status.IN_PROGRESS),
            ("doing", Status.IN_PROGRESS),
            ("started", Status.IN_PROGRESS),
            ("canceled", Status.CANCELLED),
            *((str(status), status) for status in Status),
        ],
    )
    @pytest.mark.parametrize("cased", [str.lower, str.upper, str.title])
    def test_slips_of_status_words(self, word: str, status: Status, cased: Callable[[str], str]) -> None:
        """A word that models write for a status is understood, in any letter case."""
        board = Board()
        assert board.write({"todos": [{"content": "A", "status": cased(word)}]}).ok
        assert board.plan.todos[0].status is status

    @pytest.mark.parametrize("word", ["", " ", "pendin", "yes", "completed!", "in_progress, really"])
    def test_other_words_are_refused(self, word: str) -> None:
        """What no one means by a status is a fault that names the statuses."""
        reply = Board().write({"todos": [{"content": "A", "status": word}]})
        assert "expected one of pending, in_progress, completed, cancelled, blocked, received" in reply.text

    @pytest.mark.parametrize("key", ["activeForm", "active_form"])
    def test_an_active_form_under_either_name(self, key: str) -> None:
        """An active form is understood in both spellings, and may be missing or empty."""
        board = Board()
        assert board.write({"todos": [{"content": "Run", key: "Running"}, {"content": "Rest", key: ""}]}).ok
        assert [todo.label for todo in board.plan.todos] == ["Running", "Rest"]

    @pytest.mark.parametrize(
        "payload",
        [
            THREE,
            json.dumps(THREE),
            json.dumps(THREE).encode(),
            {"todos": json.dumps(THREE["todos"])},
            json.dumps({"todos": json.dumps(THREE["todos"])}),
            THREE["todos"],
            json.dumps(THREE["todos"]),
            {"todos": tuple(THREE["todos"])},
        ],
    )
    def test_a_payload_in_any_wrapping(self, payload: object) -> None:
        """The payload may be JSON text, so may the list in it, and the object around the list may be missing."""
        board = Board()
        assert board.write(payload).ok
        assert rows(board) == [READ, FIX, TEST]


class TestReplies:
    def test_the_ids_are_told_once(self, board: Board) -> None:
        """New ids are shown as a range; a write without new ids does not mention them."""
        assert Board().write(THREE).text == "Saved 1-3. 0/3 done. Next 1: Read"
        assert board.write({"todos": [{"id": "1", "status": "in_progress"}]}).text == "0/3 done. Now 1: Read"

    def test_ids_with_gaps(self, board: Board) -> None:
        """Ids that do not follow each other are listed one by one."""
        contents = ["New 1", "Read", "New 2", "New 3"]
        reply = board.write({"todos": [{"content": text} for text in contents]})
        assert reply.text.splitlines()[0] == "Saved 4-6. 0/4 done. Next 4: New 1"
        board.write({"todos": [{"content": "X"}]})
        reply = Board().write({"todos": [{"id": "1", "content": "A"}, {"id": "7", "content": "B"}]})
        assert reply.text == "Saved 1, 7. 0/2 done. Next 1: A"

    def test_the_end_of_a_plan(self, board: Board) -> None:
        """A finished plan, a blocked one and a cleared one are described in a few words."""
        done = {"todos": [{"id": id, "status": "completed"} for id in "12"]}
        board.write(done)
        assert board.write({"todos": [{"id": "3", "status": "blocked"}]}).text == "2/3 done, the rest is blocked."
        assert board.write({"todos": [{"id": "3", "status": "completed"}]}).text == "All 3 done."
        assert board.write({"todos": []}).text == "Plan cleared."

    def test_every_fault_is_told_at_once_with_its_place(self) -> None:
        """The answer to a write with several faults names all of them, so that the next one can be right."""
        todos = [{"content": ""}, {"content": "A", "status": "x"}, {"what": 1}, 5]
        reply = Board().write({"todos": todos, "summary": 5})
        assert [fault.path for fault in reply.faults] == [
            "summary",
            "todos[0].content",
            "todos[1].status",
            "todos[2].content",
            "todos[2]",
            "todos[3]",
        ]
        assert all(fault.path in reply.text for fault in reply.faults)

    def test_very_many_faults_are_told_in_part(self) -> None:
        """After eight faults the reply says only how many more there are."""
        reply = Board().write({"todos": [{"content": ""}] * 20})
        assert len(reply.faults) == 20
        assert reply.text.count("must not be blank") == 8
        assert reply.text.endswith("; and 12 more")

    def test_a_reply_is_one_line(self, board: Board) -> None:
        """A text with breaks in it does not break the reply."""
        reply = board.write({"todos": [{"content": "A\n\nB\x1b[1m"}]})
        assert reply.text.splitlines()[0] == "Saved 4. 0/1 done. Next 4: A  B␛[1m"


class TestLimits:
    def test_fifty_items_of_two_hundred_characters(self) -> None:
        """The most that the default rules take, and no more."""
        board = Board()
        assert board.write({"todos": [{"content": "x" * 200}] * 50}).ok
        assert [fault.message for fault in board.write({"todos": [{"content": "A"}] * 51}).faults] == [
            "at most 50 todos, received 51"
        ]
        assert [fault.message for fault in board.write({"todos": [{"content": "x" * 201}]}).faults] == [
            "at most 200 characters, received 201"
        ]

    def test_orchestrators_may_run_several_at_once(self) -> None:
        """A host that runs several agents on one plan allows several todos in progress."""
        board = Board(rules=Rules(max_in_progress=2))
        running = [{"content": text, "status": "in_progress"} for text in "ABC"]
        assert board.write({"todos": running[:2]}).ok
        assert [fault.code for fault in board.write({"todos": running}).faults] == ["focus"]


def test_rendering(board: Board) -> None:
    """The plan is shown with its ids, a mark for each status, and how far it is."""
    statuses = ["completed", "in_progress", "pending", "cancelled", "blocked"]
    board = Board()
    board.write({"todos": [{"content": f"Step {status}", "status": status} for status in statuses]})
    assert board.dialect.render(board.plan) == (
        "[x] 1. Step completed\n"
        "[>] 2. Step in_progress\n"
        "[ ] 3. Step pending\n"
        "[-] 4. Step cancelled\n"
        "[!] 5. Step blocked\n"
        "2/5 done"
    )
    assert board.dialect.render(Board().plan) == "No todos."


def test_what_a_model_reads(snapshot: Callable[[str, str], None]) -> None:
    """Definition, prompt and replies are what was read and approved."""
    board = Board()
    snapshot("holdfast-definition.json", json.dumps(board.tool("anthropic"), indent=2, ensure_ascii=False))
    snapshot("holdfast-prompt.txt", board.prompt)
    calls: list[Any] = [
        THREE,
        {"todos": [{"id": "1", "status": "in_progress"}]},
        {"todos": [{"id": "1", "status": "completed"}]},
        {"todos": [{"id": "2", "status": "completed"}, {"content": "Ship"}]},
        {"todos": [{"id": "9", "status": "completed"}]},
        {"todos": [{"id": "3", "status": "in_progress"}, {"id": "4", "status": "in_progress"}]},
        {"todos": [{"content": "A"}, {"content": ""}, {"status": "later", "content": "B", "due": "now"}]},
        {"todos": [{"content": "x" * 201}]},
        {"plan": []},
        "not json",
        {"todos": [{"id": "3", "status": "completed"}]},
        {"todos": [{"id": "4", "status": "completed"}]},
        {"todos": []},
    ]
    lines = [f"> {json.dumps(call)}\n{board.write(call).text}" for call in calls]
    snapshot("holdfast-replies.txt", "\n\n".join(lines))
