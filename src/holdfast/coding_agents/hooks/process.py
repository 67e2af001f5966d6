"""The command `holdfast hook`: one event in, one answer out, and no other output."""

import gc
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, NoReturn

from ...text import one_line
from .event import JSON, HookEvent, NotAnEvent, read_event
from .harnesses import HARNESSES, Harness
from .log import log

LARGEST = 64 * 1024 * 1024
"""How many bytes of an event are read: it contains the results of tools."""

ATTENTIONS = ("off", "quiet", "rail")


Report = Callable[[str], None]


class HookOptions(NamedTuple):
    """How a hook was called."""

    harness: Harness
    attention: str = "quiet"
    gate: bool = False
    database: str = ""


class WrongCall(ValueError):
    """The command line is wrong. The message says how."""


def main(words: Sequence[str]) -> NoReturn:
    """Answer the event on standard input, and end the process.

    Exit code 0 whatever happens, since other codes mean a decision to a harness; 1 for a wrong command line.
    """
    gc.disable()  # the process lives for one event
    try:
        options = parse_options(words)
    except WrongCall as error:
        sys.exit(f"holdfast: {one_line(str(error))}")
    try:
        _print(answer_event(options, sys.stdin.buffer.read(LARGEST + 1) if sys.stdin is not None else b"", os.environ))
    except BaseException as error:  # Ctrl-C reaches hooks too
        log(os.environ, f"{options.harness.name}: {type(error).__name__}: {error}")
    os._exit(0)


def parse_options(words: Sequence[str]) -> HookOptions:
    """The options of a command line. Raises WrongCall."""
    rest, names, gate = list(words), [], False
    values = {"--attention": "quiet", "--db": ""}
    while rest:
        word = rest.pop(0)
        if word in values:
            if not rest:
                raise WrongCall(f"{word} needs a value")
            values[word] = rest.pop(0)
        elif word == "--gate":
            gate = True
        elif word.startswith("-"):
            raise WrongCall(f"no option {word}; there are --gate, {', '.join(values)}")
        else:
            names.append(word)
    if len(names) != 1 or names[0] not in HARNESSES:
        raise WrongCall(f"hook needs one of {', '.join(HARNESSES)}, received {' '.join(names) or 'nothing'}")
    if values["--attention"] not in ATTENTIONS:
        raise WrongCall(f"--attention is one of {', '.join(ATTENTIONS)}, received {values['--attention']}")
    return HookOptions(HARNESSES[names[0]], values["--attention"], gate, values["--db"])


def answer_event(options: HookOptions, raw: bytes, environ: Mapping[str, str]) -> JSON | None:
    """The answer to an event. Never raises: errors are logged, and the answer is `None`."""

    def report(message: str) -> None:
        log(environ, f"{options.harness.name}: {message}")

    try:
        if len(raw) > LARGEST:
            raise NotAnEvent(f"at most {LARGEST} bytes, received more")
        event = read_event(json.loads(raw.decode("utf-8-sig", "replace")), options.harness.kinds)
        return _answer(options, event, environ, report)
    except Exception as error:
        report(f"{type(error).__name__}: {error}")
        return None


def _answer(options: HookOptions, event: HookEvent, environ: Mapping[str, str], report: Report) -> JSON | None:
    from ...stores import Key, open_store
    from ...stores.locate import VARIABLE, locate
    from .conversation import HookConversation

    harness = options.harness
    policy = harness.policy(options.attention, options.gate)
    address = locate({VARIABLE: options.database} if options.database else environ, _folder(harness, event, environ))
    store = open_store(address)
    try:
        return HookConversation(harness, store, Key(event.session, event.agent), policy, report).answer(event)
    finally:
        store.close()


def _folder(harness: Harness, event: HookEvent, environ: Mapping[str, str]) -> str | None:
    """The project's folder from the harness's variable, else the conversation's working directory, if it exists."""
    folders = (environ.get(harness.project, ""), event.folder)
    return next((folder for folder in folders if folder and os.path.isdir(folder)), None)


def _print(answer: JSON | None) -> None:
    """Write an answer. The reader may be gone."""
    if answer is not None and sys.stdout is not None:
        try:
            sys.stdout.buffer.write(json.dumps(answer).encode())  # ASCII works in every locale
            sys.stdout.buffer.flush()
        except OSError:
            pass
