"""The command reference, `docs/cli.md`: `python -m holdfast.cli.reference > docs/cli.md`."""

from ..dialects.shell import HELP
from ..transfer.data import PLAN_KEYS
from .command import EXIT_CODES, Command
from .commands import load_commands, load_groups
from .help import command_help, overview

INTRO = """# The command line

<!-- Made by `python -m holdfast.cli.reference > docs/cli.md`: change the commands, not this file. -->

Two commands come with Holdfast. `TodoWrite` is for agents that live in a shell: it writes a plan. `holdfast` is for
people: it shows the plans of all agents, and corrects them. Both work on the same plan file.

## Which plan

The plan file is the first of these:

1. the file or database that `--db` names;
2. the one that the variable `HOLDFAST_DB` names;
3. `.holdfast/plans.db` in this folder, or in the nearest folder above it that has a `.holdfast` or is the root of a git
   checkout;
4. `holdfast/plans.db` in your state folder.

`holdfast doctor` says which one it is.

A file holds many plans: one for each agent of each session.

- `holdfast` takes the session that `--session` names, else `HOLDFAST_SESSION`, else the session that was changed last.
  It takes the agent that `--agent` names, else `HOLDFAST_AGENT`, else `main`.
- `TodoWrite` takes `HOLDFAST_SESSION`, else `default`, and `HOLDFAST_AGENT`, else `main`.

## What is printed

On a terminal, lines are cut to its width and coloured; a status has its own sign, so nothing depends on a colour.
`NO_COLOR` and `TERM=dumb` turn colours off. In a pipe there are no colours and nothing is cut, unless `COLUMNS` is set.
Where the encoding cannot carry the signs, there are plain ones:

| status | sign | plain sign |
| --- | --- | --- |
{signs}

Control characters, direction overrides and line breaks in a todo are shown, never obeyed.

`--json` prints data for programs. Its keys stay the same from version to version; new ones may come. Times are seconds
since 1970.

## Exit codes

| code | meaning |
| --- | --- |
{codes}

An error is one line on standard error, which says what to do.
"""

SHOW = "[`holdfast show --json`](#holdfast-show)"


def reference() -> str:
    """The whole reference, in Markdown."""
    commands = load_commands()
    codes = "\n".join(f"| {int(code)} | {meaning} |" for code, meaning in EXIT_CODES.items())
    parts = [
        INTRO.format(signs=_signs(), codes=codes),
        f"## TodoWrite\n\n{TODO_WRITE}\n{_block(HELP)}",
        f"## holdfast\n\n{_block(overview(load_groups()))}",
        *(_section(command) for command in commands),
    ]
    return "\n".join(parts)


TODO_WRITE = """Takes one JSON text as its argument, or `-` to read it from standard input. The plan is on the disk when
it ends. Exit code 0: saved. Exit code 1: not saved; standard error says why, and the plan is as it was. The variables
`TODO_MAX_ITEMS` and `TODO_MAX_CONTENT_LENGTH` change its limits of 50 todos and 200 characters.
"""


def _section(command: Command) -> str:
    keys = f"\n`--json` prints {_keys(command)}.\n" if command.json_keys else ""
    return f"### holdfast {command.name}\n\n{_block(command_help(command))}{keys}"


def _keys(command: Command) -> str:
    """What `--json` prints. The keys of a plan stand once, at `show`."""
    is_show = command.name == "show"
    return command.json_keys if is_show else command.json_keys.replace(PLAN_KEYS, f"the plan, as {SHOW} prints it")


def _block(text: str) -> str:
    return f"```\n{text}\n```\n"


def _signs() -> str:
    from ..plan.checklist import GLYPHS
    from ..terminal.lines import with_fallbacks

    rows = [(status, glyph, with_fallbacks(glyph, "ascii")) for status, glyph in GLYPHS.items()]
    return "\n".join(f"| {status} | `{glyph}` | `{plain}` |" for status, glyph, plain in rows)


if __name__ == "__main__":
    import sys

    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.write(reference())
