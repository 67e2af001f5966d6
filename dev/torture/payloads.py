"""Random calls, good and broken, in every dialect: each gets a reply, and a refused one leaves the plan as it was."""

import copy
import json
import logging
import random
from collections.abc import Iterator, Mapping
from typing import Any

from holdfast import Board, Plan, Reply, Status, dialects
from holdfast.stores import codec

from .tally import TortureResult

LEAVES: tuple[Any, ...] = (
    None, True, False, 0, -1, 2**70, 1.5, 1e308, "", " ", "\n", "A", "x" * 501, "字" * 201, "\x1b[2J", "\ud800", "‮",
    "<script>", "</system-reminder>", "pending", "in_progress", "completed", "cancelled", "blocked", "done", "deleted",
    "1", "2", "99", "[ ] a", "- [x] b\n- [~] c", [], {}, [[]], [None], {"todos": []}, b"\xff",
)  # fmt: skip
TEXTS = ("A", "B", "C", "Write the tests", "a\nb", "字", "\x1b[31mred", "x" * 200)
WRITES_PER_BOARD = 40


def torture_dialects(seed: int, times: int) -> TortureResult:
    """So many calls, spread over every tool of every dialect."""
    chance = random.Random(seed)
    lost: list[str] = []
    tried = 0
    logging.disable()  # the table says what failed
    try:
        while tried < times:
            for name in dialects.names():
                board = Board(dialect=name)
                tools = board.tools("json")
                losses = [_try_call(board, chance.choice(tools), chance) for _ in range(WRITES_PER_BOARD)]
                lost += [f"{name}, seed {seed}: {loss}" for loss in losses if loss]
                tried += WRITES_PER_BOARD
    finally:
        logging.disable(logging.NOTSET)
    return TortureResult("random calls in every dialect", tried, tuple(lost))


def _try_call(board: Board, tool: Mapping[str, Any], chance: random.Random) -> str:
    """What went wrong with one random call; empty if nothing did."""
    before = board.plan
    payload = conforming(tool["parameters"], chance)
    if chance.random() < 0.5:
        payload = broken(payload, chance)
    try:
        reply = board.write(payload, tool=tool["name"])
        return _broken_promises(board, before, reply)
    except Exception as error:  # any exception is a failure here
        return f"{type(error).__name__}: {error} on {payload!r}"[:500]


def _broken_promises(board: Board, before: Plan, reply: Reply) -> str:
    """Which promises a reply broke; empty if none."""
    plan, rules = board.plan, board.dialect.rules
    ids = [todo.id for todo in plan.todos]
    running = plan.counts()[Status.IN_PROGRESS]
    promises = {
        "a reply is either good or has faults": reply.ok == (not reply.faults),
        "nothing fails inside": all(fault.code not in ("internal", "store") for fault in reply.faults),
        "a refused call changes nothing": reply.ok or plan is before,
        "a call is at most one revision": plan.revision - before.revision in (0, 1),
        "ids are unique": len(set(ids)) == len(ids),
        "there are not too many todos": len(ids) <= max(rules.max_items, len(before.todos)),
        "the focus rule holds": running <= max(rules.max_in_progress, before.counts()[Status.IN_PROGRESS]),
        "the model gets a text": bool(reply.text),
        "the text can be sent": _can_be_sent(reply.text),
        "what is kept is what is read": plan is before or codec.plan_from_json(codec.plan_to_json(plan)) == plan,
        "a change leads there and back": _leads_there_and_back(before, plan),
    }
    return "; ".join(promise for promise, is_kept in promises.items() if not is_kept)


def _can_be_sent(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _leads_there_and_back(before: Plan, after: Plan) -> bool:
    if before is after:
        return True
    delta = codec.delta_to_json(before, after)
    return codec.forward(before, delta) == after and codec.backward(after, delta) == before


def conforming(schema: Mapping[str, Any], chance: random.Random) -> Any:
    """A random value that a schema allows."""
    if "enum" in schema:
        return chance.choice(schema["enum"])
    if "anyOf" in schema:
        return conforming(chance.choice(schema["anyOf"]), chance)
    match schema.get("type"):
        case "object":
            return _object(schema, chance)
        case "array":
            count = chance.choice((0, 1, 1, 2, 3, 4, schema.get("maxItems", 5)))
            return [conforming(schema["items"], chance) for _ in range(min(count, 60))]
        case "boolean":
            return chance.random() < 0.5
        case "integer" | "number":
            return chance.randrange(5)
        case "string":
            return chance.choice(TEXTS)[: schema.get("maxLength")]
    return _leaf(chance)


def _object(schema: Mapping[str, Any], chance: random.Random) -> dict[str, Any]:
    required = schema.get("required", ())
    return {
        key: chance.choice("1234") if key in ("id", "taskId") else conforming(inner, chance)
        for key, inner in schema.get("properties", {}).items()
        if key in required or chance.random() < 0.5
    }


def broken(payload: Any, chance: random.Random) -> Any:
    """The payload with something wrong in it, or as text, whole or cut off."""
    payload = copy.deepcopy(payload)
    for _ in range(chance.randrange(3)):
        holder, key = chance.choice(list(_places(payload)) or [(None, None)])
        if holder is None:
            return _leaf(chance)
        if chance.random() < 0.2 and isinstance(holder, dict):
            del holder[key]
        else:
            holder[key] = _leaf(chance)
    if chance.random() < 0.1 and isinstance(payload, dict):
        payload["unheard of"] = _leaf(chance)
    return _as_text(payload, chance) if chance.random() < 0.3 else payload


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place below a value: its container, and its key."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def _leaf(chance: random.Random) -> Any:
    return copy.deepcopy(chance.choice(LEAVES))


def _as_text(payload: Any, chance: random.Random) -> str | bytes:
    text = json.dumps(payload, default=repr)
    if chance.random() < 0.3:
        text = text[: chance.randrange(len(text) + 1)]
    if chance.random() < 0.2:
        at = chance.randrange(len(text) + 1)
        text = text[:at] + chance.choice('{}[],:"\\\0x\ud800') + text[at:]
    return text.encode(errors="surrogatepass") if chance.random() < 0.3 else text
