"""The address of a server, looked at before anybody waits for an answer from it."""

from urllib.parse import urlsplit

from ..text import describe

EXAMPLE = "http://127.0.0.1:8080/v1"


def web_address(word: str) -> str:
    """An address over http or https. Raises ValueError for a word that is none."""
    try:
        parts = urlsplit(word)
        is_one = parts.scheme in ("http", "https") and parts.hostname is not None and parts.port != 0
    except ValueError:
        is_one = False
    if not is_one or " " in word or not word.isprintable():
        raise ValueError(f"expected an address like {EXAMPLE}, received {describe(word)}")
    return word
