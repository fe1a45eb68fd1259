"""One run while it is shown: its file, open to read for as long as it is the same file, and its index."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from dragoman.analysis.ledger import ledger, ledger_cost
from dragoman.core.costs import PriceOf
from dragoman.core.tasks import Task
from dragoman.models.prices import PriceTable
from dragoman.runs.jobs import read_manifest, stored_prices
from dragoman.store.run import LastRows, RunStore, peek_run
from dragoman.store.run_file import FILE
from dragoman.store.run_index.file import open_index
from dragoman.tables.caveats import users_of
from dragoman.tables.manifest_facts import facts_of
from dragoman.tables.outcomes import chosen_scoring
from dragoman.viewer.index.building import index_path
from dragoman.viewer.index.keeping import IndexKeeper, Keepers
from dragoman.viewer.index.listing import Listing

PATIENCE_SECONDS = 0.1
"""How long a page waits for the index; what is not read by then is told."""


class OpenedRun:
    """A run under its name in addresses.

    It belongs to one thread that answers requests; its index is kept by another one, for all of these.
    """

    def __init__(
        self, name: str, folder: Path, cache: Path, keepers: Keepers | None = None
    ) -> None:
        self.name = name
        self.folder = folder
        self.title = folder.absolute().name
        self._cache = cache
        self._keepers = keepers or Keepers()
        self._store: RunStore | None = None
        self._seen: tuple[int, int] | None = None
        self._keeper: IndexKeeper | None = None
        self._listing: Listing | None = None
        self._tasks: Mapping[str, Task] | None = None
        self._prices: PriceTable | None = None
        self._cost_ahead: float | None = None
        self._facts: tuple[LastRows, tuple[tuple[str, str], ...]] | None = None
        self._is_read = self._is_asked = False

    @property
    def store(self) -> RunStore:
        """The run, open to read.

        Raises:
            StoreError: Where it is gone, damaged or no run.
        """
        found = self._identity()
        if self._store is None or self._seen != found:
            self.close()
            self._store, self._seen = peek_run(self.folder), found
        return self._store

    @property
    def tasks(self) -> Mapping[str, Task]:
        """Its tasks by id, read once for each file."""
        store = self.store
        if self._tasks is None:
            self._tasks = store.tasks()
        return self._tasks

    @property
    def price_of(self) -> PriceOf:
        """The prices of models, read once for each file."""
        store = self.store
        if self._prices is None:
            self._prices = stored_prices(store)
        return self._prices.price_of

    @property
    def cost_ahead(self) -> float:
        """What its preflight cost in US dollars as far as that is known, read once for each file."""
        store = self.store
        if self._cost_ahead is None:
            tried = read_manifest(store).preflight.values()
            used = [usage for entries in tried for usage in entries]
            cost = ledger_cost(ledger(used, self.price_of)) if used else None
            self._cost_ahead = 0.0 if cost is None else float(cost.nominal)
        return self._cost_ahead

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """What was played, as labels and values: read again when the run got more rows."""
        store = self.store
        written = store.last_rows()
        if self._facts is None or self._facts[0] != written:
            scoring = chosen_scoring(store, None, None)
            self._facts = written, facts_of(read_manifest(store), users_of(store), scoring)
        return self._facts[1]

    @contextmanager
    def listing(self, patience: float = PATIENCE_SECONDS) -> Iterator[Listing]:
        """Yield the run's conversations as far as they are read after so many seconds.

        Within, they are those of one moment.

        Raises:
            StoreError: Where the run or the index cannot be read.
        """
        store = self.store
        if self._keeper is None or self._listing is None:
            path = index_path(self._cache, store)
            self._keeper = self._keepers.take(self.folder, path)
            self._listing = Listing(open_index(path))
            self._is_asked = False
        is_behind = self._listing.read() != store.last_rows()
        if not self._is_read or is_behind:
            # Figures may still be made of an index that is read: nobody waits for these.
            waited = 0 if self._is_asked and not is_behind else patience
            self._is_read = self._keeper.refresh(waited)
            self._is_asked = True
        with self._listing.index.reading():
            yield self._listing

    def ask_for_figures(self) -> None:
        """Have figures made anew that are of less than is read."""
        if self._keeper is not None:
            self._keeper.refresh(0)

    def unread(self, read: LastRows) -> int:
        """Return how many attempts are stored that the index has not read."""
        return max(0, self.store.last_rows().episodes - read.episodes)

    def moment(self) -> tuple[object, ...]:
        """Return what differs whenever the run or its index was written to since, whoever wrote."""
        path = self._keeper.path if self._keeper is not None else None
        return (*_written(self.folder / FILE), *(() if path is None else _written(path)))

    def close(self) -> None:
        """Close what is open."""
        if self._keeper is not None:
            self._keepers.give_back(self._keeper)
        if self._listing is not None:
            self._listing.close()
        if self._store is not None:
            self._store.close()
        self._keeper = self._listing = self._store = None
        self._tasks = self._prices = self._facts = self._cost_ahead = None
        self._is_read = False

    def _identity(self) -> tuple[int, int] | None:
        """Return which file lies there now: one that was put in its place is another."""
        try:
            found = (self.folder / FILE).stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino


def _written(path: Path) -> Iterator[tuple[int, int, int] | None]:
    """Yield when a database and its log were written to last."""
    for each in (path, path.with_name(f"{path.name}-wal")):
        try:
            found = each.stat()
        except OSError:
            yield None
        else:
            yield found.st_ino, found.st_mtime_ns, found.st_size
