"""Repairs: what has one sensible reading is taken, and said in a few words; what has none is refused."""

import pytest

from holdfast import Attention, Board, Rules, Status, dialects
from holdfast.dialects import DialectName

RUNNING, DONE = "in_progress", "completed"


def repairing(*contents: str) -> Board:
    """A board that repairs, with a plan of these todos."""
    board = Board(rules=Rules(repair=True))
    if contents:
        assert board.write({"todos": [{"content": text} for text in contents]}).ok
    return board


def shown(board: Board) -> list[tuple[str, str, str]]:
    """The ids, texts and statuses of a plan."""
    return [(todo.id, todo.content, str(todo.status)) for todo in board.plan.todos]


def test_a_first_plan_is_all_pending() -> None:
    """A small model marks everything as in progress or done; a rule that refuses it would be answered by the same."""
    board = repairing()
    reply = board.write({"todos": [{"content": "A", "status": RUNNING}, {"content": "B", "status": RUNNING}]})
    assert reply.ok and reply.text == "Saved 1-2. 0/2 done. Next 1: A\nAll todos start as pending."
    assert shown(board) == [("1", "A", "pending"), ("2", "B", "pending")]


def test_nothing_is_said_of_a_plan_that_needs_no_repair() -> None:
    """The reply is the usual one."""
    assert repairing().write({"todos": [{"content": "A"}, {"content": "B", "status": "pending"}]}).text == (
        "Saved 1-2. 0/2 done. Next 1: A"
    )


@pytest.mark.parametrize("ids", [("7", "9"), ("a", "b"), ("2", "1"), ("1", "1")])
def test_ids_that_a_first_plan_makes_up_are_numbered(ids: tuple[str, str]) -> None:
    """Whatever a model calls its todos, they are 1 and 2."""
    board = repairing()
    contents = ("A", "B") if ids[0] != ids[1] else ("A", "A")
    reply = board.write({"todos": [{"id": id, "content": text} for id, text in zip(ids, contents, strict=True)]})
    assert reply.ok and not reply.is_update, "it is a whole list, whatever ids it has"
    assert [todo.id for todo in board.plan.todos] == ["1", "2"][: len(set(contents))]


def test_surplus_todos_in_progress_wait() -> None:
    """In a whole list the first one runs."""
    board = repairing("A", "B", "C")
    reply = board.write({"todos": [{"content": text, "status": RUNNING} for text in "ABC"]})
    assert reply.ok and "Only one todo is in_progress at a time: the others wait." in reply.text
    assert [str(todo.status) for todo in board.plan.todos] == [RUNNING, "pending", "pending"]


def test_a_todo_that_is_started_takes_the_place_of_the_one_that_runs() -> None:
    """Also where an update names only the new one, and as far as several may run."""
    board = repairing("A", "B", "C")
    assert board.write({"todos": [{"id": "1", "status": RUNNING}]}).text == "0/3 done. Now 1: A"
    assert board.write({"todos": [{"id": "2", "status": RUNNING}]}).ok
    assert [str(todo.status) for todo in board.plan.todos] == ["pending", RUNNING, "pending"]
    several = Board(rules=Rules(repair=True, max_in_progress=2))
    several.write({"todos": [{"content": text} for text in "ABC"]})
    several.write({"todos": [{"id": "1", "status": RUNNING}]})
    assert several.write({"todos": [{"id": "2", "status": RUNNING}]}).text == "0/3 done. Now 1: A"
    reply = several.write({"todos": [{"id": "3", "status": RUNNING}]})
    assert "Only 2 todos are in_progress at a time: the others wait." in reply.text
    assert [str(todo.status) for todo in several.plan.todos] == [RUNNING, "pending", RUNNING]


def test_an_unknown_id_with_a_text_is_the_todo_of_that_text_or_a_new_one() -> None:
    """An id alone says nothing: that is refused."""
    board = repairing("A", "B")
    assert board.write({"todos": [{"id": "x", "content": "B", "status": DONE}]}).ok
    assert shown(board) == [("1", "A", RUNNING), ("2", "B", DONE)]
    assert board.write({"todos": [{"id": "77", "content": "C"}]}).ok
    assert shown(board)[-1] == ("3", "C", "pending")
    assert [fault.code for fault in board.write({"todos": [{"id": "77", "status": DONE}]}).faults] == ["unknown_id"]


def test_the_same_text_twice_is_one_todo_and_of_one_id_the_last_word_counts() -> None:
    """A list that a model repeats is not twice as long."""
    board = repairing()
    assert board.write({"todos": [{"content": "A"}, {"content": "B"}, {"content": "A"}]}).ok
    assert [todo.content for todo in board.plan.todos] == ["A", "B"]
    assert board.write({"todos": [{"id": "1", "status": RUNNING}, {"id": "1", "status": DONE}]}).ok
    assert board.plan.todos[0].status is Status.COMPLETED


def test_a_finished_plan_that_is_restated_is_not_begun_again() -> None:
    """Only a list without its finished work is the next plan."""
    board = repairing("A", "B")
    done = {"todos": [{"content": text, "status": DONE} for text in "AB"]}
    assert board.write(done).ok
    assert board.write(done).text == "Nothing changed. All 2 done.\nThe plan is finished."
    assert board.write({"todos": [{"content": "C", "status": RUNNING}]}).ok
    assert (board.plan.number, shown(board)) == (2, [("1", "C", "pending")])


@pytest.mark.parametrize(
    "said",
    [
        [{"id": "1", "content": "a", "status": DONE}, {"id": "2", "content": "b", "status": DONE}],
        [{"id": "1", "content": "All todos are done.", "status": DONE}],
        [{"id": "9", "content": "c", "status": "cancelled"}],
        [{"content": "a", "status": DONE}, {"content": "b", "status": DONE}],
    ],
)
def test_a_finished_plan_in_other_words_stays_as_it_is(said: list[dict[str, str]]) -> None:
    """A small model sums up what it has done: no work is asked for, and nothing is begun anew."""
    board = repairing("A", "B")
    assert board.write({"todos": [{"content": text, "status": DONE} for text in "AB"]}).ok
    before = board.plan
    assert board.write({"todos": said, "summary": "all done"}).text.endswith("The plan is finished.")
    assert board.plan == before
    assert board.write({"todos": []}).plan.todos == (), "an empty list is meant"


def test_the_dots_of_a_form_are_no_todos_and_no_summary() -> None:
    """A small model copies them from the description of the call. A list of nothing but dots clears no plan."""
    board = repairing()
    assert board.write({"todos": [{"content": "A"}, {"content": "..."}], "summary": "..."}).ok
    assert (shown(board), board.plan.summary) == ([("1", "A", "pending")], "")
    for dots in ("...", " … ", "."):
        assert board.write({"todos": [{"content": dots}]}).text == "Nothing changed. 0/1 done. Next 1: A"
    assert not board.write({"todos": []}).plan.todos, "an empty list is meant"
    assert repairing().write({"todos": [{"content": "..."}]}).ok
    form = {"id": "...", "content": "...", "status": "pending"}
    assert repairing().write({"todos": [form]}).ok
    assert board.write({"todos": [{"content": "A"}]}).ok and board.write({"todos": [form]}).ok
    first = repairing()
    assert first.write({"todos": [{"id": "1", "content": "A"}, {**form, "id": "2"}]}).ok
    assert shown(first) == [("1", "A", "pending")]
    finished = repairing("A")
    assert finished.write({"todos": [{"id": "1", "content": "...", "status": DONE}]}).ok
    assert finished.write({"todos": [{"content": "..."}]}).ok
    assert shown(finished) == [("1", "A", DONE)]
    assert not repairing().write({"todos": [{"content": " "}]}).ok, "a blank text is a fault, not a placeholder"


def test_a_summary_is_said_once_while_there_is_work_to_do() -> None:
    """What a small model says by the way is not what the plan is for."""
    board = repairing()
    assert board.write({"todos": [{"content": "A"}], "summary": "Build the house"}).ok
    assert board.write({"todos": [{"id": "1", "status": RUNNING}], "summary": "All is done"}).ok
    assert board.plan.summary == "Build the house"
    assert board.write({"todos": [{"id": "1", "status": DONE}]}).ok
    assert board.write({"todos": [{"content": "B"}], "summary": "Paint it"}).ok
    assert board.plan.summary == "Paint it"


@pytest.mark.parametrize("restated", [[{"content": "A"}, {"content": "B"}], [{"id": "1"}], [{"content": "A"}]])
def test_what_is_done_stays_done_until_it_is_started_again(restated: list[dict[str, str]]) -> None:
    """A small model writes its first list again; one that means it learns how to say so."""
    board = repairing("A", "B")
    assert board.write({"todos": [{"id": "1", "status": DONE}]}).ok
    reply = board.write({"todos": [{**todo, "status": "pending"} for todo in restated]})
    assert reply.ok and "What is done stays done: to do it again, set it in_progress." in reply.text.splitlines()
    assert str(board.plan.todos[0].status) == DONE
    assert board.write({"todos": [{"id": "1", "status": RUNNING}]}).ok
    assert str(board.plan.todos[0].status) == RUNNING
    put_back = board.write({"todos": [{"id": "1", "status": "pending"}, {"content": "C"}]})
    assert str(put_back.plan.todos[0].status) == "pending" and "stays done" not in put_back.text


def test_a_finished_todo_of_a_finished_plan_can_be_opened_again() -> None:
    """Where nothing is left to do, to ask for it can mean nothing else."""
    board = repairing("A")
    assert board.write({"todos": [{"id": "1", "status": DONE}]}).ok
    assert board.write({"todos": [{"id": "1", "status": "pending"}]}).ok
    assert shown(board) == [("1", "A", "pending")]


def test_without_the_rule_nothing_is_repaired() -> None:
    """The default is as strict as ever."""
    board = Board()
    assert not board.write({"todos": [{"content": text, "status": RUNNING} for text in "AB"]}).ok


@pytest.mark.parametrize("name", dialects.names())
def test_a_dialect_that_is_strict_by_contract_stays_so_under_rail(name: DialectName) -> None:
    """The five designs keep the rules of their contracts; the others are repaired."""
    strict = ("envelope", "two-state", "shell", "sema", "mini")
    assert Board(dialect=name, policy="rail").rules.repair is (name not in strict)
    assert not Board(dialect=name).rules.repair


def test_a_refusal_that_is_answered_by_the_same_call_is_not_given_in_the_same_words() -> None:
    """A small model that sends the same again reads something new each time; another call begins anew."""
    board = Board(policy="rail")
    Attention(board).before_request()
    replies = [board.write({"todos": [{"id": "9", "status": DONE}]}).text for _ in range(3)]
    assert len(set(replies)) == 3
    assert replies[1] == f"The same call 2 times: send another one. {replies[0]}"
    assert board.write({"todos": []}).ok
    other = board.write({"todos": [{"id": "8", "status": DONE}]}).text
    assert not other.startswith("The same call")
    strict = Board(dialect="sema")
    assert len({strict.write({"todos": [{"content": ""}]}).text for _ in range(2)}) == 1, "by its contract"


def test_who_insists_is_understood() -> None:
    """Without `repair`, a payload is refused once; sent again, it is read as it must be meant, and that is said."""
    board = Board()
    todos = [{"content": content, "status": "in_progress"} for content in ("A", "B")]
    assert not board.write({"todos": todos}).ok
    again = board.write({"todos": todos})
    assert again.ok and "All todos start as pending." in again.text
    assert [todo.status for todo in board.plan.todos] == ["pending", "pending"]
    assert not Board(dialect="mini").write({"items": todos}).ok, "a contract stays as strict as it is"


def test_a_payload_that_cannot_be_compared_is_refused_like_any_other() -> None:
    """A write never raises, whatever a host passes on."""

    class Odd:
        def __eq__(self, other: object) -> bool:
            raise RuntimeError("not comparable")

    board = Board(policy="rail")
    replies = [board.write(Odd()).text for _ in range(2)]
    assert replies[0] == replies[1] and "expected an object" in replies[0]


def test_a_list_that_replaces_an_open_plan_keeps_its_statuses() -> None:
    """Only a first plan is all pending."""
    board = repairing("A")
    assert board.write({"todos": [{"content": "X", "status": RUNNING}]}).ok
    assert [(todo.content, str(todo.status)) for todo in board.plan.todos] == [("X", RUNNING)]


def test_a_known_id_is_never_dropped() -> None:
    """A new text under it is a new wording."""
    board = repairing("A", "B")
    assert board.write({"todos": [{"id": "1", "content": "A, reworded"}]}).ok
    assert shown(board) == [("1", "A, reworded", "pending"), ("2", "B", "pending")]


def test_a_todo_that_the_same_update_ends_makes_room_by_itself() -> None:
    """Nothing has to wait, and nothing is said."""
    board = repairing("A", "B")
    board.write({"todos": [{"id": "1", "status": RUNNING}]})
    reply = board.write({"todos": [{"id": "1", "status": DONE}, {"id": "2", "status": RUNNING}]})
    assert reply.text == "1/2 done. Now 2: B"
    again = board.write({"todos": [{"id": "1", "status": RUNNING}]})
    assert again.text == "0/2 done. Now 1: A\nOnly one todo is in_progress at a time: the others wait."


@pytest.mark.parametrize(
    ("most", "update", "statuses"),
    [
        pytest.param(1, [("1", RUNNING)], [RUNNING, "pending", "pending"], id="runs already"),
        pytest.param(2, [("2", RUNNING)], [RUNNING, RUNNING, "pending"], id="two may run"),
        pytest.param(1, [("1", DONE), ("2", RUNNING)], [DONE, RUNNING, "pending"], id="takes its place"),
    ],
)
def test_an_update_that_also_adds_a_todo_is_repaired_only_if_too_many_run(
    most: int, update: list[tuple[str, str]], statuses: list[str]
) -> None:
    """What runs by the rules goes on to run, and nothing is said."""
    board = Board(rules=Rules(repair=True, max_in_progress=most))
    board.write({"todos": [{"content": "A"}, {"content": "B"}]})
    board.write({"todos": [{"id": "1", "status": RUNNING}]})
    reply = board.write({"todos": [*({"id": id, "status": status} for id, status in update), {"content": "C"}]})
    assert reply.ok and "at a time" not in reply.text
    assert [str(todo.status) for todo in board.plan.todos] == statuses


def test_an_update_that_starts_nothing_stops_nothing() -> None:
    """What runs under other rules is not this model's doing."""
    board = repairing("A", "B", "C")
    board.update([{"id": "1", "status": RUNNING}])
    other = Board(store=board.store, rules=Rules(max_in_progress=2))
    other.update([{"id": "2", "status": RUNNING}])
    board.write({"todos": [{"id": "3", "content": "C, reworded"}]})
    assert [str(todo.status) for todo in board.plan.todos] == [RUNNING, RUNNING, "pending"]


@pytest.mark.parametrize("name", ["qwen", "hermes"])
def test_where_ids_are_the_models_own_names_they_stay(name: DialectName) -> None:
    """A model that calls its todos a and b in a whole list goes on to do so."""
    board = Board(dialect=name, policy="rail")
    items = [{"id": id, "content": id.upper(), "status": RUNNING} for id in "ab"]
    assert board.write({"todos": items}).ok
    assert shown(board) == [("a", "A", "pending"), ("b", "B", "pending")]
