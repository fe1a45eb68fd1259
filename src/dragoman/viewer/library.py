"""The runs that are shown, by the names that stand in addresses."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import Lock

from dragoman.core.errors import UsageError
from dragoman.store.run_file import FILE, OF_A_BUNDLE
from dragoman.viewer.index.keeping import Keepers
from dragoman.viewer.opened import OpenedRun

DEFAULT = Path("runs")
"""Where runs lie that were given no other place."""

_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")


class Library:
    """Runs by name; those in a folder of runs are looked for whenever all are listed.

    Args:
        places: Folders of runs, or folders that hold such folders.
        cache: Where indices of runs are kept.
    """

    def __init__(
        self, places: Sequence[Path], cache: Path, shared: "_Shared | None" = None
    ) -> None:
        self._places = tuple(places)
        self._cache = cache
        self._runs: dict[str, OpenedRun] = {}
        self._shared = shared or _Shared()

    def for_another_thread(self) -> "Library":
        """Return the same runs under the same names, opened anew: what is open belongs to a thread."""
        return Library(self._places, self._cache, self._shared)

    def runs(self) -> tuple[OpenedRun, ...]:
        """Return all runs that are there now, by name."""
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
        """Return the run of that name; None where there is none."""
        found = self._runs.get(name)
        if found is None:
            self.runs()
            found = self._runs.get(name)
        return found

    def close(self) -> None:
        """Close what is open."""
        for run in self._runs.values():
            run.close()


class _Shared:
    """What readers of the same runs share: the names of the runs, and who keeps their indices."""

    def __init__(self) -> None:
        self.keepers = Keepers()
        self._names: dict[str, Path] = {}
        self._lock = Lock()

    def named(self, folders: Iterable[Path]) -> dict[str, Path]:
        """Return the folders that are there now by name; each keeps the name that it has."""
        there = dict.fromkeys(folders)
        with self._lock:
            self._names = {name: path for name, path in self._names.items() if path in there}
            known = set(self._names.values())
            for folder in there:
                if folder not in known:
                    self._names[_free_name(folder.absolute().name, set(self._names))] = folder
            return dict(self._names)


def folders_of(places: Iterable[Path]) -> list[Path]:
    """Return the folders of runs among places and right inside them, by name."""
    found = []
    for place in places:
        if (place / FILE).is_file():
            found.append(place)
        elif place.is_dir():
            found.extend(sorted(each for each in place.iterdir() if (each / FILE).is_file()))
    return found


def require_runs(places: Iterable[Path]) -> None:
    """Refuse places where no run is.

    Raises:
        UsageError: For the first of them.
    """
    for place in places:
        if place.is_file():
            raise UsageError(f"{place}: no run here, but a file: {OF_A_BUNDLE}")
        if not folders_of([place]):
            raise UsageError(
                f"{place}: no run here (no {FILE}): name folders that `run --out` wrote, or the "
                "folder that they lie in"
            )


def _free_name(wanted: str, taken: set[str]) -> str:
    """Return a name that an address can carry and no other run has."""
    stem = _UNFIT.sub("-", wanted).strip("-.") or "run"
    name, number = stem, 1
    while name in taken:
        number += 1
        name = f"{stem}-{number}"
    return name
