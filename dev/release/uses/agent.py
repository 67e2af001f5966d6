"""The extra `agent`: the command works a plan to its end, with each SDK on a scripted model."""

import json
import os
import subprocess
from pathlib import Path

from holdfast.testing import ModelServer, call, text

TURNS = [
    [call("TodoWrite", todos=[{"content": "Write a greeting"}])],
    [call("write_file", path="hello.txt", content="Hello!\n")],
    [call("TodoWrite", todos=[{"id": "1", "status": "completed"}])],
    [text("There is a greeting.")],
]

for name in ("anthropic", "openai"):
    with ModelServer(TURNS) as server:
        address = server.url if name == "anthropic" else server.chat_url
        agent = ["holdfast", "agent", "--json", "--model", f"{name}:scripted", "--base-url", address]
        keys = {"ANTHROPIC_API_KEY": "none", "OPENAI_API_KEY": "none"}
        ran = subprocess.run(
            [*agent, "--dialect", "holdfast", "Greet the world."],
            env={**os.environ, **keys},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        events = [json.loads(line) for line in ran.stdout.splitlines()]
        assert events[-1]["reason"] == "done", events[-1]
        assert [todo["status"] for todo in events[-1]["todos"]] == ["completed"], events[-1]
        greeting = Path("hello.txt")
        assert greeting.read_text() == "Hello!\n"
        greeting.unlink()
