"""The first host: the agent that comes with Holdfast, with its own loop and its four tools."""

from ..agent.events import AgentEvent, Compaction, ReminderSent, Text, TodoUpdate, ToolCall, ToolResult
from ..agent.limits import Limits
from ..agent.loop import Agent
from ..agent.messages import Model
from ..agent.models.action_schema import in_actions
from ..agent.models.json_actions import JSONActions
from ..agent.result import INTERRUPTED
from ..agent.tools import AgentTool
from ..board.session import Session
from ..errors import ModelError
from .noise import noisy_tools
from .observer import RunObserver, TrialOutcome
from .trial import SAME_CALLS, Trial

SYSTEM = (
    "You are an agent at work in a folder. Paths are relative to it. Do all that the user asks for. "
    "At the end, say in a few words what you did."
)
SUMMARY = (
    "You sum up the work of an agent so that it can go on without its notes. Keep what the user asked for, what is "
    "done, what is still to do, what was found out, and what failed."
)
MODEL_TROUBLE = "model: "


class AgentHost:
    """Runs a trial by the agent's own loop."""

    name = "agent"

    def __init__(self, model: Model) -> None:
        self.model = model

    def run(self, trial: Trial) -> TrialOutcome:
        """Let the model work on the task. Raises ModelError if the model does not answer; and KeyboardInterrupt."""
        agent = EvaluatedAgent(trial, self.model)
        reason = agent.run(trial.task.text).reason
        if reason == INTERRUPTED:
            raise KeyboardInterrupt
        if reason.startswith(MODEL_TROUBLE):
            raise ModelError(reason.removeprefix(MODEL_TROUBLE))
        return TrialOutcome(reason, agent.requests, agent.tokens_in, agent.tokens_out)


class EvaluatedAgent(Agent):
    """The agent of a run. In addition to the agent's own loop, the user may change their mind half way.

    All arms ask for a summary in the same words, which favour none of them.
    """

    summary_system = SUMMARY

    def __init__(self, trial: Trial, model: Model) -> None:
        arm, settings = trial.arm, trial.settings
        dialect, is_small = arm.own_dialect(), isinstance(model, JSONActions)
        super().__init__(
            model,
            Session(dialect=dialect, policy=in_actions(arm.policy, dialect) if is_small else arm.policy),
            _own_tools(trial),
            system=SYSTEM,
            limits=Limits(settings.turns, 0, settings.seconds, settings.context, SAME_CALLS),
        )
        self.observer = trial.observer
        self.on_event(lambda event: observe_event(self.observer, event))
        if isinstance(model, JSONActions):
            model.offer = self.attention.offer if arm.offers else None
            self.attention.constrains = arm.offers
            model.plan_tool = dialect.tool_name
            model.read_only_tools = self.read_only_tools
            model.most_tokens = settings.answer

    def step(self) -> bool:
        """One round. Half way, or when the model would stop earlier, the user says what they want changed."""
        goes_on = super().step()
        words = self.observer.next_words(is_half=self.budget.turns * 2 >= self.limits.turns or not goes_on)
        if words:
            self.add_user_message(words)
        return goes_on or bool(words)


def _own_tools(trial: Trial) -> list[AgentTool]:
    """The agent's tools, or those that were asked for."""
    settings = trial.settings
    tools = noisy_tools(trial.workspace, trial.home, settings.noise, trial.rng())
    return [tool for tool in tools if not settings.tools or tool.name in settings.tools.split(",")]


def observe_event(observer: RunObserver, event: AgentEvent) -> None:
    """Record one event of the agent."""
    match event:
        case Text():
            observer.on_model_text(event.text)
        case ToolCall():
            observer.on_call(event.name, event.input)
        case ToolResult():
            observer.on_result(event.name, event.output, event.failed)
        case TodoUpdate():
            observer.on_todos(event.todos)
        case ReminderSent():
            observer.on_reminder(event.text)
        case Compaction():
            observer.on_summary(event.summary)
