"""All data frames of a run by name, each built once when it is first read."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path

import polars as pl

from dragoman.analysis.cell_summary import ConversationResult, summarize
from dragoman.analysis.comparison import comparable, group_cells
from dragoman.analysis.faithful_pairs import faithful_pairs
from dragoman.analysis.families import compare_in_families
from dragoman.analysis.measure_metrics import measure_rows
from dragoman.core.scores import METRIC_VERSION
from dragoman.dataframes.cell_frames import cells_frame, measures_frame, usage_frame
from dragoman.dataframes.comparison_frames import (
    comparisons_frame,
    drops_frame,
    pairs_frame,
    voice_frame,
)
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
from dragoman.dataframes.results import outcomes
from dragoman.dataframes.run_failures import run_drops
from dragoman.models.prices import PriceTable
from dragoman.report.capabilities import OffersFrames, StoredResults
from dragoman.report.catalog import sections
from dragoman.runs.manifest import read_manifest, spec_keys, stored_prices
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

    @cached_property
    def rows(self) -> tuple[ConversationResult, ...]:
        """The outcomes of the planned conversations, without events."""
        return tuple(outcomes(self.store, *self.scoring, heads_only=True))

    @cached_property
    def plan(self) -> PlanFrame:
        """The planned conversations."""
        played = {key: attempt for key, (attempt, _) in self.store.attempts().items()}
        return PlanFrame(self.store.cells(), played)


def _figures(run: ScoredStore) -> Frames:
    preflight = read_manifest(run.store).preflight
    cells = summarize(run.rows, *run.scoring, run.prices.price_of, preflight)
    measures = measure_rows(run.rows, cells, run.store.declared(), every_version=True)
    return {
        "cells": cells_frame(cells),
        "measures": measures_frame(measures),
        "usage": usage_frame(cells),
    }


def _conversations(run: ScoredStore) -> Frames:
    plan, rows = run.plan, list(run.rows)
    return {
        "episodes": episodes_frame(plan, rows, run.scoring, spec_keys(read_manifest(run.store))),
        "consumed": consumed_frame(plan, rows, run.prices.price_of),
    }


def _scores(run: ScoredStore) -> Frames:
    scores = run.store.scores(*run.scoring, METRIC_VERSION)
    return {"scores": scores_frame(run.plan, scores, run.scoring)}


def _measure_frames(run: ScoredStore) -> Frames:
    plan, measured = run.plan, run.store.measured()
    return {"counts": counts_frame(plan, measured), "errors": errors_frame(plan, measured)}


def _events(run: ScoredStore) -> Frames:
    return event_frames(run.plan, run.store.episodes())


def _comparisons(run: ScoredStore) -> Frames:
    store = run.store
    digests = {task.id: task.digest for task in store.tasks().values()}
    cells = group_cells(store.folder.absolute().name, run.rows, digests, run.prices.price_of)
    pairs = faithful_pairs(tuple(comparable(cells)))
    found = compare_in_families(pairs, cells, faithful_pairs)
    return {"comparisons": comparisons_frame(found), "pairs": pairs_frame(found)}


def _drops(run: ScoredStore) -> Frames:
    return {"losses": drops_frame(run_drops(run.store, *run.scoring))}


def _voices(run: ScoredStore) -> Frames:
    return {"voices": voice_frame(run_voice_summary(run.store, *run.scoring, run.rows))}


def _section_frames(section: OffersFrames, run: ScoredStore) -> Frames:
    return dict(section.frames(StoredResults(run.store, *run.scoring, run.rows)))


_Builder = tuple[tuple[str, ...], Callable[[ScoredStore], Frames]]

_BUILDERS: Sequence[_Builder] = (
    (("cells", "measures", "usage"), _figures),
    (("episodes", "consumed"), _conversations),
    (("scores",), _scores),
    (("counts", "errors"), _measure_frames),
    (("turns", "utterances", "calls"), _events),
    (("comparisons", "pairs"), _comparisons),
    (("losses",), _drops),
    (("voices",), _voices),
)
"""Frames that are made of the same records, and what makes them."""


def _added_builders() -> Iterator[_Builder]:
    """Yield the frames that sections of reports offer, and what makes them."""
    for section in sections():
        if isinstance(section, OffersFrames):
            yield tuple(section.frame_names), partial(_section_frames, section)


def _all_builders() -> tuple[_Builder, ...]:
    return (*_BUILDERS, *_added_builders())


def frame_names() -> tuple[str, ...]:
    """Return the names of all frames: Dragoman's own, and those of report sections."""
    return tuple(name for names, _ in _all_builders() for name in names)


class RunFrames(Mapping[str, pl.DataFrame]):
    """The frames of a run by name (`frames["turns"]`) and as attributes (`frames.turns`).

    A frame is built at its first use, with the frames made from the same records, and kept: later
    changes of the run do not appear. All names exist, with all columns, for every run.

    Args:
        folder: The run.
        rules: Rule set of the scoring.
        judge: Judge of the scoring.
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
            build = next((build for names, build in _all_builders() if name in names), None)
            if build is None:
                raise KeyError(name)
            with open_run(self.folder, write=False) as store:
                self._made |= build(ScoredStore(store, (self.rules, self.judge)))
        return self._made[name]

    def __getattr__(self, name: str) -> pl.DataFrame:
        if name not in (names := frame_names()):
            raise AttributeError(f"a run has no frame {name!r}: choose of {', '.join(names)}")
        return self[name]

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *frame_names()})

    def __iter__(self) -> Iterator[str]:
        return iter(frame_names())

    def __len__(self) -> int:
        return len(frame_names())


def run_tables(
    store: RunStore, rules: str, judge: str, prices: PriceTable | None = None
) -> dict[str, pl.DataFrame]:
    """Return all tables of a run by name, by one scoring.

    The result has every table with all its columns, also if a run has nothing for it: a program
    that reads all of them needs no exception.
    """
    run = ScoredStore(store, (rules, judge), prices)
    made = {name: frame for _, build in _BUILDERS for name, frame in build(run).items()}
    added = {name: frame for _, build in _added_builders() for name, frame in build(run).items()}
    return made | {name: frame for name, frame in added.items() if name not in made}
