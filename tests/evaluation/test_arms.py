"""The arms of an evaluation: policies, and policies without some of their parts."""

import pytest

from holdfast import QUIET, RAIL
from holdfast.errors import UsageError
from holdfast.evaluation.arms import ARMS, PARTS, find_arm


@pytest.mark.parametrize("name", PARTS)
def test_each_part_can_be_left_out(name: str) -> None:
    """An arm without it differs from the whole policy, in that part alone."""
    base = "quiet" if name in ("stale", "rails") else "rail"
    whole, arm = find_arm(base), find_arm(f"{base}-no-{name}")
    assert (arm.policy, arm.offers) != (whole.policy, whole.offers)
    part = PARTS[name]
    assert whole.policy.replace(**part.changes).replace(rules=part.rules.over(whole.policy.rules)) == arm.policy
    assert arm.about.startswith(whole.about)


def test_several_parts_can_be_left_out() -> None:
    """Each of them is gone, in a dialect, too."""
    arm = find_arm("rail-no-offer-no-gate-no-adopt:sema")
    assert (arm.name, arm.dialect, arm.offers) == ("rail-no-offer-no-gate-no-adopt:sema", "sema", False)
    assert arm.policy == RAIL.replace(holds=0, adopts=False)
    assert arm.about.endswith(
        "every action offered at every turn, no stop gate, the model writes the plan itself, in sema"
    )
    assert find_arm("off-no-tail").policy.names_current is False


@pytest.mark.parametrize("parts", ["guard-no-repair", "repair-no-guard"])
def test_no_part_brings_another_one_back(parts: str) -> None:
    """Rules are left out one by one, in any order, and from a policy that has none of them, none is added."""
    rules = find_arm(f"rail-no-{parts}").policy.rules
    assert not (rules.work_before_done or rules.keep_open or rules.repair)
    assert find_arm("rail-no-repair").policy.rules.work_before_done
    assert find_arm("rail-no-guard").policy.rules.repair
    rules = find_arm(f"quiet-no-{parts}").policy.rules
    assert not (rules.work_before_done or rules.keep_open or rules.repair)


def test_the_table_has_the_parts_one_by_one() -> None:
    """Of each policy, those that it has."""
    assert ARMS["rail"].policy is RAIL and ARMS["quiet"].policy is QUIET
    assert [name for name in ARMS if name.startswith("quiet-")] == [
        "quiet-no-resume",
        "quiet-no-stale",
        "quiet-no-loops",
        "quiet-no-rails",
    ]
    assert {name.removeprefix("rail-no-") for name in ARMS if name.startswith("rail-")} == set(PARTS) - {
        "stale",
        "loops",
        "rails",
    }


@pytest.mark.parametrize("name", ["rial", "rail-no-such", "rail-no-", "none-no-tail", "none:codex", "rail:klingon", ""])
def test_an_unknown_arm_is_an_error(name: str) -> None:
    """It says which there are."""
    with pytest.raises(UsageError, match=r"no arm '.*': there are none, plain, quiet, rail, .* like rail:sema"):
        find_arm(name)
