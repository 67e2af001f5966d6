"""Who may use a server: the names that it answers to, and the token; what it does with a body that is too large."""

import asyncio
from typing import Any

import pytest
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from holdfast.server.access import Access
from holdfast.server.guard import Guard

TOKEN = "correct-horse-battery-staple"


def rejected(access: Access, **headers: str) -> str:
    """Why a request is rejected; empty if it is not."""
    rejection = access.rejection(
        "POST", "/", Headers({name.replace("_", "-"): value for name, value in headers.items()})
    )
    return "" if rejection is None else rejection.code


@pytest.mark.parametrize(
    ("host", "code"),
    [
        ("here.example:80", ""),
        ("here.example", ""),
        ("here.example:81", "wrong_host"),
        ("proxy.example", ""),
        ("proxy.example:443", ""),
        ("proxy.example:80", "wrong_host"),
        ("any.example:1", ""),
        ("ANY.example", ""),
        ("[::2]:7", ""),
        ("here.example:x", "wrong_host"),
    ],
)
def test_a_name_with_a_port_means_that_port(host: str, code: str) -> None:
    """Clients leave the default ports of http and https out; a name without a port is good for all of them."""
    access = Access(hosts=["here.example:80", "proxy.example:443", "any.example", "::2"], most_bytes=1)
    assert rejected(access, host=host) == code


def test_the_token_is_needed_everywhere() -> None:
    """No path is open, and no cookie is known, unless a server says so."""
    access = Access(token=TOKEN, most_bytes=1)
    assert rejected(access, host="localhost") == "no_token"
    assert rejected(access, host="localhost", cookie=f"token={TOKEN}") == "no_token"
    assert rejected(access, host="localhost", authorization=f"Bearer {TOKEN}") == ""
    assert rejected(Access(most_bytes=1), host="localhost", authorization="Bearer ") == ""


def test_no_page_of_another_site_gets_an_answer() -> None:
    """Neither by a script nor by a link."""
    access = Access(most_bytes=1)
    assert rejected(access, host="localhost:1", origin="https://evil.example") == "foreign_origin"
    assert (
        rejected(access, host="localhost:1", sec_fetch_site="cross-site", sec_fetch_mode="navigate") == "foreign_origin"
    )
    assert rejected(access, host="localhost:1", origin="http://localhost:1", sec_fetch_site="same-origin") == ""


def test_a_body_that_goes_on_too_long_is_cut_off() -> None:
    """Though it does not say how large it is."""

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["more_body"]:
            pass

    async def receive() -> Message:
        return {"type": "http.request", "body": b"x" * 10, "more_body": True}

    sent: list[Any] = []

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/", "headers": [(b"host", b"localhost")]}
    asyncio.run(Guard(application, Access(most_bytes=100))(scope, receive, send))
    assert sent[0]["status"] == 413 and b"at most 100 bytes" in sent[1]["body"]
