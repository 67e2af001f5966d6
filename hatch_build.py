"""Where the project lives, in the metadata of what is built: `make dist URL=https://…`. Without it, no link is made up.

An index shows the README away from its files, so that its own links are made to lead there, too.
"""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

WITHIN = re.compile(r"(?P<picture>!?)\[(?P<words>[^]]*)\]\((?![a-z]+:|#)(?P<path>[^)]+)\)")


class Links(MetadataHookInterface):
    """Hatch's way to fill in metadata at build time."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill in the links and the README."""
        url = os.environ.get("PROJECT_URL", "").rstrip("/")
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["urls"] = links(url) if url else {}
        metadata["readme"] = {"content-type": "text/markdown", "text": led_home(text, url) if url else text}


def links(url: str) -> dict[str, str]:
    """What an index page links to, of a project that lives here."""
    return {
        "Source": url,
        "Documentation": f"{url}/blob/HEAD/docs/index.md",
        "Changelog": f"{url}/blob/HEAD/CHANGELOG.md",
        "Issues": f"{url}/issues",
    }


def led_home(text: str, url: str) -> str:
    """Markdown with the links to the project's own files as they are for a reader elsewhere."""

    def led(found: re.Match[str]) -> str:
        picture, words, path = found["picture"], found["words"], found["path"]
        return f"{picture}[{words}]({url}/{'raw' if picture else 'blob'}/HEAD/{path})"

    return WITHIN.sub(led, text)
