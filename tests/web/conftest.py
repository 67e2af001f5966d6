"""A server over a real plan file, and a real browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import MILLISECONDS, chromium
from playwright.sync_api import Browser, Page
from web_driving import Served, serving

from holdfast.stores.sqlite import SQLiteStore


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Where the plans are."""
    return tmp_path / "plans.db"


@pytest.fixture
def served(db: Path) -> Iterator[Served]:
    """A server over that file."""
    store = SQLiteStore(db)
    with serving(store) as server:
        yield server
    store.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One a module."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of its own. Whatever it complains of, a script's error or a broken policy, fails the test."""
    context = browser.new_context(viewport={"width": 1200, "height": 900}, locale="en-US")
    context.set_default_timeout(MILLISECONDS)
    complaints: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if is_complaint(said.type, said.text) else None)
    yield page
    context.close()
    assert complaints == []


def is_complaint(kind: str, text: str) -> bool:
    """Whether the browser complains of the page, not of a server that refused or is gone, as tests want it to."""
    return kind in ("error", "warning") and not text.startswith("Failed to load resource")
