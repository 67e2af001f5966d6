"""What rail says where a host leaves the model its tools: there, small models write their plan again and again."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from attended import text_of
from test_completion import CODE, LIST, LOOKUPS, TOOLS, ran, started, statuses

from holdfast import RAIL, Attention, Board, Session
from holdfast.attention.piggyback import FIELD

WHOLE = {"todos": [{"content": text} for text in ("create maple.txt with the word river", "delete b.old", "tidy up")]}
"""The plan of `LIST`, as the model would write it."""
BY_ID = {"todos": [{"id": "1", "status": "pending"}]}


def order(id: int, text: str) -> str:
    """What is said of a todo where there are several tools, and one of them is the shell."""
    return f"Item {id}: {text}\nYour next action is bash, with one command that does it."


def tail(attention: Attention[Board]) -> str:
    """What the next request ends with."""
    return text_of(attention.before_request())


def test_the_shell_is_named_and_the_model_is_not_asked_which_tool_fits() -> None:
    """The same words where the host constrains its model, unless there is nothing but the shell to choose."""
    for constrains in (False, True):
        attention = started()
        attention.constrains = constrains
        assert tail(attention) == order(1, "create maple.txt with the word river")
        ran(attention, "ls maple.txt river")
        attention.board.write(BY_ID)
        looked = "So far you have only looked. " if constrains else ""  # a plan written in vain is the greater trouble
        assert tail(attention) == looked + order(1, "create maple.txt with the word river")
    attention.know_tools(TOOLS[:1])
    assert "with the tool that fits best" in tail(attention)


def test_a_host_says_that_it_constrains_before_it_asks_for_an_offer() -> None:
    """The reminder may be made before the first offer is."""
    attention = started()
    attention.know_tools(TOOLS[:1])
    assert "one bash command" in tail(attention)
    attention.constrains = True
    assert "with the tool that fits best" in tail(attention)


def test_a_server_that_ignores_the_schema_does_not_constrain() -> None:
    """A model that writes its plan where no write was offered hears the words of a host that leaves it its tools."""
    attention = started()
    for _ in range(2):
        assert not attention.offer().write
        attention.board.write(BY_ID)
        assert not attention.constrains
    assert tail(attention) == "Run one bash command: create maple.txt with the word river"
    attention.offer()
    assert not attention.constrains
    attention.constrains = True  # another server: the host knows better
    attention.offer()
    assert attention.turn.constrained


def test_a_write_that_no_offer_forbids_does_not_show_that_the_host_leaves_the_model_its_tools() -> None:
    """It rides on a call that was offered, comes after it, or was offered itself."""
    attention = started("Do this:\n- tidy up\n- delete b.old")
    assert not attention.offer().write
    assert attention.after_tool("bash", {"command": "make clean", FIELD: "1"}) != ""
    attention.board.write(BY_ID)
    assert attention.constrains
    attention = started("Tidy up.")
    assert attention.offer().write
    attention.board.write(WHOLE)
    assert attention.constrains


def test_a_host_whose_model_has_other_tools_in_each_request_says_so() -> None:
    """Frameworks hand out their tools themselves."""
    attention = Session(policy=RAIL).attention
    attention.on_user_message(LIST)
    assert "bash" not in tail(attention)
    attention.know_tools(TOOLS[:1])
    assert tail(attention).startswith("Now run one bash command for item 1")
    attention.know_tools([])
    assert "bash" not in tail(attention)


def test_after_a_failure_and_for_names_the_shell_is_named_too() -> None:
    """Words that name no tool make the smallest models repeat the call."""
    attention = Session(policy=RAIL).attention
    attention.equip(TOOLS[:1])
    attention.on_user_message(LIST)
    ran(attention, "touch maple.txt")
    assert "Now do it with one bash command that has river in it: create" in tail(attention)
    ran(attention, "make maple.txt", failed=True)
    assert tail(attention).startswith("That failed. Run another bash command for item 1: create")
    attention.on_user_message("Do this:\n- fix the sum in src/sums.py\n- fix b.py")
    attention.board.update([{"content": "fix the sum in src/sums.py"}])
    ran(attention, "patch src/sums.py", failed=True)
    assert tail(attention).startswith("That failed. Run another bash command for item")
    attention = started()
    attention.after_tool("edit_file", {"path": "maple.txt", "new": "river"}, failed=True)
    assert tail(attention).startswith("That failed. Look first at what is there.")
    attention.after_tool("read_file", {"path": "maple.txt"}, failed=True, read_only=True)
    assert tail(attention) == f"That failed. {order(1, 'create maple.txt with the word river')}"
    ran(attention, "make maple.txt", failed=True)
    attention.offer()
    assert "bash" not in tail(attention)


def test_a_call_that_fails_again_gets_other_words_each_time() -> None:
    """What one sentence does not stop, the other may. A model with several tools hears the tool last."""
    attention = started()
    said = []
    for _ in range(3):
        attention.after_tool("read_file", {"path": "maple.txt"}, failed=True, read_only=True)
        said.append(tail(attention))
    item = "That failed. Item 1: create maple.txt with the word river"
    orders = ["Your next action is bash, with one command that does it.", "Now run one bash command for it."]
    assert said == [f"{item}\n{orders[0]}", f"{item}\n{orders[1]}", f"{item}\n{orders[0]}"]


def test_a_name_that_is_missing_after_looks_is_told_before_the_order() -> None:
    """Where the last call was a command, the names stand in the order itself."""
    attention = started()
    for path in ("a.txt", "b.txt"):
        attention.after_tool("read_file", {"path": path}, read_only=True)
    missing = "Item 1 is not done: maple.txt, river is missing."
    assert tail(attention) == f"{missing} {order(1, 'create maple.txt with the word river')}"
    ran(attention, "ls")
    assert tail(attention).startswith(f"{missing} Now do it with one bash command that has maple.txt, river in it: ")


def test_source_code_and_hosts_without_a_shell_leave_the_choice() -> None:
    """Other tools change source code better."""
    attention = started("Do this:\n- fix the sum in src/sums.py\n- delete b.old")
    assert "bash" not in tail(attention)
    assert not attention.offer().stop
    attention = Session(policy=RAIL).attention
    attention.equip(TOOLS[1:])
    attention.on_user_message(LIST)
    assert tail(attention) == "Now do item 1 with the tool that fits best: create maple.txt with the word river"


@pytest.mark.parametrize("write", [WHOLE, BY_ID, {"todos": [{"id": "9", "status": "completed"}]}, {"todos": 1}])
def test_a_plan_that_is_written_again_gets_shorter_words_each_time(write: Mapping[str, Any]) -> None:
    """Writes that finish nothing, refused ones too; with the next command the model is on its way again."""
    attention = started()
    said = []
    for _ in range(4):
        attention.board.write(write)
        said.append(tail(attention))
    assert said == [
        order(1, "create maple.txt with the word river"),
        "Run one bash command: create maple.txt with the word river",
        "Use bash, not TodoWrite: create maple.txt with the word river",
        "Use bash, not TodoWrite: create maple.txt with the word river",
    ]
    ran(attention, "ls")
    assert "Now do it with one bash command that has maple.txt, river in it" in tail(attention)


def test_a_plan_that_is_written_again_where_there_is_no_shell_is_not_the_tool() -> None:
    """The plan tool is named as what does not help."""
    attention = Session(policy=RAIL).attention
    attention.equip(TOOLS[1:])
    attention.on_user_message(LIST)
    attention.board.write(WHOLE)
    assert tail(attention) == "Now do item 1 with another tool than TodoWrite: create maple.txt with the word river"


def test_a_plan_that_only_grows_is_written_in_vain_too() -> None:
    """Each write changes something, and nothing is done."""
    attention = started()
    said = [
        tail(attention)
        for number in range(2)
        if attention.board.write({"todos": [{"content": f"think of {number}"}]}).ok
    ]
    assert said[1:] == ["Run one bash command: create maple.txt with the word river"]


def test_after_a_vain_write_nothing_is_said_but_what_to_do() -> None:
    """Whatever the work was before: a look, a failure, a missing name. What was done is still to be marked."""
    for command, failed in (("ls", False), ("make maple.txt", True), ("touch maple.txt", False)):
        attention = started()
        ran(attention, command, failed)
        attention.board.write(WHOLE)
        attention.board.write(WHOLE)
        assert tail(attention).endswith(": create maple.txt with the word river") and "\n" not in tail(attention)
        assert len(tail(attention)) < 90
    attention = started("Do this:\n- tidy up\n- delete b.old")
    ran(attention, "make clean")
    attention.board.write(BY_ID)
    assert "Is item 1 (tidy up) done now?" in tail(attention)


def test_a_write_that_finishes_something_is_not_in_vain() -> None:
    """The words begin anew."""
    attention = started("Do this:\n- tidy up\n- sweep the floor\n- delete b.old")
    for _ in range(2):
        attention.board.write(BY_ID)
        tail(attention)
    ran(attention, "make clean")
    assert attention.board.write({"todos": [{"id": "1", "status": "completed"}]}).ok
    assert attention.turn.vain_writes == 0
    assert tail(attention) == order(2, "sweep the floor")


def test_what_a_model_wrote_in_vain_before_the_user_spoke_is_forgotten() -> None:
    """The next request begins anew."""
    attention = started("Do this:\n- tidy up\n- delete b.old")
    for _ in range(3):
        attention.board.write(BY_ID)
        assert tail(attention)
    attention.on_user_message("Do this:\n- delete c.old\n- delete d.old")
    assert attention.turn.vain_writes == 0 and tail(attention) == order(1, "tidy up")


def test_a_model_that_clears_its_finished_plan_is_told_to_end_and_not_to_plan_anew() -> None:
    """However often it does so, until the user speaks: then it plans again."""
    attention = started("Do this:\n- create maple.txt with the word river\n- delete b.old")
    ran(attention, "echo river > maple.txt")
    ran(attention, "rm b.old")
    for _ in range(3):
        assert tail(attention) == "All todos are done. End now with a short answer to the user."
        assert attention.board.write({"todos": []}).ok
    attention.on_user_message("Thanks. Now paint the fence.")
    assert tail(attention).startswith("First use TodoWrite, not bash: write the plan")


def test_a_plan_that_a_person_has_cleared_or_that_never_was_is_to_be_written() -> None:
    """Only a model that empties its own plan has done with it."""
    first = "First use TodoWrite, not bash: write the plan, one todo for every step of the task."
    attention = started("Please tidy up.")
    attention.board.write({"todos": []})
    assert tail(attention) == first
    for _ in range(2):
        assert attention.board.write({"todos": [{"content": "tidy up"}, {"content": "sweep"}]}).ok
        tail(attention)
    attention.board.clear()
    attention.before_request()  # it tells of the edit
    assert tail(attention) == first


def test_an_offer_after_a_cleared_plan_holds_no_plan() -> None:
    """A host that constrains offers what fits a finished plan."""
    attention = started("Do this:\n- create maple.txt with the word river\n- delete b.old")
    ran(attention, "echo river > maple.txt; rm b.old")
    ran(attention, "rm b.old")
    attention.board.write({"todos": []})
    offer = attention.offer()
    assert (offer.write, offer.stop) == (False, True)


def test_a_model_that_has_a_shell_is_told_to_plan_with_the_other_tool() -> None:
    """Without a shell, and where nothing but a plan write is offered, no other tool has to be named."""
    attention = started("Tidy up, please.")
    assert tail(attention).startswith("First use TodoWrite, not bash: write the plan, one todo for every step")
    attention.offer()
    attention.on_user_message("Tidy up, please.")
    assert tail(attention).startswith("First write the plan with TodoWrite: one todo for every step")


def test_what_was_found_by_another_tool_is_added_by_the_shell() -> None:
    """The 1.5B took a tool for files, which refuses to replace the file that is there."""
    attention = started(LOOKUPS)
    attention.after_tool("read_file", {"path": "people/anvil.txt"}, read_only=True)
    assert "Now add what you found to answers.txt with one bash command: echo >> answers.txt. " in tail(attention)
    attention = started(LOOKUPS)
    ran(attention, "cat people/anvil.txt")
    assert "Now add what you found to answers.txt with echo >> answers.txt. " in tail(attention)


# todos that a model was told to mark, and that it goes on with instead


def loop(attention: Attention[Board], command: str, times: int, failed: bool = False) -> list[str]:
    """What is added to the results of a command that a model makes again and again."""
    said = []
    for _ in range(times):
        said.append(ran(attention, command, failed))
        attention.before_request()
    return said


def test_a_todo_that_fails_again_after_it_was_to_be_given_up_is_blocked() -> None:
    """The smallest models make the same call until the run is stopped. The next todo is a way out."""
    attention = started()
    assert loop(attention, "mv maple.txt river", 5, failed=True) == ["", "", "", "", "Item 1 is blocked now."]
    todo = attention.board.plan.todos[0]
    assert (str(todo.status), todo.details.reason) == ("blocked", "failed 5 times: mv maple.txt river")
    assert [use.times for use in todo.work] == [5]
    assert tail(attention) == order(2, "delete b.old")


def test_a_call_that_is_repeated_instead_of_marked_completes_only_what_it_has_mentioned() -> None:
    """What misses a name is blocked, and says so."""
    attention = started("Do this:\n- tidy up\n- delete b.old")
    assert loop(attention, "make clean", 3) == ["", "", "1/2 done."]
    assert attention.board.plan.todos[0].evidence == "make clean"
    attention = started()
    assert loop(attention, "touch maple.txt", 3) == ["", "", "Item 1 is blocked now."]
    assert attention.board.plan.todos[0].details.reason == "river is missing: touch maple.txt"
    attention = started()
    assert loop(attention, "touch oak.txt", 5)[-1] == "Item 1 is blocked now."
    assert attention.board.plan.todos[0].details.reason == "maple.txt, river is missing: touch oak.txt"


def test_a_todo_without_names_that_only_failed_is_blocked() -> None:
    """There is nothing that a call could have mentioned, and nothing was done."""
    attention = started("Do this:\n- tidy up\n- delete b.old")
    assert loop(attention, "make clean", 5, failed=True)[-1] == "Item 1 is blocked now."
    assert attention.board.plan.todos[0].details.reason == "failed 5 times: make clean"


def test_what_was_only_looked_at_is_never_marked_for_a_model() -> None:
    """Some todos ask for a look and no more, others for a change: the model is asked, however often it looks."""
    attention = started("Do this:\n- replace plum by kettle in a.txt\n- delete b.old")
    said, reminders = [], []
    for _ in range(5):
        said.append(attention.after_tool("read_file", {"path": "a.txt"}, read_only=True))
        reminders.append(tail(attention))
    assert said == [""] * 5 and statuses(attention) == ["pending", "pending"]
    assert reminders[-1].startswith("Is item 1 (replace plum by kettle in a.txt) done now? Then your next action is")


def test_what_was_done_before_and_is_tried_again_is_completed() -> None:
    """The call that did it is the evidence."""
    attention = started("Do this:\n- tidy up\n- delete b.old")
    ran(attention, "make clean")
    tail(attention)
    assert loop(attention, "make clean", 2, failed=True) == ["", "1/2 done."]
    assert attention.board.plan.todos[0].evidence == "make clean"
    attention = started("Do this:\n- tidy up\n- delete b.old")
    ran(attention, "make clean")
    attention.after_compaction()
    assert loop(attention, "make all", 2, failed=True) == ["", "1/2 done."]
    assert attention.board.plan.todos[0].evidence == "make clean", "not the call that failed"


def test_a_model_that_finds_another_way_or_has_a_check_is_left_to_it() -> None:
    """Only going on as before shows that a model does not mark."""
    attention = started("Do this:\n- tidy up\n- delete b.old")
    loop(attention, "make clean", 2)
    assert ran(attention, "make tidy") == "" and statuses(attention)[0] == "pending"
    attention = started("Do this:\n- tidy up\n- delete b.old")
    assert attention.board.edit("1", check="true").ok
    assert loop(attention, "make clean", 5) == [""] * 5


def test_a_todo_that_a_person_has_just_changed_is_not_marked_for_the_model() -> None:
    """The model hears of the change first."""
    attention = started("Do this:\n- tidy up\n- delete b.old")
    loop(attention, "make clean", 2)
    assert attention.board.edit("1", content="tidy up well").ok
    assert ran(attention, "make clean") == "" and statuses(attention)[0] == "pending"
    assert "tidy up well" in tail(attention)


def test_a_call_that_fails_after_a_compaction_was_not_done_before_if_there_was_only_a_look() -> None:
    """Two looks at a file have done nothing."""
    attention = started("Do this:\n- tidy up\n- delete b.old")
    for name in ("a.txt", "b.txt"):
        attention.after_tool("read_file", {"path": name}, read_only=True)
    attention.after_compaction()
    ran(attention, "make clean", failed=True)
    assert "was already done" not in tail(attention)


SHARED = (
    "Collect all that you find in answers.txt, one line for each of the files here, in the order of the list:"
    "\n- count a.txt\n- count b.txt"
)
TWO_SHARED = SHARED.replace("in answers.txt", "in answers.txt and in notes.txt")
WITHOUT_EXAMPLE = LOOKUPS.replace(", like people/anvil.txt", "")
FLOWS: Mapping[str, tuple[str, list[str]]] = {
    "nothing done": (LIST, []),
    "names are missing": (LIST, ["touch attic.txt"]),
    "only printed": (LIST, ["sed s/lake/river/ maple.txt"]),
    "failed": (LIST, ["!create maple.txt river"]),
    "run again": (LIST, ["touch maple.txt"] * 4),
    "source code": (CODE, []),
    "source code, read": (CODE, ["cat a.py"]),
    "two files of source code": (CODE.replace("x plus 30", "what b.py says"), []),
    "a look-up": (LOOKUPS, []),
    "a look-up, read": (LOOKUPS, ["cat people/anvil.txt"]),
    "a look-up without an example, read": (WITHOUT_EXAMPLE, ["cat people/anvil.txt"]),
    "two files that todos share": (TWO_SHARED, ["wc -l a.txt | tee -a answers.txt >> notes.txt"]),
    "a file that todos share": (SHARED, ["wc -l a.txt >> answers.txt"]),
    "a file that todos share, only looked": (SHARED, ["wc -l a.txt >> answers.txt", "cat b.txt"]),
}
"""What the user said, and the commands since then; with a `!` those that failed."""


@pytest.mark.parametrize("tools", [TOOLS, TOOLS[:1]], ids=["tools", "shell"])
def test_every_sentence_in_both_kinds_of_hosts(
    tools: list[dict[str, Any]], snapshot: Callable[[str, str], None], request: pytest.FixtureRequest
) -> None:
    """The words at each moment, where the host leaves the model its tools and where it constrains it."""
    lines = []
    for moment, (text, commands) in FLOWS.items():
        for constrains in (False, True):
            attention = Session(policy=RAIL).attention
            attention.constrains = constrains
            attention.equip(tools, read_only=["read_file"])
            attention.on_user_message(text)
            for command in commands:
                ran(attention, command.removeprefix("!"), failed=command.startswith("!"))
            lines.append(f"{moment}, {'constrained' if constrains else 'free'}: {tail(attention)}")
    snapshot(f"hosts-{request.node.callspec.id}.txt", "\n\n".join(lines))


def test_without_hints_nothing_is_said_of_how_a_shell_adds_to_a_file() -> None:
    """Only where what was found belongs."""
    attention = Session(policy=RAIL.replace(shell_hints=False)).attention
    attention.equip(TOOLS[:1])
    attention.on_user_message(LOOKUPS)
    ran(attention, "cat people/anvil.txt")
    assert tail(attention).endswith("Now add what you found to answers.txt. Item 1: the desk of anvil")


def test_a_long_goal_is_cut_short() -> None:
    """It is told with each todo."""
    attention = started(LOOKUPS.replace("Look these", f"{'They are old. ' * 30}Look these"))
    assert len(tail(attention).splitlines()[0]) == len("Task: ") + 400
