"""One run while it is shown: its file, open to read for as long as it is the same file."""

from pathlib import Path

from dragoman.store.run import RunStore, open_run
from dragoman.store.run_file import FILE


class OpenedRun:
    """A run under its name in addresses.

    Its store belongs to the thread that answers requests.
    """

    def __init__(self, name: str, folder: Path, cache: Path) -> None:
        self.name = name
        self.folder = folder
        self.title = folder.absolute().name
        self._cache = cache
        self._store: RunStore | None = None
        self._seen: tuple[int, int] | None = None

    @property
    def store(self) -> RunStore:
        """The run, open to read.

        Raises:
            StoreError: Where it is gone, damaged or no run.
        """
        found = self._identity()
        if self._store is None or self._seen != found:
            self.close()
            self._store, self._seen = open_run(self.folder, write=False), found
        return self._store

    def close(self) -> None:
        """Close the file."""
        if self._store is not None:
            self._store.close()
            self._store = None

    def _identity(self) -> tuple[int, int] | None:
        """Return which file lies there now: one that was put in its place is another."""
        try:
            found = (self.folder / FILE).stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino
