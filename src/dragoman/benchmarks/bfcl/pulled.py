"""BFCL's files as pulled into the cache."""

from pathlib import Path

from dragoman.benchmarks.bfcl.upstream import bfcl_source
from dragoman.benchmarks.data import open_file

HINT = "run `dragoman data pull bfcl`"


def source_folder(folder: Path) -> Path:
    """Return where the pinned files lie under the folder of pulled data."""
    return folder / "bfcl" / bfcl_source().commit


def read_pulled(folder: Path, name: str) -> bytes:
    """Return a pulled file by its short name from the folder of pulled data.

    Raises:
        DataError: Where it is missing or damaged; the line names the command that helps.
    """
    return open_file(source_folder(folder), bfcl_source(), name, HINT)
