"""What a shell command does, as far as its words tell: whether it only looks at what is there.

Many hosts have one tool for everything, `bash`. Without this, `cat notes.txt` would count as work on a todo.
"""

from collections.abc import Mapping

from ..text import pattern

_FIELDS = ("command", "cmd")
_LOOKING = frozenset(
    (
        *("[", "awk", "cat", "cd", "cmp", "cut", "df", "diff", "du", "echo", "egrep", "fgrep", "file", "find", "grep"),
        *("head", "less", "ls", "more", "printf", "pwd", "rg", "sed", "sort", "stat", "tail", "test", "tr", "tree"),
        *("true", "uniq", "wc", "which"),
    )
)
_ACTING = r"-(?:i\S*|-in-place\S*|o|-output\S*|delete|exec\w*|ok\w*|fprint\w*)"
"""Options by which a command that looks changes something after all."""

_PRINTING = frozenset(("awk", "cut", "echo", "grep", "printf", "sed", "sort", "tr", "uniq", "wc"))
"""Of those that look: what prints something that the model may have meant for a file."""

_ENDS = frozenset(("||", "&&", ";", "&"))
_JOINS = _ENDS | {"|", "|&"}
_NOWHERE = r"\d?>>?\s*/dev/null|\d>&\d"


def only_looks(arguments: object) -> bool:
    """Whether a call's arguments are a shell command that reads or prints, and changes nothing. If in doubt, not."""
    if not isinstance(arguments, Mapping):
        return False
    words = _words(pattern(_NOWHERE).sub(" ", _command(arguments)).replace("\n", ";"))
    if not words or any(map(_may_do_more, words)):
        return False
    return all(map(_looks, _split(words, _JOINS)))


def prints(call: str) -> bool:
    """Whether a command, in short, is one whose output may have been meant for a file."""
    return call.strip().partition(" ")[0] in _PRINTING


def without_prints(arguments: Mapping[object, object]) -> Mapping[object, object]:
    """A call's arguments without what its command only prints: `echo "create a.txt"` creates nothing."""
    command = _command(arguments)
    if "echo" not in command and "printf" not in command:
        return arguments
    parts = _split(_words(command), _ENDS)
    done = [part for part in parts if not _only_prints(part)]
    if len(done) == len(parts):
        return arguments
    left = " ; ".join(map(" ".join, done))
    return {name: left if value == command else value for name, value in arguments.items()}


def _only_prints(words: list[str]) -> bool:
    return words[0] in ("echo", "printf") and not any(word.startswith((">", "|")) for word in words)


def _command(arguments: Mapping[object, object]) -> str:
    return str(next((arguments[field] for field in _FIELDS if isinstance(arguments.get(field), str)), ""))


def _words(command: str) -> list[str]:
    """The words of a command, and what stands between them; none if a quote is not closed."""
    import shlex  # only here: a host that reports no commands does not need it

    try:
        return list(shlex.shlex(command, posix=True, punctuation_chars=True))
    except ValueError:
        return []


def _split(words: list[str], marks: frozenset[str]) -> list[list[str]]:
    """The parts of a line between these marks."""
    parts: list[list[str]] = [[]]
    for word in words:
        if word in marks:
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part]


def _may_do_more(word: str) -> bool:
    """Whether a word sends something to a file, or runs another command: `>`, `>|`, `&>`, `$(…)`."""
    return (not word.strip("<>()|&;") and word not in _JOINS) or "$(" in word or "`" in word


def _looks(words: list[str]) -> bool:
    options = words[1:] if words[0] in ("find", "sed", "sort") else ()  # `-i` means something else to grep
    return words[0] in _LOOKING and not any(map(pattern(_ACTING).fullmatch, options))
