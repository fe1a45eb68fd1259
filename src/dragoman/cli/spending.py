"""`dragoman usage RUN... --by AXIS`: what runs used and cost, by axis."""

from collections.abc import Sequence
from pathlib import Path

from dragoman.analysis.by_axis import AGENT
from dragoman.analysis.cells import CellSummary
from dragoman.analysis.ledger_by_axis import AxisLedger, ledgers_by
from dragoman.cli.output import print_json
from dragoman.core.conditions import axis_names
from dragoman.core.costs import Cost
from dragoman.core.errors import UsageError
from dragoman.models.spending.prices import load_prices
from dragoman.report.fitting import print_table
from dragoman.report.spending import spending_table
from dragoman.store.run import open_run
from dragoman.tables.outcomes import chosen_scoring, summary


def print_usage(
    folders: Sequence[Path],
    axes: Sequence[str],
    purposes: Sequence[str],
    prices: Path | None,
    *,
    as_json: bool,
) -> None:
    """Print what conversations used and cost, by axis.

    Raises:
        UsageError: For an axis that the runs do not have.
    """
    cells = [cell for folder in folders for cell in _cells(folder, prices)]
    known = (AGENT, *axis_names(cell.condition for cell in cells))
    for axis in axes:
        if axis not in known:
            raise UsageError(f"--by {axis}: no such axis: choose of {', '.join(known)}")
    ledgers = ledgers_by(cells, axes, purposes)
    if as_json:
        print_json({"by": axes, "usage": [_object(each) for each in ledgers]})
    else:
        print_table(spending_table(ledgers, axes))


def _cells(folder: Path, prices: Path | None) -> tuple[CellSummary, ...]:
    table = None if prices is None else load_prices(prices)
    with open_run(folder, write=False) as store:
        return summary(store, *chosen_scoring(store, None, None), table)


def _object(ledger: AxisLedger) -> dict[str, object]:
    return {
        **ledger.values,
        "conversations": ledger.conversations,
        "cost": _dollars(ledger.cost),
        "successes": ledger.successes,
        "cost_per_conversation": _dollars(ledger.cost_per_conversation),
        "cost_per_success": _dollars(ledger.cost_per_success),
        "lines": [
            {
                "for": line.usage.purpose,
                "model": line.usage.model,
                "calls": line.usage.calls,
                "tokens_in": line.usage.input_tokens,
                "tokens_out": line.usage.output_tokens,
                "cost": _dollars(line.cost),
            }
            for line in ledger.lines
        ],
    }


def _dollars(cost: Cost | None) -> float | None:
    return None if cost is None else float(cost.nominal)
