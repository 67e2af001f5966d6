"""One run: one task under one arm, in a temporary folder, by the agent's own loop; then the folder is graded."""

import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ..agent.limits import Limits
from ..agent.loop import Agent
from ..agent.messages import Model
from ..agent.models.action_schema import mark_action
from ..agent.models.json_actions import JSONActions
from ..agent.result import INTERRUPTED
from ..agent.tools import Workspace
from ..board.session import Session
from ..errors import ModelError
from .arms import Arm
from .noise import noisy_tools
from .observer import RunObserver
from .records import RunRecord
from .tasks import Task

SYSTEM = (
    "You are an agent at work in a folder. Paths are relative to it. Do all that the user asks for. "
    "At the end, say in a few words what you did."
)
SUMMARY = (
    "You sum up the work of an agent so that it can go on without its notes. Keep what the user asked for, what is "
    "done, what is still to do, what was found out, and what failed."
)
MODEL_TROUBLE = "model: "
SAME_CALLS = 6
"""A small model may repeat a call a few times before it goes on: the arms must not differ by luck here."""


class TrialSettings(NamedTuple):
    """What is equal for all arms: the limits of a run, and the noise.

    `context` is how many tokens a conversation may have before the model sums it up. `answer` is how many tokens one
    JSON action may have.
    """

    turns: int = 60
    seconds: int = 1800
    context: int = 3000
    answer: int = 1000
    noise: int = 2


def run_trial(task: Task, arm: Arm, model: Model, settings: TrialSettings) -> RunRecord:
    """Let a model work on a task, and grade what is in the folder then.

    Raises ModelError if the model did not answer, which says nothing about the arm; and KeyboardInterrupt.
    """
    with temporary_folders() as (root, home):
        workspace = Workspace(root)
        task.lay_out(workspace)
        observer = RunObserver(task, workspace, arm.own_dialect().tool_names)
        trial = Trial(observer, arm, model, settings, home)
        started = time.monotonic()
        reason = trial.run(task.text).reason
        seconds = time.monotonic() - started
        if reason == INTERRUPTED:
            raise KeyboardInterrupt
        if reason.startswith(MODEL_TROUBLE):
            raise ModelError(reason.removeprefix(MODEL_TROUBLE))
        spent = (trial.requests, trial.tokens_in, trial.tokens_out)
        return observer.record(arm.name, reason, spent, seconds)


class Trial(Agent):
    """The agent of a run. In addition to the agent's own loop, the user may change their mind half way.

    All arms ask for a summary in the same words, which favour none of them.
    """

    summary_system = SUMMARY

    def __init__(self, observer: RunObserver, arm: Arm, model: Model, settings: TrialSettings, home: str) -> None:
        dialect, is_small = arm.own_dialect(), isinstance(model, JSONActions)
        super().__init__(
            model,
            Session(dialect=dialect, policy=arm.policy.replace(mark=mark_action(dialect)) if is_small else arm.policy),
            noisy_tools(observer.workspace, home, settings.noise, random.Random(observer.task.name)),
            system=SYSTEM,
            limits=Limits(settings.turns, 0, settings.seconds, settings.context, SAME_CALLS),
        )
        self.observer = observer
        self.later = observer.task.later
        self.on_event(observer.on_event)
        if isinstance(model, JSONActions):
            model.offer = self.attention.offer if arm.offers else None
            model.plan_tool = dialect.tool_name
            model.read_only_tools = self.read_only_tools
            model.most_tokens = settings.answer

    def step(self) -> bool:
        """One round. Half way, or when the model would stop earlier, the user says what is in `later`."""
        goes_on = super().step()
        if self.later and (not goes_on or self.budget.turns * 2 >= self.limits.turns or self.observer.is_half_way()):
            words, self.later = self.later, ""
            self.observer.on_user_message(words)
            self.add_user_message(words)
            return True
        return goes_on


@contextmanager
def temporary_folders() -> Iterator[tuple[Path, str]]:
    """A folder to work in, and one in place of the user's home. Both are removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="holdfast-eval-", ignore_cleanup_errors=True) as top:
        work, home = Path(top) / "work", Path(top) / "home"
        work.mkdir()
        home.mkdir()
        yield work, str(home)
