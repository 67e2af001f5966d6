"""Shell completion, made out of the commands: commands, their options, and what their arguments may be.

Sessions and ids are asked for while somebody types, of the plan that the options before the cursor name. A shell may
expand what it offers, so a name with a character that means something to a shell is left out.
"""

from collections.abc import Callable, Mapping, Sequence

from .command import AGENT, DB, PROGRAM, SESSION, Argument, Command
from .help import summary

FILES = ("DATABASE", "FILE")
"""The values that may be the name of a file."""

SESSIONS, IDS = "sessions", "ids"
LISTS = (SESSIONS, IDS)
"""What a script asks Holdfast for while somebody types: see `holdfast completion --list`."""

PLAN_OPTIONS = tuple(option.name for option in (SESSION, AGENT, DB))
"""The options that name a plan. A script passes those that were typed on to Holdfast, as `--session=NAME`."""


_NAMES, _NAMES_WITH_VALUES = "|".join(PLAN_OPTIONS), "|".join(f"{name}=*" for name in PLAN_OPTIONS)
_IN_BASH, _IN_ZSH, _IN_FISH = '"${plan[@]}"', "$plan", f"(__{PROGRAM}_plan)"


def listed(argument: Argument) -> str:
    """Which of `LISTS` completes an argument; empty if none does."""
    if argument.name == "--session":
        return SESSIONS
    return IDS if argument.name == "ID" else ""


def _ask(what: str, plan: str) -> str:
    """A command substitution for bash and zsh; `plan` is the variable with the options that name a plan."""
    return f"$({PROGRAM} completion --list {what} {plan} 2>/dev/null)"


def bash(commands: Sequence[Command]) -> str:
    """The script for bash."""
    options = dict.fromkeys(
        _bash_option(command, argument) for command in commands for argument in command.all_arguments
    )
    return "\n".join(
        [
            f"_{PROGRAM}() {{",
            '    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words="" files="" at',
            "    local -a typed plan=()",
            '    read -ra typed <<< "${COMP_LINE:0:COMP_POINT}"',
            "    for (( at = 2; at < ${#typed[@]}; at++ )); do",
            "        case ${typed[at]} in",
            f'        {_NAMES}) plan+=("${{typed[at]}}=${{typed[at+1]-}}") ;;',
            f'        {_NAMES_WITH_VALUES}) plan+=("${{typed[at]}}") ;;',
            "        esac",
            "    done",
            "    if (( COMP_CWORD == 1 )); then",
            f'        words="{" ".join(command.name for command in commands)} --help --version"',
            "    else",
            '        case "${COMP_WORDS[1]} $previous" in',
            *(f"        {line}" for line in options if line),
            '        *) case "${COMP_WORDS[1]}" in',
            *(f"            {_bash_command(command)}" for command in commands),
            "            esac ;;",
            "        esac",
            "    fi",
            '    COMPREPLY=($(compgen $files -W "$words" -- "$current"))',
            "}",
            f"complete -F _{PROGRAM} {PROGRAM}",
        ]
    )


def zsh(commands: Sequence[Command]) -> str:
    """The script for zsh."""
    listed = [f"        {_shell_quote(f'{command.name}:{summary(command)}')}" for command in commands]
    return "\n".join(
        [
            f"#compdef {PROGRAM}",
            f"_{PROGRAM}() {{",
            "    local -a commands=(",
            *listed,
            "    )",
            "    if (( CURRENT == 2 )); then",
            "        _describe command commands",
            "        return",
            "    fi",
            "    shift words",
            "    (( CURRENT-- ))",
            "    local at",
            "    local -a plan",
            "    for (( at = 2; at < CURRENT; at++ )); do",
            "        case $words[at] in",
            f'        {_NAMES}) plan+=("$words[at]=${{(Q)words[at+1]}}") ;;',
            f'        {_NAMES_WITH_VALUES}) plan+=("${{(Q)words[at]}}") ;;',
            "        esac",
            "    done",
            "    case $words[1] in",
            *(_zsh_case(command) for command in commands),
            "    esac",
            "}",
            f'if [[ $funcstack[1] == _{PROGRAM} ]]; then _{PROGRAM} "$@"; else compdef _{PROGRAM} {PROGRAM}; fi',
        ]
    )


def fish(commands: Sequence[Command]) -> str:
    """The script for fish."""
    lines = [
        f"function __{PROGRAM}_plan",
        "    set -l words (commandline -opc)",
        "    for at in (seq 2 (count $words))",
        "        switch $words[$at]",
        f"            case {' '.join(PLAN_OPTIONS)}",
        "                set -l value (math $at + 1)",
        "                printf '%s\\n' \"$words[$at]=$words[$value]\"",
        f"            case {' '.join(_fish_quote(f'{name}=*') for name in PLAN_OPTIONS)}",
        "                printf '%s\\n' $words[$at]",
        "        end",
        "    end",
        "end",
        f"complete -c {PROGRAM} -f",
    ]
    for command in commands:
        lines.append(
            f"complete -c {PROGRAM} -n __fish_use_subcommand -a {command.name} -d {_fish_quote(summary(command))}"
        )
        lines += [_fish_line(command, argument) for argument in command.all_arguments if _is_completable(argument)]
    return "\n".join(lines)


SHELLS: Mapping[str, Callable[[Sequence[Command]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}


def _bash_option(command: Command, argument: Argument) -> str:
    """What may follow an option; the same for all commands unless it is a choice."""
    if not argument.is_option or argument.is_flag:
        return ""
    if argument.choices:
        return f'"{command.name} {argument.name}") words="{" ".join(argument.choices)}" ;;'
    if what := listed(argument):
        return f'*" {argument.name}") words="{_ask(what, _IN_BASH)}" ;;'
    return f'*" {argument.name}") {"files=-f" if argument.value in FILES else "return"} ;;'


def _bash_command(command: Command) -> str:
    """What may follow a command itself."""
    words = [argument.name for argument in command.all_arguments if argument.is_option]
    words += [choice for argument in command.arguments if not argument.is_option for choice in argument.choices]
    words += [_ask(IDS, _IN_BASH) for argument in command.arguments if listed(argument) == IDS]
    files = "files=-f " if any(argument.name in FILES for argument in command.arguments) else ""
    return f'{command.name}) {files}words="{" ".join([*words, "--help"])}" ;;'


def _zsh_case(command: Command) -> str:
    specs = [_shell_quote(_zsh_spec(argument)) for argument in command.all_arguments]
    return f"    {command.name}) _arguments {' '.join([*specs, _shell_quote('--help[print help]')])} ;;"


def _zsh_spec(argument: Argument) -> str:
    help = argument.help.replace("[", "(").replace("]", ")").replace(":", ",")
    values = f"({' '.join(argument.choices)})" if argument.choices else ""
    if argument.value in FILES or argument.name in FILES:
        values = "_files"
    if what := listed(argument):
        values = f"{{compadd -- {_ask(what, _IN_ZSH)}}}"
    if not argument.is_option:
        return f"{'*' if argument.many == '+' else ''}:{argument.name.lower()}:{values}"
    return (
        f"{argument.name}[{help}]" if argument.is_flag else f"{argument.name}[{help}]:{argument.value_label}:{values}"
    )


def _fish_line(command: Command, argument: Argument) -> str:
    line = f"complete -c {PROGRAM} -n '__fish_seen_subcommand_from {command.name}'"
    values = f" -a '{' '.join(argument.choices)}'" if argument.choices else ""
    if what := listed(argument):
        values = f" -a '{_ask(what, _IN_FISH).removeprefix('$')}'"
    if not argument.is_option:
        return line + (" -F" if argument.name in FILES else values)
    needs = "" if argument.is_flag else " -r -F" if argument.value in FILES else f" -x{values}"
    brief = f" -s {argument.short.lstrip('-')}" if argument.short else ""
    return f"{line} -l {argument.name.lstrip('-')}{brief}{needs} -d {_fish_quote(argument.help)}"


def _is_completable(argument: Argument) -> bool:
    """Whether there is anything to complete."""
    return argument.is_option or bool(argument.choices or listed(argument)) or argument.name in FILES


def _shell_quote(text: str) -> str:
    """A word for bash and zsh."""
    return "'" + text.replace("'", "'\\''") + "'"


def _fish_quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
