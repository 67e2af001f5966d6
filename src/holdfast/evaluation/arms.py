"""The arms: what a model gets to plan with. Everything else is equal for all of them."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from .. import dialects
from ..attention.policies import OFF, POLICIES, QUIET, RAIL, Policy
from ..dialects.dialect import Dialect, Tool
from ..dialects.holdfast import Holdfast
from ..errors import UsageError
from ..plan.rules import Rules

if TYPE_CHECKING:
    from ..attention.policies import PolicyParts

OWN_DIALECT = "holdfast"


class NoPlan(Holdfast):
    """A dialect without a tool and without a prompt: no plan at all."""

    name = "none"
    prompt = ""

    @cached_property
    def tools(self) -> tuple[Tool, ...]:
        """No tools."""
        return ()


class Arm(NamedTuple):
    """One way to plan. Without a `dialect` there is no plan tool.

    `offers`: a server that can enforce a schema allows only actions that make sense next, if the policy says so.
    """

    name: str
    about: str
    dialect: str | None
    policy: Policy
    offers: bool = True

    def own_dialect(self) -> Dialect:
        """The model's dialect; NoPlan if the arm has none."""
        return NoPlan() if self.dialect is None else dialects.get(self.dialect)


class ArmPart(NamedTuple):
    """One part of a policy, which an arm may leave out: what the arm is like then, and what changes."""

    without: str
    changes: "PolicyParts"
    rules: Rules = Rules()
    offers: bool = True


PARTS: Mapping[str, ArmPart] = {
    "auto": ArmPart("no todo completed by what its calls show", {"completes": False}),
    "read": ArmPart("nothing to be read first", {"reads_first": False}),
    "hints": ArmPart("nothing said of how a shell works", {"shell_hints": False}),
    "shell": ArmPart("every tool offered, not the shell first", {"shell_first": False}),
    "adopt": ArmPart("the model writes the plan itself", {"adopts": False}),
    "cover": ArmPart("the user's list not counted", {"covers": False}),
    "names": ArmPart("names in a todo not looked for in its calls", {"asks_names": False}),
    "retry": ArmPart("what is blocked is not tried again", {"retries": False}),
    "rides": ArmPart("each update in a call of its own", {"rides": False}),
    "tail": ArmPart("the current item not at the tail", {"names_current": False}),
    "guard": ArmPart(
        "completion needs no work, open todos may be dropped, no offers",
        {},
        Rules(work_before_done=False, keep_open=False),
        offers=False,
    ),
    "offer": ArmPart("every action offered at every turn", {}, offers=False),
    "repair": ArmPart("payloads that break a rule refused", {}, Rules(repair=False)),
    "gate": ArmPart("no stop gate", {"holds": 0}),
    "resume": ArmPart("the plan not restated after compaction", {"resumes": False}),
    "stale": ArmPart("a stale plan not named", {"stale_after": 0}),
    "loops": ArmPart("a call made again is not named", {"breaks_loops": False}),
    "rails": ArmPart("a model in trouble not put on the rails", {"escalates": False}),
}
"""What can be left out of a policy: `rail-no-tail`, or several of them, `rail-no-offer-no-gate`."""

QUIET_PARTS = ("resume", "stale", "loops", "rails")
RAIL_PARTS = tuple(part for part in PARTS if part not in ("stale", "loops", "rails"))


def _without(arm: Arm, parts: Sequence[str]) -> Arm:
    """An arm without some parts."""
    for name in parts:
        part = PARTS[name]
        arm = Arm(
            f"{arm.name}-no-{name}",
            f"{arm.about}, {part.without}",
            arm.dialect,
            arm.policy.replace(**part.changes).replace(rules=part.rules.over(arm.policy.rules)),
            arm.offers and part.offers,
        )
    return arm


_QUIET = Arm("quiet", "Holdfast, for strong models", OWN_DIALECT, QUIET)
_RAIL = Arm("rail", "Holdfast, for small models", OWN_DIALECT, RAIL)
_TABLE = (
    Arm("none", "no plan tool", None, OFF),
    Arm("plain", "a whole-list TodoWrite that lives in the conversation alone", "mini", OFF),
    _QUIET,
    _RAIL,
    *(_without(_RAIL, [part]) for part in RAIL_PARTS),
    *(_without(_QUIET, [part]) for part in QUIET_PARTS),
)
ARMS: Mapping[str, Arm] = {arm.name: arm for arm in _TABLE}
USUAL = ("none", "plain", "quiet", "rail")


def find_arm(name: str) -> Arm:
    """An arm by its name: one of the table, a policy, either without parts of it, or with a dialect, like `rail:sema`.

    Raises UsageError for an unknown name.
    """
    own, colon, dialect = name.partition(":")
    base, *parts = own.split("-no-")
    arm = ARMS.get(base)
    if arm is None and base in POLICIES:
        arm = Arm(base, f"the policy {base}", OWN_DIALECT, POLICIES[base])
    is_known = arm is not None and all(part in PARTS for part in parts) and (arm.dialect is not None or not parts)
    if arm is None or not is_known or (colon and (arm.dialect is None or dialect not in dialects.names())):
        raise UsageError(
            f"no arm {name!r}: there are {', '.join(ARMS)}, the policies {', '.join(POLICIES)}, "
            f"each without some parts, like rail-no-offer-no-gate, and with one of the dialects "
            f"{', '.join(dialects.names())}, like rail:sema"
        )
    arm = _without(arm, parts)
    return arm._replace(name=name, about=f"{arm.about}, in {dialect}", dialect=dialect) if colon else arm
