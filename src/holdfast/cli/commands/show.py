"""The command `show`: one plan, for people, for programs, or for a model."""

from ...transfer.data import PLAN_KEYS, plan_data
from ..command import Argument, Command, Example, Exit, whole_number
from ..invocation import Invocation, Misuse

FORMATS = ("text", "json", "markdown", "recap", "resume")


def run(call: Invocation) -> int:
    """Print one plan."""
    form = call.word("format")
    if call.wants_json and form not in (None, "json"):
        raise Misuse(f"--json and --format {form} contradict each other: give one of them")
    key = call.known_key
    board = call.board(key)
    revision = call.number("at")
    plan = board.plan if revision is None else board.at(revision)
    screen = call.screen
    if call.wants_json or form == "json":
        screen.print_json(plan_data(key, plan))
    elif form == "markdown":
        from ...transfer.markdown import to_markdown

        screen.print_text(*to_markdown(plan).splitlines())
    elif form in ("recap", "resume"):
        from ...attention import reminders

        text = reminders.recap(plan) if form == "recap" else reminders.resume(plan)
        screen.print_text(*text.splitlines())
    elif plan.revision or call.has_plans:
        from ...stores.leases import leases_on
        from ...terminal.plan import plan_lines
        from ..person_edit import way_back

        leases = {} if revision is not None else leases_on(call.store, key)
        lines = plan_lines(key, plan, screen.columns, leases, call.flag("proofs"), call.flag("work"))
        screen.print(lines)
        screen.print_text(*(way_back(board, plan) if revision is None else ()))
    else:
        screen.print_text(call.no_plans_yet)
    return Exit.OK


COMMAND = Command(
    "show",
    "Show a plan.",
    run,
    (
        Argument("--at", "as it was at a revision", "REV", of=whole_number),
        Argument("--format", "how to print it; default text", choices=FORMATS),
        Argument("--proofs", "show the check that each proved todo has passed, when, and its output"),
        Argument("--work", "show the tool calls that were made for each todo, as far as its agent reports them"),
    ),
    (
        Example("holdfast show", "the plan that was changed last"),
        Example("holdfast show --session nightly --agent tester", "a subagent's plan"),
        Example("holdfast show --at 3", "the plan as it was at revision 3"),
        Example("holdfast show --proofs", "what was checked, and what it printed"),
        Example("holdfast show --work", "what was done for each todo"),
        Example("holdfast show --format markdown > PLAN.md", "the plan as a task list"),
    ),
    PLAN_KEYS,
)
