"""The work journal: what counts as work, what is the same call, what is kept, and that it is kept."""

from pathlib import Path

import pytest
from attended import planned, work

from holdfast import QUIET, Board, Rules, StoreError
from holdfast.plan import Todo
from holdfast.plan.names import named_in
from holdfast.plan.todo import succeeded_keys
from holdfast.plan.work import (
    MOST_USES,
    MOST_WHEN_DONE,
    NO_WORK,
    ToolUse,
    Work,
    counted_work,
    describe_call,
    tool_use,
)
from holdfast.stores import Key, MemoryStore, open_store


def calls(board: Board) -> list[tuple[str, ...]]:
    """What was done for each todo, by the plan."""
    return [tuple(use.label for use in todo.work) for todo in board.plan.todos]


@pytest.mark.parametrize(
    ("so_far", "worked", "looks", "failures", "ways"),
    [
        (work(), 0, 0, 0, 0),
        (work("make"), 1, 0, 0, 0),
        (work("?ls"), 0, 1, 0, 0),
        (work("?ls", "?cat a"), 1, 2, 0, 0),
        (work("?ls", "make"), 1, 1, 0, 0),
        (work("make", "!a", "!b"), 1, 0, 2, 2),
        (work("!a", "!a", "!a"), 0, 0, 3, 1),
        (work("!a", "?ls", "!b"), 0, 1, 1, 2),
        (work("!a", "make", "!b"), 1, 0, 1, 1),
        (counted_work(2, 3), 2, 0, 3, 1),
    ],
)
def test_what_counts(so_far: Work, worked: int, looks: int, failures: int, ways: int) -> None:
    """A failure is no work, nor is the first look. A way is a call that failed and is not like the others."""
    assert (so_far.calls, so_far.looks, so_far.failures, so_far.ways) == (worked, looks, failures, ways)


def test_the_same_call_again_is_counted_not_listed() -> None:
    """Only with the same end, and only if the host says what it was."""
    assert [(use.label, use.failed, use.times) for use in work("a", "a", "!a", "b", "a").uses] == [
        ("a", False, 2),
        ("a", True, 1),
        ("b", False, 1),
        ("a", False, 1),
    ]
    unknown = Work().after(tool_use("bash")).after(tool_use("bash"))
    assert [use.times for use in unknown.uses] == [1, 1]


def test_two_long_calls_that_begin_alike_are_not_the_same() -> None:
    """A file that is written again with another ending is new work; a value of any kind raises nothing."""

    class Odd:
        def __str__(self) -> str:
            raise RuntimeError("no words")

    long = [tool_use("write_file", {"path": "x", "content": "long " * 100 + ending}) for ending in "ab"]
    assert long[0].call == long[1].call and long[0].key != long[1].key
    odd = tool_use("odd", {"value": Odd(), "again": 1})
    assert (odd.call, odd.key) == ("odd value=Odd, again=1", "")


def test_a_call_is_described_in_short() -> None:
    """By its one text, such as a command; by all its arguments; by nothing if they are not known."""
    assert len(describe_call("bash", {"command": "x" * 500})) == 160
    assert describe_call("wait", {"seconds": 3}) == "wait seconds=3"
    assert describe_call("bash", None) == ""
    assert tool_use("bash").label == ToolUse("bash").label == "bash"


def test_what_did_the_work_is_the_newest_success_that_did_more_than_read() -> None:
    """A look counts only if there were several and nothing else."""
    done_by = [so_far.done_by for so_far in (work("a", "?ls", "!b"), work("?ls"), work("?ls", "?cat x"), work("!a"))]
    assert [use and use.call for use in done_by] == ["a", None, "cat x", None]


def test_the_plan_takes_the_work_in_with_the_next_write() -> None:
    """It goes to the todo that was current, or to the one that the write completes instead."""
    board = planned(QUIET.replace(one_write=False), "A", "B", "C").board
    board.record_tool_use("bash", {"command": "make a"}, files=["a.o", "commit 1a2b"])
    board.record_tool_use("bash", {"command": "make b"}, failed=True)
    assert calls(board) == [(), (), ()]
    board.write({"todos": [{"id": "1", "status": "completed"}]})
    assert calls(board) == [("make a", "make b"), (), ()] and board.work == NO_WORK
    assert board.plan.todos[0].work[0].files == ("a.o", "commit 1a2b")
    board.record_tool_use("bash", {"command": "make c"})
    board.write({"todos": [{"id": "3", "status": "completed"}]})
    assert calls(board) == [("make a", "make b"), (), ("make c",)]


def test_a_write_that_changes_nothing_takes_nothing() -> None:
    """The work stays for the write that does."""
    board = planned("quiet", "A", "B").board
    board.record_tool_use("bash", {"command": "make"})
    revision = board.plan.revision
    board.write({"todos": [{"content": "A"}, {"content": "B"}]})
    assert board.plan.revision == revision and board.work.calls == 1


def test_what_was_done_before_a_write_still_counts_for_its_todo() -> None:
    """Progress is decided by the journal: a write in between does not make the work undone."""
    attention = planned("rail", "A", "B")
    attention.after_tool("bash", {"command": "make"})
    attention.before_request()
    assert attention.board.write({"todos": [{"id": "1", "status": "in_progress"}]}).ok
    attention.before_request()
    assert attention.board.write({"todos": [{"id": "1", "status": "completed"}]}).ok


def test_a_journal_is_bounded() -> None:
    """The newest uses are kept, fewer when the todo is done."""
    board = planned(QUIET.replace(one_write=False), "A", "B").board
    for number in range(30):
        board.record_tool_use("bash", {"command": f"step {number}"})
    assert len(board.work.uses) == MOST_USES
    board.write({"todos": [{"id": "1", "status": "completed"}]})
    assert calls(board)[0] == tuple(f"step {number}" for number in range(30 - MOST_WHEN_DONE, 30))


def test_names_that_no_call_has_mentioned_are_missing() -> None:
    """Only where the host reports arguments, and a call that repeats the todo's own words mentions nothing."""
    text = "create maple.txt with the word river"

    def missing(*arguments: dict[str, str] | None) -> tuple[str, ...]:
        so_far = Work()
        for one in arguments:
            so_far = so_far.after(tool_use("bash", one, todo_text=text, names=named_in(text)))
        return so_far.missing_names(named_in(text))

    assert missing({"command": "touch maple.txt"}) == ("river",)
    assert missing({"command": "touch maple.txt"}, {"command": "echo river >> MAPLE.txt"}) == ()
    assert missing({"path": "maple.txt", "content": text}) == ("maple.txt", "river")
    assert missing(None) == ()


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_a_restart_forgets_nothing(kind: str, tmp_path: Path) -> None:
    """Another process knows what was run for the current todo, and tells a model that cannot see it."""
    store = MemoryStore() if kind == "memory" else open_store(tmp_path / "plans.db")
    board = Board(store=store, policy="rail")
    board.write({"todos": [{"content": "A"}, {"content": "B"}]})
    board.record_tool_use("bash", {"command": "mv a b"})
    later = Board(store=store if kind == "memory" else open_store(tmp_path / "plans.db"), policy="rail")
    assert [use.call for use in later.work.uses] == ["mv a b"]
    assert "Already run for 1, with success: mv a b." in later.resume()
    assert later.write({"todos": [{"id": "1", "status": "completed"}]}).ok
    assert calls(later) == [("mv a b",), ()]
    assert Board(store=later.store).work == NO_WORK


def test_work_is_for_the_todo_that_can_be_worked_on() -> None:
    """The one in progress, also behind others. If all of them are blocked, it is for the first that is open."""
    board = Board(rules=Rules(work_before_done=False))
    statuses = ("completed", "blocked", "in_progress")
    board.write({"todos": [{"content": text, "status": status} for text, status in zip("ABC", statuses, strict=True)]})
    board.record_tool_use("bash", {"command": "make c"})
    assert board.work.todo == "3"
    board.write({"todos": [{"id": "3", "status": "blocked"}]})
    board.record_tool_use("bash", {"command": "make b"})
    assert board.work.todo == "2"
    assert Board().work.todo == ""


def test_work_without_a_plan_is_for_no_todo() -> None:
    """It is kept all the same."""
    board = Board()
    board.record_tool_use("bash", {"command": "make", "why": ""})
    assert (board.work.todo, [use.label for use in board.work.uses]) == ("", ["bash command=make, why="])


def test_a_board_knows_that_a_call_only_repeats_its_todo() -> None:
    """Such a call mentions none of the todo's names."""
    text = "create maple.txt with the word river"
    board = planned("quiet", text).board
    board.record_tool_use("note", {"text": text})
    board.record_tool_use("bash", {"command": "echo river > maple.txt"})
    assert [use.mentions for use in board.work.uses] == [(), ("maple.txt", "river")]


class NoJournals:
    """Somebody else's store, which keeps plans and nothing beside them."""

    def __init__(self) -> None:
        inner = MemoryStore()
        self.load, self.commit, self.history = inner.load, inner.commit, inner.history
        self.sessions, self.watch, self.close = inner.sessions, inner.watch, inner.close
        self.tally, self.tallies = inner.tally, inner.tallies


class UnreadJournals(MemoryStore):
    """A store whose journals cannot be read."""

    def kept_work(self, key: Key) -> str:
        """Nothing is read."""
        raise StoreError("no journals today")


class UnwrittenJournals(MemoryStore):
    """A store whose journals cannot be written."""

    def keep_work(self, key: Key, work: str) -> None:
        """Nothing is written."""
        raise StoreError("no journals today")


def test_on_a_store_without_journals_the_board_remembers_the_work() -> None:
    """As long as it is open, and the next write takes the work in."""
    board = Board(store=NoJournals())
    board.write({"todos": [{"content": "A"}]})
    for call in ("make a", "make b"):
        board.record_tool_use("bash", {"command": call})
    board.write({"todos": [{"id": "1", "status": "completed"}]})
    assert calls(board) == [("make a", "make b")]


@pytest.mark.parametrize("store", [UnreadJournals, UnwrittenJournals])
def test_journals_that_break_hold_up_no_write(store: type[MemoryStore], caplog: pytest.LogCaptureFixture) -> None:
    """The plan is what counts. The log says what was not kept."""
    board = Board(store=store())
    assert board.write({"todos": [{"content": "A"}]}).ok
    board.record_tool_use("bash", {"command": "make"})
    assert board.write({"todos": [{"id": "1", "status": "completed"}]}).ok
    assert "the use of a tool was not recorded: no journals today" in caplog.text
    assert ("the work journal was not cleared: no journals today" in caplog.text) is (store is UnwrittenJournals)


def test_nothing_is_kept_beside_a_plan_that_has_taken_the_work_in() -> None:
    """The journal of its board is empty again."""
    store = MemoryStore()
    board = Board(store=store)
    board.write({"todos": [{"content": "A"}]})
    board.record_tool_use("bash", {"command": "make"})
    assert store.kept_work(board.key) != ""
    board.write({"todos": [{"id": "1", "status": "completed"}]})
    assert store.kept_work(board.key) == ""


def test_a_journal_that_was_damaged_is_no_journal() -> None:
    """It is no part of the plan: the plan can be read and written all the same."""
    store = MemoryStore()
    board = Board(store=store)
    board.write({"todos": [{"content": "A"}]})
    store.keep_work(board.key, "[[[")
    later = Board(store=store)
    assert later.work == NO_WORK and later.write({"todos": [{"id": "1", "status": "completed"}]}).ok


def test_work_of_which_only_numbers_are_known() -> None:
    """Without a name, and nothing where a number is 0."""
    assert counted_work(2, 3) == Work("", (ToolUse("", times=2), ToolUse("", failed=True, times=3)))
    assert counted_work(1, 0) == Work(uses=(ToolUse(""),))
    assert counted_work(0, 1).uses[0].failed
    assert counted_work(0, 0) == NO_WORK == Work("", ())


def test_calls_without_arguments_are_ways_of_their_own() -> None:
    """Nobody knows whether they were the same."""
    unknown = ToolUse("bash", failed=True)
    known = ToolUse("bash", failed=True, key="a")
    assert Work("1", (unknown, unknown)).ways == 2
    assert Work("1", (known, known)).ways == 1
    assert Work("1", (known, unknown, known)).ways == 2


def test_only_what_succeeded_changes_something() -> None:
    """Nor does what only reads."""
    assert tool_use("bash", {"command": "make"}).changes
    assert not tool_use("bash", {"command": "make"}, failed=True).changes
    assert not tool_use("bash", {"command": "make"}, read_only=True).changes
    assert not tool_use("bash", {"command": "make"}).read_only


def test_a_failed_call_mentions_nothing() -> None:
    """Its names are still missing, and one whose arguments nobody knows does not hide that."""
    failed = ToolUse("bash", failed=True, mentions=("a.txt",), key="a")
    assert Work("1", (failed,)).missing_names(["a.txt"]) == ("a.txt",)
    done = failed._replace(failed=False)
    assert Work("1", (done, ToolUse("bash", failed=True))).missing_names(["a.txt", "b.txt"]) == ("b.txt",)
    assert Work("1", (done, ToolUse("bash"))).missing_names(["a.txt", "b.txt"]) == ()


def test_a_use_is_kept_with_its_key_its_time_and_its_files() -> None:
    """The key is of the tool and all arguments, whatever their order, and is short; odd text is no obstacle."""
    use = tool_use("edit", {"b": 1, "a": "ä"}, names=["ä"], files=["x.py"] * 9, at=7.0)
    assert use.key == tool_use("edit", {"a": "ä", "b": 1}).key and len(use.key) == 16
    assert use.key not in (tool_use("edi", {"a": "ä", "b": 1}).key, tool_use("edit", {"a": "ö", "b": 1}).key)
    assert (use.mentions, use.files, use.at, use.times) == (("ä",), ("x.py",) * MOST_WHEN_DONE, 7.0, 1)
    assert len(tool_use("edit", {"a": "\ud800"}).key) == 16
    assert tool_use("edit").at == tool_use("edit", {}).at == ToolUse("edit").at == 0.0
    assert (tool_use("edit").call, tool_use("edit").key) == ("", "")
    assert (MOST_USES, MOST_WHEN_DONE) == (12, 5)


def test_a_call_that_only_repeats_the_todo_mentions_nothing() -> None:
    """But an empty argument repeats nothing, also where the todo's text is not known."""
    names = ["a.txt"]
    assert tool_use("echo", {"say": "Write a.txt"}, todo_text="Write a.txt", names=names).mentions == ()
    assert tool_use("echo", {"say": "Write a.txt", "n": 3}, todo_text="Write a.txt", names=names).mentions == ()
    assert tool_use("edit", {"path": "a.txt"}, todo_text="Write a.txt", names=names).mentions == ("a.txt",)
    assert tool_use("edit", {"path": "a.txt", "old": "", "mode": None}, names=names).mentions == ("a.txt",)


def test_what_a_command_only_prints_is_not_mentioned() -> None:
    """A model that echoes the name of a file has not written it."""
    names = ["a.txt"]
    assert tool_use("bash", {"command": "echo a.txt"}, names=names).mentions == ()
    assert tool_use("bash", {"command": "echo a.txt; touch b.txt"}, names=names).mentions == ()
    assert tool_use("bash", {"command": "echo b > a.txt"}, names=names).mentions == ("a.txt",)


def test_the_key_of_a_call_is_the_same_in_every_version() -> None:
    """Plans keep it: after an update of Holdfast, a call that is made again is still known."""
    assert tool_use("bash", {"command": "make"}).key == "b065036cb5395f97"


def test_a_long_value_is_cut_where_it_ends_with_a_mark() -> None:
    """One character more than is kept is enough to know that it was longer."""
    exact, longer = "x" * 160, "x" * 161
    assert describe_call("run", {"a": exact}) == exact
    assert describe_call("run", {"a": longer}) != exact and len(describe_call("run", {"a": longer})) == 160
    assert describe_call("run", {"a": 1, "b": 2.5, "c": [1]}) == "run a=1, b=2.5, c=list"


def test_what_succeeded_for_other_todos() -> None:
    """By their keys; not what failed, what has no key, or what was done for the todo itself."""
    done, failed, unknown = ToolUse("a", key="k1"), ToolUse("a", key="k2", failed=True), ToolUse("a")
    todos = [Todo("1", "One", work=(done, failed, unknown)), Todo("2", "Two", work=(ToolUse("b", key="k3"),))]
    assert succeeded_keys(todos, "") == {"k1", "k3"}
    assert succeeded_keys(todos, "1") == {"k3"}
    assert succeeded_keys(todos, "2") == {"k1"}


def test_a_call_that_is_made_again_leaves_those_before_it() -> None:
    """Only the last one is counted up."""
    uses = work("a", "b", "b").uses
    assert [(use.label, use.times) for use in uses] == [("a", 1), ("b", 2)]
