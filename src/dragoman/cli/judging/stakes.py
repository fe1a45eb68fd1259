"""`dragoman fields`."""

from collections.abc import Iterator

import msgspec

from dragoman.cli.output import print_json, print_line
from dragoman.core.facets import HasStakes
from dragoman.core.protocols import Suite
from dragoman.core.rules import DEFAULT_RULES
from dragoman.core.tasks import Stakes, Task
from dragoman.report import wording
from dragoman.report.fitting import TextTable, print_table
from dragoman.scoring.critical_fields import critical_actions
from dragoman.wiring.suites import load_suite


class CriticalRow(msgspec.Struct, frozen=True):
    """A critical field of one task, with the value that the plan has."""

    task: str
    action: str
    tool: str
    argument: str
    value: object
    is_declared: bool


def print_fields(name: str, *, full: bool, as_json: bool) -> None:
    """Print what can go badly wrong in a suite, for people to look over."""
    suite = load_suite(name)
    stakes = suite.stakes if isinstance(suite, HasStakes) else Stakes()
    rows = [row for task in suite.tasks for row in _rows(suite, task)]
    due = [task.id for task in suite.tasks if _is_due(task, stakes)]
    if as_json:
        print_json({"suite": name, "stakes": stakes, "critical": rows, "escalations_due": due})
        return
    _print_tools(rows, stakes)
    if full:
        _print_rows(rows)
    for escalation in stakes.escalations:
        print_line(f"a person takes over ({escalation.reason}): {escalation.when}")
    if stakes.escalation_tool:
        what = wording.counted(len(due), "task")
        print_line(f"{stakes.escalation_tool} is in the plan of {what}: {', '.join(due) or 'none'}")


def _rows(suite: Suite, task: Task) -> Iterator[CriticalRow]:
    world = suite.factory(DEFAULT_RULES)(task)
    for found in critical_actions(task, world.kind):
        for name in found.arguments:
            action = found.action
            value = action.arguments.get(name)
            yield CriticalRow(task.id, action.id, action.name, name, value, found.is_declared)


def _is_due(task: Task, stakes: Stakes) -> bool:
    actions = () if task.criteria is None else task.criteria.actions or ()
    return any(action.name == stakes.escalation_tool for action in actions)


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
