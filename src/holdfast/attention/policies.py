"""How much a model is told of its plan: a table of values, and what a host knows of the moment when it asks."""

from collections.abc import Mapping
from typing import NamedTuple

from ..plan.rules import Rules


class Turn(NamedTuple):
    """What a host knows of the moment before a request."""

    since_write: int = 0
    """Requests since the last plan write that was taken."""
    since_reminder: int | None = None
    """Requests since the last reminder after that write; none if there was no reminder."""
    reminded: int = 0
    """How often the plan was called stale since that write, and since the user spoke or the plan came back."""
    worked: int = 0
    """Other tools used since the last plan write; the first look at something is not among them."""
    looked: int = 0
    """Calls since then that only read."""
    failed: int = 0
    """Other calls that failed since then or since one that did not, in a row."""
    sees_plan: bool = True
    """Whether the model can still see its last write: not after compaction, on resume, in a new conversation."""
    first: bool = True
    """Whether nothing was sent to the model yet."""
    stopping: bool = False
    """Whether the model is about to end its turn."""
    held: int = 0
    """How often the stop gate has held it in a row, with no todo finished or blocked that was not before."""
    heard: bool = False
    """Whether the user has spoken, and neither was the plan written since nor was the model told to do so."""
    interrupted: bool = False
    """Whether the user interrupted, or said stop."""
    asked_user: bool = False
    """Whether the model waits for the user's answer."""
    subagents: int = 0
    """How many subagents are at work."""


class Policy(NamedTuple):
    """How much a model is told of its plan. Every part can be changed (`QUIET._replace(stale_after=20)`) or left out.

    `stale_after`, `again_after`: requests without a write before a reminder, and between two; 0 for never.
    `stale_times`: how many such reminders there are in a row at most; 0 for no end.
    `one_write`: of several plan writes in one turn only the first counts.
    `holds`: how often in a row the stop gate holds a model that makes no progress; 0 for no gate.
    `rides`: an update may ride on another tool's call, and take no turn of its own.
    `gives_up_after`: calls that fail in a row before the model is told to mark the current item blocked; 0 for never.
    `tool`, `mark`: the plan's tool, and the call that gives the todo `{id}` a `{status}`, as the model writes it.
    `rules`: what a board must check for the policy to work.
    """

    name: str = "off"
    tells_edits: bool = False
    resumes: bool = False
    holds: int = 0
    names_current: bool = False
    plan_first: bool = False
    stale_after: int = 0
    again_after: int = 10
    stale_times: int = 0
    first_text: str = ""
    stale_text: str = ""
    longest: int = 2000
    one_write: bool = False
    rides: bool = False
    gives_up_after: int = 0
    tool: str = "TodoWrite"
    mark: str = ""
    rules: Rules = Rules()


OFF = Policy()
QUIET = Policy("quiet", tells_edits=True, resumes=True, stale_after=10, stale_times=3, one_write=True)
RAIL = Policy(
    "rail",
    tells_edits=True,
    resumes=True,
    holds=3,
    names_current=True,
    plan_first=True,
    one_write=True,
    gives_up_after=2,
    rules=Rules(work_before_done=True, keep_open=True),
)
MINI = Policy(
    "mini",
    stale_after=11,
    first_text="<reminder>Use TodoWrite for multi-step tasks.</reminder>",
    stale_text="<reminder>10+ turns without todo update. Please update todos.</reminder>",
)
"""The two reminders of seed 004, word for word: in the first message, on the 11th round, then on every 10th."""

POLICIES: Mapping[str, Policy] = {policy.name: policy for policy in (OFF, QUIET, RAIL, MINI)}
