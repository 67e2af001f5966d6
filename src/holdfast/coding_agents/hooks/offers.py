"""An open plan of an earlier conversation, offered to a new one that has none."""

import json
import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...board.handover import OLDEST, offer, open_plan_elsewhere
from ...stores.store import Key, Store, StoredPlan
from . import trail as trails
from .event import JSON, HookEvent, HookMoment
from .harnesses import HARNESSES, Harness
from .trail import WANTED, Trail

if TYPE_CHECKING:
    from .conversation import HookConversation

MOST_LOOKED_AT = 200
"""Among how many boards a plan to offer is looked for: very many sessions must not slow down every new one."""


def offer_plan(
    conversation: "HookConversation", harness: Harness, event: HookEvent, store: Store, environ: Mapping[str, str]
) -> JSON | None:
    """The offer, if there is one to make. It is made once in a conversation, and only to one that has no plan yet."""
    asked = wanted_plan(environ, store)
    is_new = event.kind is HookMoment.START and event.source != "compact"
    has_no_start = HookMoment.START not in harness.kinds.values() or harness.name == "opencode"
    if asked is None and not (is_new or has_no_start):
        return None
    trail = Trail(environ, harness.name, event.session)
    if (asked is None and trail.read().offered is not None) or conversation.has_plan():
        return None
    now = time.time()

    def may_offer(board: StoredPlan) -> bool:
        return _is_over(board, environ, now)

    found = asked or open_plan_elsewhere(store, event.session, now - OLDEST, may_offer, MOST_LOOKED_AT)
    if found is None or found.key.session == event.session:
        return None
    with trail.change() as known:
        known[0] = known[0]._replace(offered=(found.key.session, found.key.agent))
    if asked is not None:
        want_plan(environ, None)
    return conversation.say(event, offer(found, harness.tool, is_asked=asked is not None))


def want_plan(environ: Mapping[str, str], key: Key | None) -> None:
    """Remember which plan a person wants in the next conversation; `None` forgets it. Raises OSError."""
    path = os.path.join(trails.folder(environ), WANTED)
    if key is None:
        os.unlink(path)
        return
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(key, file)


def wanted_plan(environ: Mapping[str, str], store: Store) -> StoredPlan | None:
    """The plan that a person wants in the next conversation, if it is in this store and still open."""
    try:
        with open(os.path.join(trails.folder(environ), WANTED), encoding="utf-8") as file:
            session, agent = json.load(file)
    except (OSError, ValueError, TypeError):
        return None
    key = Key(str(session), str(agent))
    plan = store.load(key)
    return StoredPlan(key, plan) if plan.open else None


def _is_over(board: StoredPlan, environ: Mapping[str, str], now: float) -> bool:
    """Whether a plan's conversation is over: a plan that somebody works on is nobody else's."""
    if board.plan.about.client not in HARNESSES:
        return False
    return not any(Trail(environ, name, board.key.session).is_live(now) for name in HARNESSES)
