"""BFCL's files as pulled into the cache."""

from pathlib import Path

from dragoman.benchmarks.bfcl.suite import BfclSuite, load_suite
from dragoman.benchmarks.bfcl.upstream import HINT, adopt_texts, bfcl_source, derive_texts
from dragoman.benchmarks.pulling.data import PinnedData, open_file
from dragoman.core.protocols import Provenance


def pulled_suite(category: str, folder: Path) -> BfclSuite:
    """Load what stands behind `bfcl:` from the folder of pulled data.

    Args:
        category: Its name.
        folder: Where pulled data lie.

    Raises:
        UsageError: Where there is no such category.
        DataError: Where a file is missing or damaged; the line names the command that helps.
    """
    source = bfcl_source()
    provenance = Provenance(f"BFCL {source.commit}", source.licence, source.notice, "")
    return load_suite(category, lambda name: read_pulled(folder, name), provenance)


def source_folder(folder: Path) -> Path:
    """Return where the pinned files lie under the folder of pulled data."""
    return folder / "bfcl" / bfcl_source().commit


def read_pulled(folder: Path, name: str) -> bytes:
    """Return a pulled file by its short name from the folder of pulled data.

    Raises:
        DataError: Where it is missing or damaged; the line names the command that helps.
    """
    return open_file(source_folder(folder), bfcl_source(), name, HINT)


BFCL_DATA = PinnedData(bfcl_source, source_folder, derive_texts, adopt_texts)
