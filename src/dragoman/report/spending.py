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
    headings = ("conversations", "for", "model", "calls", "tokens in", "out", "cost")
    return TextTable(
        (*axes, *headings),
        tuple(row for each in ledgers for row in _rows(each)),
        title,
        "counted are all attempts at every stored conversation",
        frozenset({"conversations", "calls", "tokens in", "out", "cost"}),
    )


def _rows(ledger: AxisLedger) -> Iterator[tuple[str, ...]]:
    """Yield a row for each purpose and model, and one for all where these are several or none."""
    shared = (*ledger.values.values(), f"{ledger.conversations:,}")
    for line in ledger.lines:
        used = (wording.calls(line.usage), wording.sent(line.usage), wording.received(line.usage))
        named = (line.usage.purpose, line.usage.model)
        yield (*shared, *named, *used, wording.money(line.cost))
    if len(ledger.lines) > 1:
        yield (*shared, "all", "", "", "", "", wording.money(ledger.cost))
    elif not ledger.lines:
        yield (*shared, "nothing was used", "", "", "", "", "")
