"""The overview in memory: the same order as in the terminal, whatever came first, and fast with many sessions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from patience import wait_until
from web_driving import Served, board, serving

from holdfast.errors import StoreError
from holdfast.plan import Change, Plan, Status, Todo
from holdfast.plan.pace import QUIET_AFTER, Pace, Rank
from holdfast.stores import Key, MemoryStore, StoredPlan
from holdfast.stores.follow import MOST_KNOWN
from holdfast.terminal.dashboard_rows import groups
from holdfast.web.ids import cursor, key_of, plan_id, rank_of
from holdfast.web.overview import MOST_BOARDS, Overview, Query, Sort

NOW = 1_000_000.0
MANY = 10_000
ALL = Query(limit=MANY)

times = st.sampled_from([NOW, NOW - 1, NOW - 60, NOW - QUIET_AFTER, NOW - 2 * QUIET_AFTER])
keys = st.builds(Key, st.sampled_from("abcdef"), st.sampled_from(["main", "helper", "helper/deep"]))


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """A plan with few todos, written to at some time."""
    todos = [
        Todo(str(at), f"Step {at}", status, created_at=draw(times))
        for at, status in enumerate(draw(st.lists(st.sampled_from(Status), max_size=3)))
    ]
    return Plan(tuple(todos), revision=1, updated_at=draw(times))


def shown(overview: Overview, query: Query = ALL, now: float = NOW) -> list[str]:
    """The sessions of an answer."""
    return [session["session"] for session in overview.page(query, now)["sessions"]]


def filled(kept: list[StoredPlan], now: float = NOW) -> Overview:
    """An overview that heard of these, one after the other."""
    overview = Overview()
    for key, plan in kept:
        overview.know(key, plan, now)
    return overview


@given(st.lists(st.builds(StoredPlan, keys, plans()), max_size=15))
def test_the_order_is_that_of_the_terminal(heard: list[StoredPlan]) -> None:
    """However often a board changed before: what counts is its last plan."""
    last = [StoredPlan(key, plan) for key, plan in dict(heard).items() if plan.todos]
    expected = groups(last, NOW)
    overview = filled(heard)
    assert shown(overview) == [group.boards[0].key.session for group in expected]
    paces = [group.pace for group in expected]
    assert overview.counts() == {pace.name.lower(): paces.count(pace) for pace in Pace}


@given(st.lists(st.builds(StoredPlan, keys, plans()), max_size=15), st.sampled_from(Sort))
def test_all_at_once_is_the_same_as_one_by_one(heard: list[StoredPlan], sort: Sort) -> None:
    """A server that starts knows what one that was there all the while knows, in the same order."""
    query = ALL._replace(sort=sort)
    assert Overview.of(heard, NOW).page(query, NOW) == filled(heard).page(query, NOW)


@given(st.lists(st.builds(StoredPlan, keys, plans()), max_size=15))
def test_other_orders_do_not_care_for_the_pace(heard: list[StoredPlan]) -> None:
    """By last change, the newest first; by name."""
    sessions = filled(heard).page(ALL._replace(sort=Sort.CHANGED), NOW)["sessions"]
    times = [max(board["updated_at"] for board in session["boards"]) for session in sessions]
    assert times == sorted(times, reverse=True)
    assert shown(filled(heard), ALL._replace(sort=Sort.NAME)) == sorted(shown(filled(heard)))


@given(st.lists(st.builds(StoredPlan, keys, plans()), max_size=15), st.integers(1, 4), st.sampled_from(Sort))
def test_pages_put_together_are_the_whole(heard: list[StoredPlan], limit: int, sort: Sort) -> None:
    """Of all, and of each pace, in every order."""
    overview = filled(heard)
    for pace in (None, *Pace):
        query, told = Query(pace, limit=limit, sort=sort), []
        while True:
            page = overview.page(query, NOW)
            told += [session["session"] for session in page["sessions"]]
            if page["next"] is None:
                break
            query = query._replace(after=rank_of(page["next"]))
        assert told == shown(overview, ALL._replace(pace=pace, sort=sort))


@given(keys | st.builds(Key, st.text(), st.text()))
def test_an_id_names_its_board(key: Key) -> None:
    """There and back, whatever the names are."""
    assert key_of(plan_id(key)) == key


@given(st.text(max_size=40))
def test_a_word_that_is_no_id_names_nothing(word: str) -> None:
    """And does no harm."""
    assert key_of(word) is None or plan_id(key_of(word) or Key("", "")) == word.rstrip("=")
    assert rank_of(word) is None or cursor(rank_of(word) or Rank(0, 0, "")) is not None


def test_who_falls_silent_waits() -> None:
    """An agent that nobody has heard of for an hour is taken to have stopped, without any change."""
    todo = Todo("1", "Read", Status.IN_PROGRESS, created_at=NOW)
    overview = filled([StoredPlan(Key("a", "main"), Plan((todo,), revision=1, updated_at=NOW))])
    assert overview.page(Query(), NOW)["counts"]["running"] == 1
    assert overview.page(Query(), NOW + QUIET_AFTER)["counts"] == {"running": 0, "waiting": 1, "finished": 0}


def test_an_emptied_plan_stays_with_the_finished_ones() -> None:
    """It is found by its name. Beside a plan with todos it is not shown, and a plan that never had any is none."""
    emptied = Plan(revision=2, updated_at=NOW, next_id=4)
    overview = filled([StoredPlan(Key("gone", "main"), emptied), StoredPlan(Key("never", "main"), Plan(revision=1))])
    assert overview.counts() == {"running": 0, "waiting": 0, "finished": 1}
    assert shown(overview, Query(search="GON")) == ["gone"]
    todo = Todo("1", "Read", created_at=NOW)
    overview.know(Key("gone", "helper"), Plan((todo,), revision=1, updated_at=NOW), NOW)
    (session,) = overview.page(ALL, NOW)["sessions"]
    assert [board["agent"] for board in session["boards"]] == ["helper"]


def test_agents_stand_under_those_that_they_are_named_after() -> None:
    """And all under the main one, if there is one."""
    todo = Todo("1", "Read", created_at=NOW)
    agents = ["main", "explorer", "explorer/reader", "explorer/x/deep"]
    kept = [StoredPlan(Key("a", agent), Plan((todo,), revision=1, updated_at=NOW)) for agent in agents]
    (session,) = filled(kept).page(Query(), NOW)["sessions"]
    parents = {board["agent"]: board["parent"] for board in session["boards"]}
    assert parents == {"main": None, "explorer": "main", "explorer/reader": "explorer", "explorer/x/deep": "explorer"}


def test_a_session_of_many_agents_is_told_in_part() -> None:
    """The rest is counted."""
    todo = Todo("1", "Read", created_at=NOW)
    kept = [
        StoredPlan(Key("a", f"helper-{n}"), Plan((todo,), revision=1, updated_at=NOW)) for n in range(MOST_BOARDS + 5)
    ]
    (session,) = filled(kept).page(Query(), NOW)["sessions"]
    assert (len(session["boards"]), session["left_out"]) == (MOST_BOARDS, 5)


def test_ten_thousand_sessions_are_no_burden() -> None:
    """The newest are known, the answer is small, a search finds any other, and a change of any is told at once."""
    store = MemoryStore()
    todos = [Todo(str(at), f"Step {at}", created_at=NOW) for at in range(10)]
    for number in range(MANY):
        first = Todo("1", f"Find {number:05}", created_at=NOW)
        plan = Plan((first, *todos), revision=1, updated_at=NOW, next_id=12)
        store.commit(Key(f"session-{number:05}", "main"), Change(Plan(), plan))
    with serving(store) as served:
        answer = served.ask("/api/sessions?limit=60")
        assert len(answer.data["sessions"]) == 60
        assert answer.data["has_older"]
        wait_until(lambda: served.sessions("limit=1")["counts"]["waiting"] == MOST_KNOWN, "the older ones are read")
        assert len(answer.body) < 60_000
        assert [s["session"] for s in served.sessions("search=find%2007321")["sessions"]] == ["session-07321"]
        assert [s["session"] for s in served.sessions("session=session-00007")["sessions"]] == ["session-00007"]
        board(store, "session-00042").edit("1", status=Status.IN_PROGRESS)
        assert served.sessions("limit=1")["sessions"][0]["session"] == "session-00042"


def test_what_was_changed_before_the_first_ones_is_learned_after_them() -> None:
    """It is forgotten before them, and what is known of a session already is not overwritten."""
    old, new = (Plan((Todo("1", text, created_at=NOW),), revision=1, updated_at=NOW) for text in ("old", "new"))
    overview = filled([StoredPlan(Key("b", "main"), new), StoredPlan(Key("c", "scout"), new)])
    overview.know_older([StoredPlan(Key(*key), old) for key in (("a", "main"), ("b", "main"), ("c", "main"))], NOW)
    assert shown(overview, ALL._replace(sort=Sort.NAME)) == ["a", "b", "c"]
    assert shown(overview, ALL._replace(search="old")) == ["a", "c"]
    assert sum(overview.counts().values()) == 3
    for number in range(MOST_KNOWN - 2):
        overview.know(Key(f"s{number:05}", "main"), new, NOW)
    assert shown(overview, ALL._replace(sort=Sort.NAME))[:3] == ["c", "s00000", "s00001"]


def test_what_was_heard_of_first_is_forgotten_first() -> None:
    """So that memory stays flat while sessions come and go for weeks. What was asked for again stays longer."""
    overview, todo = Overview(), Todo("1", "Read", created_at=NOW)
    for number in range(MOST_KNOWN + 50):
        plan = Plan((todo,), revision=1, updated_at=NOW)
        overview.know(Key(f"s{number:05}", "main"), plan, NOW)
        overview.know(Key("s00000", "main"), plan, NOW)
    assert sum(overview.counts().values()) == len(shown(overview)) == MOST_KNOWN
    assert overview.has_older
    names = shown(overview, ALL._replace(sort=Sort.NAME))
    assert names[:2] == ["s00000", "s00051"]


def test_a_session_is_whole_though_its_main_agent_is_long_silent() -> None:
    """At the start of a server, and when an old session is heard of again."""
    store = MemoryStore()
    todo = Todo("1", "Read", created_at=NOW)
    plan = Plan((todo,), revision=1, updated_at=NOW, next_id=2)
    for session in ("early", "late"):
        store.commit(Key(session, "main"), Change(Plan(), plan))
    for number in range(MOST_KNOWN):
        store.commit(Key(f"s{number:05}", "main"), Change(Plan(), plan))
    store.commit(Key("early", "scout"), Change(Plan(), plan))
    with serving(store) as served:
        assert agents(served, "session=early") == ["main", "scout"]
        assert agents(served, "search=early") == ["main", "scout"]
        store.commit(Key("late", "scout"), Change(Plan(), plan))
        served.sessions()
        wait_until(lambda: agents(served, "search=late") == ["main", "scout"], "the other board is read")


def agents(served: Served, query: str) -> list[str]:
    """The agents of the one session that a query finds."""
    (session,) = served.sessions(query)["sessions"]
    return [board["agent"] for board in session["boards"]]


def test_a_store_that_fails_when_an_old_session_comes_back_is_no_trouble(caplog: pytest.LogCaptureFixture) -> None:
    """The change is told; the other boards are read when somebody asks for the session."""

    class Failing(MemoryStore):
        is_away = False

        def load(self, key: Key) -> Plan:
            if self.is_away:
                raise StoreError("away")
            return super().load(key)

    store, plan = Failing(), Plan((Todo("1", "Read", created_at=NOW),), revision=1, updated_at=NOW, next_id=2)
    for session in ("early", *(f"s{number:05}" for number in range(MOST_KNOWN))):
        store.commit(Key(session, "main"), Change(Plan(), plan))
    with serving(store) as served:
        served.sessions()
        store.is_away = True
        store.commit(Key("early", "scout"), Change(Plan(), plan))
        served.sessions()
        assert served.ask("/api/sessions?session=early").status == 503
        store.is_away = False
        assert agents(served, "session=early") == ["main", "scout"]
    assert "never retrieved" not in caplog.text
