"""Puts an agent together: its tools, its plan, its policy, and what was said before."""

from collections.abc import Mapping
from typing import NamedTuple

from .. import dialects
from ..attention.policies import POLICIES
from ..board.session import Session
from ..plan.rules import Rules
from ..stores import Store
from ..stores.damage import readable_or_warn
from ..stores.newest import boards_of
from .conversations import OpenConversation
from .limits import Limits
from .loop import Agent
from .messages import Model
from .models import JSONActions
from .models.action_schema import in_actions
from .tools import Workspace, standard_tools
from .tools.files import MOST_OUTPUT
from .tools.task import task_tool

SYSTEM = """You are a coding agent at work in the folder {root}. Paths are relative to it.
Look before you change something, and run the tests afterwards. At the end, say in a few words what you did."""

SMALL_CONTEXT = 6000
"""The default of tokens of conversation for a local model: many have room for 8,192 in all."""


class AgentSetup(NamedTuple):
    """How an agent is to work. What is None is chosen to suit the model.

    `is_small` is for a local model that calls tools as JSON; `limits` are those that differ from the usual ones;
    `database` is the path of the plan file, for commands that the agent runs. With `checks`, the model may say what
    shows that a todo is done.
    """

    dialect: str | None = None
    attention: str | None = None
    is_small: bool = False
    plan_mode: bool = False
    limits: Mapping[str, int] = {}
    database: str | None = None
    checks: bool = False


def assemble(model: Model, conversation: OpenConversation, store: Store, setup: AgentSetup) -> Agent:
    """An agent that goes on with a conversation, on a plan in a store."""
    limits = Limits(context=SMALL_CONTEXT) if setup.is_small else Limits()
    limits = limits._replace(**setup.limits)
    workspace = Workspace(conversation.info.workspace)
    dialect = dialects.get(choose_dialect(model, setup))
    policy = POLICIES[setup.attention or ("rail" if setup.is_small else "quiet")]
    session = Session(
        store=store,
        name=conversation.info.session,
        dialect=dialect,
        policy=in_actions(policy, dialect) if setup.is_small else policy,
        rules=Rules(checks=True) if setup.checks else None,
        root=workspace.root,
    )
    session.plan_mode = setup.plan_mode
    if conversation.messages:
        _dismiss_subagents(session)
    # `TodoWrite`, run as a command, writes this very plan. No address is passed on: it may hold a password.
    environ = {"HOLDFAST_DB": setup.database, "HOLDFAST_SESSION": session.name} if setup.database else {}
    agent = Agent(
        model,
        session,
        standard_tools(workspace, min(MOST_OUTPUT, limits.context // 2 or MOST_OUTPUT), environ),
        system=SYSTEM.format(root=workspace.root),
        limits=limits,
        save=conversation.save,
        messages=conversation.messages,
    )
    if not setup.is_small:
        tool = task_tool(agent)
        agent.tools[tool.name] = tool
    connect_model(agent, model)
    return agent


def choose_dialect(model: Model, setup: AgentSetup) -> str:
    """The dialect that was asked for, else the one that suits the model. Small models do best with the default."""
    if setup.dialect is not None:
        return setup.dialect
    return "holdfast" if setup.is_small else dialects.for_model(getattr(model, "name", ""))


def connect_model(agent: Agent, model: Model) -> Model:
    """The model; one that can be held to actions learns from the agent which ones make sense next."""
    if isinstance(model, JSONActions):
        model.offer = agent.attention.offer
        agent.attention.constrains = True
        model.plan_tool = agent.board.dialect.tool_name
        model.read_only_tools = agent.read_only_tools
    return model


def _dismiss_subagents(session: Session) -> None:
    """End the plans of subagents that a crash has left behind."""
    for key, plan in readable_or_warn(boards_of(session.board.store, session.name)):
        if key.agent != session.board.key.agent and plan.todos:
            session.dismiss(key.agent)
