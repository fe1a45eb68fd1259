"""Open runs: the runs that the viewer shows, each with its file and its index."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from dragoman.analysis.cell_summary import ledger, ledger_cost
from dragoman.composition.concurrency import default_concurrency
from dragoman.core.costs import PriceOf
from dragoman.core.errors import UsageError
from dragoman.core.tasks import Task
from dragoman.dataframes.interpretation_warnings import users_of
from dragoman.dataframes.results import chosen_scoring
from dragoman.dataframes.run_views import manifest_facts
from dragoman.models.prices import PriceTable
from dragoman.runs.manifest import read_manifest, stored_prices
from dragoman.store.run_file import FILE, OF_A_BUNDLE
from dragoman.store.run_index import open_index
from dragoman.store.run_store import LastRows, RunStore, peek_run
from dragoman.viewer.index_builder import IndexKeeper, IndexKeepers, RunFacts, index_path
from dragoman.viewer.run_index import Listing

MAX_WAIT_SECONDS = 0.1
"""Longest wait of a page for the index, in seconds; the page reports unread conversations."""


class OpenedRun:
    """A run under its name in addresses.

    It belongs to one thread that answers requests; its index is kept by another one, for all of
    these.
    """

    def __init__(
        self, name: str, folder: Path, cache: Path, keepers: IndexKeepers | None = None
    ) -> None:
        self.name = name
        self.folder = folder
        self.title = folder.absolute().name
        self._cache = cache
        self._keepers = keepers or IndexKeepers()
        self._store: RunStore | None = None
        self._seen: tuple[int, int] | None = None
        self._keeper: IndexKeeper | None = None
        self._listing: Listing | None = None
        self._tasks: Mapping[str, Task] | None = None
        self._prices: PriceTable | None = None
        self._cost_ahead: float | None = None
        self._facts: RunFacts | None = None
        self._is_read = self._is_asked = False

    @property
    def store(self) -> RunStore:
        """The run, open to read.

        Raises:
            StoreError: If it is gone, damaged or not a run.
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
        """The cost of its preflight in US dollars as far as known, read once for each file."""
        store = self.store
        if self._cost_ahead is None:
            tried = read_manifest(store).preflight.values()
            used = [usage for entries in tried for usage in entries]
            cost = ledger_cost(ledger(used, self.price_of)) if used else None
            self._cost_ahead = 0.0 if cost is None else float(cost.nominal)
        return self._cost_ahead

    @property
    def at_once(self) -> int:
        """The number of conversations at a time with which it was started or last resumed."""
        return default_concurrency(read_manifest(self.store).config)

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The facts about the run, as labels and values; read again when the run has more rows."""
        store = self.store
        written = store.last_rows()
        found = self._facts if self._keeper is None else self._keeper.facts
        if found is None or found[0] != written:
            scoring = chosen_scoring(store, None, None)
            found = written, manifest_facts(read_manifest(store), users_of(store), scoring)
        self._facts = found
        if self._keeper is not None:
            self._keeper.facts = found
        return found[1]

    @contextmanager
    def listing(self, max_wait: float = MAX_WAIT_SECONDS) -> Iterator[Listing]:
        """Yield the conversations that the index has read after at most `max_wait` seconds.

        The listing is a snapshot: it does not change inside the context.

        Raises:
            StoreError: If the run or the index cannot be read.
        """
        store = self.store
        if self._keeper is None or self._listing is None:
            path = index_path(self._cache, store)
            self._keeper = self._keepers.take(self.folder, path)
            self._listing = Listing(open_index(path), self._keeper.snapshots)
            self._is_asked = False
        is_behind = self._listing.read() != store.last_rows()
        if not self._is_read or is_behind:
            # Figures may still be computed after the index is read; nobody waits for them.
            waited = 0 if self._is_asked and not is_behind else max_wait
            self._is_read = self._keeper.refresh(waited)
            self._is_asked = True
        with self._listing.reading():
            yield self._listing

    def ask_for_figures(self) -> None:
        """Request a recomputation of outdated figures."""
        if self._keeper is not None:
            self._keeper.refresh(0)

    def unread(self, read: LastRows) -> int:
        """Return the number of stored attempts that the index has not read."""
        return max(0, self.store.last_rows().episodes - read.episodes)

    def moment(self) -> tuple[object, ...]:
        """Return a value that changes with every write to the run or its index, by any process."""
        path = self._keeper.path if self._keeper is not None else None
        return (
            *_iterate_write_states(self.folder / FILE),
            *(() if path is None else _iterate_write_states(path)),
        )

    def close(self) -> None:
        """Close the open files."""
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
        """Return the identity of the file; a replaced file has another one."""
        try:
            found = (self.folder / FILE).stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino


def _iterate_write_states(path: Path) -> Iterator[tuple[int, int, int] | None]:
    """Yield the last write states of a database and its log."""
    for each in (path, path.with_name(f"{path.name}-wal")):
        try:
            found = each.stat()
        except OSError:
            yield None
        else:
            yield found.st_ino, found.st_mtime_ns, found.st_size


DEFAULT = Path("runs")
"""The folder of runs if no other one is given."""

_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")


class Library:
    """Runs by name; folders of runs are searched at every listing.

    Args:
        places: Folders of runs, or folders that hold such folders.
        cache: The folder of the runs' indices.
    """

    def __init__(
        self, places: Sequence[Path], cache: Path, shared: "_Shared | None" = None
    ) -> None:
        self._places = tuple(places)
        self._cache = cache
        self._runs: dict[str, OpenedRun] = {}
        self._shared = shared or _Shared()

    @property
    def places(self) -> tuple[Path, ...]:
        """The places that are searched for runs."""
        return self._places

    def for_another_thread(self) -> "Library":
        """Return the same runs under the same names, with their own open files.

        Open files belong to one thread.
        """
        return Library(self._places, self._cache, self._shared)

    def runs(self) -> tuple[OpenedRun, ...]:
        """Return all existing runs, by name."""
        names = self._shared.named(folders_of(self._places))
        for name, run in self._runs.items():
            if names.get(name) != run.folder:
                run.close()
        known = {name: run for name, run in self._runs.items() if names.get(name) == run.folder}
        self._runs = {
            name: known.get(name) or OpenedRun(name, folder, self._cache, self._shared.keepers)
            for name, folder in names.items()
        }
        return tuple(self._runs[name] for name in sorted(self._runs))

    def find(self, name: str) -> OpenedRun | None:
        """Return the run of a name; None if there is none."""
        found = self._runs.get(name)
        if found is None:
            self.runs()
            found = self._runs.get(name)
        return found

    def close(self) -> None:
        """Close the open runs."""
        for run in self._runs.values():
            run.close()


class _Shared:
    """Shared state of all readers of the same runs: the names of the runs and the index keepers."""

    def __init__(self) -> None:
        self.keepers = IndexKeepers()
        self._names: dict[str, Path] = {}
        self._lock = Lock()

    def named(self, folders: Iterable[Path]) -> dict[str, Path]:
        """Return the existing folders by name; a folder keeps its name."""
        there = dict.fromkeys(folders)
        with self._lock:
            self._names = {name: path for name, path in self._names.items() if path in there}
            known = set(self._names.values())
            for folder in there:
                if folder not in known:
                    self._names[_free_name(folder.absolute().name, set(self._names))] = folder
            return dict(self._names)


def folders_of(places: Iterable[Path]) -> list[Path]:
    """Return the run folders among places and directly inside them, by name."""
    found = []
    for place in places:
        if (place / FILE).is_file():
            found.append(place)
        elif place.is_dir():
            found.extend(sorted(each for each in place.iterdir() if (each / FILE).is_file()))
    return found


def require_places(places: Iterable[Path]) -> None:
    """Refuse places that cannot hold a run; an empty folder may get runs later.

    Raises:
        UsageError: For the first such place.
    """
    for place in places:
        if place.is_file():
            raise UsageError(f"{place}: no run here, but a file: {OF_A_BUNDLE}")
        if not place.is_dir():
            raise UsageError(
                f"{place}: no run here (no such folder): name folders that `run --out` wrote, or "
                "the folder that they are in"
            )


def _free_name(wanted: str, taken: set[str]) -> str:
    """Return a name that is valid in an address and unique."""
    stem = _UNFIT.sub("-", wanted).strip("-.") or "run"
    name, number = stem, 1
    while name in taken:
        number += 1
        name = f"{stem}-{number}"
    return name
