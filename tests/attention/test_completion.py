"""What rail does by the journal: todos that complete themselves, code that is read first, the shell first."""

from typing import Any

import pytest
from attended import text_of

from holdfast import RAIL, Attention, Board, Policy, Session
from holdfast.attention.reminders import SHELL_HINT
from holdfast.plan.rules import Rules

LIST = "Do this:\n- create maple.txt with the word river\n- delete b.old\n- tidy up"
TOOLS: list[dict[str, Any]] = [
    {"name": "bash", "input_schema": {"type": "object", "properties": {"command": {}}, "required": ["command"]}},
    *({"name": name, "input_schema": {"type": "object", "properties": {}}} for name in ("read_file", "edit_file")),
]


def started(text: str = LIST, policy: Policy = RAIL) -> Attention[Board]:
    """An attention whose model was given a task, in a host with a shell and two other tools."""
    attention = Session(policy=policy).attention
    attention.equip(TOOLS, read_only=["read_file"])
    attention.on_user_message(text)
    return attention


def ran(attention: Attention[Board], command: str, failed: bool = False) -> str:
    """What is added to the result of a command."""
    return attention.after_tool("bash", {"command": command}, failed)


def statuses(attention: Attention[Board]) -> list[str]:
    """The status of each todo."""
    return [str(todo.status) for todo in attention.board.plan.todos]


def test_a_todo_is_completed_when_its_calls_show_it() -> None:
    """The call has all names of the todo, its result says how far the plan is, and the journal is kept as evidence."""
    attention = started()
    assert ran(attention, "echo river > maple.txt") == "1/3 done."
    done = attention.board.plan.todos[0]
    assert (str(done.status), done.evidence) == ("completed", "echo river > maple.txt")
    assert [use.call for use in done.work] == ["echo river > maple.txt"]
    assert text_of(attention.before_request()).startswith("Item 2: delete b.old") and not attention.board.work.uses
    record = next(iter(attention.board.history()))
    assert (record.change.by, record.change.action) == ("host", "complete")


@pytest.mark.parametrize("command", ["touch maple.txt", "cat maple.txt river", "rm b.old", "echo river"])
def test_what_shows_nothing_completes_nothing(command: str) -> None:
    """A name is missing, it only looked, or it was for something else."""
    attention = started()
    assert ran(attention, command) == "" and statuses(attention)[0] != "completed"


def test_a_call_may_have_done_several_todos() -> None:
    """In the same turn the model may mark the others; in the next one they need work of their own."""
    attention = started()
    assert ran(attention, "echo river > maple.txt; make clean; rm b.old") == "1/3 done."
    assert attention.board.write({"todos": [{"id": "3", "status": "completed"}]}).ok
    later = started()
    ran(later, "echo river > maple.txt; make clean")
    later.before_request()
    assert [fault.code for fault in later.board.write({"todos": [{"id": "3", "status": "completed"}]}).faults] == [
        "no_work"
    ]


def test_names_may_be_mentioned_in_several_calls() -> None:
    """The last one must have done something to what the todo is about."""
    attention = started()
    assert ran(attention, "touch maple.txt") == ""
    assert ran(attention, "echo river > maple.txt", failed=True) == ""
    assert ran(attention, "echo river >> maple.txt") == "1/3 done."


def test_a_todo_without_names_is_marked_by_the_model() -> None:
    """Nothing in a call can show that it is done."""
    attention = started()
    for command in ("echo river > maple.txt", "rm b.old"):
        ran(attention, command)
    assert ran(attention, "make clean") == "" and "done now?" in text_of(attention.before_request())


def test_checks_and_people_come_first() -> None:
    """A todo with a check is left to it, and a person's edit is told before anything counts as done."""
    attention = started()
    attention.board.edit("1", check="test -f maple.txt")
    attention.before_request()
    assert ran(attention, "echo river > maple.txt") == ""
    edited = started()
    edited.board.edit("1", content="create maple.txt with the word lake")
    assert ran(edited, "echo lake > maple.txt") == ""
    assert "lake" in text_of(edited.before_request())


def test_it_can_be_turned_off() -> None:
    """Then the model is asked."""
    attention = started(policy=RAIL.replace(completes=False))
    assert ran(attention, "echo river > maple.txt") == "" and "done now?" in text_of(attention.before_request())


def test_a_host_completes_under_the_rules_of_the_model() -> None:
    """No work, no completion; an unknown id is refused like any other."""
    board = Board(policy="rail")
    board.write({"todos": [{"content": "A"}, {"content": "B"}]})
    assert [fault.code for fault in board.complete("1").faults] == ["no_work"]
    assert not board.complete("9").ok
    board.record_tool_use("bash")
    assert board.complete("1", "seen").ok and board.plan.todos[0].evidence == "seen"
    required = Board(rules=Rules(evidence="required"))
    required.write({"todos": [{"content": "A"}]})
    assert not required.complete("1").ok and required.complete("1", "seen").ok


CODE = (
    "In this small code base some functions are wrong, each in a file of its own, and their tests fail. "
    "Mend them, and change no test:\n- a_value(x) in a.py returns x plus 30\n- b_value(x) in b.py returns the sum of x"
)


def test_what_stands_around_a_list_is_its_goal() -> None:
    """The list is the plan if each point names what it is about; the goal is in sight at each request."""
    attention = started(CODE)
    assert attention.board.plan.contents == (
        "a_value(x) in a.py returns x plus 30",
        "b_value(x) in b.py returns the sum of x",
    )
    assert text_of(attention.before_request()).startswith("Task: In this small code base")
    vague = (
        "Look all of these up in the folder of people, and collect them in one file, a line for each of them, please:"
    )
    assert not started(f"{vague}\n- the desk of anvil\n- the desk of marble").board.plan.todos


def test_source_code_is_read_before_it_is_changed() -> None:
    """Only looks are offered, where the host has tools for that; then the change."""
    attention = started(CODE)
    assert text_of(attention.before_request()).endswith(
        "Read a.py first, then change it. Item 1: a_value(x) in a.py returns x plus 30"
    )
    offer = attention.offer()
    assert offer.allows("read_file", read_only=True) and not offer.allows("edit_file") and not offer.write
    attention.after_tool("read_file", {"path": "a.py"}, read_only=True)
    assert "So far you have only looked" in text_of(attention.before_request())
    assert attention.offer().allows("edit_file")
    blind = started(CODE, RAIL.replace(reads_first=False))
    assert "Read a.py first" not in text_of(blind.before_request())


LOOKUPS = (
    "The folder `people` has a file for each person, like people/anvil.txt. Look these numbers up, and collect them in "
    "answers.txt, like `anvil locker: 1234`:\n- the desk of anvil\n- the room of cabin\n- the phone of ember"
)


def test_a_look_up_reads_the_file_of_the_example_and_fills_the_file_of_the_goal() -> None:
    """For each todo it is told anew, where to look and where what was found belongs."""
    attention = started(LOOKUPS)
    ran(attention, "cat people/anvil.txt")
    assert ran(attention, "echo 'anvil desk: 1234' >> answers.txt") == "1/3 done."
    asked = text_of(attention.before_request())
    assert "like people/cabin.txt" in asked and "like `cabin locker: 1234`" in asked and "anvil" not in asked
    assert asked.endswith("Read people/cabin.txt first. Item 2: the room of cabin")
    offer = attention.offer()
    assert offer.allows("read_file", read_only=True) and not offer.allows("bash")
    attention.after_tool("read_file", {"path": "people/cabin.txt"}, read_only=True)
    found = "You have looked. Now add what you found to answers.txt. Item 2: the room of cabin"
    assert text_of(attention.before_request()).endswith(found) and attention.offer().allows("bash")
    assert ran(attention, "echo 5678 >> answers.txt") == ""  # whose room it is was not said
    assert ran(attention, "echo 'cabin room: 5678' >> answers.txt") == "2/3 done."


def test_where_there_is_no_shell_no_command_is_asked_for() -> None:
    """What was found still belongs somewhere."""
    attention = started(LOOKUPS)
    attention.know_tools(TOOLS[1:], read_only=["read_file"])
    attention.after_tool("read_file", {"path": "people/anvil.txt"}, read_only=True)
    found = "You have looked. Now add what you found to answers.txt. Item 1: the desk of anvil"
    assert text_of(attention.before_request()).endswith(found)


def in_a_shell(text: str, policy: Policy = RAIL) -> Attention[Board]:
    """An attention in a host that has nothing but a shell."""
    attention = Session(policy=policy).attention
    attention.equip(TOOLS[:1])
    attention.on_user_message(text)
    return attention


def test_with_nothing_but_a_shell_source_code_is_written_anew_as_a_whole() -> None:
    """Small models break it with sed. Where there is a tool to edit, they are left to that."""
    wanted = "Write all of it, changed, with printf '...' > a.py"
    attention = in_a_shell(CODE)
    ran(attention, "cat a.py")
    assert text_of(attention.before_request()).endswith(
        f"Now change a.py as item 1 says: a_value(x) in a.py returns x plus 30. {wanted}"
    )
    for other in (started(CODE), in_a_shell(CODE, RAIL.replace(shell_hints=False))):
        ran(other, "cat a.py")
        assert "So far you have only looked" in text_of(other.before_request())


@pytest.mark.parametrize(
    ("command", "failed", "first"),
    [
        ("touch maple.txt", False, "Item 1 is not done: river is missing."),
        ("sed s/lake/river/ maple.txt", False, "That only printed something."),
        ("create maple.txt river", True, "That failed."),
    ],
)
def test_a_command_that_did_not_do_it_gets_a_hint(command: str, failed: bool, first: str) -> None:
    """Which commands change files; only where the last call was a command, and the policy has it."""
    attention = in_a_shell(LIST)
    ran(attention, command, failed)
    text = text_of(attention.before_request())
    assert text.startswith(first) and text.endswith(SHELL_HINT)
    silent = in_a_shell(LIST, RAIL.replace(shell_hints=False))
    ran(silent, command, failed)
    assert SHELL_HINT not in text_of(silent.before_request())


def offered(attention: Attention[Board]) -> list[str]:
    """Which of the host's tools are offered."""
    offer = attention.offer()
    return [name for name in ("bash", "read_file", "edit_file") if offer.allows(name, name == "read_file")]


def test_the_shell_comes_first() -> None:
    """Another command is another way. Other tools are offered for code, or if the policy wants no shell first."""
    attention = started()
    assert offered(attention) == ["bash"]
    for command in ("delete maple.txt", "create maple.txt"):
        ran(attention, command, failed=True)
        assert offered(attention) == ["bash"]
    assert "edit_file" in offered(started(policy=RAIL.replace(shell_first=False)))
    code = started(CODE)
    ran(code, "cat a.py")
    assert offered(code) == ["bash", "edit_file"]


def test_a_todo_that_no_command_could_do_is_tried_once_more_with_every_tool() -> None:
    """The shell may be the wrong tool, or the model may not know the command."""
    attention = started("Do this:\n- create maple.txt with the word river\n- delete b.old")
    for command in ("create maple.txt", "make maple.txt", "new maple.txt"):
        ran(attention, command, failed=True)
    assert offered(attention) == [] and attention.offer().write
    assert attention.board.write({"todos": [{"id": "1", "status": "blocked"}]}).ok
    assert ran(attention, "rm b.old") == "1/2 done."
    assert attention.turn.retry == "1" and offered(attention) == ["bash", "read_file", "edit_file"]


def test_a_file_that_todos_share_is_added_to() -> None:
    """The goal names it, and the call for another todo has changed it."""
    goal = "Collect all that you find in answers.txt, one line for each of the files here, in the order of the list:"
    attention = started(f"{goal}\n- count a.txt\n- count b.txt")
    assert "Keep what" not in text_of(attention.before_request())
    assert ran(attention, "wc -l a.txt >> answers.txt") == "1/2 done."
    assert "Keep what answers.txt already has, and add to it\nYour next action" in text_of(attention.before_request())
