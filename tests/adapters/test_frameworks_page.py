"""The tables of `docs/frameworks.md` and `docs/recipes.md` are true: a yes has its test."""

import ast
import re
from pathlib import Path

import pytest
import test_behaviour
from adapter_driver import LACKS
from docs_table import FRAMEWORKS, RECIPES, table

HERE = Path(__file__).parent

IN_SUITE = {
    "two users at once, each with their own plan": "test_two_users_at_once_have_plans_of_their_own",
    "a conversation goes on with its plan": "test_conversations_have_plans_of_their_own",
    "the plan after a restart, with a store": "test_plans_are_durable",
    "a subagent's own plan": "test_a_subagent_has_a_plan_of_its_own",
    "sync and async callers": "test_a_write_is_taken_and_answered",
    "streams": "test_a_stream_has_its_plan_its_reminders_and_its_gate",
    "a store never blocks the event loop": "test_no_store_holds_up_the_event_loop",
    "an outage of the store never ends the agent": "test_an_outage_of_the_store_never_ends_a_run",
    "a person's edit is told, and stays told": "test_a_persons_edit_is_told_and_stays_told",
    "work and its mark in one answer": "test_work_and_its_completion_in_one_answer_are_taken",
    "reminders that the history does not keep": "test_a_stale_plan_is_named_at_the_tail_once",
    "the plan after the framework's own compaction": "test_the_plan_comes_back_after_the_frameworks_own_compaction",
    "the stop gate": "test_the_gate_holds_a_model_with_work_left",
    "`rail` knows the agent's other tools": "test_rail_names_the_shell_that_the_agent_has",
}
KEPT = "reminders that the history does not keep"
"""The one line that the suite knows exceptions from: `Driver.forgets`."""

OWN = {
    "the cache mark before a reminder": {
        "langchain": "test_the_cache_mark_stands_before_a_reminder",
        "pydantic_ai": "test_the_cache_point_stands_before_a_reminder",
        "strands": "test_the_cache_point_stands_before_a_reminder",
    },
    "going back to an older checkpoint": {
        "langchain": "test_a_fork_from_an_older_checkpoint_goes_on_with_the_plan_of_then"
    },
    "a store found in the run's context": {
        "langchain": "test_a_store_may_be_found_in_the_context_of_the_run",
        "pydantic_ai": "test_a_store_may_be_found_in_the_dependencies_of_the_run",
        "openai_agents": "test_a_store_may_be_found_in_the_context_of_the_run",
        "agent_framework": "test_a_store_may_be_found_in_the_session",
        "strands": "test_a_store_may_be_found_in_the_agent",
    },
    "each change in the framework's stream": {
        "langchain": "test_todos_in_the_state_change_with_every_write",
        "pydantic_ai": "test_what_the_model_writes_is_an_event_of_its_stream",
    },
}


def names_in(file: str) -> set[str]:
    """The names of the tests in a file, which may need the other environment."""
    tree = ast.parse((HERE / file).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def test_every_framework_of_the_suite_has_a_column() -> None:
    """And no other."""
    assert {*FRAMEWORKS.values(), *RECIPES.values()} == set(test_behaviour.DRIVEN)
    assert all(set(line) == set(FRAMEWORKS.values()) for line in table("suite").values())
    assert all(set(line) == set(RECIPES.values()) for line in table("suite", "recipes.md").values())


@pytest.mark.parametrize("page", ["frameworks.md", "recipes.md"])
def test_a_line_of_the_suite_says_yes_where_its_test_is_run(page: str) -> None:
    """And no where a framework is left out of it, or where a driver says so."""
    lines = table("suite", page)
    assert lines.keys() == IN_SUITE.keys()
    for what, test in IN_SUITE.items():
        assert "framework" in test_behaviour.__dict__[test].__annotations__
        for framework, cell in lines[what].items():
            source = (HERE / f"driver_{framework}.py").read_text(encoding="utf-8")
            keeps = what == KEPT and re.search(r"forgets\b.*= False", source) is not None
            assert cell.split(":")[0] == ("no" if keeps or test in LACKS.get(framework, ()) else "yes"), (
                what,
                framework,
            )


def test_what_a_framework_lacks_is_a_test_of_the_suite() -> None:
    """Nothing is left out under a name that is gone."""
    assert all(test in test_behaviour.__dict__ for lacks in LACKS.values() for test in lacks)


@pytest.mark.parametrize("what", OWN)
def test_a_line_of_its_own_has_a_test_where_it_says_yes(what: str) -> None:
    """And says nothing of a framework without one."""
    cells = table("own")[what]
    assert {framework for framework, cell in cells.items() if cell.startswith("yes")} == OWN[what].keys()
    for framework, test in OWN[what].items():
        assert test in names_in(f"test_{framework}.py")


def test_no_line_is_left_out() -> None:
    """Each line of the second table is looked at."""
    assert table("own").keys() == OWN.keys()
