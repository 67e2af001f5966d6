"""How much a model is told of its plan: a table of values."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

from ..errors import UsageError
from ..plan import Status
from ..plan.rules import Rules

PolicyName = Literal["off", "quiet", "rail", "mini"]

if TYPE_CHECKING:
    from typing import TypedDict, Unpack

    from ..dialects import Dialect

    class PolicyParts(TypedDict, total=False):
        """The parts of a policy by name, for type checkers."""

        name: str
        tells_edits: bool
        resumes: bool
        holds: int
        names_current: bool
        plan_first: bool
        covers: bool
        adopts: bool
        asks_names: bool
        retries: bool
        completes: bool
        reads_first: bool
        escalates: bool
        shell_first: bool
        shell_hints: bool
        stale_after: int
        again_after: int
        stale_times: int
        first_text: str
        stale_text: str
        longest: int
        one_write: bool
        breaks_loops: bool
        rides: bool | None
        gives_up_after: int
        tool: str
        mark: str
        end: str
        can_cancel: bool
        rules: Rules


class _PolicyFields(NamedTuple):
    name: str = "off"
    tells_edits: bool = False
    resumes: bool = False
    holds: int = 0
    names_current: bool = False
    plan_first: bool = False
    covers: bool = False
    adopts: bool = False
    asks_names: bool = False
    retries: bool = False
    completes: bool = False
    reads_first: bool = False
    escalates: bool = False
    shell_first: bool = False
    shell_hints: bool = False
    stale_after: int = 0
    again_after: int = 10
    stale_times: int = 0
    first_text: str = ""
    stale_text: str = ""
    longest: int = 2000
    one_write: bool = False
    breaks_loops: bool = False
    rides: bool | None = False
    gives_up_after: int = 0
    tool: str = "TodoWrite"
    mark: str = ""
    end: str = ""
    can_cancel: bool = True
    rules: Rules = Rules()


class Policy(_PolicyFields):
    """How much a model is told of its plan. Every part can be changed: `QUIET.replace(stale_after=20)`.

    `tells_edits`: the model is told of a person's edit. `resumes`: a plan out of sight is restated.
    `holds`: how often in a row the stop gate holds a model that makes no progress; 0 for no gate.
    `names_current`: the current item stands at the end of each request. `plan_first`: no work before a plan.
    `covers`: a first plan has a todo for each point of a list that the user gave. `adopts`: if the user's message is
    such a list, or plain requests in a paragraph, it is the plan, and the model need not write one.
    `asks_names`: a todo is not called done while no call has mentioned the names in its text, such as a file; it is
    asked once, with the current item. `retries`: what is blocked is tried once more at the end.
    `completes`: a todo is completed by itself as soon as its calls have succeeded and mentioned every name in its text.
    `reads_first`: the source code that a todo names, and a file that the user's example gives for it, are to be read
    before anything is changed.
    `escalates`: a model that only writes its plan, or marks what no call has mentioned, is put on the rails; in a host
    that asks for `Attention.offer`, also one that loops, plans less than the user has listed, or stops with work left.
    `shell_first`: where the host has a shell, `Attention.offer` leaves other tools out until they are needed, for
    source code and for what is tried once more. `shell_hints`: a model whose command has failed, or has only printed
    something, is told which commands change files; in a host with nothing but a shell it is to write source code anew
    as a whole.
    `stale_after`, `again_after`: requests without a write before a reminder, and between two; 0 for never.
    `stale_times`: how many such reminders there are in a row at most; 0 for no limit.
    `first_text`, `stale_text`: what is said before the user's first text, and of a stale plan, instead of our words.
    `longest`: how many characters a reminder has at most.
    `one_write`: of several plan writes in one turn only the first counts.
    `breaks_loops`: a model that makes the same call again is told so.
    `rides`: an update may come inside another tool's call, and take no turn of its own; None: if the host passes its
    tools through `Attention.equip`.
    `gives_up_after`: different ways that fail before the model is told to mark the current item blocked; 0 for never.
    `tool`, `mark`: the plan's tool, and the call that gives the todo `{id}` a `{status}`, as the model writes it.
    `end`: the action that ends the model's turn, as the model writes it; empty where that is a plain answer.
    `can_cancel`: whether the model has a word for what is no longer needed.
    `rules`: what a board must check for the policy to work.
    """

    __slots__ = ()

    def __new__(cls, **parts: "Unpack[PolicyParts]") -> Self:
        """A policy with these parts."""
        return super().__new__(cls, **parts)

    def replace(self, **changes: "Unpack[PolicyParts]") -> "Policy":
        """A copy with some parts changed."""
        return self._replace(**changes)

    def fitted_to(self, dialect: "Dialect") -> "Policy":
        """This policy in a dialect's words: it names the dialect's tools, and asks for nothing that it cannot say.

        A todo that cannot be done is to be marked blocked. A dialect without that status gets it. A dialect that is
        strict by contract repairs nothing.
        """
        tool = dialect.mark_tool or dialect.tool_name
        mark = self.mark or (f"{tool} {dialect.mark}" if dialect.mark else "")
        rules = self.rules.replace(repair=False) if self.rules.repair and dialect.is_strict else self.rules
        statuses = dialect.rules.statuses
        can_cancel = Status.CANCELLED in statuses
        policy = self.replace(tool=dialect.tool_name, mark=mark, can_cancel=can_cancel, rules=rules)
        if not self.gives_up_after or Status.BLOCKED in statuses:
            return policy
        if dialect.form.parse is not None:  # its list is a text, which has no mark for it
            return policy.replace(gives_up_after=0)
        return policy.replace(rules=rules.replace(statuses=(*statuses, Status.BLOCKED)))

    def on_rails(self, statuses: Collection[Status]) -> "Policy":
        """What `rail` says, by the rules and in the words of this policy, with no word for a status but these."""
        return RAIL.replace(
            name=self.name,
            tool=self.tool,
            mark=self.mark,
            end=self.end,
            can_cancel=self.can_cancel,
            rules=self.rules,
            gives_up_after=RAIL.gives_up_after if Status.BLOCKED in statuses else 0,
        )


OFF = Policy()
QUIET = Policy(
    name="quiet",
    tells_edits=True,
    resumes=True,
    stale_after=10,
    stale_times=3,
    one_write=True,
    breaks_loops=True,
    escalates=True,
)
RAIL = Policy(
    name="rail",
    tells_edits=True,
    resumes=True,
    holds=3,
    names_current=True,
    plan_first=True,
    one_write=True,
    breaks_loops=True,
    rides=None,
    gives_up_after=3,
    covers=True,
    adopts=True,
    asks_names=True,
    retries=True,
    completes=True,
    reads_first=True,
    shell_first=True,
    shell_hints=True,
    rules=Rules(work_before_done=True, keep_open=True, repair=True),
)
MINI = Policy(
    name="mini",
    stale_after=11,
    first_text="<reminder>Use TodoWrite for multi-step tasks.</reminder>",
    stale_text="<reminder>10+ turns without todo update. Please update todos.</reminder>",
)
"""The two reminders of the dialect `mini`, word for word: in the first message, on the 11th round, then each 10th."""

POLICIES: Mapping[str, Policy] = {policy.name: policy for policy in (OFF, QUIET, RAIL, MINI)}


def find_policy(policy: str | Policy) -> Policy:
    """The policy of this name, or the one given. Raises UsageError for an unknown name."""
    if isinstance(policy, Policy):
        return policy
    if policy not in POLICIES:
        raise UsageError(f"no policy {policy!r}; there are {', '.join(POLICIES)}")
    return POLICIES[policy]
