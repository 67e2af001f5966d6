"""One plan, worked from start to end: what the model sends and reads, and what a person sees.

No model is asked here: the calls are scripted. Everything else is real.
"""

import json
import tempfile
from pathlib import Path

from holdfast import Session
from holdfast.attention import Attention
from holdfast.views.plain import box

STEPS = ["Read the failing test", "Fix the overlap check", "Run the tests", "Update the docs"]


def said(who: str, text: str) -> None:
    print("\n".join(f"  {who:>7} | {line}" for line in text.splitlines()))
    print()


def write(session: Session, attention: Attention, payload: dict[str, object]) -> None:
    """One turn of the model: what the request ends with, its call, and the reply."""
    if tail := attention.tail():
        said("tail", tail)
    said("model", f"TodoWrite {json.dumps(payload)}")
    said("reply", session.board.write(payload).text)


def done(id: str) -> dict[str, object]:
    return {"todos": [{"id": id, "status": "completed"}]}


def main() -> None:
    print("Holdfast: a plan from start to end. The model's calls are scripted; the rest is real.\n")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "plans.db")
        session = Session(file, "demo")
        attention = session.attend("quiet")

        print("The model writes its plan. It is safe on disk before the reply:\n")
        write(session, attention, {"summary": "Mend the merge", "todos": [{"content": step} for step in STEPS]})
        print(box(session.board.plan), "\n")

        print("It works, and says by id what is done:\n")
        session.board.worked("bash")
        write(session, attention, done("1"))
        print(box(session.board.plan), "\n")

        print("A write with faults changes nothing, and all faults are told at once:\n")
        write(session, attention, {"todos": [{"id": "2", "status": "almost"}, {"content": " "}]})

        print("A person corrects the plan. The model is told at the end of its next request, once:\n")
        session.board.edit("3", content="Run the tests, the slow ones too")
        session.board.worked("edit_file")
        write(session, attention, done("2"))
        session.board.store.close()

        print("The process ends. Another one goes on: the plan comes back where the model can see it:\n")
        session = Session(file, "demo")
        attention = session.attend("quiet")
        session.board.worked("bash")
        write(session, attention, done("3"))
        session.board.worked("edit_file")
        write(session, attention, done("4"))
        print(box(session.board.plan), "\n")
        assert session.board.plan.is_finished, "the plan was not worked to its end"
        tokens = session.tokens
        print(f"The plan cost about {tokens.total} tokens: {tokens._asdict()}")
        session.board.store.close()


if __name__ == "__main__":
    main()
