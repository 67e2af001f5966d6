"""A model for the bare host: it reads what it is asked and what the schema allows, so runs may stand side by side."""

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from holdfast.agent.messages import Block
from holdfast.evaluation.tasks import Job, Task
from holdfast.testing import text

Work = Callable[[int, Job], str]
"""The command for a job, by its place in the list."""
GOODBYE = "All of it is done."


def all_of_it(_: int, job: Job) -> str:
    """Every job is done."""
    return job.solution


def half_of_it(at: int, job: Job) -> str:
    """Every other job is done."""
    return job.solution if at % 2 == 0 else none_of_it(at, job)


def none_of_it(at: int, job: Job) -> str:
    """No job is done: the command does nothing, and only has the right names in it."""
    return f": {at} {shlex.quote(job.text)}"


class BareModel:
    """Plans where it can, works through the jobs of its task, marks what it worked on, and says that all is done.

    Where it is told which item to do, it does that one. Of an item that the user has withdrawn it only says so.
    """

    def __init__(self, tasks: Sequence[Task], work: Work = all_of_it) -> None:
        self.tasks = tasks
        self.work = work

    def __call__(self, body: Mapping[str, Any]) -> Sequence[Block]:
        """The answer to a request."""
        if "response_format" not in body:
            return [text("Some of it is done.")]
        said = [message["content"] for message in body["messages"]]
        task = next(task for task in self.tasks if any(task.text in words for words in said))
        is_later = bool(task.later) and any(task.later in words for words in said)
        acts = list(_acts(body["messages"], task.later))
        allowed = {
            action["properties"]["tool"]["const"]: action["properties"]["args"]
            for action in body["response_format"]["json_schema"]["schema"]["anyOf"]
        }
        told = Told.of(said[-1].rpartition("\n")[2])
        if task.kind == "prose":  # the item is in the user's words: it is the job that has the same names
            told = told._replace(item=next((job.text for job in task.jobs if set(job.names) & told.words), told.item))
        return [text(json.dumps(self._next(task.final_jobs if is_later else task.jobs, acts, allowed, told)))]

    def _next(
        self,
        jobs: Sequence[Job],
        acts: Sequence[Mapping[str, Any]],
        allowed: Mapping[str, Mapping[str, Any]],
        told: "Told",
    ) -> dict[str, Any]:
        ran = [act["args"]["command"] for act in acts if act["tool"] == "bash"]
        commands = {self.work(at, job): job for at, job in enumerate(jobs)}
        left = [command for command in commands if command not in ran]
        last = acts[-1]["tool"] if acts else "user"
        plan = allowed.get("TodoWrite")
        if plan is not None and (last in ("user", "bash") or not (left or "final" in allowed)):
            return {"tool": "TodoWrite", "args": _plan(plan, jobs, [commands[one] for one in commands if one in ran])}
        if "bash" in allowed and (left or "final" not in allowed):
            named = [command for command, job in commands.items() if job.text in told.item]
            withdrawn = f": {len(acts)} withdrawn {shlex.quote(told.item)}"
            command = named[0] if named else withdrawn if told.item or not left else left[0]
            return {"tool": "bash", "args": {"command": command, **({"done": told.done} if told.done else {})}}
        return {"tool": "final", "args": {"text": GOODBYE}}


class Told(NamedTuple):
    """What the end of a request says: which item to do now, and the id to put into the call that finishes it."""

    item: str = ""
    done: str = ""

    @property
    def words(self) -> set[str]:
        """The words of the item, without what stands around them."""
        return {word.strip('.,"') for word in self.item.split()}

    @classmethod
    def of(cls, tail: str) -> "Told":
        """Read the last line of a request."""
        item = re.search(r"(?:[Nn]ow do|[Rr]un (?:one|another)) .*?: (.+)", tail)
        done = re.search(r'Put "done": "(\d+)" into', tail)
        return cls(item[1] if item else "", done[1] if done else "")


def _acts(messages: Sequence[Mapping[str, str]], later: str) -> Iterator[dict[str, Any]]:
    """What the model has done so far, and where the user has changed their mind."""
    for message in messages:
        if message["role"] == "assistant":
            yield json.loads(message["content"])
        elif later and later in message["content"]:
            yield {"tool": "user"}


def _plan(schema: Mapping[str, Any], jobs: Sequence[Job], done: Sequence[Job]) -> dict[str, Any]:
    """The whole list with what is done; the one todo that the schema is about; or a first plan of texts alone."""
    (name, todos), *_ = schema["properties"].items()
    fields = todos["items"]["properties"]
    if "const" in fields.get("id", {}):
        return {name: [{"id": fields["id"]["const"], "status": fields["status"]["enum"][0]}]}
    items = []
    for job in jobs:
        more = {"status": "completed" if job in done else "pending"} if "status" in fields else {}
        items.append({"content": job.text[:120], **more, **({"activeForm": "Doing"} if "activeForm" in fields else {})})
    return {name: items}
