"""Run folders of other programs: forms that runs are imported from and exported to.

Other packages register a form under the entry point `dragoman.run_folders`. Those that ship are
rows of one table.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol, cast

import msgspec

from dragoman.core.errors import UsageError
from dragoman.registry.entry_points import find_entry_points, load_entry_point, load_object
from dragoman.store.run_store import RunStore

ENTRY_POINTS = "dragoman.run_folders"

BUNDLED: Mapping[str, str] = {
    "mm-tau-p2": "dragoman.papers.mm_tau.run_folders:MM_TAU_FOLDERS",
}
"""Forms that ship, by the names that `dragoman export --to` takes."""


class ImportedFolder(msgspec.Struct, frozen=True):
    """A run folder that became a run.

    Attributes:
        document: What `--json` prints of it.
        done: What was imported, in words.
        notes: What else a person should know of it.
    """

    document: Mapping[str, object]
    done: str
    notes: tuple[str, ...] = ()


class WrittenFolder(msgspec.Struct, frozen=True):
    """A run folder that was written: its tasks, and those left out for want of text or voice."""

    path: Path
    tasks: int
    left_out: int


class RunFolderFormat(Protocol):
    """The form of another program's run folders."""

    @property
    def name(self) -> str:
        """Its name for `dragoman export --to`."""
        ...

    @property
    def about(self) -> str:
        """The words for one such folder, with an article."""
        ...

    def recognizes(self, path: Path) -> bool:
        """Return whether the names of files there say that it is such a folder."""
        ...

    def read(self, path: Path, folder: Path, created: float, suite: str | None) -> ImportedFolder:
        """Make a run of a run folder.

        Args:
            path: The run folder.
            folder: The run's folder, new or empty.
            created: When this is done, in seconds since the epoch.
            suite: What was played; None for what the folder itself says.

        Raises:
            DataError: Where a file is missing or damaged.
            StoreError: Where the run cannot be written.
            UsageError: Where nobody says what was played.
        """
        ...

    def write(self, store: RunStore, out: Path, agent: str | None) -> Sequence[WrittenFolder]:
        """Write a run as run folders inside the folder `out`.

        Args:
            store: The run.
            out: The folder that gets them.
            agent: Only this agent's; None for all.

        Raises:
            UsageError: Where the run has nothing that can be written so.
            StoreError: Where a file cannot be written.
        """
        ...


def run_folder_formats() -> Iterator[RunFolderFormat]:
    """Yield all forms of run folders, those that ship first.

    Raises:
        UsageError: Where another package's form cannot be loaded, or has another name.
    """
    for place in BUNDLED.values():
        yield cast("RunFolderFormat", load_object(place))
    for entry in find_entry_points(ENTRY_POINTS):
        if entry.name not in BUNDLED:
            what = f"form of run folders {entry.name!r}"
            found = cast("RunFolderFormat", load_entry_point(entry, what))
            if getattr(found, "name", None) != entry.name:
                raise UsageError(f"{what}: {entry.value} has not that name")
            yield found
