"""How people are notified: by a command, a webhook, or on the desktop. Text is data, never a part of a command line."""

import hmac
import json
import os
import shutil
import subprocess  # nosec B404: it runs what the user named
import sys
import time
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from typing import NamedTuple, Protocol
from urllib.error import HTTPError

from ..errors import HoldfastError
from .events import PlanEvent

SIGNATURE = "X-Holdfast-Signature"
EVENT = "X-Holdfast-Event"
RETRIES = (1.0, 4.0, 15.0)
"""How many seconds to wait before each new attempt."""

PATIENCE = 30.0
"""After how many seconds a command or a server that does not answer is given up."""


class NotSent(HoldfastError):
    """A notification could not be sent. The message says why."""


class Channel(Protocol):
    """One way to notify people. `name` is the same each time: what was sent over it is recorded under that name."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    def send(self, event: PlanEvent) -> None:
        """Send an event. Raises NotSent."""
        ...


class CommandChannel(NamedTuple):
    """Runs a command of the user's for each event: JSON on its standard input, the main facts in its environment."""

    command: str

    @property
    def name(self) -> str:
        """Each command is a channel of its own."""
        return f"command {self.command}"

    def send(self, event: PlanEvent) -> None:
        """Run it. Raises NotSent if it fails."""
        facts = {"EVENT": event.kind, "SESSION": event.key.session, "TITLE": event.title, "TEXT": event.text}
        environ = {**os.environ, **{f"HOLDFAST_{name}": _for_environ(value) for name, value in facts.items()}}
        _run(["/bin/sh", "-c", self.command], json.dumps(event.data()), environ)


class DesktopChannel(NamedTuple):
    """A notification on the desktop, by `notify-send`, or on a Mac by `osascript`."""

    name: str = "desktop"

    def send(self, event: PlanEvent) -> None:
        """Show it. Raises NotSent if this machine has no way to."""
        if shutil.which("notify-send"):
            urgency = "normal" if event.kind == "finished" else "critical"
            _run(["notify-send", "--app-name=Holdfast", f"--urgency={urgency}", "--", event.title, _markup(event.text)])
        elif sys.platform == "darwin":
            show = "display notification (item 2 of argv) with title (item 1 of argv)"
            _run(["osascript", "-e", "on run argv", "-e", show, "-e", "end run", event.title, event.text])
        else:
            raise NotSent("no desktop notifications here: install notify-send (libnotify-bin), or use --command")


class WebhookChannel(NamedTuple):
    """Posts each event as JSON, signed: `X-Holdfast-Signature: t=TIME,v1=HMAC-SHA256 of "TIME.BODY"`.

    A server that fails or is busy is asked again a few times, always with the same `X-Holdfast-Event`.
    """

    url: str
    secret: str
    sleep: Callable[[float], None] = time.sleep

    @property
    def name(self) -> str:
        """Each address is a channel of its own."""
        return f"webhook {self.url}"

    def send(self, event: PlanEvent) -> None:
        """Post it. Raises NotSent if no attempt succeeded, or the server refused it."""
        body = json.dumps(event.data()).encode()
        for pause in (*RETRIES, None):
            try:
                self._post(event.id, body)
                return
            except HTTPError as error:
                trouble = f"{self.url} answered {error.code}"
                if error.code < 500 and error.code != 429:
                    raise NotSent(trouble) from error
            except (OSError, HTTPException) as error:
                trouble = f"{self.url} cannot be reached: {error}"
            if pause is None:
                raise NotSent(f"{trouble}, {len(RETRIES) + 1} times")
            self.sleep(pause)

    def _post(self, id: str, body: bytes) -> None:
        headers = {
            "Content-Type": "application/json",
            EVENT: id.encode("unicode_escape").decode(),  # a name may have line breaks
            SIGNATURE: signature(self.secret, body, int(time.time())),
        }
        request = urllib.request.Request(self.url, body, headers, method="POST")
        with urllib.request.build_opener(_NoRedirects).open(request, timeout=PATIENCE) as answer:
            answer.read(1)


def signature(secret: str, body: bytes, at: int) -> str:
    """What a receiver computes, too, to check that Holdfast sent the body, and when."""
    mac = hmac.new(secret.encode(), f"{at}.".encode() + body, "sha256")
    return f"t={at},v1={mac.hexdigest()}"


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the user named one server, and no other gets the event."""

    def redirect_request(self, *args: object, **kwargs: object) -> None:
        """Follow nothing: the answer counts as refused."""


def _run(words: list[str], stdin: str = "", environ: dict[str, str] | None = None) -> None:
    try:
        ran = subprocess.run(  # nosec B603
            words, input=stdin.encode(), env=environ, capture_output=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise NotSent(f"{words[-1] if stdin else words[0]} did not end within {PATIENCE:.0f} s") from error
    except OSError as error:
        raise NotSent(f"{words[0]} cannot be run: {error.strerror}") from error
    if ran.returncode:
        complaint = ran.stderr.decode("utf-8", "replace").strip()
        raise NotSent(
            f"{words[-1] if stdin else words[0]} ended with {ran.returncode}{f': {complaint}' if complaint else ''}"
        )


def _for_environ(value: str) -> str:
    return value.replace("\0", "").encode("utf-8", "replace").decode()


def _markup(text: str) -> str:
    """A text for notify-send, which reads the body as markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
