"""Run folders of other programs: formats for import and export of runs.

Other packages register a format under the entry point `dragoman.run_folders`. The shipped formats
are rows of one table.
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
"""Shipped formats, by the names that `dragoman export --to` takes."""


class ImportedFolder(msgspec.Struct, frozen=True):
    """An imported run folder.

    Attributes:
        document: Output of `--json`.
        done: Description of the imported run.
        notes: Further remarks for the user.
    """

    document: Mapping[str, object]
    done: str
    notes: tuple[str, ...] = ()


class WrittenFolder(msgspec.Struct, frozen=True):
    """A written run folder: its tasks, and those excluded because text or voice is missing."""

    path: Path
    tasks: int
    left_out: int


class RunFolderFormat(Protocol):
    """The format of another program's run folders."""

    @property
    def name(self) -> str:
        """The format's name for `dragoman export --to`."""
        ...

    @property
    def about(self) -> str:
        """Description of one such folder, with an article."""
        ...

    def recognizes(self, path: Path) -> bool:
        """Return whether the file names in a folder are those of this format."""
        ...

    def read(self, path: Path, folder: Path, created: float, suite: str | None) -> ImportedFolder:
        """Convert a run folder to a run.

        Args:
            path: The run folder.
            folder: The run's folder, new or empty.
            created: Time of the import, in seconds since the epoch.
            suite: The suite that was played; None to use the folder's own data.

        Raises:
            DataError: If a file is missing or damaged.
            StoreError: If the run cannot be written.
            UsageError: If the suite is unknown.
        """
        ...

    def write(self, store: RunStore, out: Path, agent: str | None) -> Sequence[WrittenFolder]:
        """Write a run as run folders inside the folder `out`.

        Args:
            store: The run.
            out: The parent folder of the run folders.
            agent: Name of the only agent; None for all.

        Raises:
            UsageError: If the run has nothing that the format can represent.
            StoreError: If a file cannot be written.
        """
        ...


def run_folder_formats() -> Iterator[RunFolderFormat]:
    """Yield all formats of run folders, the shipped ones first.

    Raises:
        UsageError: If another package's format cannot be loaded, or has another name.
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
