"""Events as the harnesses send them: every shape here was taken down from a real run, paths and ids apart."""

from typing import Any

JSON = dict[str, Any]

SESSION = "e84fea32-455e-46d6-9a3e-486acdc84bbf"
SUBAGENT = "a5db89cc24c0b67fc"


def claude(event: str, session: str = SESSION, **fields: object) -> JSON:
    """An event of Claude Code 2.1.325."""
    return {
        "session_id": session,
        "transcript_path": "/home/user/.claude/projects/-work/e84fea32.jsonl",
        "cwd": "/nowhere",
        "prompt_id": "e5edec36-ff24-40af-a013-def50555357b",
        "permission_mode": "default",
        "hook_event_name": event,
        **fields,
    }


def claude_tool(tool: str, given: object, result: object, session: str = SESSION, **fields: object) -> JSON:
    """The use of a tool in Claude Code."""
    done = {"tool_input": given, "tool_response": result, "tool_use_id": "toolu_1", "duration_ms": 20}
    return claude("PostToolUse", session, tool_name=tool, **done, **fields)


def todo_write(*todos: tuple[str, str], session: str = SESSION, **fields: object) -> JSON:
    """A whole list in Claude Code: texts and statuses."""
    items = [{"content": text, "status": status, "activeForm": f"Doing {text}"} for text, status in todos]
    return claude_tool("TodoWrite", {"todos": items}, {"oldTodos": [], "newTodos": items}, session, **fields)


def task_create(id: str, subject: str, **fields: object) -> JSON:
    """A new task in Claude Code."""
    given = {"subject": subject, "description": f"All of {subject}", **fields}
    made = {"id": id, "subject": subject, "description": given["description"]}
    return claude_tool("TaskCreate", given, {"task": made})


def task_update(id: str, **fields: object) -> JSON:
    """A change of a task in Claude Code."""
    result = {"success": True, "taskId": id, "updatedFields": [*fields]}
    return claude_tool("TaskUpdate", {"taskId": id, **fields}, result)


def task_list(*tasks: tuple[str, str, str]) -> JSON:
    """All tasks, as Claude Code lists them: ids, subjects and statuses."""
    shown = [{"id": id, "subject": subject, "status": status, "blockedBy": []} for id, subject, status in tasks]
    return claude_tool("TaskList", {}, {"tasks": shown})


def bash() -> JSON:
    """A command in Claude Code."""
    output = {"stdout": "hi", "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}
    return claude_tool("Bash", {"command": "echo hi", "description": "say hi"}, output)


def stop(goes_on: bool = False, words: str = "Done.", running: int = 0) -> JSON:
    """Claude Code is about to end a turn."""
    task = {"id": SUBAGENT, "type": "subagent", "status": "running", "description": "look"}
    return claude(
        "Stop",
        stop_hook_active=goes_on,
        last_assistant_message=words,
        background_tasks=[task] * running,
        session_crons=[],
    )


def codex(event: str, **fields: object) -> JSON:
    """An event of Codex 0.166."""
    return {
        "session_id": "01a1e4aa-5866-74d1-872e-b8e6bd9d7782",
        "turn_id": "01a1e4aa-5881-7751-84cb-aac44d72432b",
        "transcript_path": "/home/user/.codex/sessions/2026/11/16/rollout-01a1e4aa.jsonl",
        "cwd": "/nowhere",
        "hook_event_name": event,
        "model": "gpt-5.5",
        "permission_mode": "default",
        **fields,
    }


def update_plan(*steps: tuple[str, str]) -> JSON:
    """A plan in Codex."""
    given = {"explanation": "why", "plan": [{"step": step, "status": status} for step, status in steps]}
    return codex(
        "PostToolUse", tool_name="update_plan", tool_input=given, tool_response="Plan updated", tool_use_id="call_1"
    )


def gemini(event: str, **fields: object) -> JSON:
    """An event of Gemini CLI 0.61."""
    return {
        "session_id": "d52593af-f59a-4b1d-b1d3-1863f7a03a99",
        "transcript_path": "/home/user/.gemini/tmp/shop/chats/session-d52593af.jsonl",
        "cwd": "/nowhere",
        "hook_event_name": event,
        "timestamp": "2026-11-16T14:02:32.557Z",
        **fields,
    }


def write_todos(*todos: tuple[str, str]) -> JSON:
    """A list in Gemini CLI."""
    given = {"todos": [{"description": text, "status": status} for text, status in todos]}
    result = {"llmContent": "Successfully updated the todo list.", "returnDisplay": given}
    return gemini("AfterTool", tool_name="write_todos", tool_input=given, tool_response=result)


def opencode(event: str, **fields: object) -> JSON:
    """An event of opencode, as our plugin tells it."""
    return {"hook_event_name": event, "cwd": "/nowhere", "session_id": "ses_7a1b2c3d4e5f", **fields}


def todowrite(*todos: tuple[str, str, str]) -> JSON:
    """A list in opencode: texts, statuses and priorities."""
    given = {"todos": [{"content": text, "status": status, "priority": how} for text, status, how in todos]}
    return opencode("tool.execute.after", tool_name="todowrite", tool_input=given)
