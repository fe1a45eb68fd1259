"""What came of a run's cells, read from its store alone."""

from collections.abc import Iterator

from dragoman.analysis.cells import CellSummary, Outcome, summarize
from dragoman.core.scores import METRIC_VERSION
from dragoman.store.run import RunStore


def outcomes(store: RunStore, rules: str, judge: str, *, heads_only: bool) -> Iterator[Outcome]:
    """Yield one outcome per cell, in the plan's order; `heads_only` leaves the events out."""
    scores = store.scores(rules, judge, METRIC_VERSION)
    episodes = {key: episode for key, _, episode in store.episodes(heads_only=heads_only)}
    for cell in store.cells():
        yield Outcome(
            suite=cell.suite,
            condition=cell.condition,
            agent=cell.agent,
            task=cell.task,
            trial=cell.trial,
            episode=episodes.get(cell.key),
            score=scores.get(cell.key),
        )


def summary(store: RunStore, rules: str, judge: str) -> tuple[CellSummary, ...]:
    """Return the figures of every cell of the grid under one rule set and judge."""
    return summarize(outcomes(store, rules, judge, heads_only=True), rules, judge)
