"""How much a model is told: what a policy is made of, and what a host knows of the moment."""

from holdfast import Rules, dialects
from holdfast.attention.policies import QUIET, RAIL, Policy
from holdfast.attention.state import Turn
from holdfast.plan.work import NO_WORK


def test_a_policy_does_only_what_it_names() -> None:
    """A host that makes one of its own starts from nothing; a cap and a pace are there for what it turns on."""
    nothing = {"holds": 0, "stale_after": 0, "gives_up_after": 0}
    no_words = dict.fromkeys(("first_text", "stale_text", "mark", "end"), "")
    never = dict.fromkeys(
        (
            *("tells_edits", "resumes", "names_current", "plan_first", "covers", "adopts", "asks_names", "retries"),
            *("one_write", "breaks_loops", "rides", "completes", "reads_first", "escalates"),
            *("shell_first", "shell_hints"),
        ),
        False,
    )
    rest = {"name": "off", "again_after": 10, "stale_times": 0, "longest": 2000, "tool": "TodoWrite"}
    assert Policy()._asdict() == {**nothing, **no_words, **never, **rest, "can_cancel": True, "rules": Rules()}


def test_the_rails_hold_a_model_to_one_write_of_true_and_whole_plans() -> None:
    """One write a turn, no completion without work, no open todo lost by leaving it out, and repairs, not refusals."""
    assert RAIL.one_write and RAIL.covers and RAIL.adopts and RAIL.asks_names and RAIL.retries and RAIL.breaks_loops
    assert RAIL.completes and RAIL.reads_first and RAIL.shell_first and RAIL.shell_hints and not RAIL.escalates
    assert RAIL.rides is None, "it depends on the host, and on the model"
    assert RAIL.rules == Rules(work_before_done=True, keep_open=True, repair=True)


def test_before_anything_has_happened() -> None:
    """A turn that a host says nothing of is the first one: nothing written, done or said, and the plan in sight."""
    said = {name: value for name, value in Turn()._asdict().items() if value}
    assert said == {"sees_plan": True, "first": True, "work": NO_WORK}


def test_a_strict_dialect_repairs_nothing_and_others_keep_their_rules() -> None:
    """Only what a policy asks for, and a contract forbids, is taken out."""
    assert RAIL.fitted_to(dialects.get("codex")).rules.repair is True
    assert RAIL.fitted_to(dialects.get("mini")).rules.repair is False
    assert QUIET.fitted_to(dialects.get("mini")).rules == QUIET.fitted_to(dialects.get("codex")).rules == Rules()
