"""What the model is told of a person's edits: all of them, in one short line, once."""

import json

import pytest
from edited import Act, board_of

from holdfast import Board, Change, Plan, Todo, dialects
from holdfast.dialects import DialectName
from holdfast.plan import DetailsWish, edits
from holdfast.stores import Key
from holdfast.stores.memory import MemoryStore

ACTS: dict[str, Act] = {
    "add": lambda board: board.add("D"),
    "move": lambda board: board.move("1", 2),
    "remove": lambda board: board.remove("2"),
    "reword": lambda board: board.edit("2", content="B2"),
}

IN_JSON = {"envelope": "text", "hermes": "note"}
"""Where a reply that is JSON says what a person changed."""


class TestTelling:
    @pytest.mark.parametrize("name", dialects.names())
    def test_every_dialect_tells_in_one_line(self, name: DialectName) -> None:
        """In each dialect, the reply to the next write says in one line what a person changed."""
        board = Board(dialect=name)
        calls = board.dialect.calls(Plan((Todo("1", "A"), Todo("2", "B"))))
        for tool, payload in calls:
            assert board.write(payload, tool=tool).ok
        board.edit("2", content="B\n\x1b[2J2")
        reply = board.write(calls[-1].payload, tool=calls[-1].tool)
        text = json.loads(reply.text)[IN_JSON[name]] if name in IN_JSON else reply.text
        assert reply.ok
        assert [line for line in text.split("\n") if "The user changed" in line] == [
            'The user changed the plan: 2 ("B") now reads "B ␛[2J2".'
        ]

    def test_several_edits_are_told_together(self) -> None:
        """All that people did since the model last saw the plan is one line."""
        board = board_of("A", "B", "C")
        board.edit("2", content="B2", status="cancelled")
        board.remove("3")
        board.add("D")
        told = board.write({"todos": [{"id": "1", "status": "completed"}]}).text.splitlines()[-1]
        assert (
            told == 'The user changed the plan: 2 ("B") now reads "B2", is cancelled; removed 3 ("C"); added 4 ("D").'
        )

    def test_places_are_those_of_now(self) -> None:
        """A moved todo is reported with its present place, whatever was done after the move."""
        board = board_of("A", "B", "C")
        board.move("1", 2)
        board.remove("2")
        assert '1 ("A") moved to place 2' in board.write({"todos": [{"id": "3", "status": "completed"}]}).text

    @pytest.mark.parametrize(
        ("acts", "told"),
        [
            ("move add", '1 ("A") moved to place 3; added 4 ("D")'),
            ("move remove", '1 ("A") moved to place 2; removed 2 ("B")'),
            ("reword move add", '2 ("B") now reads "B2"; 1 ("A") moved to place 3; added 4 ("D")'),
            ("move remove add", '1 ("A") moved to place 2; removed 2 ("B"); added 4 ("D")'),
        ],
    )
    def test_only_what_a_person_moved_is_told_as_moved(self, acts: str, told: str) -> None:
        """Not the todos that have another place because of it, whatever else the person does."""
        board = board_of("A", "B", "C")
        for act in acts.split():
            assert ACTS[act](board).ok
        assert edits.describe(board.plan) == f"The user changed the plan: {told}."

    @pytest.mark.parametrize(
        ("act", "told"),
        [
            (lambda board: board.edit("1", check="make test"), '1 ("A") is done when this passes: make test'),
            (
                lambda board: board.edit("1", details=DetailsWish(priority="high", owner="ann")),
                '1 ("A") held by ann, high priority',
            ),
            (lambda board: board.remove("1"), 'removed 1 ("A")'),
        ],
    )
    def test_checks_details_and_the_last_todo_are_told(self, act: Act, told: str) -> None:
        """A check, each detail, and the removal of the only todo, which does not count as clearing the plan."""
        board = board_of("A")
        assert act(board).ok
        assert edits.describe(board.plan) == f"The user changed the plan: {told}."

    def test_a_new_todo_is_told_with_its_status_and_its_check(self) -> None:
        """All that the person gave it stands in one line."""
        board = board_of("A")
        board.edit("1", status="completed")
        board.mark_edits_told()
        board.add("D", check="make test")
        board.edit("2", status="in_progress")
        told = 'added 2 ("D"), in_progress, done when this passes: make test'
        assert edits.describe(board.plan) == f"The user changed the plan: {told}."

    def test_a_long_text_is_told_shortened(self) -> None:
        """A note quotes enough of a text to know it, not all of it."""
        board = board_of("A")
        board.edit("1", content="x" * 200)
        assert f'1 ("A") now reads "{"x" * 59}…"' in board.write({"todos": [{"id": "1"}]}).text

    @pytest.mark.parametrize(
        "acts",
        [
            pytest.param([lambda board: board.add("D"), lambda board: board.remove("4")], id="added and removed"),
            pytest.param([lambda board: board.remove("3"), lambda board: board.undo()], id="removed and undone"),
            pytest.param(
                [lambda board: board.edit("2", content="X"), lambda board: board.edit("2", content="B")],
                id="reworded and back",
            ),
            pytest.param(
                [lambda board: board.edit("2", status="blocked"), lambda board: board.edit("2", status="pending")],
                id="blocked and back",
            ),
        ],
    )
    def test_what_was_taken_back_is_not_told(self, acts: list[Act]) -> None:
        """An edit that a person took back leaves nothing to report, and the model's next write counts as usual."""
        board = board_of("A", "B", "C")
        for act in acts:
            assert act(board).ok
        reply = board.write({"todos": [{"id": "1", "status": "completed"}]})
        assert reply.ok
        assert reply.text == "1/3 done. Now 2: B"

    def test_a_host_that_has_told_lets_the_model_write(self) -> None:
        """After a host told the model of the edits, they are no longer upheld or reported again."""
        board = board_of("A", "B")
        board.edit("2", content="B2")
        board.mark_edits_told()
        reply = board.write({"todos": [{"content": "A", "status": "completed"}, {"content": "B"}]})
        assert "The user changed" not in reply.text
        assert [todo.content for todo in board.plan.todos] == ["A", "B"]

    def test_an_edit_made_while_others_are_told_stays_to_be_told(self) -> None:
        """The model was told of the edits of one moment: a later edit is neither lost nor taken as told."""
        board = board_of("A", "B")
        board.edit("2", content="B2")
        heard = board.plan
        board.add("C")
        board.mark_edits_told(heard)
        assert 'added 3 ("C")' in board.write({"todos": [{"id": "1", "status": "completed"}]}).text
        assert [todo.content for todo in board.plan.todos] == ["A", "B2", "C"]

    def test_an_edit_made_while_the_model_looks_is_told_with_it(self) -> None:
        """If somebody edits during a look, the look is repeated, and reports that edit, too: once."""
        board = Board(dialect="kimi", store=LateEdit())
        board.write({"todos": [{"title": "A", "status": "pending"}, {"title": "B", "status": "pending"}]})
        board.edit("2", content="B2")
        looked = board.write({}).text
        assert 'removed 1 ("A")' in looked and 'now reads "B2"' in looked
        assert "removed" not in board.write({"todos": [{"title": "B2", "status": "in_progress"}]}).text


class LateEdit(MemoryStore):
    """A store in which a person removes a todo just when a board has reported the other edits."""

    def commit(self, key: Key, change: Change) -> None:
        """Keep a change, the person's before it."""
        if change.action == "told" and self.load(key).get("1") is not None:
            Board(store=self).remove("1")
        super().commit(key, change)


class TestActiveForms:
    def test_new_words_make_the_old_active_form_stale(self) -> None:
        """A reworded todo in progress is shown under its new words, not under what was being done before."""
        board = Board()
        payload = {"todos": [{"content": "Fix", "status": "in_progress", "activeForm": "Fixing"}]}
        board.write(payload)
        board.edit("1", content="Write")
        assert board.plan.todos[0].label == "Write"
        board.write(payload)
        assert board.plan.todos[0].label == "Write"

    def test_a_new_active_form_is_told_and_stands(self) -> None:
        """An active form that a person changed wins like every other field."""
        board = Board()
        payload = {"todos": [{"content": "Fix", "status": "in_progress", "activeForm": "Fixing"}]}
        board.write(payload)
        board.edit("1", active_form="Mending")
        assert '1 ("Fix") is shown as "Mending"' in board.write(payload).text
        assert board.plan.todos[0].active_form == "Mending"
