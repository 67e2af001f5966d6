"""The command `serve`: a page that shows every plan. The server in `web` is loaded only when it is asked for."""

from ..command import Argument, Command, Example, Uses, whole_number
from ..invocation import CommandError, Invocation, usage_is_misuse

LARGEST_PORT = 65_535


def run(call: Invocation) -> int:
    """Serve a page that shows every plan, live."""
    try:
        from ...server.address import LOOPBACK
        from ...web.service import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn"):
            raise
        raise CommandError("the page needs starlette and uvicorn: pip install 'holdfast[web]'") from error
    store, label = (call.projects, call.projects_label) if call.flag("all") else (call.store, call.database_label)
    return serve(
        store,
        _below_home(label, call.environ.get("HOME", "")),
        call.screen.print_text,
        host=call.word("host") or LOOPBACK,
        port=call.number("port"),
        token=_token(call),
        allow_hosts=list(filter(None, (call.word("allow_host") or "").split(","))),
        open_browser=call.flag("open"),
    )


def _token(call: Invocation) -> str:
    from ...server.access import check_token
    from ...web.service import TOKEN_VARIABLE

    token = call.word("token") or call.environ.get(TOKEN_VARIABLE, "")
    with usage_is_misuse():
        check_token(token)
    return token


def _below_home(path: str, home: str) -> str:
    """A path with `~` for the home folder: the page may be shown to others."""
    return f"~{path.removeprefix(home)}" if home and path.startswith(f"{home}/") else path


def port(word: str) -> int:
    """A port. Raises ValueError for a number that is too large."""
    number = whole_number(word)
    if number > LARGEST_PORT:
        raise ValueError(f"expected a port up to {LARGEST_PORT}, received {number}")
    return number


COMMAND = Command(
    "serve",
    "Serve a page that shows every plan, live, and lets you correct it.",
    run,
    (
        Argument("--port", "the port, 0 for any free one; default 4653", "PORT", of=port),
        Argument("--host", "the address to listen on; default 127.0.0.1, for this machine alone", "ADDRESS"),
        Argument("--all", "the plans of every project that was used on this machine in the last 30 days"),
        Argument("--open", "open the page in the browser"),
        Argument("--token", "what visitors must enter, needed beyond this machine; default: HOLDFAST_TOKEN", "TOKEN"),
        Argument("--allow-host", "other names of this server, as behind a proxy, separated by commas", "NAMES"),
    ),
    (
        Example("holdfast serve --open", "the plans of this project, in the browser"),
        Example("holdfast serve --all --open", "the plans of all projects on this machine"),
        Example("holdfast serve --host 0.0.0.0", "for others on the network, too; a token is made for it"),
    ),
    uses=Uses.STORE,
)
