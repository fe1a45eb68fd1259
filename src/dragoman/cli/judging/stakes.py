"""`dragoman fields`."""

from collections.abc import Iterator, Sequence

import msgspec

from dragoman.cli.output import print_json, print_line
from dragoman.core.facets import HasStakes
from dragoman.core.protocols import Suite
from dragoman.core.rules import DEFAULT_RULES
from dragoman.core.tasks import Stakes, Task
from dragoman.report import wording
from dragoman.report.fitting import TextTable, print_table
from dragoman.scoring.measures.critical_fields import critical_actions
from dragoman.scoring.measures.escalation import escalation_duties, planned_handover
from dragoman.wiring.suites import load_suite

_NAMED = 9
"""How many tasks of a duty are named."""


class CriticalRow(msgspec.Struct, frozen=True):
    """A critical field of one task, with the value that the plan has."""

    task: str
    action: str
    tool: str
    argument: str
    value: object
    is_declared: bool


class DutyRow(msgspec.Struct, frozen=True):
    """A task that a person must take over: by which duties, and whether its plan hands over."""

    task: str
    reasons: tuple[str, ...]
    is_planned: bool


def print_fields(name: str, *, full: bool, as_json: bool) -> None:
    """Print what can go badly wrong in a suite, for people to look over."""
    suite = load_suite(name)
    stakes = suite.stakes if isinstance(suite, HasStakes) else Stakes()
    rows = [row for task in suite.tasks for row in _rows(suite, task)]
    due = [row for task in suite.tasks for row in _due(task, stakes)]
    if as_json:
        planned = [row.task for row in due if row.is_planned]
        shown = {"suite": name, "stakes": stakes, "critical": rows, "escalations_due": planned}
        print_json({**shown, "duties": due})
        return
    _print_tools(rows, stakes)
    if full:
        _print_rows(rows)
    if stakes.escalation_tool:
        _print_duties(suite, stakes, due, full=full)


def _rows(suite: Suite, task: Task) -> Iterator[CriticalRow]:
    world = suite.factory(DEFAULT_RULES)(task)
    for found in critical_actions(task, world.kind):
        for name in found.arguments:
            action = found.action
            value = action.arguments.get(name)
            yield CriticalRow(task.id, action.id, action.name, name, value, found.is_declared)


def _due(task: Task, stakes: Stakes) -> Iterator[DutyRow]:
    reasons = tuple(each.reason for each in escalation_duties(task, stakes))
    is_planned = planned_handover(task, stakes) is not None
    if reasons or is_planned:
        yield DutyRow(task.id, reasons, is_planned)


def _print_duties(suite: Suite, stakes: Stakes, due: Sequence[DutyRow], *, full: bool) -> None:
    for duty in stakes.escalations:
        print_line(f"a person takes over ({duty.reason}): {duty.when}")
        tasks = [row.task for row in due if duty.reason in row.reasons]
        place = duty.place or _heading(suite, duty.reason)
        print_line(f"  {place}{place and '; '}{_named(tasks, full=full)}")
    planned = [row.task for row in due if row.is_planned]
    print_line(f"{stakes.escalation_tool} is in the plan of {_named(planned, full=full)}")
    alone = [row.task for row in due if not row.is_planned]
    unsaid = [row.task for row in due if not row.reasons]
    if alone:
        print_line(f"a duty that the plan does not follow: {_named(alone, full=full)}")
    if unsaid:
        print_line(f"a plan that no duty explains: {_named(unsaid, full=full)}")


def _heading(suite: Suite, reason: str) -> str:
    """Return the heading of the policy under which a reason's code stands, "" where it stands nowhere."""
    task = next(iter(suite.tasks), None)
    policy = "" if task is None else suite.policy(task, suite.factory(DEFAULT_RULES)(task))
    heading = ""
    for line in policy.splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif f"`{reason}`" in line:
            return f"policy: {heading}" if heading else "policy"
    return ""


def _named(tasks: Sequence[str], *, full: bool) -> str:
    """Return how many tasks there are, and which."""
    shown = tasks if full or len(tasks) <= _NAMED + 1 else tasks[:_NAMED]
    more = f" and {len(tasks) - len(shown)} more (--full)" if len(shown) < len(tasks) else ""
    return f"{wording.counted(len(tasks), 'task')}: {', '.join(shown) or 'none'}{more}"


def _print_tools(rows: list[CriticalRow], stakes: Stakes) -> None:
    tools = dict.fromkeys((*stakes.irreversible, *sorted(row.tool for row in rows)))
    headings = ("tool", "irreversible", "critical arguments", "fields", "tasks")
    lines = []
    for tool in tools:
        own = [row for row in rows if row.tool == tool]
        lines.append(
            (
                tool,
                "yes" if tool in stakes.irreversible else "no",
                ", ".join(dict.fromkeys(row.argument for row in own)) or "-",
                f"{len(own):,}",
                f"{len({row.task for row in own}):,}",
            )
        )
    how = (
        "as tasks declare them"
        if any(row.is_declared for row in rows)
        else "all of planned changes"
    )
    print_table(
        TextTable(headings, tuple(lines), f"critical fields ({how})", "", frozenset(headings[3:]))
    )


def _print_rows(rows: list[CriticalRow]) -> None:
    headings = ("task", "action", "tool", "argument", "value")
    lines = tuple(
        (row.task, row.action, row.tool, row.argument, msgspec.json.encode(row.value).decode())
        for row in rows
    )
    print_table(TextTable(headings, lines, "critical fields by task"))
