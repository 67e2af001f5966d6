"""The arms: what a model gets to plan with. Everything else is equal for all of them."""

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from .. import dialects
from ..attention.policies import OFF, POLICIES, QUIET, RAIL, Policy
from ..dialects.dialect import Dialect, Tool
from ..dialects.holdfast import Holdfast
from ..errors import UsageError
from ..plan.rules import Rules

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


_TABLE = (
    Arm("none", "no plan tool", None, OFF),
    Arm("plain", "a whole-list TodoWrite that lives in the conversation alone", "mini", OFF),
    Arm("quiet", "Holdfast, for strong models", OWN_DIALECT, QUIET),
    Arm("rail", "Holdfast, for small models", OWN_DIALECT, RAIL),
    Arm(
        "rail-marks",
        "rail, each update in a call of its own",
        OWN_DIALECT,
        RAIL.replace(rides=False, completes=False),
    ),
    Arm(
        "rail-no-names",
        "rail, names in a todo not looked for in its calls",
        OWN_DIALECT,
        RAIL.replace(asks_names=False),
    ),
    Arm(
        "rail-no-auto",
        "rail, no todo completed by what its calls show",
        OWN_DIALECT,
        RAIL.replace(completes=False),
    ),
    Arm(
        "rail-no-read",
        "rail, source code changed without a look",
        OWN_DIALECT,
        RAIL.replace(reads_first=False),
    ),
    Arm(
        "rail-all-tools", "rail, every tool offered, not the shell first", OWN_DIALECT, RAIL.replace(shell_first=False)
    ),
    Arm("rail-no-hints", "rail, nothing said of how a shell works", OWN_DIALECT, RAIL.replace(shell_hints=False)),
    Arm(
        "quiet-no-rails", "quiet, a model in trouble not put on the rails", OWN_DIALECT, QUIET.replace(escalates=False)
    ),
    Arm("rail-no-adopt", "rail, the model writes the plan of a user's list", OWN_DIALECT, RAIL.replace(adopts=False)),
    Arm("rail-no-retry", "rail, what is blocked is not tried again", OWN_DIALECT, RAIL.replace(retries=False)),
    Arm("quiet-no-loops", "quiet, a call made again is not named", OWN_DIALECT, QUIET.replace(breaks_loops=False)),
    Arm("rail-no-tail", "rail without the current item at the tail", OWN_DIALECT, RAIL.replace(names_current=False)),
    Arm(
        "rail-no-guard",
        "rail without the guard: completion needs no work, open todos may be dropped, every action is offered",
        OWN_DIALECT,
        RAIL.replace(rules=Rules()),
        offers=False,
    ),
    Arm("rail-no-offer", "rail, every action offered at every turn", OWN_DIALECT, RAIL, offers=False),
    Arm("rail-no-resume", "rail, the plan not restated after compaction", OWN_DIALECT, RAIL.replace(resumes=False)),
    Arm(
        "rail-no-repair",
        "rail, payloads that break a rule refused",
        OWN_DIALECT,
        RAIL.replace(rules=RAIL.rules.replace(repair=False)),
    ),
    Arm("rail-no-cover", "rail, the user's list not counted", OWN_DIALECT, RAIL.replace(covers=False)),
    Arm("rail-no-gate", "rail without the stop gate", OWN_DIALECT, RAIL.replace(holds=0)),
    Arm("quiet-no-resume", "quiet, the plan not restated", OWN_DIALECT, QUIET.replace(resumes=False)),
    Arm("quiet-no-stale", "quiet, a stale plan not named", OWN_DIALECT, QUIET.replace(stale_after=0)),
)
ARMS: Mapping[str, Arm] = {arm.name: arm for arm in _TABLE}
USUAL = ("none", "plain", "quiet", "rail")


def find_arm(name: str) -> Arm:
    """An arm by its name: one of the table, a policy, or either with a dialect, like `rail:sema`.

    Raises UsageError for an unknown name.
    """
    own, colon, dialect = name.partition(":")
    arm = ARMS.get(own)
    if arm is None and own in POLICIES:
        arm = Arm(own, f"the policy {own}", OWN_DIALECT, POLICIES[own])
    if arm is None or (colon and (arm.dialect is None or dialect not in dialects.names())):
        raise UsageError(
            f"no arm {name!r}: there are {', '.join(ARMS)}, the policies {', '.join(POLICIES)}, "
            f"and each with one of the dialects {', '.join(dialects.names())}, like rail:sema"
        )
    return arm._replace(name=name, about=f"{arm.about}, in {dialect}", dialect=dialect) if colon else arm
