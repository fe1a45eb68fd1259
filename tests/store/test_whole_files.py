"""Files are whole or absent."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.core.errors import DataError
from dragoman.store.safe_files import atomic_write


def breaking_off() -> Iterator[bytes]:
    yield b"half"
    raise DataError("a text that cannot be written")


def test_a_file_that_breaks_off_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "new" / "memory.tmx"
    atomic_write(path, [b"who", b"le"])
    with pytest.raises(DataError, match="a text that cannot be written"):
        atomic_write(path, breaking_off())
    assert path.read_bytes() == b"whole"
    assert list(path.parent.iterdir()) == [path]


def test_where_nothing_can_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="cannot be written"):
        atomic_write(tmp_path / "file" / "memory.tmx", [b"whole"])
    (tmp_path / "folder").mkdir()
    with pytest.raises(DataError, match="folder cannot be written"):
        atomic_write(tmp_path / "folder", [b"whole"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]
