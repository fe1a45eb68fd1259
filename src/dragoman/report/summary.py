"""Tables of a run for a terminal: metrics, usage, and failures grouped by cause and stage."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from dragoman.analysis.cell_summary import (
    CellSummary,
    ConversationResult,
    PlaceInRun,
    ledger_cost,
    merge_ledgers,
    place_in_run,
)
from dragoman.analysis.drops import FailureStage, failure_stage
from dragoman.analysis.pass_hat import Figure, PassHat
from dragoman.core.episodes import COMPLETE
from dragoman.core.scores import OUTCOME_STATUSES, OutcomeStatus
from dragoman.report import formatting
from dragoman.report.formatting import ENDINGS
from dragoman.report.text_tables import TextTable
from dragoman.report.view_model import FailureCause, conversation_causes

MAX_REASON = 200
"""Characters of an ending's reason that are shown in a line."""

_NAMES: dict[str, Callable[[CellSummary], str]] = {
    "suite": lambda cell: cell.suite,
    "condition": lambda cell: cell.condition.label,
    "rules": lambda cell: cell.rules,
    "judge": lambda cell: cell.judge,
}


def summary_table(cells: Sequence[CellSummary], users: str = "") -> TextTable:
    """Return the figures of all cells as a table.

    The title has the values that all cells share (suite, condition, rules, judge) and the user.
    Values that differ are below the agent's name.
    """
    names = {name: {_NAMES[name](cell) for cell in cells} for name in _NAMES}
    shared = [f"{name} {next(iter(values))}" for name, values in names.items() if len(values) == 1]
    varying = [name for name, values in names.items() if len(values) > 1]
    assumed = any(cell.assumed for cell in cells)
    return TextTable(
        headings=(
            ", ".join(("agent", *varying)),
            "tasks, errors",
            "pass^k, 95 % interval",
            "bounds",
        ),
        rows=tuple(row for cell in cells for row in _rows(cell, varying)),
        title=", ".join([*shared, *([f"user {users}"] if users else [])]),
        note=f"{formatting.ASSUMED}: {formatting.ASSUMED_NOTE}" if assumed else "",
        is_spaced=True,
    )


def stated_persona_table(cells: Sequence[CellSummary]) -> TextTable | None:
    """Return pass^1 by the personas that tasks state; None if no task states one."""
    rows = [(cell, figure) for cell in cells for figure in cell.stated]
    if not rows:
        return None
    conditions = {cell.condition.label for cell, _ in rows}
    return TextTable(
        headings=(
            "agent",
            *(("condition",) if len(conditions) > 1 else ()),
            *("persona", "pass^1", "95 % interval", "tasks", "excluded"),
        ),
        rows=tuple(
            (
                cell.agent,
                *((cell.condition.label,) if len(conditions) > 1 else ()),
                figure.persona,
                formatting.number(figure.value),
                formatting.interval(figure.interval),
                f"{figure.tasks:,}",
                f"{figure.left_out:,}",
            )
            for cell, figure in rows
        ),
        title="pass^1 by the persona that each task states (--persona task)",
        note="each persona has its own tasks, so that a difference between personas is also "
        "one between tasks",
        numbers=frozenset({"pass^1", "tasks", "excluded"}),
        keys=1,
    )


def ending_lines(cells: Sequence[CellSummary]) -> list[str]:
    """Return the endings of each cell with an irregular ending.

    Each irregular ending has its most common reason; regular endings need no reason.
    """
    many_agents = len({cell.agent for cell in cells}) > 1
    many_conditions = len({cell.condition.label for cell in cells}) > 1
    lines = []
    for cell in cells:
        if COMPLETE.issuperset(cell.endings):
            continue
        names = [cell.agent] * many_agents + [cell.condition.label] * many_conditions
        whose = f"{', '.join(names)}: " if names else ""
        lines.append(f"ended: {whose}{', '.join(_endings(cell))}")
    return lines


def _endings(cell: CellSummary) -> Iterator[str]:
    for reason, count in cell.endings.items():
        if reason in COMPLETE:
            yield f"{count:,} {reason}"
        else:
            why = cell.ending_details.get(reason) or formatting.ENDINGS[reason]
            yield f"{count:,} {reason} ({formatting.truncate_text(why, MAX_REASON)})"


def usage_table(cells: Sequence[CellSummary]) -> TextTable | None:
    """Return the usage and cost of all cells; None if no usage was recorded."""
    lines = merge_ledgers(line for cell in cells for line in cell.ledger)
    if not lines:
        return None
    return TextTable(
        headings=("for", "model", "calls", "tokens in", "out", "failed attempts", "cost"),
        rows=tuple(
            (
                line.usage.purpose,
                line.usage.model,
                formatting.calls(line.usage),
                formatting.format_sent_usage(line.usage),
                formatting.format_received_usage(line.usage),
                formatting.faults(line.usage),
                "-" if line.cost is None else formatting.money(line.cost),
            )
            for line in lines
        ),
        note="; ".join(
            filter(
                None,
                (
                    f"total cost: {formatting.money(ledger_cost(lines))}",
                    formatting.describe_unknown_costs(lines),
                ),
            )
        ),
        numbers=frozenset({"calls", "tokens in", "out", "cost"}),
    )


def _rows(cell: CellSummary, varying: Sequence[str]) -> list[tuple[str, ...]]:
    marker = [formatting.ASSUMED] if cell.assumed else []
    theirs = [] if cell.reference is None else [formatting.reference(cell.reference)]
    figures = cell.result.figures
    columns = (
        [cell.agent, *(_NAMES[name](cell) for name in varying)],
        _counts(cell),
        marker + _figures(figures) + theirs,
        marker + [formatting.interval(figure.bounds) for figure in figures],
    )
    rows = [tuple("\n".join(lines) for lines in columns)]
    if cell.without_invalid is not None:
        rows.append(_without_invalid(cell.without_invalid))
    return rows


def _counts(cell: CellSummary) -> list[str]:
    return [
        formatting.format_count(cell.result.tasks, "task"),
        f"without a verdict {cell.result.left_out}",
        *([f"not run {cell.missing}"] if cell.missing else []),
        f"infrastructure errors {cell.infrastructure_errors}",
        *([f"code errors {cell.code_errors}"] if cell.code_errors else []),
        f"tool errors {cell.tool_errors}",
        *([f"malformed calls {cell.malformed_calls}"] if cell.malformed_calls else []),
        *([f"near-miss stop tokens {cell.near_tokens}"] if cell.near_tokens else []),
        *([] if cell.invalid is None else [f"invalid users {cell.invalid}"]),
        # An unknown cost is stated once, below the table of usage.
        *([] if cell.cost is None else [f"cost {formatting.money(cell.cost)}"]),
    ]


def _figures(figures: Sequence[Figure]) -> list[str]:
    """Return the figures; one with fewer tasks than the first states their number."""
    first = figures[0].tasks if figures else 0
    return [
        f"^{figure.k} {formatting.number(figure.value)} {formatting.interval(figure.interval)}"
        + (f" ({formatting.format_count(figure.tasks, 'task')})" if figure.tasks != first else "")
        for figure in figures
    ]


def _without_invalid(result: PassHat) -> tuple[str, ...]:
    """Return the row that excludes conversations with an invalid user."""
    counts = [formatting.format_count(result.tasks, "task"), f"excluded {result.left_out}"]
    bounds = [formatting.interval(figure.bounds) for figure in result.figures]
    columns = (["  valid users"], counts, _figures(result.figures), bounds)
    return tuple("\n".join(lines) for lines in columns)


_ORDER = tuple(OUTCOME_STATUSES)

_Group = tuple[OutcomeStatus, str, FailureStage | None]


class FailureGroup(msgspec.Struct, frozen=True):
    """All conversations that did not succeed for the same reasons.

    `stage` is None if no stage failed.
    """

    status: OutcomeStatus
    cause: str
    places: tuple[PlaceInRun, ...]
    stage: FailureStage | None = None


class Failure(msgspec.Struct, frozen=True):
    """One conversation that did not succeed, and why; `stage` is None if no stage failed."""

    status: OutcomeStatus
    cause: str
    place: PlaceInRun
    stage: FailureStage | None = None


def list_failures(outcomes: Iterable[ConversationResult]) -> Iterator[Failure]:
    """Yield the conversations that did not succeed.

    A conversation that failed in several components has all of them as one cause.
    """
    for outcome in outcomes:
        found = conversation_causes(outcome)
        if found:
            status = found[0].status
            stage = failure_stage(outcome) if status == "fail" else None
            yield Failure(status, _text(outcome, found), place_in_run(outcome), stage)


def failure_groups(failures: Iterable[Failure]) -> tuple[FailureGroup, ...]:
    """Group the conversations that did not succeed: by status, cause and stage.

    The most frequent cause comes first, and within a cause the most frequent stage.
    """
    groups: dict[_Group, list[PlaceInRun]] = {}
    of_cause: Counter[tuple[OutcomeStatus, str]] = Counter()
    for failure in failures:
        group = (failure.status, failure.cause, failure.stage)
        groups.setdefault(group, []).append(failure.place)
        of_cause[failure.status, failure.cause] += 1

    def rank(group: _Group) -> tuple[int, int, str, int]:
        status, text, _ = group
        return (_ORDER.index(status), -of_cause[status, text], text, -len(groups[group]))

    return tuple(
        FailureGroup(group[0], group[1], tuple(groups[group]), group[2])
        for group in sorted(groups, key=rank)
    )


def _text(outcome: ConversationResult, found: Sequence[FailureCause]) -> str:
    text = " and ".join(cause.text for cause in found)
    ending = None if outcome.episode is None else outcome.episode.ending
    if found[0].status != "fail" or ending is None or ending.reason in COMPLETE:
        return text
    return f"{text} ({ending.detail or ENDINGS[ending.reason]})"
