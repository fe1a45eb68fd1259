"""Implementation of `dragoman usage`: tokens and cost of runs, by axis, and of other artifacts."""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from dragoman.analysis.cell_summary import CellSummary, LedgerLine, ledger_cost
from dragoman.analysis.grouping import AGENT, AxisLedger, ledgers_by
from dragoman.cli.output import print_json, print_line
from dragoman.core.conditions import axis_names
from dragoman.core.costs import Cost
from dragoman.core.errors import UsageError
from dragoman.dataframes.artifact_costs import ArtifactCost, artifact_cost
from dragoman.dataframes.results import chosen_scoring, summary
from dragoman.dataframes.text_files import as_markdown, require_writable, write_tables
from dragoman.models.prices import AgedPrice, PriceTable, load_prices
from dragoman.report import formatting
from dragoman.report.costs import artifact_cost_table, spending_table
from dragoman.report.table_markup import latex_tables
from dragoman.report.text_tables import print_table
from dragoman.runs.manifest import stored_prices
from dragoman.store.run_store import open_run

USUAL = ("scenario",)
"""The default axes."""


class UsageRequest(NamedTuple):
    """A usage request.

    It has runs and other artifacts, axes and purposes, a price table, and output files for the
    tables.
    """

    folders: Sequence[Path]
    axes: Sequence[str]
    purposes: Sequence[str]
    prices: Path | None
    outs: Sequence[Path]


def print_usage(asked: UsageRequest, *, as_json: bool) -> None:
    """Print the usage and cost of conversations by axis, and those of other artifacts.

    Write the tables to files if requested.

    Raises:
        UsageError: For an axis that the runs do not have, and a file of another kind.
        DataError: If something cannot be read.
        StoreError: If a run cannot be read, or an output file cannot be written.
    """
    require_writable(asked.outs, (".md", ".tex", ".json"))
    artifact_costs, runs, aged = _artifact_costs(asked)
    cells: list[CellSummary] = []
    for folder in runs:
        found, priced = _cells(folder, asked.prices)
        cells += found
        aged |= _outdated_prices_by_model(
            priced, (usage.model for cell in found for usage in cell.usage)
        )
    if not runs and tuple(asked.axes) != USUAL:
        raise UsageError(f"--by {','.join(asked.axes)}: none of these folders is a run")
    ledgers = _ledgers(cells, asked) if runs else ()
    tables = [spending_table(ledgers, asked.axes)] if runs else []
    if artifact_costs:
        tables.append(
            artifact_cost_table([(each.path, each.kind, each.lines) for each in artifact_costs])
        )
    old = list(aged.values())
    record = {
        "by": asked.axes,
        "usage": [_object(each) for each in ledgers],
        "made": [_artifact_objects(each) for each in artifact_costs],
        "old_prices": msgspec.to_builtins(old),
    }
    facts = [("old price", aged_price(each)) for each in old]
    write_tables(
        asked.outs,
        {
            ".md": lambda: as_markdown("Usage and cost", tables, facts).encode(),
            ".tex": lambda: latex_tables(tables).encode(),
            ".json": lambda: msgspec.json.format(msgspec.json.encode(record)),
        },
    )
    if as_json:
        print_json(record)
        return
    for table in tables:
        print_table(table)
    if unknown := formatting.describe_unknown_costs(
        line for each in ledgers for line in each.lines
    ):
        print_line(unknown)
    for each in old:
        print_line(f"old price: {aged_price(each)}")


def _artifact_costs(
    asked: UsageRequest,
) -> tuple[list[ArtifactCost], list[Path], dict[str, AgedPrice]]:
    """Return the artifacts that are not runs, the other folders, and the outdated prices.

    The outdated prices are those of the artifacts.
    """
    prices = load_prices(asked.prices)
    artifact_costs: list[ArtifactCost] = []
    runs: list[Path] = []
    for folder in asked.folders:
        found = artifact_cost(folder, prices.price_of)
        if found is None:
            runs.append(folder)
        else:
            lines = tuple(each for each in found.lines if _is_asked(each, asked))
            artifact_costs.append(msgspec.structs.replace(found, lines=lines))
    models = (line.usage.model for each in artifact_costs for line in each.lines)
    return artifact_costs, runs, _outdated_prices_by_model(prices, models)


def _is_asked(line: LedgerLine, asked: UsageRequest) -> bool:
    return not asked.purposes or line.usage.purpose in asked.purposes


def _outdated_prices_by_model(prices: PriceTable, models: Iterable[str]) -> dict[str, AgedPrice]:
    return {each.model: each for each in prices.aged(set(models), today())}


def _ledgers(cells: Sequence[CellSummary], asked: UsageRequest) -> Sequence[AxisLedger]:
    known = (AGENT, *axis_names(cell.condition for cell in cells))
    for axis in asked.axes:
        if axis not in known:
            raise UsageError(f"--by {axis}: no such axis: choose of {', '.join(known)}")
    return ledgers_by(cells, asked.axes, asked.purposes)


def today() -> date:
    """Return the date on which the age of prices is computed."""
    return datetime.now(tz=UTC).date()  # noqa: TID251 - the command's clock


def aged_price(price: AgedPrice) -> str:
    """Return one line about an old price and its source."""
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
        "cost": _nominal_dollars(ledger.cost),
        "successes": ledger.successes,
        "cost_per_conversation": _nominal_dollars(ledger.cost_per_conversation),
        "cost_per_success": _nominal_dollars(ledger.cost_per_success),
        "lines": [_line(line) for line in ledger.lines],
    }


def _artifact_objects(being_made: ArtifactCost) -> dict[str, object]:
    return {
        "path": being_made.path,
        "kind": being_made.kind,
        "cost": _nominal_dollars(ledger_cost(being_made.lines)),
        "lines": [{**_line(line), "seconds": line.usage.seconds} for line in being_made.lines],
    }


def _line(line: LedgerLine) -> dict[str, object]:
    return {
        "for": line.usage.purpose,
        "model": line.usage.model,
        "calls": line.usage.calls,
        "tokens_in": line.usage.input_tokens,
        "tokens_out": line.usage.output_tokens,
        "cost": _nominal_dollars(line.cost),
    }


def _nominal_dollars(cost: Cost | None) -> float | None:
    return None if cost is None else float(cost.nominal)
