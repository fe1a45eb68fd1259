"""What came of a run's cells, read from its store alone."""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from dragoman.analysis.cells import CellSummary, Outcome, summarize
from dragoman.analysis.measure_figures import MeasureRow, measure_rows
from dragoman.core.errors import StoreError
from dragoman.core.scores import METRIC_VERSION, NO_JUDGE, USER_JUDGE
from dragoman.models.prices import PriceTable
from dragoman.runs.jobs import read_manifest, stored_prices
from dragoman.store.run_store import RunStore


def chosen_scoring(store: RunStore, rules: str | None, judge: str | None) -> tuple[str, str]:
    """Return the rules and judge to read a run by: the newest scoring, among those that are named.

    Raises:
        StoreError: Where the run was never scored so; the line says how it was.
    """
    return fitting_scorings(store, rules, judge)[-1]


def fitting_scorings(
    store: RunStore, rules: str | None, judge: str | None
) -> tuple[tuple[str, str], ...]:
    """Return the scorings to read a run by, among those that are named, newest last.

    Raises:
        StoreError: Where the run was never scored so; the line says how it was.
    """
    scorings = store.scorings()
    if not scorings and rules is None and judge is None:
        return ((read_manifest(store).config.rules, NO_JUDGE),)
    fitting = [pair for pair in scorings if rules in {None, pair[0]} and _is_by(pair[1], judge)]
    if not fitting:
        known = ", ".join(f"rules {pair[0]} with judge {pair[1]}" for pair in scorings) or "nothing"
        raise StoreError(
            f"{store.folder}: not scored like that, but by {known}: use `dragoman score` first"
        )
    return tuple(fitting)


def _is_by(name: str, judge: str | None) -> bool:
    """Whether a scoring's judge is the one named, with any or no judge of simulated users."""
    return judge in {None, name, name.split(USER_JUDGE, maxsplit=1)[0]}


def outcomes(store: RunStore, rules: str, judge: str, *, heads_only: bool) -> Iterator[Outcome]:
    """Yield one outcome per cell, in the plan's order; `heads_only` leaves the events out."""
    scores = store.scores(rules, judge, METRIC_VERSION)
    episodes = {key: episode for key, _, episode in store.episodes(heads_only=heads_only)}
    earlier = store.earlier_usage(rules, judge, METRIC_VERSION)
    measured = store.measured()
    for cell in store.cells():
        yield Outcome(
            suite=cell.suite,
            condition=cell.condition,
            agent=cell.agent,
            task=cell.task,
            trial=cell.trial,
            episode=episodes.get(cell.key),
            score=scores.get(cell.key),
            earlier=earlier.get(cell.key, ()),
            measures=measured.get(cell.key, ()),
            key=cell.key,
        )


class RunFigures(NamedTuple):
    """The figures of a run: of each cell of the grid, and of every measure in it."""

    cells: tuple[CellSummary, ...]
    measures: tuple[MeasureRow, ...]


def run_figures(  # noqa: PLR0913 - a run, its scoring, and how much of it
    store: RunStore,
    rules: str,
    judge: str,
    prices: PriceTable | None = None,
    pooled: str = "",
    *,
    every_version: bool = False,
) -> RunFigures:
    """Return all figures under one rule set and judge; costs are as in `summary`.

    With `pooled` the run's suites are taken together, under this name. With `every_version` measures
    have the figures of their older versions, too.
    """
    price_of = (prices or stored_prices(store)).price_of
    rows = tuple(outcomes(store, rules, judge, heads_only=True))
    if pooled:
        rows = tuple(msgspec.structs.replace(row, suite=pooled) for row in rows)
    cells = summarize(rows, rules, judge, price_of, read_manifest(store).preflight)
    return RunFigures(
        cells, measure_rows(rows, cells, store.declared(), every_version=every_version)
    )


def summary(
    store: RunStore, rules: str, judge: str, prices: PriceTable | None = None
) -> tuple[CellSummary, ...]:
    """Return the figures of every cell of the grid under one rule set and judge.

    Costs are by `prices`, or by those that the run was started with.
    """
    price_of = (prices or stored_prices(store)).price_of
    rows = outcomes(store, rules, judge, heads_only=True)
    return summarize(rows, rules, judge, price_of, read_manifest(store).preflight)
