"""`holdfast` without a command: the plan here, or what to do first."""

from .command import PROGRAM, Command
from .invocation import Invocation

FIRST_STEPS = """
Let an agent write its plan down:
  holdfast install claude-code    record the plan of Claude Code (or codex, gemini, opencode, cursor, vscode)
  holdfast agent "Fix the tests"  an agent that comes with Holdfast
  TodoWrite --help                for an agent that lives in a shell

Or begin yourself:
  holdfast add Read the code
  holdfast import TODO.md         a list that is there already

Then watch it: holdfast watch. Every command: holdfast --help
"""


def run(call: Invocation) -> int:
    """Show the plan that was changed last; if there is none, say what to do first."""
    from .commands.show import run as show

    code = show(call)
    if call.has_plans:
        call.screen.print_text("", f"{PROGRAM} watch follows every plan, {PROGRAM} --help lists every command")
    else:
        call.screen.print_text(*FIRST_STEPS.rstrip("\n").split("\n"))
    return code


HERE = Command("", "Show the plan here, or what to do first.", run)
