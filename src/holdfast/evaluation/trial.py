"""One run: one task under one arm, in a temporary folder, by the agent's own loop; then a look at the folder."""

import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ..agent import compaction
from ..agent.limits import Limits
from ..agent.loop import Agent
from ..agent.messages import Answer, Message, Model
from ..agent.models.action_schema import marking
from ..agent.models.json_actions import JSONActions
from ..agent.result import INTERRUPTED
from ..agent.tools import Workspace
from ..board.session import Session
from ..errors import ModelError
from .arms import Arm
from .noise import tools
from .observer import Watch
from .records import Run
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
"""A small model may say the same a few times before it goes on: the arms are not to differ by luck here."""


class Settings(NamedTuple):
    """What is equal for all arms: the limits of a run, and the noise.

    `context` is how many tokens a conversation may have before the model sums it up; `answer` how many one answer of a
    model may have that acts by JSON.
    """

    turns: int = 60
    seconds: int = 1800
    context: int = 3000
    answer: int = 1000
    noise: int = 2


def tried(task: Task, arm: Arm, model: Model, settings: Settings) -> Run:
    """Let a model work on a task, and look what is true in the folder then.

    Raises ModelError if the model did not answer: that says nothing about the arm. Raises KeyboardInterrupt.
    """
    with folders() as (root, home):
        workspace = Workspace(root)
        task.lay_out(workspace)
        watch = Watch(task, workspace, arm.own_dialect().tool_names)
        trial = Trial(watch, arm, model, settings, home)
        started = time.monotonic()
        reason = trial.run(task.text).reason
        seconds = time.monotonic() - started
        if reason == INTERRUPTED:
            raise KeyboardInterrupt
        if reason.startswith(MODEL_TROUBLE):
            raise ModelError(reason.removeprefix(MODEL_TROUBLE))
        spent = (trial.asked, trial.tokens_in, trial.tokens_out)
        return watch.run(arm.name, reason, spent, seconds)


class Trial(Agent):
    """The agent of a run. Beside its own loop it lets the user change their mind half way."""

    def __init__(self, watch: Watch, arm: Arm, model: Model, settings: Settings, home: str) -> None:
        dialect, is_small = arm.own_dialect(), isinstance(model, JSONActions)
        super().__init__(
            model,
            Session(dialect=dialect, policy=arm.policy.replace(mark=marking(dialect)) if is_small else arm.policy),
            tools(watch.workspace, home, settings.noise, random.Random(watch.task.name)),
            SYSTEM,
            Limits(settings.turns, 0, settings.seconds, settings.context, SAME_CALLS),
        )
        self.watch = watch
        self.asked = 0
        self.later = watch.task.later
        self.on_event(watch.see)
        if isinstance(model, JSONActions):
            model.offer = self.attention.offer if arm.offers else None
            model.plan_tool = dialect.tool_name
            model.looks = self.looks
            model.most_tokens = settings.answer

    def step(self) -> bool:
        """One round; half way, or when the model would end before that, the user has something to say."""
        goes_on = super().step()
        if self.later and (not goes_on or self.budget.turns * 2 >= self.limits.turns or self.watch.is_half_way()):
            words, self.later = self.later, ""
            self.watch.hear(words)
            self.hear(words)
            return True
        return goes_on

    def ask(
        self,
        system: str,
        messages: Sequence[Message],
        tools: Sequence[Mapping[str, Any]],
        on_text: Callable[[str], None] | None = None,
    ) -> Answer:
        """The model's answer. For a summary every arm's model is asked in the same words, which do not favour one."""
        self.asked += 1
        return super().ask(SUMMARY if system == compaction.SYSTEM else system, messages, tools, on_text)


@contextmanager
def folders() -> Iterator[tuple[Path, str]]:
    """A folder to work in, and one that stands for the user's own. Both are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="holdfast-eval-", ignore_cleanup_errors=True) as top:
        work, home = Path(top) / "work", Path(top) / "home"
        work.mkdir()
        home.mkdir()
        yield work, str(home)
