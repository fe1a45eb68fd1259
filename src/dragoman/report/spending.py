"""What conversations used and cost, by scenario or another axis, as a table."""

from collections.abc import Iterator, Sequence

from dragoman.analysis.by_axis import AGENT
from dragoman.analysis.cells import CellSummary
from dragoman.analysis.ledger_by_axis import AxisLedger, ledgers_by
from dragoman.report import wording
from dragoman.report.fitting import TextTable


def cost_by_scenario(cells: Sequence[CellSummary]) -> TextTable | None:
    """Return what each scenario and agent used and cost; None where no use of models was recorded."""
    if not any(cell.ledger for cell in cells):
        return None
    axes = ("scenario", AGENT)
    return spending_table(ledgers_by(cells, axes, ()), axes, "cost by scenario")


def spending_table(
    ledgers: Sequence[AxisLedger], axes: Sequence[str], title: str = ""
) -> TextTable:
    """Return what conversations used and cost, by axis."""
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
        "counted are all attempts at every stored conversation; each: the cost of one conversation; "
        "per success: what failed is paid for too",
        frozenset({"conversations", "calls", "tokens in", "out", "cost", "each", "per success"}),
    )


def _rows(ledger: AxisLedger) -> Iterator[tuple[str, ...]]:
    """Yield a row for each purpose and model, and one for all where these are several or none."""
    shared = (*ledger.values.values(), f"{ledger.conversations:,}")
    shares = (wording.money(ledger.cost_per_conversation), _per_success(ledger))
    for line in ledger.lines:
        used = (wording.calls(line.usage), wording.sent(line.usage), wording.received(line.usage))
        named = (line.usage.purpose, line.usage.model)
        only = shares if len(ledger.lines) == 1 else ("", "")
        yield (*shared, *named, *used, wording.money(line.cost), *only)
    if len(ledger.lines) > 1:
        yield (*shared, "all", "", "", "", "", wording.money(ledger.cost), *shares)
    elif not ledger.lines:
        yield (*shared, "nothing was used", "", "", "", "", "", "", "")


def _per_success(ledger: AxisLedger) -> str:
    return "no success" if ledger.successes == 0 else wording.money(ledger.cost_per_success)
