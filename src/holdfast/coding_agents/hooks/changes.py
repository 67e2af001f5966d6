"""Which tools change something: those that wait, while a plan waits for a person."""

import re

LOOKS = (
    "ls cat head tail grep egrep fgrep rg ag wc pwd stat file tree du df echo printf which type whoami "
    "date uname env cut sort uniq tr nl jq basename dirname realpath readlink diff cmp cd true test "
    "column less more"
)
GIT_LOOKS = "status log diff show blame branch ls-files ls-tree rev-parse describe remote shortlog"
_HARMLESS = re.compile(r"[12]?>\s*/dev/null|2>&1")
_SUBSTITUTES = re.compile(r"[<>`]|\$\(|\bxargs\b")
_BETWEEN = re.compile(r"&&|\|\||[|;&\n]")
_FINDS_AND_ACTS = re.compile(r"\s-(exec|execdir|ok|okdir|delete|fprint\w*|fls)\b")


def only_looks(command: object) -> bool:
    """Whether a command line surely changes nothing. What is not known may change something."""
    line = _HARMLESS.sub(" ", command if isinstance(command, str) else "")
    if not line.strip() or _SUBSTITUTES.search(line):
        return False
    return all(_looks(part.split()) for part in _BETWEEN.split(line) if part.strip())


def _looks(words: list[str]) -> bool:
    name, rest = words[0], words[1:]
    if name == "git":
        return bool(rest) and rest[0] in GIT_LOOKS.split() and not {"-d", "-D", "-m", "-M", "add", "remove"} & {*rest}
    if name == "find":
        return not _FINDS_AND_ACTS.search(f" {' '.join(rest)}")
    if name == "sed":
        return "-n" in rest and not any(word.startswith(("-i", "--in-place")) for word in rest) and "w" not in rest
    if name in ("sort", "tree"):
        return not any(word.startswith(("-o", "--output")) for word in rest)
    return name in LOOKS.split() and not (name == "env" and rest)
