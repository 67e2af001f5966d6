"""The current todo and the progress of a conversation, on one line below a coding agent's prompt."""

import json
import os
from collections.abc import Mapping

from ...stores.locate import locate
from ...stores.store import Key
from ...text import brief
from .harnesses import CLAUDE_CODE, MAIN

LONGEST = 100


def status_line_or_nothing(raw: bytes, environ: Mapping[str, str]) -> bytes:
    """The line to print: nothing for a conversation without a plan, or if it cannot be said. Never raises."""
    try:
        line = status_line(raw, environ)
    except Exception:  # a status line must not disturb
        return b""
    return line.encode("utf-8", "replace") + b"\n" if line else b""


def status_line(raw: bytes, environ: Mapping[str, str]) -> str:
    """`2/5 ▸ Fix the parser`; empty without a plan. Raises StoreError, ValueError, KeyError, OSError."""
    from ...stores.sqlite import SQLiteStore

    asked = json.loads(raw)
    places = asked.get("workspace") or {}
    folder = environ.get(CLAUDE_CODE.project) or places.get("project_dir") or asked.get("cwd") or os.getcwd()
    address = locate(environ, folder if os.path.isdir(folder) else None)
    if "://" in address or not os.path.exists(address):
        return ""
    store = SQLiteStore(address, busy_wait=0.02)
    try:
        shared = environ.get(CLAUDE_CODE.task_list, "")
        plan = store.load(Key(shared or asked["session_id"], MAIN))
    finally:
        store.close()
    if not plan.todos:
        return ""
    done = f"{len(plan.done)}/{len(plan.todos)}"
    if plan.awaits_approval:
        return f"{done} waits for holdfast approve"
    todo = plan.next
    if todo is None:
        return f"{done} done" if plan.is_finished else f"{done} blocked"
    return brief(f"{done} \u25b8 {todo.label}", LONGEST)
