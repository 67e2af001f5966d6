"""Coming in with a token: by a link that works once, or by entering it. A cookie is what stays."""

from urllib.parse import parse_qsl

from starlette.endpoints import HTTPEndpoint
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from ..server.access import Door
from .assets import PAGE

WRONG = '<p class="trouble" role="alert">That is not the token. · 令牌不对。</p>'
USED = '<p class="trouble" role="alert">This link was used already. Enter the token. · 链接已用过，请输入令牌。</p>'
COOKIE_DAYS = 30


def entrance(trouble: str = "") -> Response:
    """The page that asks for the token."""
    text = (PAGE / "enter.html").read_text(encoding="utf-8")
    return HTMLResponse(text.replace("<!-- trouble -->", trouble), 401)


class Entering(HTTPEndpoint):
    """The way in."""

    async def get(self, request: Request) -> Response:
        """Come in by a link with a code, which works once."""
        door: Door = request.app.state.door
        code = request.query_params.get("code")
        if not door.token:
            return RedirectResponse("/", 303)
        if code is None or not door.take_code(code):
            return entrance(USED if code else "")
        return _welcome(door)

    async def post(self, request: Request) -> Response:
        """Come in with the token, from the form."""
        door: Door = request.app.state.door
        body = (await request.body()).decode("utf-8", "replace")
        said = dict(parse_qsl(body)).get("token", "")
        return _welcome(door) if door.is_token(said.strip()) else entrance(WRONG)


def _welcome(door: Door) -> Response:
    """Set the cookie, and go on to the page.

    It goes on by a page of ours, not by a redirect: a browser that came from another site would not send the cookie
    along with that.
    """
    response = HTMLResponse((PAGE / "welcome.html").read_text(encoding="utf-8"))
    seconds = COOKIE_DAYS * 24 * 3600
    response.set_cookie(door.cookie_name, door.cookie, max_age=seconds, httponly=True, samesite="strict")
    return response
