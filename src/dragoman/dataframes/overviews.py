"""The answer of a stored run: its cells against the baseline, as reports and terminals show it."""

from collections.abc import Sequence

import msgspec

from dragoman.analysis.cell_summary import CellSummary, ConversationResult, LedgerLine, summarize
from dragoman.analysis.comparison import group_cells
from dragoman.analysis.drops import Drop, drops_from_baseline
from dragoman.analysis.faithful_pairs import faithful_pairs
from dragoman.dataframes.results import outcomes
from dragoman.models.prices import PriceTable
from dragoman.report.overview import RunOverview, cell_point, run_totals
from dragoman.report.overview_builder import build_overview
from dragoman.runs.manifest import read_manifest, stored_prices
from dragoman.store.run_store import RunStore


def run_overview(
    store: RunStore, rules: str, judge: str, prices: PriceTable | None = None
) -> RunOverview:
    """Return the answer of a run under one scoring.

    Args:
        store: The run.
        rules: The rule set that it was scored by.
        judge: The judge.
        prices: Prices of models; None for the prices that the run was started with.
    """
    rows = tuple(outcomes(store, rules, judge, heads_only=True))
    price_of = (prices or stored_prices(store)).price_of
    cells = summarize(rows, rules, judge, price_of, read_manifest(store).preflight)
    return overview_of(store, rows, cells)


def overview_of(
    store: RunStore, rows: Sequence[ConversationResult], cells: Sequence[CellSummary]
) -> RunOverview:
    """Return the answer of a run whose cells are summarized."""
    manifest = read_manifest(store)
    totals = run_totals(cells)
    if manifest.imported is not msgspec.UNSET:
        lines = [line for cell in cells for line in cell.ledger]
        if not lines or totals.cost is None:
            note = _why_imported_costs_are_unknown(lines)
            totals = msgspec.structs.replace(totals, cost=None, cost_note=note)
    return build_overview(
        list(map(cell_point, cells)),
        baseline_drops(store, rows),
        rows,
        manifest.not_applicable,
        totals,
    )


def _why_imported_costs_are_unknown(lines: Sequence[LedgerLine]) -> str:
    """Return why the cost of an imported run is unknown, and the remedy if there is one.

    Its models were asked by another program, so their names here cannot carry a price.
    """
    if not lines:
        return "the imported files name no usage of models"
    if any(line.usage.input_tokens is None for line in lines if line.cost is None):
        return "the imported files do not name all tokens"
    return "dragoman usage takes prices of its models (--prices FILE)"


def baseline_drops(store: RunStore, rows: Sequence[ConversationResult]) -> tuple[Drop, ...]:
    """Return the drop of each condition against the baseline of its agent.

    Pairs that differ in a persona which users did not keep to are excluded.
    """
    if len({row.condition for row in rows}) == 1:
        return ()
    digests = {task.id: task.digest for task in store.tasks().values()}
    cells = group_cells(str(store.folder), rows, digests)
    return drops_from_baseline(cells, faithful_pairs)
