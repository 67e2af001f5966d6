"""The MCP project's own conformance suite against `holdfast mcp --http`, in a scratch folder.

`make conformance`. It needs npm and a network, and is not in CI. A scenario passes if none of its checks fails.
Scenarios that the server does not claim are listed, and those that could not run are `not run`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from dev import ROOT

SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
NODE = "node@26.10.0"
LEAST_NODE = 22
REVISIONS = ("2025-11-25", "2026-07-28")
PATIENCE = 600

PRODUCT = (
    "server-initialize",
    "server-session-lifecycle",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
    "caching",
    "http-header-validation",
    "sep-2164-resource-not-found",
    "input-required-result-unsupported-methods",
)
"""What runs against `holdfast mcp` itself."""

WITH_NAMES = (
    "server-stateless",
    "tools-call-simple-text",
    "tools-call-error",
    "resources-read-text",
    "resources-subscribe",
    "resources-unsubscribe",
    "prompts-get-simple",
    "prompts-get-with-args",
)
"""Scenarios that expect names which no product has: they run against the same server with those names added."""

NOT_CLAIMED = {
    "binary, audio, image or embedded content": r"image|audio|binary|embedded|mixed",
    "resource templates with something in them": "templates-read",
    "logging, progress, completion": "logging|progress|completion",
    "sampling, elicitation, other input from the client": "sampling|elicitation|input-required",
    "streams that are closed and polled again": "sse-polling",
    "headers made of arguments; a diagnostic tool's schema": "custom-header|json-schema",
    "extensions": "tasks-|sep-2640",
}


def main() -> int:
    """Run everything; 0 if all passed, 1 if something failed, 2 if it could not run."""
    with tempfile.TemporaryDirectory(prefix="holdfast-conformance-") as scratch:
        folder = Path(scratch)
        try:
            suite = install_suite(folder)
        except (OSError, subprocess.SubprocessError) as error:
            print(f"not run: the suite cannot be installed: {error}")
            return 2
        product = [sys.executable, "-m", "holdfast", "mcp", "--http", "0", "--db", str(folder / "product.db")]
        fixture = [sys.executable, str(ROOT / "tests" / "mcp" / "conformance_server.py"), str(folder / "fixture.db")]
        outcomes = [
            *run_scenarios(suite, product, PRODUCT, folder / "product", "holdfast mcp"),
            *run_scenarios(suite, fixture, WITH_NAMES, folder / "fixture", "holdfast mcp with the suite's names"),
        ]
        outcomes += report_left_out(
            {scenario for revision in REVISIONS for scenario, _ in results(folder / "product" / revision)}
        )
    count = Counter(outcomes)
    print(f"\n{count['passed']} passed, {count['failed']} failed, {count['not run']} not run")
    return 1 if count["failed"] else 2 if count["not run"] or not count["passed"] else 0


def install_suite(folder: Path) -> list[str]:
    """The suite's command line, in a folder of its own, with a Node.js that is new enough."""
    (folder / "package.json").write_text("{}")
    wanted = [SUITE] if node_version() >= LEAST_NODE else [SUITE, NODE]
    subprocess.run(
        [shutil.which("npm") or "npm", "install", "--no-audit", "--no-fund", "--silent", *wanted],
        cwd=folder,
        check=True,
        timeout=PATIENCE,
    )
    modules = folder / "node_modules"
    node = modules / ".bin" / "node" if NODE in wanted else Path("node")
    return [str(node), str(modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js")]


def node_version() -> int:
    """The major version of Node.js; 0 if it is not installed."""
    if shutil.which("node") is None:
        return 0
    printed = subprocess.run(["node", "--version"], capture_output=True, text=True, timeout=60, check=False).stdout
    found = re.match(r"v(\d+)", printed)
    return int(found[1]) if found else 0


def run_scenarios(
    suite: Sequence[str], server: Sequence[str], wanted: Sequence[str], out: Path, title: str
) -> Iterator[str]:
    """Run a server's scenarios in every revision of the protocol; yields the outcome of each."""
    print(f"\n{title}")
    seen = set()
    for revision in REVISIONS:
        place = out / revision
        with running_server(server) as url:
            options = ["--url", url, "--suite", "all", "--spec-version", revision, "-o", str(place)]
            subprocess.run([*suite, "server", *options], capture_output=True, timeout=PATIENCE, check=False)
        for scenario, checks in results(place):
            if scenario in wanted:
                seen.add(scenario)
                yield report_scenario(f"{scenario} ({revision})", checks)
    for scenario in sorted(set(wanted) - seen):
        print(f"  not run  {scenario}")
        yield "not run"


@contextmanager
def running_server(server: Sequence[str]) -> Iterator[str]:
    """Run a server; yields its address."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("HOLDFAST_")}
    with subprocess.Popen(server, stdout=subprocess.PIPE, text=True, env=environ) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+/mcp", process.stdout.readline())
            assert found, "the server did not start"
            yield found[0]
        finally:
            process.terminate()


def results(place: Path) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Every scenario that the suite has run, with its checks."""
    for file in sorted(place.glob("*/checks.json")):
        yield re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", file.parent.name), json.loads(file.read_text())


def report_scenario(scenario: str, checks: Sequence[dict[str, str]]) -> str:
    """Print a scenario's outcome, and what failed in it."""
    failed = [check for check in checks if check["status"] == "FAILURE"]
    passed = sum(check["status"] == "SUCCESS" for check in checks)
    outcome = "failed" if failed else "passed" if passed else "not run"
    print(f"  {outcome:8} {scenario}: {passed} of {passed + len(failed)} checks")
    for check in failed:
        print(f"           {check['id']}: {check.get('errorMessage', '')}")
    return outcome


def report_left_out(known: set[str]) -> Iterator[str]:
    """Print the suite's other scenarios: what the server does not claim, and what is new."""
    print("\nnot claimed by the server")
    others = known - {*PRODUCT, *WITH_NAMES}
    for what, pattern in NOT_CLAIMED.items():
        found = sorted(scenario for scenario in others if re.search(pattern, scenario))
        print(f"  {what}: {', '.join(found) or 'none in these revisions'}")
        others -= set(found)
    for scenario in sorted(others):
        print(f"  not run  {scenario}: new in the suite")
        yield "not run"


if __name__ == "__main__":
    sys.exit(main())
