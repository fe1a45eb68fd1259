"""`dragoman usage RUN... --by AXIS`: what runs used and cost, by axis."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from dragoman.analysis.by_axis import AGENT
from dragoman.analysis.cells import CellSummary
from dragoman.analysis.ledger_by_axis import AxisLedger, ledgers_by
from dragoman.cli.leading.written import as_markdown, require_writable, write_all
from dragoman.cli.output import print_json, print_line
from dragoman.core.conditions import axis_names
from dragoman.core.costs import Cost
from dragoman.core.errors import UsageError
from dragoman.models.spending.prices import AgedPrice, PriceTable, load_prices
from dragoman.report.fitting import print_table
from dragoman.report.latex import latex_tables
from dragoman.report.spending import spending_table
from dragoman.runs.jobs import stored_prices
from dragoman.store.run import open_run
from dragoman.tables.outcomes import chosen_scoring, summary


class UsageRequest(NamedTuple):
    """Runs, the axes and purposes that are asked for, a price table, and files that get the table."""

    folders: Sequence[Path]
    axes: Sequence[str]
    purposes: Sequence[str]
    prices: Path | None
    outs: Sequence[Path]


def print_usage(asked: UsageRequest, *, as_json: bool) -> None:
    """Print what conversations used and cost, by axis, and write it where that is asked.

    Raises:
        UsageError: For an axis that the runs do not have, and a file of another kind.
    """
    require_writable(asked.outs, (".md", ".tex", ".json"))
    axes = asked.axes
    cells: list[CellSummary] = []
    aged: dict[str, AgedPrice] = {}
    for folder in asked.folders:
        found, priced = _cells(folder, asked.prices)
        cells += found
        models = {usage.model for cell in found for usage in cell.usage}
        aged |= {each.model: each for each in priced.aged(models, today())}
    known = (AGENT, *axis_names(cell.condition for cell in cells))
    for axis in axes:
        if axis not in known:
            raise UsageError(f"--by {axis}: no such axis: choose of {', '.join(known)}")
    ledgers = ledgers_by(cells, axes, asked.purposes)
    table = spending_table(ledgers, axes)
    old = list(aged.values())
    told = {
        "by": axes,
        "usage": [_object(each) for each in ledgers],
        "old_prices": msgspec.to_builtins(old),
    }
    facts = [("old price", aged_price(each)) for each in old]
    write_all(
        asked.outs,
        {
            ".md": lambda: as_markdown("Usage and cost", [table], facts).encode(),
            ".tex": lambda: latex_tables([table]).encode(),
            ".json": lambda: msgspec.json.format(msgspec.json.encode(told)),
        },
    )
    if as_json:
        print_json(told)
        return
    print_table(table)
    for each in old:
        print_line(f"old price: {aged_price(each)}")


def today() -> date:
    """Return the date by which prices are old."""
    return datetime.now(tz=UTC).date()  # noqa: TID251 - the command's clock


def aged_price(price: AgedPrice) -> str:
    """Return in one line that a price is old, and where it may be looked up."""
    source = price.origin.source or "source unknown"
    return f"{price.model}, of {price.origin.as_of}, {price.days:,} days ago: {source}"


def _cells(folder: Path, prices: Path | None) -> tuple[tuple[CellSummary, ...], PriceTable]:
    with open_run(folder, write=False) as store:
        table = stored_prices(store) if prices is None else load_prices(prices)
        return summary(store, *chosen_scoring(store, None, None), table), table


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
