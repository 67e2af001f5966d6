"""Debian's Chromium, for the tests that look at a page as people see it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from patience import PATIENCE
from playwright.sync_api import Browser, expect, sync_playwright

CHROMIUM = "/usr/bin/chromium"
MILLISECONDS = PATIENCE * 1000
expect.set_options(timeout=MILLISECONDS)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser. While it runs, no other event loop can run in this thread: one a module, not one a session."""
    if not Path(CHROMIUM).exists():
        pytest.skip(f"no {CHROMIUM}: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], timeout=MILLISECONDS)
        yield browser
        browser.close()
