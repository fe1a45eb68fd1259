"""Files and folders are complete or unchanged, however many write them and however a writer ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl
import pytest

from dragoman.core.errors import DataError, StoreError
from dragoman.store.atomic_files import atomic_folder, atomic_path, atomic_write

WRITES = 300
SIZE = 50_000
TABLE = pl.DataFrame({"texts": [f"text {number}" * 50 for number in range(10_000)]})

WRITER = """
import sys
from pathlib import Path
from dragoman.store.atomic_files import atomic_write

for _ in range({writes}):
    atomic_write(Path(sys.argv[1]), [sys.argv[2].encode() * {half}] * 2)
"""

KILLED = """
import sys, time
from pathlib import Path
from dragoman.store.atomic_files import atomic_folder, atomic_path

with {kind}(Path(sys.argv[1])) as draft:
    (draft / "half" if draft.is_dir() else draft).write_text("half")
    print("ready", flush=True)
    time.sleep(60)
"""


def write_often(path: Path, letter: bytes) -> None:
    for _ in range(WRITES):
        atomic_write(path, [letter * (SIZE // 2)] * 2)


def kinds_of_content(path: Path, is_done: Callable[[], bool]) -> set[bytes]:
    """Read a file again and again, and return each content in short: its length and letters."""
    found = set()
    while not is_done():
        if path.exists():
            content = path.read_bytes()
            found.add(str(len(content)).encode() + b"".join(sorted({content[:1], content[-1:]})))
    return found


def start(code: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def breaks_off() -> Iterator[bytes]:
    yield b"half"
    raise DataError("a text that cannot be written")


@pytest.mark.slow
def test_threads_that_write_one_file_neither_fail_nor_mix(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with ThreadPoolExecutor(2) as pool:
        writers = [pool.submit(write_often, path, letter) for letter in (b"a", b"b")]
        found = kinds_of_content(path, lambda: all(writer.done() for writer in writers))
    assert [writer.exception() for writer in writers] == [None, None]
    assert found <= {b"50000a", b"50000b"}
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.slow
def test_processes_that_write_one_file_neither_fail_nor_mix(tmp_path: Path) -> None:
    path = tmp_path / "file"
    code = WRITER.format(writes=WRITES, half=SIZE // 2)
    writers = [start(code, str(path), letter) for letter in ("a", "b")]
    found = kinds_of_content(path, lambda: all(writer.poll() is not None for writer in writers))
    assert [writer.communicate() for writer in writers] == [("", ""), ("", "")]
    assert found <= {b"50000a", b"50000b"}
    assert list(tmp_path.iterdir()) == [path]


def test_threads_that_write_one_folder_neither_fail_nor_mix(tmp_path: Path) -> None:
    folder = tmp_path / "folder"

    def replace(letter: str) -> None:
        for _ in range(50):
            with atomic_folder(folder) as draft:
                (draft / "first").write_text(letter)
                (draft / "second").write_text(letter)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(replace, "ab"))
    assert (folder / "first").read_text() == (folder / "second").read_text()
    assert list(tmp_path.iterdir()) == [folder]


def test_a_write_that_breaks_off_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "new" / "memory.tmx"
    atomic_write(path, [b"who", b"le"])
    with pytest.raises(DataError, match="a text that cannot be written"):
        atomic_write(path, breaks_off())
    assert path.read_bytes() == b"whole"
    assert list(path.parent.iterdir()) == [path]


def test_a_folder_that_breaks_off_leaves_the_folder_as_it_was(tmp_path: Path) -> None:
    with atomic_folder(tmp_path / "folder") as draft:
        (draft / "old").touch()
    with pytest.raises(StoreError), atomic_folder(tmp_path / "folder") as draft:
        (draft / "missing").read_bytes()
    assert [each.relative_to(tmp_path).as_posix() for each in sorted(tmp_path.rglob("*"))] == [
        "folder",
        "folder/old",
    ]


def test_a_folder_with_files_is_kept_where_it_may_not_be_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "old").touch()
    with (
        pytest.raises(StoreError, match=r"cannot be written \(Directory not empty\)"),
        atomic_folder(tmp_path / "folder", overwrite=False),
    ):
        pass
    assert [each.name for each in tmp_path.rglob("*")] == ["folder", "old"]


def test_an_empty_folder_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with atomic_folder(tmp_path / "folder", overwrite=False) as draft:
        (draft / "new").touch()
    assert [each.name for each in tmp_path.rglob("*")] == ["folder", "new"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["atomic_path", "atomic_folder"])
def test_the_draft_of_a_killed_process_is_removed_and_that_of_a_running_one_is_kept(
    tmp_path: Path, kind: str
) -> None:
    code = KILLED.format(kind=kind)
    killed, running = (start(code, str(tmp_path / name)) for name in ("killed", "running"))
    for process in (killed, running):
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert len(list(tmp_path.iterdir())) == 2

    atomic_write(tmp_path / "other", b"whole")

    names = {each.name.split(".")[1] or each.name for each in tmp_path.glob(".*")}
    running.kill()
    running.communicate()
    assert names == {"running"}


def test_a_file_whose_name_looks_nearly_like_a_draft_is_kept(tmp_path: Path) -> None:
    names = {".notes.part", "notes.1-0123456789abcdef.part", ".notes.1-0123456789ABCDEF.part"}
    for name in names:
        (tmp_path / name).touch()
    atomic_write(tmp_path / "file", b"whole")
    assert {each.name for each in tmp_path.iterdir()} == {*names, "file"}


def test_a_name_of_the_greatest_length_has_a_draft(tmp_path: Path) -> None:
    path = tmp_path / ("é" * 127)
    atomic_write(path, b"whole")
    assert path.read_bytes() == b"whole"


def test_a_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    atomic_write(tmp_path / "file", b"whole")
    assert (tmp_path / "file").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_link_in_the_place_of_the_file_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "file").symlink_to(tmp_path / "victim")
    atomic_write(tmp_path / "file", b"new")
    assert (tmp_path / "victim").read_text() == "precious"
    assert (tmp_path / "file").read_bytes() == b"new"


def parquet(path: Path) -> None:
    TABLE.write_parquet(path)


def csv(path: Path) -> None:
    TABLE.write_csv(path)


def arrow(path: Path) -> None:
    TABLE.write_ipc(path)


WRITERS = [parquet, csv, arrow]


def write_table(path: Path, write: Callable[[Path], None]) -> None:
    with atomic_path(path, pl.exceptions.PolarsError) as draft:
        write(draft)


def on_a_full_device(path: Path, write: Callable[[Path], None]) -> None:
    path.unlink()
    path.symlink_to("/dev/full")
    write(path)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("write", WRITERS)
def test_a_full_disk_is_reported(tmp_path: Path, write: Callable[[Path], None]) -> None:
    with pytest.raises(StoreError) as raised:
        write_table(tmp_path / "table", lambda path: on_a_full_device(path, write))
    assert str(raised.value) == (
        f"{tmp_path / 'table'}: cannot be written (No space left on device): "
        "choose another folder or make room"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("write", WRITERS)
def test_a_folder_in_the_place_of_a_file_is_reported(
    tmp_path: Path, write: Callable[[Path], None]
) -> None:
    (tmp_path / "table").mkdir()
    with pytest.raises(StoreError, match=r"table: cannot be written \(Is a directory\)"):
        write_table(tmp_path / "table", write)
    assert [each.name for each in tmp_path.iterdir()] == ["table"]


@pytest.mark.parametrize("path", ["file/table", "file/folder/table"])
def test_a_file_in_the_place_of_a_folder_is_reported(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").write_text("here")
    with pytest.raises(StoreError) as raised:
        atomic_write(tmp_path / path, b"whole")
    assert str(raised.value) == (
        f"{tmp_path / 'file'}: a file, where a folder is needed: choose another folder"
    )


def test_a_file_in_the_place_of_the_folder_to_write_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("here")
    with (
        pytest.raises(StoreError, match="file: a file, where a folder is needed"),
        atomic_folder(tmp_path / "file"),
    ):
        pass
    assert (tmp_path / "file").read_text() == "here"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match=r"cannot be written \(Permission denied\)"):
        write_table(tmp_path / "table", parquet)


def test_an_error_of_a_library_without_a_number_is_reported_in_its_words(tmp_path: Path) -> None:
    def fails(_: Path) -> None:
        raise pl.exceptions.ComputeError("no such\n  thing")

    with pytest.raises(StoreError, match=r"cannot be written \(no such thing\)"):
        write_table(tmp_path / "table", fails)
