"""The completion log (section 10 of the `envelope` contract): a Markdown block for every finished plan."""

import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from markdown_it import MarkdownIt

from holdfast import Board, Reply, Session
from holdfast.board.completion_log import CompletionLog
from holdfast.stores.memory import MemoryStore

BEGAN = 1735839753.0  # 2025-01-02 17:42:33 UTC
SUMMARY = "修复 multi_edit 重叠检测并完善文档与测试"
DONE = [
    ("修复 multi_edit 重叠检测逻辑", "completed"),
    ("更新 multi_edit 文档", "completed"),
    ("性能优化脚本", "cancelled"),
    ("运行相关测试", "completed"),
]
OPEN = [("修复 multi_edit 重叠检测逻辑", "completed"), ("更新 multi_edit 文档", "in_progress")]

SAMPLE = """# task1-20250102-174233

总任务概述：修复 multi_edit 重叠检测并完善文档与测试

[3/4] Completed: 完成的任务.
- 修复 multi_edit 重叠检测逻辑
- 更新 multi_edit 文档
- 运行相关测试

[1/4] Cancelled: 取消的任务.
- ~~性能优化脚本~~
"""


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self, now: float = BEGAN) -> None:
        self.now = now

    def __call__(self) -> float:
        """The time it shows."""
        return self.now


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Local time is UTC: the names of files and blocks are in local time."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def logged(root: Path, clock: Callable[[], float] | None = None, store: MemoryStore | None = None) -> Board:
    """An envelope board with a log under `root`, as one session has it."""
    clock = Clock() if clock is None else clock
    board = Board(dialect="envelope", store=store, clock=clock)
    board.on_change(CompletionLog(root, clock))
    return board


def write(board: Board, todos: list[tuple[str, str]], summary: str = SUMMARY) -> Reply:
    """Write a whole list that must be taken."""
    reply = board.write({"summary": summary, "todos": [{"content": text, "status": status} for text, status in todos]})
    assert reply.ok, reply.text
    return reply


def envelope(reply: Reply) -> dict[str, Any]:
    """The structured form of a reply."""
    assert reply.data is not None
    return reply.data


def files(root: Path) -> list[Path]:
    """The log files under a project root."""
    return sorted((root / "memory" / "todos").glob("*"))


def blocks(root: Path) -> list[str]:
    """The headings of all blocks of the one log file."""
    (file,) = files(root)
    return re.findall(r"^# .*$", file.read_text(encoding="utf-8"), re.MULTILINE)


def test_a_finished_list_is_logged_as_the_contract_shows(tmp_path: Path) -> None:
    """The block is that of the contract's sample, character for character, in a file named by the session's start."""
    write(logged(tmp_path), DONE)
    (file,) = files(tmp_path)
    assert file.name == "todoList-20250102-174233.md"
    assert file.read_bytes().decode() == SAMPLE


def test_the_reply_tells_where_the_log_is(tmp_path: Path) -> None:
    """The user reads it in `text`, the model in `persisted_to`, relative to the project root."""
    data = envelope(write(logged(tmp_path), DONE))
    assert data["status"] == "success"
    assert data["data"]["persisted_to"] == "memory/todos/todoList-20250102-174233.md"
    assert data["text"].splitlines()[-2:] == ["-" * 19, "(Saved to memory/todos/todoList-20250102-174233.md)"]


@pytest.mark.parametrize(
    "todos",
    [
        pytest.param([], id="no item"),
        pytest.param([("A", "pending")], id="pending"),
        pytest.param([("A", "completed"), ("B", "in_progress")], id="in progress"),
        pytest.param([("A", "cancelled"), ("B", "completed"), ("C", "pending")], id="one open of three"),
    ],
)
def test_an_unfinished_list_is_not_logged(tmp_path: Path, todos: list[tuple[str, str]]) -> None:
    """While anything is open, or nothing is there, no file, no folder and no word of it appear."""
    data = envelope(write(logged(tmp_path), todos))
    assert list(tmp_path.iterdir()) == []
    assert "persisted_to" not in data["data"]
    assert data["text"].endswith("-" * 19)


@pytest.mark.parametrize(
    ("todos", "present", "absent"),
    [
        pytest.param([("A", "completed")], "[1/1] Completed: 完成的任务.\n- A\n", "Cancelled", id="only completed"),
        pytest.param([("A", "cancelled")], "[1/1] Cancelled: 取消的任务.\n- ~~A~~\n", "Completed", id="only cancelled"),
    ],
)
def test_a_section_without_items_is_left_out(
    tmp_path: Path, todos: list[tuple[str, str]], present: str, absent: str
) -> None:
    """Completed and cancelled both count as finished; a block has only the sections that it needs."""
    write(logged(tmp_path), todos)
    text = files(tmp_path)[0].read_text(encoding="utf-8")
    assert text.endswith(present)
    assert absent not in text


def test_one_file_a_session_and_a_number_a_block(tmp_path: Path) -> None:
    """Every finished plan of a session is appended to its file, counted from 1, under the time it was finished."""
    clock = Clock()
    board = logged(tmp_path, clock)
    write(board, DONE)
    clock.now += 60
    write(board, [("Next", "completed")], "More")
    (file,) = files(tmp_path)
    added = "\n# task2-20250102-174333\n\n总任务概述：More\n\n[1/1] Completed: 完成的任务.\n- Next\n"
    assert file.read_text(encoding="utf-8") == SAMPLE + added


@pytest.mark.parametrize(
    ("writes", "count"),
    [
        pytest.param([DONE, DONE], 1, id="written twice in a row unchanged"),
        pytest.param([DONE, DONE, DONE], 1, id="written three times in a row unchanged"),
        pytest.param([DONE, OPEN, DONE], 2, id="reopened and finished again"),
        pytest.param([DONE, [], DONE], 2, id="cleared and written again"),
        pytest.param([DONE, DONE[:2], DONE], 3, id="another finished list in between"),
        pytest.param([DONE, [(DONE[0][0], "cancelled"), *DONE[1:]]], 2, id="a status changed"),
    ],
)
def test_a_list_is_logged_when_it_is_finished_anew(
    tmp_path: Path, writes: list[list[tuple[str, str]]], count: int
) -> None:
    """The list written twice in a row unchanged adds one block; a list finished again adds another."""
    board = logged(tmp_path)
    for todos in writes:
        write(board, todos)
    assert blocks(tmp_path) == [f"# task{number}-20250102-174233" for number in range(1, count + 1)]


def test_an_unchanged_list_says_nothing_of_a_log(tmp_path: Path) -> None:
    """A write that adds no block does not claim to have saved one."""
    board = logged(tmp_path)
    write(board, DONE)
    data = envelope(write(board, DONE))
    assert "persisted_to" not in data["data"]
    assert "Saved" not in data["text"]


def test_a_refused_write_is_not_logged(tmp_path: Path) -> None:
    """A finished list with a fault in it leaves no file behind."""
    board = logged(tmp_path)
    assert not board.write({"summary": "", "todos": [{"content": "A", "status": "completed"}]}).ok
    assert list(tmp_path.iterdir()) == []


def test_a_plan_that_a_person_finishes_is_logged(tmp_path: Path) -> None:
    """It does not matter who closes the last item."""
    board = logged(tmp_path)
    write(board, [("A", "pending")])
    board.edit("1", status="completed")
    assert blocks(tmp_path) == ["# task1-20250102-174233"]


def test_a_plan_finished_in_an_earlier_run_is_not_logged_again(tmp_path: Path) -> None:
    """A session that goes on over the same store does not log again what the last run has logged."""
    store = MemoryStore()
    write(logged(tmp_path, store=store), DONE)
    write(logged(tmp_path, Clock(BEGAN + 60), store), DONE)
    assert blocks(tmp_path) == ["# task1-20250102-174233"]


def test_two_sessions_of_one_second_have_two_files(tmp_path: Path) -> None:
    """Sessions that start in the same second do not write into each other's log."""
    first, second = logged(tmp_path), logged(tmp_path)
    write(first, [("A", "completed")])
    write(second, [("B", "completed")])
    write(first, [("C", "completed")])
    names = [file.name for file in files(tmp_path)]
    assert names == ["todoList-20250102-174233-2.md", "todoList-20250102-174233.md"]
    texts = [re.findall("- (.)", file.read_text(encoding="utf-8")) for file in files(tmp_path)]
    assert texts == [["B"], ["A", "C"]]


def test_sessions_that_finish_at_once_have_a_file_each(tmp_path: Path) -> None:
    """However many sessions finish at the same moment, each has its own file with its own block."""
    count = 16
    barrier = Barrier(count)

    def session(number: int) -> None:
        board = logged(tmp_path)
        barrier.wait()
        write(board, [(f"item {number}", "completed")])

    with ThreadPoolExecutor(count) as pool:
        list(pool.map(session, range(count)))
    found = sorted(re.findall(r"- item (\d+)", file.read_text(encoding="utf-8"))[0] for file in files(tmp_path))
    assert found == sorted(str(number) for number in range(count))


def test_boards_that_share_a_log_share_its_file(tmp_path: Path) -> None:
    """One log on several boards, written from several threads, numbers its blocks without a gap."""
    count = 16
    log = CompletionLog(tmp_path, Clock())
    barrier = Barrier(count)

    def finish(number: int) -> None:
        board = Board(dialect="envelope")
        board.on_change(log)
        barrier.wait()
        write(board, [(f"item {number}", "completed")])

    with ThreadPoolExecutor(count) as pool:
        list(pool.map(finish, range(count)))
    assert blocks(tmp_path) == [f"# task{number}-20250102-174233" for number in range(1, count + 1)]


def test_a_log_that_cannot_be_written_is_told_and_the_write_stands(tmp_path: Path) -> None:
    """The user reads why in `text`; the write is a success, and the plan is as written."""
    (tmp_path / "memory").write_text("a file where the folder should be")
    board = logged(tmp_path)
    reply = write(board, DONE)
    data = envelope(reply)
    assert data["status"] == "success"
    assert "persisted_to" not in data["data"]
    assert re.fullmatch(r"\(Not saved to memory/todos: .+\)", data["text"].splitlines()[-1])
    assert [(todo.content, todo.status) for todo in board.plan.todos] == DONE


def test_a_log_that_could_not_be_written_is_tried_again(tmp_path: Path) -> None:
    """Once the trouble is over, the finished list written again is logged, as the first block."""
    obstacle = tmp_path / "memory"
    obstacle.write_text("a file where the folder should be")
    board = logged(tmp_path)
    write(board, DONE)
    obstacle.unlink()
    write(board, DONE)
    write(board, DONE)
    assert files(tmp_path)[0].read_text(encoding="utf-8") == SAMPLE


def test_a_log_that_was_deleted_is_begun_again(tmp_path: Path) -> None:
    """A person may clean the folder up during a session; the next block makes the file again."""
    board = logged(tmp_path)
    write(board, DONE)
    files(tmp_path)[0].unlink()
    (tmp_path / "memory" / "todos").rmdir()
    write(board, [("Next", "completed")])
    assert blocks(tmp_path) == ["# task2-20250102-174233"]


def test_the_root_is_where_the_session_began(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative root does not move when the process changes its folder."""
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    project.mkdir()
    elsewhere.mkdir()
    monkeypatch.chdir(project)
    board = logged(Path("."))
    monkeypatch.chdir(elsewhere)
    write(board, DONE)
    assert files(project)
    assert not files(elsewhere)


@pytest.mark.parametrize(
    "hostile",
    [
        "# task99-20250102-174233",
        "A\n# task99-20250102-174233",
        "A\u2028# task99",
        "~~not gone~~",
        "- [x] done",
        "1. first",
        "> quote",
        "```",
        "<img src=x onerror=alert(1)>",
        "[click](javascript:alert(1))",
        "**bold** _italic_ `code`",
        "a | b",
        "&lt;b&gt;",
        "ends with \\",
        "\x1b[2J\x07",
        "\u202egnp.exe",
    ],
)
def test_hostile_text_stays_text(tmp_path: Path, hostile: str) -> None:
    """Whatever the contents and the summary hold, the block has its one heading, its items and nothing else."""
    write(logged(tmp_path), [(hostile, "completed"), (hostile, "cancelled")], f"{hostile} A")
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(files(tmp_path)[0].read_text("utf-8"))
    kinds = [token.type for token in tokens if token.type.endswith("_open")]
    section = ["paragraph_open", "bullet_list_open", "list_item_open", "paragraph_open"]
    assert kinds == ["heading_open", "paragraph_open", *section, *section]
    inline = {child.type for token in tokens for child in token.children or []}
    assert inline <= {"text", "softbreak", "s_open", "s_close"}
    assert not any(char in token.content for token in tokens for char in "\x1b\x07\u202e")


def test_a_session_with_a_root_keeps_the_log(tmp_path: Path) -> None:
    """`Session(dialect="envelope", root=…)` logs the main agent's plans by itself."""
    session = Session(dialect="envelope", root=tmp_path, clock=Clock())
    write(session.board, DONE)
    assert files(tmp_path)[0].read_text(encoding="utf-8") == SAMPLE
