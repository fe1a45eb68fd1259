"""Keeps the index of a run up to date in a thread of its own, as long as anybody asks."""

import time
from pathlib import Path
from threading import Condition, Lock, Thread

from dragoman.core.errors import DragomanError
from dragoman.store.run_index.file import RunIndex, open_index
from dragoman.viewer.index.building import Builder
from dragoman.viewer.index.figures import make_figures, stored_figures
from dragoman.viewer.index.losses import are_losses_made, make_losses

IDLE_SECONDS = 30.0
"""After so long without a question the thread ends, and with it what it holds open."""

FIGURES_SHARE = 10
"""Figures of a run that goes on are made anew after so many times what making them took."""


class IndexKeeper:
    """Brings an index up to date whenever it is asked to.

    Args:
        folder: The run's folder.
        path: The file of the index.
    """

    def __init__(self, folder: Path, path: Path) -> None:
        self._folder = folder
        self.path = path
        self._changed = Condition()
        self._asked = 0
        self._done = 0
        self._is_closing = False
        self._thread: Thread | None = None
        self._failed: DragomanError | None = None

    def refresh(self, patience: float) -> bool:
        """Have the index brought up to date; return whether it was within so many seconds.

        Raises:
            DragomanError: Where the run or the index could not be read.
        """
        with self._changed:
            self._asked += 1
            mine = self._asked
            if self._thread is None:
                self._failed = None
                self._thread = Thread(target=self._work, name="index", daemon=True)
                self._thread.start()
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._done >= mine, patience)
            if self._failed is not None:
                raise self._failed
            return self._done >= mine

    def close(self) -> None:
        """End the thread after what it is at."""
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _work(self) -> None:
        try:
            with open_index(self.path) as index:
                builder = Builder(self._folder, index)
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

    def _keep(self, builder: Builder, index: RunIndex) -> None:
        figures = _Figures(self._folder, index)
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


class Keepers:
    """Keepers of indices that several readers share: a run's index is made once for all of them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._shared: dict[Path, tuple[IndexKeeper, int]] = {}

    def take(self, folder: Path, path: Path) -> IndexKeeper:
        """Return the keeper of an index, to be given back.

        Args:
            folder: The run's folder.
            path: The file of the index.
        """
        with self._lock:
            keeper, users = self._shared.get(path) or (IndexKeeper(folder, path), 0)
            self._shared[path] = keeper, users + 1
            return keeper

    def give_back(self, keeper: IndexKeeper) -> None:
        """Close a keeper that no reader has any more."""
        with self._lock:
            found, users = self._shared.pop(keeper.path)
            if users > 1:
                self._shared[keeper.path] = found, users - 1
                return
        keeper.close()


class _Figures:
    """Makes figures where they are of less than was read, and not all the time."""

    def __init__(self, folder: Path, index: RunIndex) -> None:
        self._folder = folder
        self._index = index
        self._not_before = 0.0

    def make(self) -> None:
        """Make the figures anew if they are due."""
        begun = time.monotonic()
        found = stored_figures(self._index)
        is_new = (
            found is None or found.read != self._index.read() or not are_losses_made(self._index)
        )
        if is_new and begun >= self._not_before:
            make_figures(self._index)
            make_losses(self._folder, self._index)
            ended = time.monotonic()
            self._not_before = ended + FIGURES_SHARE * (ended - begun)
