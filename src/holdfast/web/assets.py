"""The page's own files, read once and sent from memory.

They are many and small. To save round trips, the styles are sent as one file, and the page lists every script at its
top.
"""

from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

PAGE = Path(__file__).parent / "page"
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
STYLES = "page.css"
FIRST_STYLES = ("colours.css", "base.css")
"""What the other styles build on."""

SCRIPTS_MARK = "<!-- scripts -->"


class Asset(NamedTuple):
    """One file as it is sent."""

    body: bytes
    kind: str
    tag: str


class Assets:
    """An ASGI application for the files of the page. It reads them when it starts, and can send nothing else."""

    def __init__(self) -> None:
        files = {path.relative_to(PAGE).as_posix(): path for path in PAGE.rglob("*") if path.suffix in TYPES}
        self._assets = {name: _asset(path.suffix, path.read_bytes()) for name, path in files.items()}
        self._assets[STYLES] = _asset(".css", _joined(PAGE / "styles"))
        preloads = [f'<link rel="modulepreload" href="/page/{name}">' for name in sorted(files) if name.endswith(".js")]
        page = self._assets["index.html"].body.decode().replace(SCRIPTS_MARK, "\n".join(preloads))
        self._assets["index.html"] = _asset(".html", page.encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the file that a path names."""
        name = scope["path"].removeprefix(scope.get("root_path", "")).lstrip("/")
        await self.answer(name, Headers(scope=scope))(scope, receive, send)

    def answer(self, name: str, headers: Headers) -> Response:
        """A file; without its content if the browser has it already."""
        asset = self._assets.get(name)
        if asset is None:
            return Response("there is nothing at this address", 404, media_type="text/plain")
        if headers.get("if-none-match") == asset.tag:
            return Response(status_code=304, headers={"ETag": asset.tag})
        return Response(asset.body, headers={"ETag": asset.tag}, media_type=asset.kind)


def _joined(folder: Path) -> bytes:
    """All styles in one, what others build on first."""
    others = sorted(path.name for path in folder.glob("*.css") if path.name not in FIRST_STYLES)
    return b"\n".join((folder / name).read_bytes() for name in (*FIRST_STYLES, *others))


def _asset(suffix: str, body: bytes) -> Asset:
    return Asset(body, TYPES[suffix], f'"{sha256(body).hexdigest()[:16]}"')
