"""The builder of a run's index: reads changed cells in a background thread.

It also stores pass^k of every cell and the drops against the baseline, computed from the index.
"""

import hashlib
import time
from pathlib import Path
from threading import Condition, Lock, Thread

import msgspec

from dragoman.analysis.cell_summary import (
    ConversationResult,
    ledger,
    ledger_cost,
)
from dragoman.core.costs import PriceOf
from dragoman.core.errors import DragomanError
from dragoman.core.scores import METRIC_VERSION, Scored
from dragoman.core.version import VERSION
from dragoman.dataframes.results import chosen_scoring
from dragoman.runs.manifest import read_manifest, stored_prices
from dragoman.store.run_index import (
    PlannedRow,
    PlayedRow,
    RunIndex,
    open_index,
)
from dragoman.store.run_plan import StoredCell
from dragoman.store.run_store import LastRows, PlayedCell, RunStore, open_run
from dragoman.viewer.run_index import FilterFieldBuilder, SnapshotCache, outcome_of
from dragoman.viewer.stored_answers import has_answers, make_answers
from dragoman.viewer.stored_figures import make_figures, stored_figures

BATCH = 500
"""Rows that are read before other users get the file."""

YIELDED_SECONDS = 0.001
"""Seconds for which other threads get the interpreter after each batch."""


class _IndexSource(msgspec.Struct, frozen=True):
    """The source of an index: if any of it differs, the index is rebuilt."""

    version: str
    run: str
    scoring: tuple[str, str]
    prices: str


class IndexBuilder:
    """A reader of one run into its index, batch by batch; it belongs to one thread.

    Args:
        folder: The run's folder.
        index: The index.
    """

    def __init__(self, folder: Path, index: RunIndex) -> None:
        self._store = open_run(folder, write=False)
        self._index = index
        self._filter_fields = FilterFieldBuilder()
        self._cells: tuple[StoredCell, ...] = ()
        self._made_of: _IndexSource | None = None
        self._scoring = ("", "")
        self._price_of: PriceOf | None = None
        self._is_imported = read_manifest(self._store).imported is not msgspec.UNSET

    def close(self) -> None:
        """Close the run."""
        self._store.close()

    def begin(self) -> None:
        """Create the index if it does not exist or has another source."""
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
                # Existing scores are read together with their episodes.
                self._index.begin(content, planned, LastRows(0, last.scores))
        self._made_of = made_of

    def step(self) -> bool:
        """Read a batch of new rows; return whether there are more."""
        read = self._index.read() or LastRows()
        places, now = self._store.changed_after(read, BATCH)
        if now == read:
            return False
        found = self._store.played_at(places, *self._scoring, METRIC_VERSION)
        rows = [self._row(self._cells[entry.place - 1], entry) for entry in found]
        with self._index.changing():
            # Another viewer may have written these cells already, with the same content.
            self._index.put(rows)
            self._index.put_read(now)
        time.sleep(YIELDED_SECONDS)
        return True

    def _identity(self, scoring: tuple[str, str]) -> _IndexSource:
        if self._made_of is not None:
            return msgspec.structs.replace(self._made_of, scoring=scoring)
        prices = stored_prices(self._store)
        self._price_of = prices.price_of
        run = hashlib.blake2b(self._store.manifest(), digest_size=16).hexdigest()
        return _IndexSource(VERSION, run, scoring, prices.as_of)

    def _planned(self, place: int, cell: StoredCell) -> PlannedRow:
        filter_fields = msgspec.json.encode(self._filter_fields.planned(cell))
        return PlannedRow(place, cell.key, filter_fields, cell.task, cell.trial)

    def _row(self, cell: StoredCell, found: PlayedCell) -> PlayedRow:
        episode, score = found.episode, found.score
        reward = score.reward if score is not None else None
        return PlayedRow(
            place=found.place,
            filter_fields=msgspec.json.encode(self._filter_fields.played(cell, found)),
            attempt=found.attempt,
            ended=episode.started + episode.seconds if episode.started else None,
            seconds=episode.seconds,
            steps=episode.steps,
            errors=episode.errors,
            cost=self._cost(outcome_of(cell, found)),
            reward=reward.value if isinstance(reward, Scored) else None,
            undecided=isinstance(reward, Scored) and bool(reward.undecided),
        )

    def _cost(self, outcome: ConversationResult) -> float | None:
        used = outcome.usage
        if self._price_of is None:
            return None
        if not used:
            # Every model that a run asks leaves usage, of unknown tokens if need be; an imported
            # file may say nothing of its models.
            return None if self._is_imported else 0.0
        total = ledger_cost(ledger(used, self._price_of))
        return None if total is None else float(total.nominal)


def index_path(cache: Path, store: RunStore) -> Path:
    """Return the path of a run's index; each copy of a run has its own."""
    identity = (str(store.folder.resolve()), store.manifest())
    return cache / f"{hashlib.blake2b(repr(identity).encode(), digest_size=16).hexdigest()}.sqlite"


def _is_within(read: LastRows, last: LastRows) -> bool:
    """Return whether the run has at least the rows that were read; an older copy has fewer."""
    return read.episodes <= last.episodes and read.scores <= last.scores


IDLE_SECONDS = 30.0
"""Seconds without a request after which the thread ends and closes its files."""

FIGURES_SHARE = 10
"""Minimum time between two computations of an ongoing run's figures, in computation times."""


RunFacts = tuple[LastRows, tuple[tuple[str, str], ...]]
"""Facts about a run as labels and values, and the rows of the run that they are read from."""


class IndexKeeper:
    """A keeper that updates an index on request, and holds values that all readers share.

    Args:
        folder: The run's folder.
        path: The file of the index.

    Attributes:
        path: The file of the index.
        snapshots: Values that are computed from the newest version of the index.
        facts: Facts about the run; None before a reader has computed them.
    """

    def __init__(self, folder: Path, path: Path) -> None:
        self._folder = folder
        self.path = path
        self.snapshots = SnapshotCache()
        self.facts: RunFacts | None = None
        self._changed = Condition()
        self._asked = 0
        self._done = 0
        self._is_closing = False
        self._thread: Thread | None = None
        self._failed: DragomanError | None = None

    def refresh(self, max_wait: float) -> bool:
        """Request an update of the index; return whether it finished in `max_wait` seconds.

        Raises:
            DragomanError: If the run or the index could not be read.
        """
        with self._changed:
            self._asked += 1
            mine = self._asked
            if self._thread is None:
                self._failed = None
                self._thread = Thread(target=self._work, name="index", daemon=True)
                self._thread.start()
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._done >= mine, max_wait)
            if self._failed is not None:
                raise self._failed
            return self._done >= mine

    def close(self) -> None:
        """End the thread after its current work."""
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _work(self) -> None:
        try:
            with open_index(self.path) as index:
                builder = IndexBuilder(self._folder, index)
                try:
                    self._keep(builder, index)
                finally:
                    builder.close()
        except DragomanError as error:
            with self._changed:
                self._failed = error
        finally:
            with self._changed:
                self._thread = None
                self._done = self._asked
                self._changed.notify_all()

    def _keep(self, builder: IndexBuilder, index: RunIndex) -> None:
        figures = _FigureSchedule(self._folder, index)
        while True:
            with self._changed:
                asked = self._asked
            builder.begin()
            while builder.step():
                if self._is_closing:
                    return
            with self._changed:
                self._done = asked
                self._changed.notify_all()
            figures.make()
            with self._changed:
                is_asked = self._changed.wait_for(
                    lambda: self._asked > self._done or self._is_closing, IDLE_SECONDS
                )
                if self._is_closing or not is_asked:
                    return


class IndexKeepers:
    """Index keepers that several readers share, so that a run's index is built once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._shared: dict[Path, tuple[IndexKeeper, int]] = {}

    def take(self, folder: Path, path: Path) -> IndexKeeper:
        """Return the keeper of an index; the caller gives it back.

        Args:
            folder: The run's folder.
            path: The file of the index.
        """
        with self._lock:
            keeper, users = self._shared.get(path) or (IndexKeeper(folder, path), 0)
            self._shared[path] = keeper, users + 1
            return keeper

    def give_back(self, keeper: IndexKeeper) -> None:
        """Give a keeper back; it closes when no reader uses it."""
        with self._lock:
            found, users = self._shared.pop(keeper.path)
            if users > 1:
                self._shared[keeper.path] = found, users - 1
                return
        keeper.close()


class _FigureSchedule:
    """A schedule that recomputes outdated figures, with a limited frequency."""

    def __init__(self, folder: Path, index: RunIndex) -> None:
        self._folder = folder
        self._index = index
        self._not_before = 0.0

    def make(self) -> None:
        """Recompute the figures if they are due."""
        begun = time.monotonic()
        found = stored_figures(self._index)
        is_new = found is None or found.read != self._index.read() or not has_answers(self._index)
        if is_new and begun >= self._not_before:
            make_figures(self._index)
            make_answers(self._folder, self._index, stored_figures(self._index))
            ended = time.monotonic()
            self._not_before = ended + FIGURES_SHARE * (ended - begun)
