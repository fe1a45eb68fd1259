"""All data frames of a run by name, each built once when it is first read."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from dragoman.analysis.comparison import comparable, compare, group_cells
from dragoman.analysis.mm_tau.count_sources import RUBRIC
from dragoman.analysis.mm_tau.summary import mm_tau_summaries
from dragoman.core.scores import METRIC_VERSION
from dragoman.dataframes.cell_frames import cells_frame, measures_frame, usage_frame
from dragoman.dataframes.comparison_frames import (
    comparisons_frame,
    drops_frame,
    pairs_frame,
    voice_frame,
)
from dragoman.dataframes.comparisons import run_drops
from dragoman.dataframes.conversation_frames import (
    consumed_frame,
    counts_frame,
    episodes_frame,
    errors_frame,
    event_frames,
    scores_frame,
)
from dragoman.dataframes.frame_columns import PlanFrame
from dragoman.dataframes.leaderboard import run_voice_summary
from dragoman.dataframes.mm_tau_frames import mm_tau_frame
from dragoman.dataframes.results import outcomes, run_figures, stored_digests
from dragoman.models.prices import PriceTable
from dragoman.runs.jobs import read_manifest, spec_keys, stored_prices
from dragoman.store.run_store import RunStore, open_run

Frames = dict[str, pl.DataFrame]


class ScoredStore:
    """An open run, read by one scoring, at one list of prices."""

    def __init__(
        self, store: RunStore, scoring: tuple[str, str], prices: PriceTable | None = None
    ) -> None:
        self.store = store
        self.scoring = scoring
        self.prices = prices or stored_prices(store)

    def plan(self) -> PlanFrame:
        """Return the planned conversations."""
        played = {key: attempt for key, (attempt, _) in self.store.attempts().items()}
        return PlanFrame(self.store.cells(), played)


def _figures(run: ScoredStore) -> Frames:
    cells, measures = run_figures(run.store, *run.scoring, run.prices, every_version=True)
    return {
        "cells": cells_frame(cells),
        "measures": measures_frame(measures),
        "usage": usage_frame(cells),
    }


def _conversations(run: ScoredStore) -> Frames:
    plan = run.plan()
    rows = list(outcomes(run.store, *run.scoring, heads_only=True))
    return {
        "episodes": episodes_frame(plan, rows, run.scoring, spec_keys(read_manifest(run.store))),
        "consumed": consumed_frame(plan, rows, run.prices.price_of),
    }


def _scores(run: ScoredStore) -> Frames:
    scores = run.store.scores(*run.scoring, METRIC_VERSION)
    return {"scores": scores_frame(run.plan(), scores, run.scoring)}


def _measured(run: ScoredStore) -> Frames:
    plan, measured = run.plan(), run.store.measured()
    return {"counts": counts_frame(plan, measured), "errors": errors_frame(plan, measured)}


def _events(run: ScoredStore) -> Frames:
    return event_frames(run.plan(), run.store.episodes())


def _comparisons(run: ScoredStore) -> Frames:
    store = run.store
    rows = outcomes(store, *run.scoring, heads_only=True)
    digests = {task.id: task.digest for task in store.tasks().values()}
    cells = group_cells(store.folder.absolute().name, rows, digests, run.prices.price_of)
    found = compare(comparable(cells))
    return {"comparisons": comparisons_frame(found), "pairs": pairs_frame(found)}


def _losses(run: ScoredStore) -> Frames:
    return {"losses": drops_frame(run_drops(run.store, *run.scoring))}


def _voices(run: ScoredStore) -> Frames:
    return {"voices": voice_frame(run_voice_summary(run.store, *run.scoring))}


_OF_MM_TAU = frozenset({"critical", "effort", "recovery", "safety", RUBRIC})
"""Measures that are taken for these metrics; without any there is nothing to show."""


def _mm_tau(run: ScoredStore) -> Frames:
    rows = list(outcomes(run.store, *run.scoring, heads_only=True))
    taken = {entry.measure for row in rows for entry in row.measures}
    shown = [] if _OF_MM_TAU.isdisjoint(taken) else rows
    digests = stored_digests(run.store)
    return {"mm_tau": mm_tau_frame(mm_tau_summaries(shown, digests, run.scoring, definitions=None))}


_BUILDERS: Sequence[tuple[tuple[str, ...], Callable[[ScoredStore], Frames]]] = (
    (("cells", "measures", "usage"), _figures),
    (("episodes", "consumed"), _conversations),
    (("scores",), _scores),
    (("counts", "errors"), _measured),
    (("turns", "utterances", "calls"), _events),
    (("comparisons", "pairs"), _comparisons),
    (("losses",), _losses),
    (("voices",), _voices),
    (("mm_tau",), _mm_tau),
)
"""Frames that are made of the same records, and what makes them."""

NAMES = tuple(name for names, _ in _BUILDERS for name in names)

_WHERE_ANY = frozenset({"comparisons", "pairs", "losses", "voices", "errors", "mm_tau"})
"""Tables that a run has only where there is something in them."""


class RunFrames(Mapping[str, pl.DataFrame]):
    """The frames of a run by name (`frames["turns"]`) and as attributes (`frames.turns`).

    A frame is read when it is first asked for, with those made of the same records, and kept: later
    changes of the run do not show. All names are there, with all columns, whatever the run holds.

    Args:
        folder: The run.
        rules: Of the scoring that is meant.
        judge: Likewise.
    """

    def __init__(self, folder: Path, rules: str, judge: str) -> None:
        self.folder = folder
        self.rules = rules
        self.judge = judge
        self._made: Frames = {}

    def __repr__(self) -> str:
        return f"RunFrames({str(self.folder)!r}, rules={self.rules!r}, judge={self.judge!r})"

    def __getitem__(self, name: str) -> pl.DataFrame:
        if name not in self._made:
            build = next((build for names, build in _BUILDERS if name in names), None)
            if build is None:
                raise KeyError(name)
            with open_run(self.folder, write=False) as store:
                self._made |= build(ScoredStore(store, (self.rules, self.judge)))
        return self._made[name]

    def __getattr__(self, name: str) -> pl.DataFrame:
        if name not in NAMES:
            raise AttributeError(f"a run has no frame {name!r}: choose of {', '.join(NAMES)}")
        return self[name]

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *NAMES})

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


def run_tables(
    store: RunStore, rules: str, judge: str, prices: PriceTable | None = None
) -> dict[str, pl.DataFrame]:
    """Return all tables of a run by name, by one scoring.

    Those that only some runs have are there where there is anything in them: `comparisons` and `pairs`
    where cells can be compared, `losses` where there are several conditions, `voices` where anybody spoke, `errors` where a judge reported any,
    `mm_tau` where what its metrics are made of was counted.
    """
    run = ScoredStore(store, (rules, judge), prices)
    made: Frames = {}
    for _, build in _BUILDERS:
        made |= build(run)
    return {
        name: made[name] for name in NAMES if name not in _WHERE_ANY or not made[name].is_empty()
    }
