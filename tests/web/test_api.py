"""The API, on the wire: what it tells, what it changes, and what it refuses."""

import pytest
from web_driving import Served, board, path_of

from holdfast.plan import Status


def write(served: Served, *contents: str, session: str = "release", agent: str = "main") -> None:
    """An agent plans, and starts with the first."""
    todos = [{"content": text, "status": "pending" if at else "in_progress"} for at, text in enumerate(contents)]
    assert board(served.store, session, agent).write({"todos": todos}).ok


def names(served: Served, query: str = "") -> list[str]:
    """The sessions in the order of an answer."""
    return [session["session"] for session in served.sessions(query)["sessions"]]


def test_it_is_well(served: Served) -> None:
    """`/healthz` says so, whatever is in the store."""
    assert served.ask("/healthz").data["ok"] is True


def test_sessions_are_told_in_their_order(served: Served) -> None:
    """What runs comes first, then what waits, then what is finished; the liveliest agent counts."""
    write(served, "Read", session="finished")
    board(served.store, "finished").edit("1", status=Status.COMPLETED)
    write(served, "Read", session="waiting")
    board(served.store, "waiting").edit("1", status=Status.BLOCKED)
    write(served, "Read", session="waiting-with-helper")
    board(served.store, "waiting-with-helper").edit("1", status=Status.PENDING)
    write(served, "Look", session="waiting-with-helper", agent="helper")
    answer = served.sessions()
    assert [session["session"] for session in answer["sessions"]] == ["waiting-with-helper", "waiting", "finished"]
    assert answer["counts"] == {"running": 1, "waiting": 1, "finished": 1}
    main, helper = answer["sessions"][0]["boards"]
    assert (main["agent"], main["parent"]) == ("main", None)
    assert (helper["agent"], helper["parent"], helper["current"]["label"]) == ("helper", "main", "Look")


def test_sessions_come_page_by_page(served: Served) -> None:
    """Going on from `next` leads through all, each once, even when some change in between."""
    for number in range(7):
        write(served, "Read", session=f"s{number}")
    first = served.sessions("limit=3")
    board(served.store, "s0").edit("1", status=Status.COMPLETED)
    second = served.sessions(f"limit=3&after={first['next']}")
    third = served.sessions(f"limit=3&after={second['next']}")
    told = [session["session"] for answer in (first, second, third) for session in answer["sessions"]]
    assert told == ["s6", "s5", "s4", "s3", "s2", "s1", "s0"]
    assert third["next"] is None


def test_sessions_are_found_by_what_is_in_them(served: Served) -> None:
    """By a name, an agent, a todo, in any case; and of one pace."""
    write(served, "Fix the PARSER", session="one")
    write(served, "阅读原稿", session="two", agent="translator")
    assert names(served, "search=parser") == ["one"]
    assert names(served, "search=%E9%98%85%E8%AF%BB") == ["two"]
    assert names(served, "search=TRANSLATOR") == ["two"]
    assert names(served, "session=one") == ["one"]
    assert names(served, "session=none") == []
    assert names(served, "pace=finished") == []


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("pace=fast", "bad_pace"),
        ("limit=0", "bad_limit"),
        ("limit=x", "bad_limit"),
        ("limit=99999999999", "bad_limit"),
        ("after=!!", "bad_place"),
        ("after=W10", "bad_place"),
        (f"search={'x' * 201}", "bad_search"),
    ],
)
def test_a_wrong_question_is_told(served: Served, query: str, code: str) -> None:
    """Each says what was expected."""
    got = served.ask(f"/api/sessions?{query}")
    assert (got.status, got.data["code"]) == (400, code)
    assert "expected" in got.data["error"] or "at most" in got.data["error"]


@pytest.mark.parametrize(
    "path", ["/api/plans/nonsense", path_of("nobody"), f"{path_of('nobody')}/revisions/1", "/api/x"]
)
def test_what_is_not_there_is_not_found(served: Served, path: str) -> None:
    """A plan, a revision, an address."""
    assert served.ask(path).status == 404


def test_a_plan_and_how_it_was(served: Served) -> None:
    """A plan is told whole, with its revision as its tag; each revision before can be asked for."""
    write(served, "Read", "Write")
    board(served.store).write({"todos": [{"id": "1", "status": "completed"}]})
    got = served.ask(path_of())
    assert got.headers["etag"] == '"2"'
    assert [(todo["content"], todo["status"]) for todo in got.data["todos"]] == [
        ("Read", "completed"),
        ("Write", "in_progress"),
    ]
    was = served.ask(f"{path_of()}/revisions/1").data
    assert [todo["status"] for todo in was["todos"]] == ["in_progress", "pending"]
    assert served.ask(f"{path_of()}/revisions/9").data["code"] == "no_such_revision"


def test_the_history_says_what_became_of_each_todo(served: Served) -> None:
    """The newest change first, by whom, and page by page."""
    write(served, "Read", "Write")
    board(served.store).write({"todos": [{"id": "1", "status": "completed"}]})
    board(served.store).edit("2", content="Write it down")
    first = served.ask(f"{path_of()}/history?limit=2").data
    assert [(change["by"], change["action"]) for change in first["changes"]] == [("person", "edit"), ("model", "write")]
    reworded = {"kind": "reworded", "id": "2", "text": "Write it down", "was": "Write", "fields": []}
    assert first["changes"][0]["parts"] == [reworded]
    assert [part["kind"] for part in first["changes"][1]["parts"]] == ["completed", "started"]
    rest = served.ask(f"{path_of()}/history?limit=2&before={first['next']}").data
    assert [change["is_new_plan"] for change in rest["changes"]] == [True]
    assert rest["next"] is None


def test_the_activity_is_that_of_all_plans(served: Served) -> None:
    """The newest change first, each with the plan that it is of."""
    write(served, "Read", "Write")
    board(served.store, "other", "helper").write({"todos": [{"content": "Look"}]})
    board(served.store).edit("2", content="Write it down")
    served.sessions()
    changes = served.ask("/api/activity?limit=2").data["changes"]
    assert [(change["session"], change["agent"]) for change in changes] == [("release", "main"), ("other", "helper")]
    assert f"/api/plans/{changes[0]['plan']}" == path_of()
    assert served.ask("/api/activity?limit=0").data["code"] == "bad_limit"
    assert served.ask("/api/sessions?sort=mood").data["code"] == "bad_sort"


def test_a_person_changes_a_plan(served: Served) -> None:
    """Each change gives the plan after it, and the model is still to be told."""
    write(served, "Read", "Write")
    path = path_of()
    assert served.edit("PATCH", f"{path}/todos/1", 1, {"status": "completed"}).data["counts"]["completed"] == 1
    assert (
        served.edit("PATCH", f"{path}/todos/2", 2, {"content": "Write well"}).data["todos"][1]["content"]
        == "Write well"
    )
    assert (
        served.edit("POST", f"{path}/todos", 3, {"content": "Rest", "position": 0}).data["todos"][0]["content"]
        == "Rest"
    )
    assert served.edit("PUT", f"{path}/todos/3/position", 4, {"position": 2}).data["todos"][2]["content"] == "Rest"
    after = served.edit("DELETE", f"{path}/todos/1", 5).data
    assert [todo["content"] for todo in after["todos"]] == ["Write well", "Rest"]
    assert {edit["id"]: edit["kind"] for edit in after["untold"]} == {"1": "removed", "2": "reworded", "3": "added"}
    back = served.edit("POST", f"{path}/undo", 6).data
    assert [todo["content"] for todo in back["todos"]] == ["Read", "Write well", "Rest"]
    assert len(served.edit("POST", f"{path}/redo", 7).data["todos"]) == 2
    old = served.edit("POST", f"{path}/restore", 8, {"revision": 1}).data
    assert [(todo["content"], todo["status"]) for todo in old["todos"]] == [
        ("Read", "in_progress"),
        ("Write", "pending"),
    ]
    board(served.store).mark_edits_told()
    assert served.ask(path).data["untold"] == []


def test_who_comes_second_is_told_what_the_plan_is_now(served: Served) -> None:
    """Nothing is changed, and the plan comes with the refusal."""
    write(served, "Read", "Write")
    served.edit("PATCH", f"{path_of()}/todos/1", 1, {"content": "Read all"})
    late = served.edit("PATCH", f"{path_of()}/todos/1", 1, {"content": "Skim"})
    assert (late.status, late.data["code"]) == (412, "conflict")
    assert late.data["plan"]["todos"][0]["content"] == "Read all"
    assert served.ask(path_of()).data["revision"] == 2


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("PATCH", "/todos/9", {"status": "completed"}, 422, "refused"),
        ("PATCH", "/todos/1", {"status": "sideways"}, 422, "refused"),
        ("PATCH", "/todos/1", {"content": "x" * 201}, 422, "refused"),
        ("PATCH", "/todos/1", {"content": 7}, 422, "wrong_type"),
        ("PATCH", "/todos/1", {}, 422, "nothing_said"),
        ("PATCH", "/todos/1", {"colour": "red"}, 422, "unknown_field"),
        ("PATCH", "/todos/1", {"owner": 7}, 422, "wrong_type"),
        ("PATCH", "/todos/1", {"blocked_by": "1"}, 422, "wrong_type"),
        ("PATCH", "/todos/1", {"blocked_by": ["9"]}, 422, "refused"),
        ("PUT", "/name", {"name": None}, 422, "wrong_type"),
        ("PUT", "/name", {"name": "x" * 201}, 422, "refused"),
        ("PATCH", "/todos/1", [], 422, "wrong_type"),
        ("PATCH", "/todos/1", b"{", 400, "bad_json"),
        ("PATCH", "/todos/1", b"[" * 50_000, 400, "bad_json"),
        ("POST", "/todos", {"content": " "}, 422, "refused"),
        ("POST", "/todos", {"content": None}, 422, "refused"),
        ("POST", "/todos", {"content": "x", "position": -1}, 422, "wrong_type"),
        ("PUT", "/todos/1/position", {"position": True}, 422, "wrong_type"),
        ("DELETE", "/todos/9", None, 422, "refused"),
        ("GET", "/undo", None, 405, "wrong_method"),
        ("POST", "/redo", None, 422, "refused"),
        ("POST", "/restore", {"revision": 9}, 422, "no_such_revision"),
        ("POST", "/restore", {"revision": "1"}, 422, "wrong_type"),
    ],
)
def test_a_change_that_cannot_be_is_refused(
    served: Served, method: str, path: str, body: object, status: int, code: str
) -> None:
    """With what was wrong, and without a trace in the plan."""
    write(served, "Read")
    got = served.edit(method, path_of() + path, 1, body)
    assert (got.status, got.data["code"]) == (status, code)
    assert got.data["error"]
    assert served.ask(path_of()).data["revision"] == 1


def test_an_edit_must_say_what_was_seen(served: Served) -> None:
    """Without `If-Match`, or with one that is no revision, nothing is done."""
    write(served, "Read")
    assert served.ask(f"{path_of()}/undo", "POST", X_Holdfast="1").status == 428
    assert served.ask(f"{path_of()}/undo", "POST", X_Holdfast="1", If_Match="*").status == 400


def test_nobody_begins_a_plan_here(served: Served) -> None:
    """An edit of a board that never had a plan makes none."""
    assert served.edit("POST", f"{path_of('nobody')}/todos", 0, {"content": "Read"}).status == 404


def test_any_text_comes_through(served: Served) -> None:
    """Names and texts of every kind are told as they are."""
    odd = "a/b?c#d <b> \u202e\x00 夜"
    write_to = board(served.store, "夜 / <i>", "a/b")
    assert write_to.write({"todos": [{"content": odd}]}).ok
    (session,) = served.sessions()["sessions"]
    assert session["session"] == "夜 / <i>"
    told = served.ask(f"/api/plans/{session['boards'][0]['id']}").data
    assert told["todos"][0]["content"] == odd
