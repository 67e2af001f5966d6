"""A person's edit wins over the model's next write, the model is told, and after that it may change it."""

from collections.abc import Callable
from typing import NamedTuple

import pytest
from edited import Act, board_of, by_id, shown, whole_list
from hypothesis import given
from hypothesis import strategies as st
from strategies import hostile_texts, obeyed

from holdfast import Board, Plan, Rules, Status
from holdfast.plan import Draft, Wish
from holdfast.plan.edits import uphold

Restate = Callable[[Plan], dict[str, object]]


def finished(plan: Plan, id: str) -> Plan:
    """The plan as a model sees it that has finished one todo."""
    todos = [todo._replace(status=Status.COMPLETED) if todo.id == id else todo for todo in plan.todos]
    return plan._replace(todos=tuple(todos))


class Edited(NamedTuple):
    """What a person does to the plan A, B, C, the plan after it, and what the model is told."""

    does: Act
    plan: list[tuple[str, str, str]]
    words: str


A, B, C = ("1", "A", "in_progress"), ("2", "B", "pending"), ("3", "C", "pending")

EDITS = {
    "reword": Edited(
        lambda board: board.edit("2", content="B2"), [A, ("2", "B2", "pending"), C], '2 ("B") now reads "B2"'
    ),
    "finish": Edited(
        lambda board: board.edit("1", status="completed"), [("1", "A", "completed"), B, C], '1 ("A") is completed'
    ),
    "start": Edited(
        lambda board: board.edit("3", status="in_progress"),
        [("1", "A", "pending"), B, ("3", "C", "in_progress")],
        '1 ("A") is pending; 3 ("C") is in_progress',
    ),
    "block": Edited(
        lambda board: board.edit("2", status="blocked"), [A, ("2", "B", "blocked"), C], '2 ("B") is blocked'
    ),
    "add at the end": Edited(lambda board: board.add("D"), [A, B, C, ("4", "D", "pending")], 'added 4 ("D")'),
    "add in front": Edited(lambda board: board.add("D", position=0), [("4", "D", "pending"), A, B, C], 'added 4 ("D")'),
    "remove": Edited(lambda board: board.remove("2"), [A, C], 'removed 2 ("B")'),
    "move": Edited(lambda board: board.move("3", 0), [C, A, B], '3 ("C") moved to place 1'),
    "move past the end": Edited(lambda board: board.move("1", 9), [B, C, A], '1 ("A") moved to place 3'),
}

every_edit = pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
every_form = pytest.mark.parametrize("restate", [whole_list, by_id])


class TestAnEditWins:
    @every_edit
    @every_form
    def test_the_models_next_write_does_not_undo_it(self, edit: Edited, restate: Restate) -> None:
        """A person's change stays when the model writes its plan as it last saw it, and one line tells the model."""
        board = board_of("A", "B", "C")
        as_it_saw = restate(board.plan)
        assert edit.does(board).ok
        assert shown(board.plan) == edit.plan
        reply = board.write(as_it_saw)
        assert reply.ok
        assert shown(board.plan) == edit.plan
        told = [line for line in reply.text.splitlines() if line.startswith("The user changed the plan:")]
        assert told == [f"The user changed the plan: {edit.words}."]

    @every_edit
    @every_form
    def test_after_that_the_model_may_change_it(self, edit: Edited, restate: Restate) -> None:
        """The same write once more, after the model was told, is what the model wants, and stays; no more notes."""
        board = board_of("A", "B", "C")
        saw = board.plan
        edit.does(board)
        board.write(restate(saw))
        reply = board.write(whole_list(saw))
        assert reply.ok
        assert [(content, status) for _, content, status in shown(board.plan)] == [
            (content, status) for _, content, status in (A, B, C)
        ]
        assert "The user changed" not in reply.text

    @every_edit
    def test_what_else_the_model_wants_is_done(self, edit: Edited) -> None:
        """A new todo in the model's write is taken, though the rest of the write met an edit."""
        board = board_of("A", "B", "C")
        payload = {"todos": [*whole_list(board.plan)["todos"], {"content": "New"}]}  # type: ignore[misc] # a list it is
        edit.does(board)
        assert board.write(payload).ok
        assert "New" in [todo.content for todo in board.plan.todos]
        assert [row for row in shown(board.plan) if row[1] != "New"] == edit.plan

    def test_other_fields_of_an_edited_todo_are_the_models(self) -> None:
        """The model may finish a todo that a person reworded in the meantime: both stand."""
        board = board_of("A", "B")
        board.edit("1", content="A2")
        board.write({"todos": [{"content": "A", "status": "completed"}, {"content": "B", "status": "in_progress"}]})
        assert shown(board.plan) == [("1", "A2", "completed"), ("2", "B", "in_progress")]

    def test_an_active_form_for_a_todo_that_a_person_finished_is_the_models(self) -> None:
        """A person's new status leaves the words to the model."""
        board = board_of("A", "B")
        board.edit("2", status="blocked")
        board.write({"todos": [{"id": "2", "activeForm": "Doing B", "status": "completed"}]})
        assert (board.plan.todos[1].active_form, board.plan.todos[1].status) == ("Doing B", Status.BLOCKED)

    @pytest.mark.parametrize(
        ("act", "kept"),
        [
            pytest.param(lambda board: board.edit("2", content="B2"), [("2", "B2", "pending")], id="reworded"),
            pytest.param(lambda board: board.edit("2", status="blocked"), [("2", "B", "blocked")], id="blocked"),
            pytest.param(lambda board: board.edit("2", status="cancelled"), [], id="done with"),
            pytest.param(lambda board: board.move("2", 0), [], id="only moved"),
        ],
    )
    def test_what_the_model_leaves_out(self, act: Act, kept: list[tuple[str, str, str]]) -> None:
        """An open todo that a person changed is not lost with the list that leaves it out; others may go."""
        board = board_of("A", "B")
        act(board)
        reply = board.write({"todos": [{"content": "A", "status": "in_progress"}]})
        assert "The user changed the plan: " in reply.text
        assert shown(board.plan) == [("1", "A", "in_progress"), *kept]

    def test_a_todo_that_a_person_started_is_not_left_out(self) -> None:
        """What a person started stays in progress, though the model's list has another todo in its place."""
        board = board_of("A", "B", "C")
        board.edit("3", status="in_progress")
        board.write({"todos": [{"content": "A"}, {"content": "B", "status": "in_progress"}]})
        assert shown(board.plan) == [("1", "A", "pending"), ("2", "B", "pending"), ("3", "C", "in_progress")]

    def test_the_next_plan_is_not_haunted_by_the_last(self) -> None:
        """A plan whose last todo a person cancelled is closed: the model's next list is a plan of its own."""
        board = board_of("A", "B")
        board.edit("1", status="completed")
        board.edit("2", status="cancelled")
        board.write({"todos": [{"content": "New"}]})
        assert (board.plan.number, shown(board.plan)) == (2, [("1", "New", "pending")])

    def test_an_update_of_a_removed_todo_is_no_fault(self) -> None:
        """The model cannot know that a todo is gone: its update is dropped, and the model is told."""
        board = board_of("A", "B")
        board.remove("2")
        reply = board.write({"todos": [{"id": "2", "status": "completed"}]})
        assert reply.ok and 'removed 2 ("B")' in reply.text
        assert shown(board.plan) == [("1", "A", "in_progress")]

    def test_an_update_of_removed_todos_only_clears_nothing(self) -> None:
        """An update that loses all its todos to a person is no empty list: what is done stays on the plan."""
        board = board_of("A", "B")
        board.remove("2")
        board.edit("1", status="completed")
        assert board.write({"todos": [{"id": "2", "status": "completed"}]}).ok
        assert shown(board.plan) == [("1", "A", "completed")]

    def test_a_clear_by_the_model_leaves_what_a_person_added(self) -> None:
        """The empty list takes the model's todos off the plan, not one that a person added just before."""
        board = board_of("A")
        board.add("Mine")
        board.write({"todos": []})
        assert shown(board.plan) == [("2", "Mine", "pending")]

    def test_finishing_everything_and_adding_more_loses_neither(self) -> None:
        """What a person finished stays finished when the person also adds a todo to the finished plan."""
        board = board_of("A", "B")
        saw = board.plan
        board.edit("1", status="completed")
        board.edit("2", status="completed")
        board.add("Mine")
        board.write(whole_list(saw))
        assert shown(board.plan) == [("1", "A", "completed"), ("2", "B", "completed"), ("3", "Mine", "pending")]

    def test_adding_to_a_cleared_plan_that_the_model_knows_of_begins_the_next(self) -> None:
        """Until the model has been told of the clearing, a new todo is another edit of the plan that it knows."""
        board = board_of("A", "B")
        board.clear()
        board.add("Mine")
        assert (board.plan.number, shown(board.plan)) == (1, [("3", "Mine", "pending")])
        board.clear()
        board.mark_edits_told()
        board.add("Next")
        assert (board.plan.number, shown(board.plan)) == (2, [("1", "Next", "pending")])


class TestFocus:
    def test_starting_a_todo_takes_the_focus(self) -> None:
        """The todo that a person starts is the only one in progress."""
        board = board_of("A", "B")
        board.edit("2", status="in_progress")
        assert board.plan.current == board.plan.get("2")
        assert board.plan.counts()[Status.IN_PROGRESS] == 1

    def test_starting_a_todo_leaves_what_is_done_as_it_is(self) -> None:
        """Only what is in progress has to wait."""
        board = board_of("A", "B", "C")
        board.write({"todos": [{"id": "1", "status": "completed"}]})
        board.edit("3", status="in_progress")
        assert [status for _, _, status in shown(board.plan)] == ["completed", "pending", "in_progress"]

    def test_a_todo_that_a_person_put_back_is_not_done_by_the_models_word(self) -> None:
        """Only where the person started another todo may the one that had to wait be done by now."""
        board = board_of("A", "B")
        board.edit("1", status="pending")
        board.write({"todos": [{"id": "1", "status": "completed"}]})
        assert shown(board.plan)[0] == ("1", "A", "pending")

    def test_a_todo_that_had_to_wait_goes_on_to_wait(self) -> None:
        """Although the model still has it in progress, and there is room again."""
        board = Board(rules=Rules(max_in_progress=2))
        todos = [("A", "in_progress"), ("B", "in_progress"), ("C", "pending")]
        board.write({"todos": [{"content": text, "status": status} for text, status in todos]})
        board.edit("3", status="in_progress")
        todos[1] = ("B", "completed")
        board.write({"todos": [{"content": text, "status": status} for text, status in todos]})
        assert [status for _, _, status in shown(board.plan)] == ["pending", "completed", "in_progress"]

    @every_form
    def test_the_models_own_start_gives_way(self, restate: Restate) -> None:
        """A todo that the model starts beside the one that a person started waits."""
        board = board_of("A", "B", "C")
        payload = restate(
            board.plan._replace(
                todos=tuple(
                    todo._replace(status=status)
                    for todo, status in zip(
                        board.plan.todos, (Status.COMPLETED, Status.IN_PROGRESS, Status.PENDING), strict=True
                    )
                )
            )
        )
        board.edit("3", status="in_progress")
        assert board.write(payload).ok
        assert board.plan.current == board.plan.get("3")
        assert board.plan.counts()[Status.IN_PROGRESS] == 1


@st.composite
def edited_boards(draw: st.DrawFn) -> tuple[Board, Plan]:
    """A board after some edits, and the plan as the model last saw it. Texts may be there twice."""
    board = Board()
    texts = draw(st.lists(st.sampled_from("ABC"), min_size=1, max_size=4))
    first = st.sampled_from(["pending", "completed", "blocked"])
    board.write({"todos": [{"content": text, "status": draw(first)} for text in texts]})
    saw = board.plan
    for turn in range(draw(st.integers(1, 5))):
        ids = [todo.id for todo in board.plan.todos]
        verb = draw(st.sampled_from(["reword", "status", "add", "remove", "move"] if ids else ["add"]))
        place = draw(st.integers(0, len(ids)))
        id = draw(st.sampled_from(ids)) if ids else ""
        match verb:
            case "reword":
                board.edit(id, content=f"reworded {turn}")
            case "status":
                board.edit(id, status=draw(st.sampled_from(Status)))
            case "add":
                board.add(f"added {turn}", position=place)
            case "remove":
                board.remove(id)
            case "move":
                board.move(id, place)
    return board, saw


class TestTwoOfOneText:
    def test_a_status_lands_on_the_todo_that_the_model_meant(self) -> None:
        """Two todos read alike and a person moved one: the model's first is still the first that it saw."""
        board = board_of("Run the tests", "Fix", "Run the tests")
        saw = board.plan
        board.move("3", 0)
        board.write(whole_list(finished(saw, "1")))
        assert {todo.id: str(todo.status) for todo in board.plan.todos} == {
            "1": "completed",
            "2": "pending",
            "3": "pending",
        }

    def test_one_that_was_removed_does_not_pass_its_status_on(self) -> None:
        """Two todos have the same text and a person removed the first: its status does not go to the other."""
        board = board_of("Run the tests", "Run the tests")
        saw = board.plan
        board.remove("1")
        board.write(whole_list(finished(saw, "1")))
        assert [(todo.id, str(todo.status)) for todo in board.plan.todos] == [("2", "pending")]


class TestLaws:
    @given(edited_boards(), st.sampled_from([whole_list, by_id]))
    def test_saying_again_what_it_saw_undoes_nothing(self, edited: tuple[Board, Plan], restate: Restate) -> None:
        """Whatever people did, a model that says again what it saw leaves the plan exactly as they want it."""
        board, saw = edited
        wanted = shown(board.plan)
        reply = board.write(restate(saw))
        assert reply.ok, reply.text
        assert shown(board.plan) == wanted
        assert board.plan.edits == ()

    @given(edited_boards())
    def test_edits_leave_a_plan_in_order(self, edited: tuple[Board, Plan]) -> None:
        """After any edits, ids are unique, at most one todo is in progress, and every edit is one revision."""
        board, saw = edited
        plan = board.plan
        ids = [todo.id for todo in plan.todos]
        assert len(ids) == len(set(ids))
        assert plan.counts()[Status.IN_PROGRESS] <= 1
        assert plan.revision == len(list(board.history()))
        assert {record.change.by for record in board.history()} <= {"model", "person"}
        assert saw.number == plan.number

    @given(edited_boards())
    def test_undo_goes_back_step_by_step(self, edited: tuple[Board, Plan]) -> None:
        """Undoing each edit, the newest first, leads back through every plan that there was."""
        board, saw = edited
        steps = [record.change.before for record in board.history() if record.change.by == "person"]
        for step in steps:
            assert board.undo().ok
            assert shown(board.plan) == shown(step)
        assert shown(board.plan) == shown(saw)

    @given(hostile_texts.filter(str.strip))
    def test_a_note_is_one_line(self, text: str) -> None:
        """Whatever a person writes, what the model is told of it stays on one line."""
        board = board_of("A")
        board.edit("1", content=text)
        board.add(text)
        lines = board.write({"todos": [{"id": "1", "status": "completed"}]}).text.splitlines()
        assert len(lines) == 2
        assert lines[1].startswith("The user changed the plan: ")
        assert not obeyed(lines[1])


def test_without_edits_a_draft_is_as_it_was() -> None:
    """Where nobody edited anything, what the model asks for is not touched."""
    draft = Draft([Wish(content="A")])
    assert uphold(Plan(), draft, 1) is draft


def test_a_todo_that_lost_the_focus_may_still_be_completed() -> None:
    """The person only started another todo: the model's status of the first one counts."""
    board = Board()
    board.write({"todos": [{"content": "A", "status": "in_progress"}, {"content": "B"}]})
    board.edit("2", status="in_progress")
    board.write({"todos": [{"id": "1", "status": "completed"}]})
    assert [str(todo.status) for todo in board.plan.todos] == ["completed", "in_progress"]


class TestWhatTheModelHasNotSeen:
    def test_its_own_number_does_not_overwrite_what_a_person_added(self) -> None:
        """The model numbers a new todo on, as a person did meanwhile: there are two todos then, not one."""
        board = board_of("A", "B", "C")
        board.add("Mine")
        board.write({"todos": [{"id": "4", "content": "Its own"}]})
        assert [(todo.id, todo.content) for todo in board.plan.todos[3:]] == [("4", "Mine"), ("5", "Its own")]

    def test_what_runs_beside_a_persons_todo_goes_on_where_the_rules_let_it(self) -> None:
        """With three at once allowed, a person who starts one stops one of the model's three, not all."""
        board = Board(rules=Rules(max_in_progress=3))
        board.write({"todos": [{"content": text} for text in "ABCD"]})
        board.edit("4", status="in_progress")
        statuses = ("in_progress", "in_progress", "in_progress", "pending")
        todos = [{"content": text, "status": status} for text, status in zip("ABCD", statuses, strict=True)]
        assert board.write({"todos": todos}).ok
        assert [todo.id for todo in board.plan.todos if todo.status is Status.IN_PROGRESS] == ["1", "2", "4"]

    def test_a_reworded_todo_that_it_leaves_waits_for_what_it_starts(self) -> None:
        """The model drops what a person reworded and starts another: it is kept, but only one is in progress."""
        board = board_of("A", "B")
        board.edit("1", content="A2")
        assert board.write({"todos": [{"content": "B", "status": "in_progress"}]}).ok
        assert shown(board.plan) == [("1", "A2", "pending"), ("2", "B", "in_progress")]

    def test_a_todo_that_it_names_by_its_id_alone_is_the_persons(self) -> None:
        """A status for the number that a person's todo has is for that todo, and makes no other one."""
        board = board_of("A", "B", "C")
        board.add("Mine")
        board.write({"todos": [{"id": "4", "status": "completed"}]})
        assert shown(board.plan)[3:] == [("4", "Mine", "completed")]

    def test_what_a_person_added_and_started_runs_alone(self) -> None:
        """The model starts another todo beside it: that one waits."""
        board = board_of("A", "B")
        board.add("Mine")
        board.edit("3", status="in_progress")
        assert board.write({"todos": [{"id": "2", "status": "in_progress"}]}).ok
        assert shown(board.plan) == [("1", "A", "pending"), ("2", "B", "pending"), ("3", "Mine", "in_progress")]

    def test_what_a_person_added_and_started_may_be_restated(self) -> None:
        """The model says that it is in progress: so it is."""
        board = board_of("A", "B")
        board.add("Mine")
        board.edit("3", status="in_progress")
        assert board.write({"todos": [{"id": "3", "status": "in_progress"}]}).ok
        assert shown(board.plan)[2:] == [("3", "Mine", "in_progress")]

    def test_what_a_person_added_stays_where_the_person_put_it(self) -> None:
        """The model names the todo at the end of its list: it stays in front."""
        board = Board(dialect="hermes")
        texts = [{"id": id, "content": text, "status": "pending"} for id, text in zip("123", "ABC", strict=True)]
        board.write({"todos": texts[:2]})
        board.add("C", position=0)
        board.write({"todos": texts})
        assert [todo.content for todo in board.plan.todos] == ["C", "A", "B"]

    def test_the_old_text_and_the_persons_text_in_one_list_are_two_todos(self) -> None:
        """The first is the person's todo. The second is new, though it reads like what the person made of the first."""
        board = board_of("A", "B")
        board.edit("1", content="X")
        board.write({"todos": [{"content": text} for text in ("A", "B", "X")]})
        assert [(todo.id, todo.content) for todo in board.plan.todos] == [("1", "X"), ("2", "B"), ("3", "X")]

    @pytest.mark.parametrize("position", [None, 0])
    def test_a_todo_that_a_person_added_is_not_there_twice(self, position: int | None) -> None:
        """The model heard of it in another way, and has it in its list: it is one todo, where the person put it."""
        board = board_of("A", "B")
        board.add("C", position=position)
        board.write({"todos": [{"content": "A"}, {"content": "B"}, {"content": "C", "status": "completed"}]})
        rows = [("1", "A", "pending"), ("2", "B", "pending")]
        rows.insert(2 if position is None else position, ("3", "C", "completed"))
        assert shown(board.plan) == rows

    def test_a_todo_that_a_person_added_and_started_goes_on(self) -> None:
        """The model comes to the same words, and to another status: the person's holds."""
        board = board_of("A")
        board.add("C")
        board.edit("2", status="in_progress")
        board.write({"todos": [{"content": "A"}, {"content": "C", "status": "cancelled"}]})
        assert shown(board.plan) == [("1", "A", "pending"), ("2", "C", "in_progress")]

    def test_a_reworded_todo_that_runs_may_be_done_under_the_persons_words(self) -> None:
        """The model comes to the words that the person chose; the status was left to it."""
        board = board_of("A", "C")
        board.edit("1", content="B")
        board.write({"todos": [{"content": "B", "status": "completed"}, {"content": "C"}]})
        assert shown(board.plan) == [("1", "B", "completed"), ("2", "C", "pending")]

    def test_a_todo_that_a_host_added_and_a_person_edited_is_not_there_twice(self) -> None:
        """The model has not seen it, and comes to the same words: it means that todo, as the person has left it."""
        board = board_of("A", "B")
        board.edit("2", content="B2")
        board.update([{"id": "1"}, {"id": "2"}, {"content": "C"}])
        board.edit("3", status="blocked")
        board.write({"todos": [{"content": "A"}, {"content": "B"}, {"content": "C", "status": "completed"}]})
        assert shown(board.plan)[1:] == [("2", "B2", "pending"), ("3", "C", "blocked")]

    def test_a_reworded_todo_keeps_a_status_that_the_dialect_has_no_word_for(self) -> None:
        """The model restates the todo as it saw it, blocked shown as pending: that does not make it pending."""
        board = Board(dialect="claude-code")
        payload = {"todos": [{"content": text, "status": "pending", "activeForm": text} for text in "AB"]}
        board.write(payload)
        board.edit("2", status="blocked")
        board.mark_edits_told()
        board.edit("2", content="B2")
        assert board.write(payload).ok
        assert shown(board.plan)[1:] == [("2", "B2", "blocked")]

    def test_a_todo_that_a_host_took_out_meanwhile_is_no_trouble(self) -> None:
        """A person edits one todo, a host takes out another: the model's list of both is taken."""
        board = board_of("A", "B")
        saw = board.plan
        board.edit("1", content="A2")
        board.update([{"id": "1"}, {"content": "C"}])
        assert [todo.content for todo in board.plan.todos] == ["A2", "C"]
        assert board.write(whole_list(saw)).ok
        assert [todo.content for todo in board.plan.todos][:2] == ["A2", "B"]


class TestFieldsOfAnEditedTodo:
    def test_new_words_for_a_todo_that_a_person_blocked_are_the_models(self) -> None:
        """The status is the person's, the words are the model's."""
        board = board_of("A", "B")
        board.edit("2", status="blocked")
        board.write({"todos": [{"id": "2", "content": "B2", "status": "completed"}]})
        assert shown(board.plan)[1:] == [("2", "B2", "blocked")]

    def test_an_active_form_of_the_old_words_is_not_taken(self) -> None:
        """A person has reworded the todo: the model's active form for the old text does not fit."""
        board = board_of("A", "B")
        board.edit("2", content="B2")
        board.write({"todos": [{"id": "2", "activeForm": "Doing B"}]})
        assert (board.plan.todos[1].content, board.plan.todos[1].active_form) == ("B2", "")

    def test_a_description_is_the_models(self) -> None:
        """People edit texts and statuses: the other fields that the model sets on such a todo are kept."""
        board = Board(dialect="claude-tasks")
        board.write({"subject": "A", "description": "a"}, tool="TaskCreate")
        board.edit("1", content="A2")
        board.write({"taskId": "1", "description": "more of it"}, tool="TaskUpdate")
        assert (board.plan.todos[0].content, board.plan.todos[0].details.description) == ("A2", "more of it")

    def test_a_todo_that_a_person_edited_is_not_deleted(self) -> None:
        """A tool that deletes takes off what nobody has touched, and leaves what a person has just reworded."""
        board = Board(dialect="claude-tasks")
        for subject in ("A", "B"):
            board.write({"subject": subject, "description": subject}, tool="TaskCreate")
        board.edit("1", content="A2")
        board.write({"taskId": "1", "status": "deleted"}, tool="TaskUpdate")
        assert shown(board.plan) == [("1", "A2", "pending"), ("2", "B", "pending")]
        board.edit("1", content="A3")
        board.write({"taskId": "2", "status": "deleted"}, tool="TaskUpdate")
        assert shown(board.plan) == [("1", "A3", "pending")]

    def test_an_active_form_outlasts_a_new_status(self) -> None:
        """Only new words make it stale."""
        board = Board()
        board.write({"todos": [{"content": "Fix", "activeForm": "Fixing"}]})
        board.edit("1", status="in_progress")
        assert board.plan.todos[0].active_form == "Fixing"

    def test_new_words_may_have_their_own_active_form(self) -> None:
        """A person who gives both has both."""
        board = Board()
        board.write({"todos": [{"content": "Fix", "activeForm": "Fixing"}]})
        board.edit("1", content="Write", active_form="Writing")
        assert (board.plan.todos[0].content, board.plan.todos[0].active_form) == ("Write", "Writing")

    def test_a_todo_that_was_moved_and_then_reworded_stays_where_it_was_put(self) -> None:
        """A second edit of a todo does not make the first one forgotten."""
        board = board_of("A", "B", "C")
        saw = board.plan
        board.move("3", 0)
        board.edit("3", content="C2")
        told = board.write(whole_list(saw)).text.splitlines()[-1]
        assert told == 'The user changed the plan: 3 ("C") now reads "C2", moved to place 1.'
        assert [todo.content for todo in board.plan.todos] == ["C2", "A", "B"]


def test_starting_what_runs_already_stops_nothing() -> None:
    """Two may run, two do: a person who starts one of them again changes nothing."""
    board = Board(rules=Rules(max_in_progress=2))
    board.write({"todos": [{"content": text, "status": "in_progress"} for text in "AB"]})
    before = board.plan
    assert board.edit("2", status="in_progress").ok
    assert board.plan is before


def test_an_undo_is_one_revision() -> None:
    """Whatever it takes back, it counts like any other change."""
    board = board_of("A", "B")
    board.edit("1", content="A2", status="completed")
    before = board.plan.revision
    board.undo()
    assert board.plan.revision == before + 1
