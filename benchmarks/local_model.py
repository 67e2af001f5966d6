"""Try the attention policies on a real small model: ten file jobs a run, graded by what is in the folder.

    python -m benchmarks.local_model --runs 5 --arms none plain quiet rail rail-offer

Needs an OpenAI-compatible server on loopback that takes `response_format: json_schema` (llama.cpp does). The model acts
by one JSON object a turn; the context is compacted by the model's own summary when it grows past a budget.
"""

import argparse
import contextlib
import json
import random
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from holdfast import Board
from holdfast.attention import Attention
from holdfast.reminders import OFF, QUIET, RAIL, Offer
from holdfast.riding import FIELD, unload

WORDS = ["amber", "birch", "cedar", "delta", "ember", "flint", "grove", "hazel", "iris"]
WORDS += ["jade", "koala", "lotus", "maple", "north", "olive", "pearl", "quill", "river"]
MARK = '{{"tool": "TodoWrite", "todos": [{{"id": "{id}", "status": "{status}"}}]}}'
CONTEXT = 3000
"""Characters of conversation, without the system prompt, before it is compacted."""


class Job(NamedTuple):
    """One thing to do in the folder, and whether it was done."""

    text: str
    check: Callable[[Path], bool]


class Result(NamedTuple):
    """What one run came to."""

    done: int
    jobs: int
    turns: int
    tokens_in: int
    tokens_out: int
    planned: int
    hollow: int
    ended: str
    seconds: float


def jobs(seed: int, folder: Path) -> list[Job]:
    """Ten small file jobs, and the files that they start from."""
    rng = random.Random(seed)
    names = rng.sample(WORDS, 14)
    a, b, c, d, e, f, g, h, i, j, k, m, n, o = names
    (folder / f"{b}.txt").write_text(f"{c}\n{d}\n{e}\n")
    (folder / f"{f}.txt").write_text("red\nred\nblue\n")
    (folder / f"{g}.txt").write_text("to be moved\n")
    (folder / f"{h}.txt").write_text("to be deleted\n")
    number = rng.randint(3, 9)
    (folder / f"{i}.txt").write_text("line\n" * number)

    def has(name: str, text: str) -> Callable[[Path], bool]:
        return lambda root: _read(root / name) == text

    return [
        Job(f"create {a}.txt with the text: hello {a}", has(f"{a}.txt", f"hello {a}")),
        Job(f"append the line {n} to {b}.txt", has(f"{b}.txt", f"{c}\n{d}\n{e}\n{n}")),
        Job(f"create {c}.txt with the text: {c} {number}", has(f"{c}.txt", f"{c} {number}")),
        Job(f"replace red by green in {f}.txt", has(f"{f}.txt", "green\ngreen\nblue")),
        Job(
            f"rename {g}.txt to {j}.txt",
            lambda root: _read(root / f"{j}.txt") == "to be moved" and not (root / f"{g}.txt").exists(),
        ),
        Job(f"delete {h}.txt", lambda root: not (root / f"{h}.txt").exists()),
        Job(
            f"write the number of lines of {i}.txt to {k}.txt",
            lambda root: _read(root / f"{k}.txt").split()[:1] == [str(number)],
        ),
        Job(f"make a folder named {m}", lambda root: (root / m).is_dir()),
        Job(f"create {d}.txt with the text: bye {d}", has(f"{d}.txt", f"bye {d}")),
        Job(f"create {o}.txt with the text: end {o}", has(f"{o}.txt", f"end {o}")),
    ]


class Host:
    """One run of one arm: a loop that a person could read, and the model at its other end."""

    def __init__(self, url: str, arm: str, seed: int, folder: Path, log: TextIO) -> None:
        self.url, self.arm, self.folder, self.log = url, arm, folder, log
        self.rng = random.Random(seed)
        self.jobs = jobs(seed, folder)
        self.board = Board("mini" if arm == "plain" else "holdfast")
        policy = RAIL if arm.startswith("rail") else QUIET if arm == "quiet" else OFF
        self.attention = Attention(self.board, policy._replace(rides=arm == "rail-ride", mark=MARK))
        self.history: list[dict[str, str]] = []
        self.tokens_in = self.tokens_out = self.turns = self.planned = 0

    def system(self) -> str:
        """What the model is told before anything else."""
        lines = [
            "You are an agent that works in a folder. Answer with one JSON action at a time.",
            '{"tool": "bash", "command": "..."} runs a shell command.',
            '{"tool": "write_file", "path": "...", "content": "..."} writes a file.',
            '{"tool": "finish"} ends the work, when everything is done.',
        ]
        if self.arm != "none":
            example = '"todos": [{"content": "..."}]'
            if self.arm == "plain":
                example = '"items": [{"content": "...", "status": "pending", "activeForm": "..."}]'
            lines.append(f'{{"tool": "TodoWrite", {example}}} keeps your plan. {self.board.dialect.description}')
            lines.append(self.board.prompt)
        return "\n".join(lines)

    def run(self, most: int) -> Result:
        """Work until the model ends it, loops, or has had its turns; then look what is in the folder."""
        started = time.monotonic()
        task = "Do these jobs:\n" + "\n".join(f"- {job.text}" for job in self.jobs)
        self.history = [{"role": "user", "content": task}]
        ended = "limit"
        recent: list[str] = []
        while self.turns < most:
            tail = self.attention.tail()
            if self.attention.is_news:
                self.history[-1]["content"] += f"\n\n{tail}"
                tail = ""
            action = self.ask(tail, self.attention.offer())
            recent = [*recent[-5:], json.dumps(action)]
            if len(recent) == 6 and len(set(recent)) == 1:
                ended = "loop"
                break
            self.history.append({"role": "assistant", "content": json.dumps(action)})
            if action.get("tool") == "finish":
                held = self.attention.hold()
                print(f"STOP {self.attention.last_stop}", file=self.log, flush=True)
                if not held:
                    ended = "finish"
                    break
                self.answer(held)
                continue
            self.answer(self.execute(action))
            if sum(len(message["content"]) for message in self.history) > CONTEXT:
                self.compact()
        done = sum(job.check(self.folder) for job in self.jobs)
        completed = [todo for todo in self.board.plan.todos if todo.status == "completed"]
        undone = [job.text for job in self.jobs if not job.check(self.folder)]
        hollow = sum(any(text in todo.content.lower() for text in undone) for todo in completed)
        return Result(
            done,
            len(self.jobs),
            self.turns,
            self.tokens_in,
            self.tokens_out,
            self.planned,
            hollow,
            ended,
            time.monotonic() - started,
        )

    def answer(self, text: str) -> None:
        """Put an answer into the conversation."""
        self.history.append({"role": "user", "content": text})
        print(f"      {text[:300]}", file=self.log, flush=True)

    def execute(self, action: dict[str, Any]) -> str:
        """Run one action."""
        tool = action.pop("tool", None)
        if tool == "TodoWrite":
            reply = self.board.write(action)
            self.planned = max(self.planned, len(self.board.plan.todos))
            return reply.text
        action, done = unload(action)
        result = self.work(str(tool), action)
        failed = not result.startswith(("Wrote", "exit 0"))
        self.board.worked(str(tool), failed)
        return f"{result}\n{self.attention.ride(done, failed)}" if done else result

    def work(self, tool: str, action: dict[str, Any]) -> str:
        """Run an action that is not about the plan."""
        if tool == "write_file":
            return self.write_file(str(action.get("path")), str(action.get("content")))
        return self.bash(str(action.get("command")))

    def write_file(self, path: str, content: str) -> str:
        """The tool that writes a file."""
        target = (self.folder / path.lstrip("/")).resolve()
        if not target.is_relative_to(self.folder.resolve()):
            return "Error: outside the folder"
        with contextlib.suppress(OSError):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content)
            return f"Wrote {path}.\n{self.noise()}"
        return "Error: cannot write"

    def bash(self, command: str) -> str:
        """The tool that runs a command."""
        try:
            ran = subprocess.run(
                ["bash", "-c", command],
                cwd=self.folder,
                capture_output=True,
                text=True,
                timeout=5,
                check=False,
                env={"PATH": "/usr/bin:/bin"},
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            return "Error: timed out"
        return f"exit {ran.returncode}\n{(ran.stdout + ran.stderr)[:600]}\n{self.noise()}"

    def noise(self) -> str:
        """Lines that nobody needs, as real tools print them."""
        return "\n".join(
            f"[log] {self.rng.choice(WORDS)} {self.rng.randint(100, 999)} checked in {self.rng.random():.3f}s"
            for _ in range(2)
        )

    def ask(self, tail: str, offer: Offer) -> dict[str, Any]:
        """The model's next action."""
        self.turns += 1
        messages = [{"role": "system", "content": self.system()}, *self.history]
        if tail:
            last = messages[-1]
            messages = [*messages[:-1], {**last, "content": f"{last['content']}\n\n{tail}"}]
        text = self.complete(messages, self.schema(offer), 700)
        print(f"{self.turns:3} | {tail[:160]}\n   => {text[:300]}", file=self.log, flush=True)
        try:
            action: dict[str, Any] = json.loads(text)
        except ValueError:
            return {"tool": "bash", "command": "echo the answer was cut off"}
        return action

    def schema(self, offer: Offer) -> dict[str, Any]:
        """What the next action may be: under `rail-offer` only what makes sense."""
        text, path = {"type": "string", "maxLength": 200}, {"type": "string", "maxLength": 40}
        todo = self.board.plan.next if self.attention.policy.rides else None
        ride = {} if todo is None else {FIELD: {"enum": [todo.id, "none"]}}
        work = [_action("bash", ["command", *ride], command=text, **ride)]
        work.append(_action("write_file", ["path", "content", *ride], path=path, content=text, **ride))
        own = offer.schema if self.arm == "rail-offer" and offer.schema else self.board.dialect.schema
        write = [] if self.arm == "none" else [_action("TodoWrite", own["required"], **own["properties"])]
        stop = [_action("finish", [])]
        if self.arm == "rail-offer":
            work, write, stop = work * offer.work, write * offer.write, stop * offer.stop
        return {"anyOf": [*work, *write, *stop]}

    def complete(self, messages: list[dict[str, str]], schema: dict[str, Any] | None, most: int) -> str:
        """One answer of the server."""
        body: dict[str, Any] = {
            "messages": messages,
            "temperature": 0,
            "seed": 1,
            "max_tokens": most,
            "cache_prompt": True,
        }
        if schema is not None:
            body["response_format"] = {"type": "json_schema", "json_schema": {"name": "action", "schema": schema}}
        request = urllib.request.Request(
            f"{self.url}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=300) as response:
            answer = json.load(response)
        self.tokens_in += answer["usage"]["prompt_tokens"]
        self.tokens_out += answer["usage"]["completion_tokens"]
        return str(answer["choices"][0]["message"]["content"])

    def compact(self) -> None:
        """The older messages become the model's own summary; the plan is not in it, it is restated."""
        ask = {"role": "user", "content": "Summarise in under 100 words what you were asked to do, and what is done."}
        summary = self.complete([*self.history, ask], None, 200)
        self.history = [{"role": "user", "content": f"Summary of the work so far: {summary}"}]
        self.attention.note(sees_plan=False)
        print(f"COMPACTED {summary[:300]}", file=self.log, flush=True)


def _action(tool: str, required: list[str], **fields: Any) -> dict[str, Any]:
    properties = {"tool": {"const": tool}, **fields}
    closed = {"type": "object", "additionalProperties": False}
    return {**closed, "properties": properties, "required": ["tool", *required]}


def _moved(old: Path, new: Path) -> bool:
    return _read(new) == "to be moved" and not old.exists()


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://127.0.0.1:18080/v1")
    parser.add_argument("--arms", nargs="+", default=["none", "plain", "quiet", "rail", "rail-offer"])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--turns", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--transcripts", type=Path, help="a folder to keep what was said in")
    options = parser.parse_args()
    folder = options.transcripts or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    print(f"transcripts are in {folder}", flush=True)
    for arm in options.arms:
        results = []
        for seed in range(options.seed, options.seed + options.runs):
            with tempfile.TemporaryDirectory() as place, (folder / f"{arm}-{seed}.txt").open("w") as log:
                results.append(Host(options.url, arm, seed, Path(place), log).run(options.turns))
            print(f"  {arm} {seed}: {results[-1]}", flush=True)
        done, total = sum(r.done for r in results), sum(r.jobs for r in results)
        tokens = sum(r.tokens_in for r in results)
        print(f"{arm}: {done} of {total} jobs, {tokens // max(done, 1)} input tokens a job", flush=True)


if __name__ == "__main__":
    main()
