"""An agent fixes a small project, with its plan always in view: `make demo`.

The model is scripted, so there is no key, no network, and the same run each time. Everything else is real: the tools,
the files, the tests, the plan on the disk, the reminder, the compaction, the edit by a person. The same with a model:

    .venv/bin/python examples/demo.py --model anthropic:NAME
    .venv/bin/python examples/demo.py --base-url http://127.0.0.1:8080/v1 --tool-calls json
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from holdfast import Session
from holdfast.agent import Agent, AgentEvent, Limits, Model, Rehearsal, Workspace, call, standard_tools, text
from holdfast.agent.dialogue import permission_prompt
from holdfast.agent.events import Compaction, ReminderSent, ToolResult
from holdfast.agent.screen import RunScreen, open_screen
from holdfast.attention.policies import QUIET
from holdfast.errors import ModelError
from holdfast.plan import Status

TASK = "The tests of this project fail. Fix intervals.py so that they pass, and bring README.md up to date."
SCRIPTED = f"""Holdfast: an agent fixes a small project. Its model is scripted, everything else is real.
The same task with a real model: python {sys.argv[0]} --model anthropic:NAME
"""
NEXT = """
What to try next:
  .venv/bin/holdfast add Read the code    a plan of your own; `holdfast` alone shows it, `holdfast watch` follows it
  .venv/bin/holdfast install claude-code  the plan of a coding agent, recorded and brought back
  docs/frameworks.md                      the same in LangChain, Pydantic AI, OpenAI Agents, Google ADK or your own loop
"""
EYE = 1.0
"""How many seconds each step stays in sight, for a person who follows."""

WISH = "Test intervals that only touch"
TEST = "set -o pipefail; python -m unittest -q 2>&1 | tail -n 3"

CODE = '''"""Intervals of time, as pairs of numbers."""


def merge(intervals):
    """The intervals with those that overlap drawn together, in order."""
    merged = []
    for start, end in intervals:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


def total(intervals):
    """How much time the intervals cover."""
    return sum(end - start for start, end in intervals)
'''
TESTS = """import unittest

from intervals import merge, total


class MergeTest(unittest.TestCase):
    def test_overlapping(self):
        self.assertEqual(merge([(1, 3), (2, 5)]), [(1, 5)])

    def test_any_order(self):
        self.assertEqual(merge([(6, 8), (1, 3), (2, 5)]), [(1, 5), (6, 8)])

    def test_one_inside_another(self):
        self.assertEqual(merge([(1, 9), (2, 3)]), [(1, 9)])


class TotalTest(unittest.TestCase):
    def test_overlaps_count_once(self):
        self.assertEqual(total([(1, 3), (2, 5)]), 4)


if __name__ == "__main__":
    unittest.main()
"""
README = "# intervals\n\nThe intervals must be given in order.\n"

STEPS = ("Merge in any order", "Merge one inside another", "Count overlaps once", "Run all tests", "Update README.md")
SCRIPT = [
    [text("First I look at what fails."), call("bash", command=TEST), call("read_file", path="intervals.py")],
    [text("Three things are wrong. I write my plan down."), call("TodoWrite", todos=[{"content": s} for s in STEPS])],
    [
        text("The intervals are not sorted."),
        call("edit_file", path="intervals.py", old="in intervals:\n", new="in sorted(intervals):\n"),
    ],
    [text("One failure less?"), call("bash", command=TEST)],
    [text("One less."), call("TodoWrite", todos=[{"id": "1", "status": "completed"}])],
    [
        text("The user has a wish: I see it. First, the longer end must win."),
        call("edit_file", path="intervals.py", old="[0], end)", new="[0], max(merged[-1][1], end))"),
    ],
    [text("And the total."), call("edit_file", path="intervals.py", old="in intervals)", new="in merge(intervals))")],
    [text("All tests, then."), call("bash", command=TEST)],
    [
        text("Reminded in time: three more are done."),
        call("TodoWrite", todos=[{"id": id, "status": "completed"} for id in ("2", "3", "4")]),
    ],
    [text("Now the user's wish."), call("read_file", path="test_intervals.py"), call("read_file", path="intervals.py")],
    [
        text("The plan is back, and I know where I am."),
        call(
            "edit_file",
            path="test_intervals.py",
            old="class TotalTest",
            new="class TouchTest(unittest.TestCase):\n    def test_touching(self):\n"
            "        self.assertEqual(merge([(1, 2), (2, 3)]), [(1, 3)])\n\n\nclass TotalTest",
        ),
        call("bash", command=TEST),
    ],
    [
        text("The last one is the README."),
        call("edit_file", path="README.md", old="must be given in order", new="may come in any order, and overlap"),
    ],
    [call("TodoWrite", todos=[{"id": id, "status": "completed"} for id in ("5", "6")])],
    [text("All tests pass: merge sorts and keeps the longer end, total counts overlaps once.")],
]
SUMMARY = "Three faults in intervals.py: not sorted (fixed), the longer end lost, overlaps counted twice in total."


class Visitor:
    """A person who adds a wish to the plan when the first todo is done. Records what happened."""

    def __init__(self, session: Session, pause: float) -> None:
        self.session = session
        self.pause = pause
        self.wish_made = False
        self.events: list[AgentEvent] = []

    def see(self, event: AgentEvent) -> None:
        """Record an event, let it be read, and add the wish when it is time."""
        self.events.append(event)
        if isinstance(event, ToolResult):
            time.sleep(self.pause)
        done = [todo for todo in self.session.board.plan.todos if todo.status is Status.COMPLETED]
        if isinstance(event, ToolResult) and done and not self.wish_made:
            self.wish_made = True
            self.session.board.add(WISH)

    def missed(self) -> list[str]:
        """What the demo should show, and did not."""
        reminders = [event.text for event in self.events if isinstance(event, ReminderSent)]
        shown = {
            "a reminder": any("Is the plan still right?" in reminder for reminder in reminders),
            "the user's edit": any(WISH in reminder for reminder in reminders),
            "a compaction": any(isinstance(event, Compaction) for event in self.events),
            "the plan brought back": any(reminder.startswith("<plan>") for reminder in reminders),
            "a finished plan": self.session.board.plan.is_finished,
        }
        return [what for what, was_seen in shown.items() if not was_seen]


def model_of(options: argparse.Namespace) -> Model:
    if options.model is None and options.base_url is None:
        return Rehearsal(SCRIPT, SUMMARY, pace=0.1 if is_followed(options) else 0.0)
    from holdfast.agent.models import open_model

    return open_model(options.model, options.base_url, options.tool_calls)


def is_followed(options: argparse.Namespace) -> bool:
    """Whether a person looks on, who needs time to read."""
    return sys.stdout.isatty() and not options.fast


def work(folder: Path, model: Model, is_scripted: bool, pause: float) -> Visitor:
    """Let the agent work in the folder, with the plan in view."""
    session = Session(store=folder.parent / "plans.db", name="demo", policy=QUIET.replace(stale_after=3, again_after=3))
    agent = Agent(
        model,
        session,
        standard_tools(Workspace(folder)),
        system="You are a coding agent.",
        limits=Limits(context=1300 if is_scripted else 6000),
    )
    visitor = Visitor(session, pause)
    screen: RunScreen = open_screen(agent)
    agent.on_event(visitor.see)
    if not is_scripted:
        agent.permission = permission_prompt(screen)
    screen.say(f"The task: {TASK}\n")
    with screen.working():
        agent.run(TASK)
    return visitor


def passes(folder: Path, tests: str) -> bool:
    """Whether tests pass on what is in the folder now."""
    (folder / "test_as_given.py").write_text(tests, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "unittest", "-q"], cwd=folder, capture_output=True, text=True, check=False
    )
    print(ran.stderr.strip().splitlines()[-1] if ran.returncode == 0 else ran.stderr)
    return ran.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description="An agent fixes a small project, its plan in view.")
    parser.add_argument("--model", help="anthropic:NAME or openai:NAME; without it the model is scripted")
    parser.add_argument("--base-url", help="the address of a server that speaks the model's API")
    parser.add_argument("--tool-calls", choices=("native", "json"), default="native")
    parser.add_argument("--fast", action="store_true", help="do not wait for a reader's eye")
    options = parser.parse_args()
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    try:
        model = model_of(options)
    except ModelError as error:
        sys.exit(str(error))
    is_scripted = isinstance(model, Rehearsal)
    if is_scripted:
        print(SCRIPTED)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "intervals")
        folder.mkdir()
        for name, content in (("intervals.py", CODE), ("test_intervals.py", TESTS), ("README.md", README)):
            (folder / name).write_text(content, encoding="utf-8")
        visitor = work(folder, model, is_scripted, EYE if is_scripted and is_followed(options) else 0.0)
        missed = visitor.missed() if is_scripted else []
        is_fixed = passes(folder, TESTS)
        visitor.session.board.store.close()
    if missed:
        print(f"The demo failed: it did not show {', '.join(missed)}.")
    print("The project's tests really pass now." if is_fixed else "The demo failed: the project's tests do not pass.")
    if is_fixed and not missed:
        print(NEXT)
    return 0 if is_fixed and not missed else 1


if __name__ == "__main__":
    sys.exit(main())
