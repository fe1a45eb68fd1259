"""Makes the index of a run and brings it up to date: cells that changed are read again, no others."""

import hashlib
import time
from pathlib import Path

import msgspec

from dragoman.analysis.cells import Outcome
from dragoman.analysis.ledger import ledger, ledger_cost
from dragoman.core.costs import PriceOf
from dragoman.core.scores import METRIC_VERSION, Scored
from dragoman.core.version import VERSION
from dragoman.runs.jobs import stored_prices
from dragoman.store.run import LastRows, PlayedCell, RunStore, StoredCell, open_run
from dragoman.store.run_index.file import PlannedRow, PlayedRow, RunIndex
from dragoman.tables.outcomes import chosen_scoring
from dragoman.viewer.index.facets import FacetMaker, outcome_of

BATCH = 500
"""How many rows are read before others may have the file."""

YIELDED_SECONDS = 0.001
"""How long other threads get the interpreter after each batch."""


class _MadeOf(msgspec.Struct, frozen=True):
    """What an index is made of: where any of it differs, it is made anew."""

    version: str
    run: str
    scoring: tuple[str, str]
    prices: str


class Builder:
    """Reads one run into its index, batch by batch; belongs to one thread.

    Args:
        folder: The run's folder.
        index: The index.
    """

    def __init__(self, folder: Path, index: RunIndex) -> None:
        self._store = open_run(folder, write=False)
        self._index = index
        self._facets = FacetMaker()
        self._cells: tuple[StoredCell, ...] = ()
        self._made_of: _MadeOf | None = None
        self._scoring = ("", "")
        self._price_of: PriceOf | None = None

    def close(self) -> None:
        """Close the run."""
        self._store.close()

    def begin(self) -> None:
        """Begin the index where there is none, or where it is made of something else."""
        if not self._cells:
            self._cells = self._store.cells()
        self._scoring = chosen_scoring(self._store, None, None)
        made_of = self._identity(self._scoring)
        content = msgspec.json.encode(made_of)
        read, last = self._index.read(), self._store.last_rows()
        is_ours = self._index.state("made_of") == content
        if read is None or not is_ours or not _is_within(read, last):
            planned = [self._planned(place, cell) for place, cell in enumerate(self._cells, 1)]
            with self._index.changing():
                # Scores that are there are read with their episodes.
                self._index.begin(content, planned, LastRows(0, last.scores))
        self._made_of = made_of

    def step(self) -> bool:
        """Read a batch of what is new; return whether there is more."""
        read = self._index.read() or LastRows()
        places, now = self._store.changed_after(read, BATCH)
        if now == read:
            return False
        found = self._store.played_at(places, *self._scoring, METRIC_VERSION)
        rows = [self._row(self._cells[entry.place - 1], entry) for entry in found]
        with self._index.changing():
            # Another viewer may have been faster: what it wrote of these cells is the same.
            self._index.put(rows)
            self._index.put_read(now)
        time.sleep(YIELDED_SECONDS)
        return True

    def _identity(self, scoring: tuple[str, str]) -> _MadeOf:
        if self._made_of is not None:
            return msgspec.structs.replace(self._made_of, scoring=scoring)
        prices = stored_prices(self._store)
        self._price_of = prices.price_of
        run = hashlib.blake2b(self._store.manifest(), digest_size=16).hexdigest()
        return _MadeOf(VERSION, run, scoring, prices.as_of)

    def _planned(self, place: int, cell: StoredCell) -> PlannedRow:
        facets = msgspec.json.encode(self._facets.planned(cell))
        return PlannedRow(place, cell.key, facets, cell.task, cell.trial)

    def _row(self, cell: StoredCell, found: PlayedCell) -> PlayedRow:
        episode, score = found.episode, found.score
        reward = score.reward if score is not None else None
        return PlayedRow(
            place=found.place,
            facets=msgspec.json.encode(self._facets.played(cell, found)),
            attempt=found.attempt,
            ended=episode.started + episode.seconds if episode.started else None,
            seconds=episode.seconds,
            steps=episode.steps,
            errors=episode.errors,
            cost=self._cost(outcome_of(cell, found)),
            reward=reward.value if isinstance(reward, Scored) else None,
            undecided=isinstance(reward, Scored) and bool(reward.undecided),
        )

    def _cost(self, outcome: Outcome) -> float | None:
        used = outcome.usage
        if not used or self._price_of is None:
            return None
        total = ledger_cost(ledger(used, self._price_of))
        return None if total is None else float(total.nominal)


def index_path(cache: Path, store: RunStore) -> Path:
    """Return where the index of a run lies: runs that were copied have one each."""
    identity = (str(store.folder.resolve()), store.manifest())
    return cache / f"{hashlib.blake2b(repr(identity).encode(), digest_size=16).hexdigest()}.sqlite"


def _is_within(read: LastRows, last: LastRows) -> bool:
    """Whether the run has at least what was read of it: a copy from before has less."""
    return read.episodes <= last.episodes and read.scores <= last.scores
