"""Signing in with a token: by a link that works once, or by entering it. A cookie is what stays."""

import asyncio
from urllib.parse import parse_qsl

from starlette.endpoints import HTTPEndpoint
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from ..server import guard
from .access import PageAccess
from .assets import PAGE

WRONG_TOKEN = '<p class="trouble" role="alert">That is not the token. · 令牌不对。</p>'
USED_LINK = (
    '<p class="trouble" role="alert">This link was used already. Enter the token. · 链接已用过，请输入令牌。</p>'
)
COOKIE_DAYS = 30


def login_page(trouble: str = "") -> Response:
    """The page that asks for the token."""
    text = (PAGE / "enter.html").read_text(encoding="utf-8")
    return HTMLResponse(text.replace("<!-- trouble -->", trouble), 401)


class Login(HTTPEndpoint):
    """The way in."""

    async def get(self, request: Request) -> Response:
        """Sign in by a link with a code, which works once."""
        access: PageAccess = request.app.state.access
        code = request.query_params.get("code")
        if not access.token:
            return RedirectResponse("/", 303)
        if code is not None and access.use_code(code):
            return _welcome(access)
        return await _wrong(USED_LINK) if code else login_page()

    async def post(self, request: Request) -> Response:
        """Sign in with the token, from the form."""
        access: PageAccess = request.app.state.access
        body = (await request.body()).decode("utf-8", "replace")
        token = dict(parse_qsl(body)).get("token", "")
        return _welcome(access) if access.is_token(token.strip()) else await _wrong(WRONG_TOKEN)


async def _wrong(trouble: str) -> Response:
    """The answer to a wrong token or code, which takes its time."""
    await asyncio.sleep(guard.WRONG_TOKEN_SECONDS)
    return login_page(trouble)


def _welcome(access: PageAccess) -> Response:
    """Set the cookie, and go on to the page.

    It goes on by a page of ours, not by a redirect: a browser that came from another site would not send the cookie
    along with that.
    """
    response = HTMLResponse((PAGE / "welcome.html").read_text(encoding="utf-8"))
    seconds = COOKIE_DAYS * 24 * 3600
    response.set_cookie(access.cookie_name, access.cookie, max_age=seconds, httponly=True, samesite="strict")
    return response
