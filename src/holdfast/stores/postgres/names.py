"""Names in the database: any text, although PostgreSQL allows no NUL in a text and no long text in an index."""

import hashlib

from ...errors import StoreError

_ESCAPES = str.maketrans({"\\": "\\\\", "\0": "\\0"})


def to_text(name: str) -> str:
    """A name as a text that PostgreSQL can keep; most stay as they are. Raises StoreError if it is not valid text."""
    _encoded(name)
    return name.translate(_ESCAPES)


def from_text(text: str) -> str:
    """The name that `to_text` wrote."""
    if "\\" not in text:
        return text
    return "\\".join(part.replace("\\0", "\0") for part in text.split("\\\\"))


def digest(*names: str) -> bytes:
    """A digest that stands for names. Raises StoreError for a name that is not valid text."""
    parts = [_encoded(name) for name in names]
    lengths = ",".join(str(len(part)) for part in parts)
    return hashlib.sha256(b"\0".join([lengths.encode(), *parts])).digest()


def _encoded(name: str) -> bytes:
    try:
        return name.encode()
    except UnicodeEncodeError as error:
        raise StoreError(f"the name of a session or an agent is not valid text: {error}") from error
