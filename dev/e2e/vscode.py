"""VS Code itself, from the package `code-server`, in a Chromium without a screen: it starts our MCP server."""

import re
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from dev import NotRun

from .trial import ClientTrial

CHROMIUM = "/usr/bin/chromium"
PATIENCE = 120
ROW = ".quick-input-list .monaco-list-row"


def _starts_the_server(trial: ClientTrial) -> None:
    """It finds our server in the project's settings, starts it, and shows its tools and the plan."""
    trial.install("vscode")
    for name in (".profile", ".bash_profile"):  # it asks the user's login shell where commands are
        (trial.home / name).write_text(f'export PATH="{trial.environ["PATH"]}"\n')
    with _opened(trial) as page:
        _choose(page, "MCP: List Servers")
        _pick(page, "holdfast")
        _pick(page, "Start Server")
        said = _output(page, "Discovered")
        assert re.search(r"Discovered [1-9]\d* tools", said), said
        _choose(page, "MCP: Browse Resources")
        page.locator(ROW, has_text="holdfast://plan").wait_for()


@contextmanager
def _opened(trial: ClientTrial) -> Iterator[Page]:
    """The editor with the project open. Raises NotRun."""
    if not Path(CHROMIUM).exists():
        raise NotRun(f"no {CHROMIUM}")
    quiet = ("--auth", "none", "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust")
    command = [trial.client("code-server"), *quiet, "--bind-addr", "127.0.0.1:0", str(trial.project)]
    log = trial.home / "log"
    with (
        log.open("w") as written,
        subprocess.Popen(command, cwd=trial.project, env=trial.environ, stdout=written, stderr=written) as server,
    ):
        try:
            url = _address(log)
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
                page = browser.new_page()
                page.set_default_timeout(PATIENCE * 1000)
                page.goto(f"{url}?folder={trial.project}")
                page.locator(".explorer-viewlet", has_text=".vscode").wait_for()
                yield page
                browser.close()
        finally:
            server.terminate()


def _address(log: Path) -> str:
    """Where it listens, as it says in its log."""
    deadline = time.monotonic() + PATIENCE
    while not (found := re.search(r"listening on (http://127\.0\.0\.1:\d+/)", log.read_text())):
        assert time.monotonic() < deadline, f"it did not start: {log.read_text()[-400:]}"
        time.sleep(0.3)
    return found[1]


def _choose(page: Page, command: str) -> None:
    """Run a command from its palette."""
    page.keyboard.press("F1")
    page.locator(".quick-input-widget input").first.wait_for()
    _pick(page, command)


def _pick(page: Page, words: str) -> None:
    """Pick what has these words in the list that is open."""
    page.locator(ROW).first.wait_for()
    page.keyboard.type(words, delay=20)
    page.locator(ROW, has_text=words).first.click()


def _output(page: Page, words: str) -> str:
    """What its output panel says as soon as it has these words."""
    deadline = time.monotonic() + PATIENCE
    lines = page.locator(".output-view .view-lines, .part.panel .view-lines").first
    while words not in (said := lines.inner_text().replace("\xa0", " ")):
        assert time.monotonic() < deadline, f"no {words!r} in its output: {said[-400:]}"
        page.wait_for_timeout(300)
    return said


CHECKS: Mapping[str, Callable[[ClientTrial], None]] = {"it starts the server in its settings": _starts_the_server}
