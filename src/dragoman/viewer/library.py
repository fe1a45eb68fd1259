"""The runs that are shown, by the names that stand in addresses."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import Lock

from dragoman.core.errors import UsageError
from dragoman.store.run_file import FILE, OF_A_BUNDLE
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

    def __init__(self, places: Sequence[Path], cache: Path) -> None:
        self._places = tuple(places)
        self._cache = cache
        self._runs: dict[str, OpenedRun] = {}
        self._lock = Lock()

    def runs(self) -> tuple[OpenedRun, ...]:
        """Return all runs that are there now, by name."""
        with self._lock:
            folders = dict.fromkeys(folders_of(self._places))
            self._runs = {
                name: run for name, run in self._runs.items() if run.folder in folders
            } | self._new(folders)
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

    def _new(self, folders: Iterable[Path]) -> dict[str, OpenedRun]:
        known = {run.folder for run in self._runs.values()}
        taken = set(self._runs)
        new = {}
        for folder in folders:
            if folder not in known:
                name = _free_name(folder.absolute().name, taken)
                taken.add(name)
                new[name] = OpenedRun(name, folder, self._cache)
        return new


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
