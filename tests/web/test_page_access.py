"""Who may see the page: hosts, other sites, tokens, sizes; and what every answer carries."""

import http.client
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from patience import PATIENCE
from starlette.datastructures import Headers
from web_driving import Served, board, path_of, serving

from holdfast import web
from holdfast.errors import UsageError
from holdfast.server.address import bind
from holdfast.stores import MemoryStore
from holdfast.web.access import MOST_BYTES, PageAccess, access_for

TOKEN = "a token of good length"
HERE = "127.0.0.1:4653"


@pytest.fixture
def guarded() -> Iterator[Served]:
    """A server that wants a token."""
    store = MemoryStore()
    board(store).write({"todos": [{"content": "Read"}]})
    with serving(store, PageAccess(token=TOKEN)) as served:
        yield served


def rejected(access: PageAccess, method: str = "GET", path: str = "/api/sessions", **headers: str) -> str:
    """Why a request is rejected; empty if it is not."""
    named = {name.replace("_", "-"): value for name, value in {"host": HERE, **headers}.items()}
    rejection = access.rejection(method, path, Headers(named))
    return "" if rejection is None else rejection.code


@pytest.mark.parametrize("host", [HERE, "localhost", "LOCALHOST:1", "[::1]:4653"])
def test_this_machine_is_answered(host: str) -> None:
    """By each of its names, at any port: a tunnel may lead here from another one."""
    assert rejected(PageAccess(), host=host) == ""


@pytest.mark.parametrize(
    "host", ["", "evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "[::1", "10.0.0.7"]
)
def test_a_foreign_host_is_refused(host: str) -> None:
    """A name that somebody else made lead here gets no answer."""
    assert rejected(PageAccess(), host=host) == "wrong_host"


def test_a_server_for_others_answers_to_addresses_and_its_names() -> None:
    """No other site can be called by an address; a name must be known."""
    with bind("0.0.0.0") as listener:
        access = access_for(listener, hosts=["plans.example"])
    assert rejected(access, path="/healthz", host="10.0.0.7:4653") == ""
    assert rejected(access, path="/healthz", host="plans.example") == ""
    assert rejected(access, path="/healthz", host=socket.gethostname()) == ""
    assert rejected(access, path="/healthz", host="evil.example") == "wrong_host"


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1", ""])
def test_another_sites_page_is_refused(origin: str) -> None:
    """Whatever it asks for, and even if it only wants to read."""
    assert rejected(PageAccess(), origin=origin) == "foreign_origin"
    assert rejected(PageAccess(), "POST", origin=origin, x_holdfast="1") == "foreign_origin"


def test_our_own_page_is_not() -> None:
    """It says where it comes from, and the browser that nobody else does."""
    own = {"origin": f"http://{HERE}", "sec_fetch_site": "same-origin", "sec_fetch_mode": "cors"}
    assert rejected(PageAccess(), "POST", x_holdfast="1", **own) == ""


def test_a_link_may_be_followed_but_not_to_data() -> None:
    """From anywhere to the page; a frame, a picture or a script of another site gets nothing."""
    visit = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"}
    assert rejected(PageAccess(), path="/", **visit) == ""
    assert rejected(PageAccess(), path="/api/sessions", **visit) == "foreign_origin"
    assert rejected(PageAccess(), path="/", sec_fetch_site="cross-site", sec_fetch_mode="no-cors") == "foreign_origin"
    assert rejected(PageAccess(), path="/api/sessions", sec_fetch_site="same-site") == "foreign_origin"


@pytest.mark.parametrize("method", ["POST", "PATCH", "PUT", "DELETE"])
def test_a_change_carries_our_mark(method: str) -> None:
    """A header that no form can send."""
    assert rejected(PageAccess(), method) == "no_mark"
    assert rejected(PageAccess(), method, x_holdfast="1") == ""


@pytest.mark.parametrize("length", [str(MOST_BYTES + 1), "9" * 30, "-1", "x"])
def test_what_is_too_large_is_not_read(length: str) -> None:
    """By what it says of itself."""
    assert rejected(PageAccess(), "POST", x_holdfast="1", content_length=length) == "too_large"


def test_what_does_not_say_how_large_it_is_is_cut_off(served: Served) -> None:
    """A stream without an end is answered, and not kept."""
    board(served.store).write({"todos": [{"content": "Read"}]})
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=PATIENCE)
    headers = {"X-Holdfast": "1", "If-Match": '"1"'}
    body = iter([b"x" * 10_000] * 10)
    connection.request("POST", f"{path_of()}/todos", body, headers, encode_chunked=True)
    assert connection.getresponse().status == 413
    connection.close()


def test_without_the_token_there_is_nothing_to_see(guarded: Served) -> None:
    """But that the server is there, and a page that asks for the token."""
    assert guarded.ask("/healthz").status == 200
    for path in ("/api/sessions", "/api/events", path_of(), "/api/openapi.json"):
        got = guarded.ask(path)
        assert (got.status, got.headers["www-authenticate"]) == (401, "Bearer")
    asks = guarded.ask("/")
    assert asks.status == 401
    assert b'name="token"' in asks.body
    assert b"Read" not in asks.body


@pytest.mark.parametrize("said", [f"Bearer {TOKEN}x", "Bearer ", f"Basic {TOKEN}", "Bearer é"])
def test_a_wrong_token_is_none(guarded: Served, said: str) -> None:
    """However it is said."""
    assert guarded.ask("/api/sessions", Authorization=said).status == 401


def test_a_program_sends_the_token(guarded: Served) -> None:
    """As a bearer token."""
    assert guarded.ask("/api/sessions", Authorization=f"Bearer {TOKEN}").status == 200


def test_a_person_enters_the_token_and_keeps_a_cookie(guarded: Served) -> None:
    """The cookie is not the token, no script can read it, and no other site can send it."""
    assert guarded.ask("/enter", "POST", b"token=wrong").status == 401
    came = guarded.ask("/enter", "POST", b"token=a+token+of+good+length")
    cookie = came.headers["set-cookie"]
    assert came.status == 200
    assert "httponly" in cookie.lower() and "samesite=strict" in cookie.lower() and TOKEN not in cookie
    assert guarded.ask("/api/sessions", Cookie=f"a=b; {cookie.partition(';')[0]}").status == 200
    assert guarded.ask("/api/sessions", Cookie=f"{guarded.access.cookie_name}=x").status == 401


def test_a_link_works_once(guarded: Served) -> None:
    """Who follows it first comes in; after that the token is asked for."""
    (code,) = guarded.access.codes
    first, second = (guarded.ask(f"/enter?code={code}") for _ in range(2))
    assert "set-cookie" in first.headers
    assert (second.status, "set-cookie" in second.headers) == (401, False)
    assert guarded.ask("/enter?code=nonsense").status == 401


def test_every_other_address_demands_a_token() -> None:
    """One is made up where none is named; on this machine none is needed."""
    with bind() as here, bind("localhost") as also_here, bind("0.0.0.0") as everywhere, bind("::") as everywhere_too:
        assert access_for(here).token == ""
        assert access_for(also_here).token == ""
        assert len(access_for(everywhere).token) >= 40
        assert access_for(everywhere_too, TOKEN).token == TOKEN


@pytest.mark.parametrize("token", ["short", "x" * 15, "ünderstandably odd token", "a space at the end "])
def test_a_weak_token_is_refused(token: str) -> None:
    """With what it takes."""
    with bind() as listener, pytest.raises(UsageError, match="at least 16"):
        access_for(listener, token)


@pytest.mark.parametrize("path", ["/", "/api/sessions", "/page/scripts/main.js", "/nowhere", "/healthz"])
def test_every_answer_carries_the_policy(served: Served, path: str) -> None:
    """No inline script or style, no other place to load from, no frame around us, no guessing of types."""
    headers = served.ask(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cache-control"] in ("no-store", "no-cache")


def test_nothing_beside_the_page_can_be_read(served: Served) -> None:
    """No way leads up from its folder."""
    for path in (
        "/page/../serving.py",
        "/page/%2e%2e/serving.py",
        "/page/..%2fserving.py",
        "/page//etc/passwd",
        "/page/",
    ):
        assert served.ask(path).status == 404


def test_no_page_of_ours_has_code_or_style_in_it() -> None:
    """The policy would not let it run; and nothing is loaded from elsewhere."""
    folder = Path(web.__file__).parent / "page"
    pages = list(folder.glob("*.html"))
    assert len(pages) == 3
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"<script(?![^>]*src=)|<style|\son\w+=|\sstyle=|https?://", text), page.name
    for script in folder.rglob("*.js"):
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|https?://", script.read_text()
        )
