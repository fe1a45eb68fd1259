"""The answer of a stored run: its cells against the baseline, as reports and terminals show it."""

from collections.abc import Sequence

import msgspec

from dragoman.analysis.cell_summary import CellSummary, ConversationResult, summarize
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
    if manifest.imported is not msgspec.UNSET and not any(cell.ledger for cell in cells):
        note = "the imported files name no usage of models"
        totals = msgspec.structs.replace(totals, cost=None, cost_note=note)
    return build_overview(
        list(map(cell_point, cells)),
        baseline_drops(store, rows),
        rows,
        manifest.not_applicable,
        totals,
    )


def baseline_drops(store: RunStore, rows: Sequence[ConversationResult]) -> tuple[Drop, ...]:
    """Return the drop of each condition against the baseline of its agent.

    Pairs that differ in a persona which users did not keep to are excluded.
    """
    if len({row.condition for row in rows}) == 1:
        return ()
    digests = {task.id: task.digest for task in store.tasks().values()}
    cells = group_cells(str(store.folder), rows, digests)
    return drops_from_baseline(cells, faithful_pairs)
