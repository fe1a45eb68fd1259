"""Where a file cannot be written, one line says what the disk said, whoever wrote it."""

import os
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from dragoman.core.errors import StoreError
from dragoman.formats.atomic_output import place_file

TABLE = pl.DataFrame({"texts": [f"text {number}" * 50 for number in range(10_000)]})


def parquet(path: Path) -> None:
    TABLE.write_parquet(path)


def csv(path: Path) -> None:
    TABLE.write_csv(path)


def arrow(path: Path) -> None:
    TABLE.write_ipc(path)


WRITERS = [parquet, csv, arrow]


def to_a_full_device(path: Path, write: Callable[[Path], None]) -> None:
    path.symlink_to("/dev/full")
    write(path)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("write", WRITERS)
def test_a_full_disk_is_said(tmp_path: Path, write: Callable[[Path], None]) -> None:
    with pytest.raises(StoreError) as told:
        place_file(tmp_path / "table", lambda path: to_a_full_device(path, write))
    assert str(told.value) == f"{tmp_path / 'table'}: cannot be written (No space left on device)"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("write", WRITERS)
def test_a_folder_in_the_place_of_a_file_is_said(
    tmp_path: Path, write: Callable[[Path], None]
) -> None:
    (tmp_path / "table").mkdir()
    with pytest.raises(StoreError, match=r"table: cannot be written \(Is a directory\)"):
        place_file(tmp_path / "table", write)


def test_a_file_in_the_place_of_a_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("here")
    with pytest.raises(StoreError, match="a file, where a folder is needed"):
        place_file(tmp_path / "file" / "table", parquet)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match=r"cannot be written \(Permission denied\)"):
        place_file(tmp_path / "table", parquet)


def test_an_error_of_a_library_without_a_number_is_said_in_its_words(tmp_path: Path) -> None:
    def fails(_: Path) -> None:
        raise pl.exceptions.ComputeError("no such\n  thing")

    with pytest.raises(StoreError, match=r"cannot be written \(no such thing\)"):
        place_file(tmp_path / "table", fails)
