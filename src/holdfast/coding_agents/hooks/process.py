"""The command `holdfast hook`: one event in, one answer out, and no other output."""

import json
import os
import sys
import time
from binascii import crc32
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from ...plan.about import About
from ...text import brief, one_line
from .event import JSON, LONGEST_NAME, HookEvent, HookMoment, Locked, NotAnEvent, read_event
from .harnesses import HARNESSES, MAIN, Harness
from .log import log
from .relay import LARGEST, start_resident
from .trail import (
    LONGEST_PROMPT,
    Footprints,
    Trail,
    add_event,
    is_plan_wanted,
    leave_call,
    postpone,
    remove_old,
    take_postponed,
)

if TYPE_CHECKING:
    from ...stores import Store

BUSY_WAIT = 0.45
"""How many seconds a hook waits for a plan file that another program has locked."""

ATTENTIONS = ("off", "quiet", "rail")


Report = Callable[[str], None]


class HookOptions(NamedTuple):
    """How a hook was called."""

    harness: Harness
    attention: str = "quiet"
    gate: bool = False
    review: bool = False
    database: str = ""


class WrongCall(ValueError):
    """The command line is wrong. The message says how."""


def main(words: Sequence[str], raw: bytes | None, is_repeated: bool = False) -> NoReturn:
    """Answer an event in this process, and end it. The event is read from standard input if it was not yet.

    Exit code 0 whatever happens, since other codes mean a decision to a harness; 1 for a wrong command line.
    """
    try:
        if raw is None and parse_options(words):
            raw = sys.stdin.buffer.read(LARGEST + 1)
        text = output(words, raw or b"", os.environ, is_repeated)
        if text and sys.stdout is not None:
            sys.stdout.buffer.write(text)
            sys.stdout.buffer.flush()
    except WrongCall as error:
        sys.exit(f"holdfast: {one_line(str(error))}")
    except BaseException as error:  # Ctrl-C reaches hooks too, and the reader of the answer may be gone
        log(os.environ, f"{type(error).__name__}: {error}")
    start_resident(os.environ)
    os._exit(0)


def output(words: Sequence[str], raw: bytes, environ: Mapping[str, str], is_repeated: bool = False) -> bytes:
    """What a hook prints. Raises WrongCall."""
    if "--status-line" in words:
        from .status_line import status_line_or_nothing

        return status_line_or_nothing(raw, environ)
    answer = answer_event(parse_options(words), raw, environ, is_repeated)
    return b"" if answer is None else json.dumps(answer).encode()  # ASCII works in every locale


def parse_options(words: Sequence[str]) -> HookOptions:
    """The options of a command line. Raises WrongCall."""
    rest, names, flags = list(words), [], {"--gate": False, "--review": False}
    values = {"--attention": "quiet", "--db": ""}
    while rest:
        word = rest.pop(0)
        if word in values:
            if not rest:
                raise WrongCall(f"{word} needs a value")
            values[word] = rest.pop(0)
        elif word in flags:
            flags[word] = True
        elif word.startswith("-"):
            raise WrongCall(f"no option {word}; there are {', '.join((*flags, *values))}")
        else:
            names.append(word)
    if len(names) != 1 or names[0] not in HARNESSES:
        raise WrongCall(f"hook needs one of {', '.join(HARNESSES)}, received {' '.join(names) or 'nothing'}")
    if values["--attention"] not in ATTENTIONS:
        raise WrongCall(f"--attention is one of {', '.join(ATTENTIONS)}, received {values['--attention']}")
    return HookOptions(HARNESSES[names[0]], values["--attention"], flags["--gate"], flags["--review"], values["--db"])


def answer_event(
    options: HookOptions, raw: bytes, environ: Mapping[str, str], is_repeated: bool = False
) -> JSON | None:
    """The answer to an event. Never raises: errors are logged, and the answer is `None`.

    With `is_repeated`, another process had the event before, and may have ended before it was recorded.
    """

    def report(message: str) -> None:
        log(environ, f"{options.harness.name}: {message}")

    try:
        if len(raw) > LARGEST:
            raise NotAnEvent(f"at most {LARGEST} bytes, received more")
        harness = options.harness
        event = read_event(json.loads(raw.decode("utf-8-sig", "replace")), harness.kinds, harness.names_type)
        event = event._replace(mark=crc32(raw), is_repeated=is_repeated)
        footprints = _note_event(harness, event, environ)
        if footprints is None:
            return None
        if harness.delegates and event.agent == MAIN and footprints.running and event.tool not in harness.delegates:
            event = event._replace(agent=footprints.running[-1])
        try:
            return _answer(options, event, footprints, environ, report)
        except Locked as error:
            postpone(environ, harness.name, event.session, raw)
            report(f"{event.tool or event.name} is recorded by the next hook: {error}")
            return None
    except Exception as error:
        report(f"{type(error).__name__}: {error}")
        return None


def _note_event(harness: Harness, event: HookEvent, environ: Mapping[str, str]) -> Footprints | None:
    """What is known of the conversation at this event; `None` if another hook answers the same event."""
    now = time.time()
    try:
        with Trail(environ, harness.name, event.session).change() as known:
            new = add_event(known[0], event.mark, now, event.is_repeated)
            if new is None:
                return None
            known[0] = new = _with_event(new, harness, event)
        if event.kind is HookMoment.START:
            remove_old(environ, now)
        return new
    except OSError:  # a trail is a help, not a need
        return Footprints(began=now)


def _with_event(known: Footprints, harness: Harness, event: HookEvent) -> Footprints:
    if event.kind is HookMoment.PROMPT and event.agent == MAIN and not event.is_ours:
        prompt = known.prompt or brief(event.prompt, LONGEST_PROMPT)
        return known._replace(prompt=prompt, running=())
    if event.kind is HookMoment.END:
        return known._replace(is_over=True, running=())
    if event.tool not in harness.delegates:
        return known
    if event.kind is HookMoment.BEFORE_TOOL:
        given = event.arguments.get("agent_name") if isinstance(event.arguments, dict) else None
        name = f"{brief(given, 40) if isinstance(given, str) else 'subagent'} {os.urandom(3).hex()}"
        return known._replace(running=(*known.running, name))
    return known._replace(running=known.running[:-1])


def _answer(
    options: HookOptions, event: HookEvent, footprints: Footprints, environ: Mapping[str, str], report: Report
) -> JSON | None:
    from ...stores import Key
    from ...stores.locate import VARIABLE, locate
    from .conversation import ConversationTerms, HookConversation

    harness = options.harness
    folder = _folder(harness, event, environ)
    key = _key(harness, event, environ)
    if event.kind is HookMoment.BEFORE_TOOL and harness.is_own(event.tool) and event.tool_use:
        leave_call(environ, event.tool_use, key)
    if event.kind is HookMoment.END or (event.kind is HookMoment.BEFORE_TOOL and not options.review):
        return None
    address = locate({VARIABLE: options.database} if options.database else environ, folder)
    store = _open_store(address)
    try:
        policy = harness.policy(options.attention, options.gate)
        terms = ConversationTerms(policy, options.review, lambda: _about(harness, event, footprints, folder))
        conversation = HookConversation(harness, store, Key(*key), terms, report)
        late = take_postponed(environ, harness.name, event.session)
        for at, raw in enumerate(late):
            then = read_event(json.loads(raw), harness.kinds, harness.names_type)._replace(mark=crc32(raw))
            try:
                HookConversation(harness, store, Key(*_key(harness, then, environ)), terms, report).answer_late(then)
            except Locked:  # none of them is lost, and their order stays
                for waiting in late[at:]:
                    postpone(environ, harness.name, event.session, waiting)
                raise
        answer = conversation.answer(event)
        if event.agent == MAIN and terms.policy.resumes and _may_offer(harness, event, footprints, environ):
            from .offers import offer_plan

            return answer or offer_plan(conversation, harness, event, store, environ)
        if footprints.offered is not None and event.tool in (*harness.lists, *harness.tasks):
            conversation.take_over(Key(*footprints.offered))
        return answer
    finally:
        store.close()


def _may_offer(harness: Harness, event: HookEvent, footprints: Footprints, environ: Mapping[str, str]) -> bool:
    """Whether an offer is possible at all: most events need not load what makes it."""
    if event.kind is HookMoment.START:
        return True
    is_first = harness.name == "opencode" and footprints.offered is None  # it has no event for a new conversation
    return event.kind is HookMoment.PROMPT and (is_first or is_plan_wanted(environ))


def _open_store(address: str) -> "Store":
    """The store, which does not keep a hook waiting for long."""
    if "://" in address:
        from ...stores import open_store

        return open_store(address)
    from ...stores.sqlite import SQLiteStore

    return SQLiteStore(address, busy_wait=BUSY_WAIT)


def _key(harness: Harness, event: HookEvent, environ: Mapping[str, str]) -> tuple[str, str]:
    """Whose plan it is. A harness's own task list belongs to all agents and conversations that use it."""
    shared = environ.get(harness.task_list, "") if harness.task_list else ""
    if event.tool in harness.tasks or event.agent == MAIN:
        return shared[:LONGEST_NAME] or event.session, MAIN
    return event.session, event.agent


def _about(harness: Harness, event: HookEvent, footprints: Footprints, folder: str | None) -> About:
    from ...stores.locate import git_branch

    title = event.title or footprints.prompt
    place = folder or ""
    return About("", title, harness.name, place, git_branch(place) if place else "", began_at=footprints.began)


def _folder(harness: Harness, event: HookEvent, environ: Mapping[str, str]) -> str | None:
    """The project's folder from the harness's variable, else the conversation's working directory, if it exists."""
    folders = (environ.get(harness.project, ""), event.folder)
    return next((folder for folder in folders if folder and os.path.isdir(folder)), None)
