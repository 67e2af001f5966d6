"""Addresses of other servers, checked before anybody waits for an answer from one."""

from urllib.parse import urlsplit

from .text import describe

EXAMPLE = "http://127.0.0.1:8080/v1"


def http_url(word: str) -> str:
    """The word, if it is an http or https address. Raises ValueError if it is not."""
    try:
        parts = urlsplit(word)
        is_url = parts.scheme in ("http", "https") and parts.hostname is not None and parts.port != 0
    except ValueError:
        is_url = False
    if not is_url or " " in word or not word.isprintable():
        raise ValueError(f"expected an address like {EXAMPLE}, received {describe(word)}")
    return word
