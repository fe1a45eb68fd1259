"""Tables of usage and cost by scenario or by another axis."""

from collections.abc import Iterator, Sequence

from dragoman.analysis.cell_summary import CellSummary, LedgerLine, ledger_cost
from dragoman.analysis.grouping import AGENT, AxisLedger, ledgers_by
from dragoman.report import formatting
from dragoman.report.text_tables import TextTable


def cost_by_scenario(cells: Sequence[CellSummary]) -> TextTable | None:
    """Return the usage and cost of each scenario and agent.

    The result is None if no use of models was recorded.
    """
    if not any(cell.ledger for cell in cells):
        return None
    axes = ("scenario", AGENT)
    return spending_table(ledgers_by(cells, axes, ()), axes, "cost by scenario")


def spending_table(
    ledgers: Sequence[AxisLedger], axes: Sequence[str], title: str = ""
) -> TextTable:
    """Return the usage and cost of conversations, by axis."""
    headings = (
        "conversations",
        "for",
        "model",
        "calls",
        "tokens in",
        "out",
        "cost",
        "each",
        "per success",
    )
    return TextTable(
        (*axes, *headings),
        tuple(row for each in ledgers for row in _rows(each)),
        title,
        "usage covers all attempts at every stored conversation; each: cost of one "
        "conversation; per success: includes the cost of failures",
        frozenset({"conversations", "calls", "tokens in", "out", "cost", "each", "per success"}),
    )


def artifact_cost_table(
    artifact_costs: Sequence[tuple[str, str, Sequence[LedgerLine]]],
) -> TextTable:
    """Return the usage of artifacts that are not runs.

    Args:
        artifact_costs: The path of each artifact, its kind, and its usage.
    """
    headings = ("made", "what", "for", "model", "calls", "tokens in", "out", "time", "cost")
    return TextTable(
        headings,
        tuple(
            row
            for path, kind, lines in artifact_costs
            for row in _artifact_cost_rows((path, kind), lines)
        ),
        numbers=frozenset({"calls", "tokens in", "out", "time", "cost"}),
    )


def _artifact_cost_rows(
    what: tuple[str, str], lines: Sequence[LedgerLine]
) -> Iterator[tuple[str, ...]]:
    for line in lines:
        used = line.usage
        counts = (
            formatting.calls(used),
            formatting.format_sent_usage(used),
            formatting.format_received_usage(used),
        )
        took = formatting.duration(used.seconds)
        yield (*what, used.purpose, used.model, *counts, took, formatting.money(line.cost))
    if len(lines) > 1:
        yield (*what, "all", "", "", "", "", "", formatting.money(ledger_cost(lines)))
    elif not lines:
        yield (*what, "no usage", "", "", "", "", "", "")


def _rows(ledger: AxisLedger) -> Iterator[tuple[str, ...]]:
    """Yield a row for each purpose and model, and one for all unless there is exactly one."""
    shared = (*ledger.values.values(), f"{ledger.conversations:,}")
    shares = (formatting.money(ledger.cost_per_conversation), _per_success(ledger))
    for line in ledger.lines:
        used = (
            formatting.calls(line.usage),
            formatting.format_sent_usage(line.usage),
            formatting.format_received_usage(line.usage),
        )
        named = (line.usage.purpose, line.usage.model)
        only = shares if len(ledger.lines) == 1 else ("", "")
        yield (*shared, *named, *used, formatting.money(line.cost), *only)
    if len(ledger.lines) > 1:
        yield (*shared, "all", "", "", "", "", formatting.money(ledger.cost), *shares)
    elif not ledger.lines:
        yield (*shared, "no usage", "", "", "", "", "", "", "")


def _per_success(ledger: AxisLedger) -> str:
    return "no success" if ledger.successes == 0 else formatting.money(ledger.cost_per_success)
