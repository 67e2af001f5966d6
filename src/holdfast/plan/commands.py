"""What a shell command does, as far as its words tell: whether it only looks at what is there.

Many hosts have one tool for everything, `bash`. Without this, `cat notes.txt` would count as work on a todo.
"""

import re
from collections.abc import Mapping

_FIELDS = ("command", "cmd")
_LOOKING = frozenset(
    (
        *("[", "awk", "cat", "cd", "cmp", "cut", "df", "diff", "du", "echo", "egrep", "fgrep", "file", "find", "grep"),
        *("head", "less", "ls", "more", "printf", "pwd", "rg", "sed", "sort", "stat", "tail", "test", "tr", "tree"),
        *("true", "uniq", "wc", "which"),
    )
)
_ACTING = re.compile(r"-(?:i\S*|-in-place\S*|o|-output\S*|delete|exec\w*|ok\w*|fprint\w*)")
"""Options by which a command that looks changes something after all."""

_JOINS = frozenset(("|", "||", "&&", ";", "&"))
_NOWHERE = re.compile(r"\d?>>?\s*/dev/null|\d>&\d|&>\s*/dev/null")


def only_looks(arguments: object) -> bool:
    """Whether a call's arguments are a shell command that reads or prints, and changes nothing. If in doubt, not."""
    if not isinstance(arguments, Mapping):
        return False
    command = next((arguments[field] for field in _FIELDS if isinstance(arguments.get(field), str)), "")
    import shlex  # only here: a host that reports no commands does not need it

    lexer = shlex.shlex(_NOWHERE.sub(" ", command).replace("\n", ";"), posix=True, punctuation_chars=True)
    try:
        words = list(lexer)
    except ValueError:  # a quote that is not closed
        return False
    if not words or any(not word.strip("<>()") or "$(" in word or "`" in word for word in words):
        return False
    return all(map(_looks, _simple_commands(words)))


def _simple_commands(words: list[str]) -> list[list[str]]:
    """The commands of a line that are joined by pipes and the like."""
    commands: list[list[str]] = [[]]
    for word in words:
        if word in _JOINS:
            commands.append([])
        else:
            commands[-1].append(word)
    return [command for command in commands if command]


def _looks(words: list[str]) -> bool:
    options = words[1:] if words[0] in ("find", "sed", "sort") else ()  # `-i` means something else to grep
    return words[0] in _LOOKING and not any(map(_ACTING.fullmatch, options))
