"""The command `serve`: a page that shows every plan. The server in `web` is loaded only when it is asked for."""

from ...paths import below_home
from ...server.address import LARGEST_PORT, LOOPBACK
from ..command import Argument, Command, Example, Uses, comma_list, whole_number
from ..invocation import CommandError, Invocation, usage_is_misuse


def run(call: Invocation) -> int:
    """Serve a page that shows every plan, live."""
    try:
        from ...web.service import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn"):
            raise
        raise CommandError("the page needs starlette and uvicorn: pip install 'holdfast[web]'") from error
    store, label = (call.projects, call.projects_label) if call.flag("all") else (call.store, call.database_label)
    return serve(
        store,
        below_home(label, call.environ.get("HOME", "")),
        call.screen.print_text,
        host=call.word("host") or LOOPBACK,
        port=call.number("port"),
        token=_token(call),
        allow_hosts=call.words("allow_host"),
        open_browser=call.flag("open"),
    )


def _token(call: Invocation) -> str:
    from ...server.access import check_token
    from ...web.service import TOKEN_VARIABLE

    token = call.word("token") or call.environ.get(TOKEN_VARIABLE, "")
    with usage_is_misuse():
        check_token(token)
    return token


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
        Argument(
            "--token",
            "the token that visitors must enter, needed beyond this machine; default: HOLDFAST_TOKEN",
            "TOKEN",
        ),
        Argument(
            "--allow-host",
            "other host names of this server, for example behind a proxy, separated by commas",
            "NAMES",
            of=comma_list,
        ),
    ),
    (
        Example("holdfast serve --open", "the plans of this project, in the browser"),
        Example("holdfast serve --all --open", "the plans of all projects on this machine"),
        Example("holdfast serve --host 0.0.0.0", "for others on the network, too; a token is made for it"),
    ),
    uses=Uses.STORE,
)
