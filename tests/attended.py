"""Boards under attention, for the tests of what it says and of what a write must show."""

from holdfast import Attention, Board, Policy, Reminder
from holdfast.attention.policies import PolicyName
from holdfast.plan.work import Work, tool_use


def planned(policy: PolicyName | Policy = "quiet", *contents: str) -> Attention[Board]:
    """Attention to a board with a plan of these todos, its first turn begun."""
    attention = Attention(Board(policy=policy))
    attention.before_request()
    assert attention.board.write({"todos": [{"content": content} for content in contents or ("A", "B", "C")]}).ok
    return attention


def text_of(reminder: Reminder | None) -> str:
    """What a reminder says; nothing if there is none."""
    return "" if reminder is None else reminder.text


def work(*calls: str) -> Work:
    """Work on the current todo: commands in their order. One that begins with `!` failed, one with `?` only read."""
    so_far = Work()
    for call in calls:
        kind, command = (call[0], call[1:]) if call[0] in "!?" else ("", call)
        so_far = so_far.after(tool_use("bash", {"command": command}, failed=kind == "!", read_only=kind == "?"))
    return so_far
