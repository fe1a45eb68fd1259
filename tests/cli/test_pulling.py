from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Pulled = Callable[..., CompletedProcess[str]]


@pytest.fixture
def pulled(tmp_path: Path, in_process: Callable[..., CompletedProcess[str]]) -> Pulled:
    """Pull data into a cache of one's own."""
    return lambda *arguments: in_process(
        "data", "pull", *arguments, cwd=tmp_path, XDG_CACHE_HOME=str(tmp_path)
    )


def test_bfcl_is_pulled_from_a_local_copy_once(pulled: Pulled, data_folder: Path) -> None:
    first = pulled("bfcl", "--from", str(data_folder / "bfcl"))
    assert first.stdout.startswith("bfcl: 56 files written to "), first.stderr
    again = pulled("bfcl")
    assert again.stdout.startswith("bfcl: all 56 files are already in "), again.stderr


def test_seataubench_is_pulled_from_a_packed_local_copy_once(
    pulled: Pulled, data_folder: Path
) -> None:
    if not (data_folder / "seataubench").is_dir():
        pytest.skip(f"{data_folder} has no seataubench: nothing to pull")
    first = pulled("seataubench", "--from", str(data_folder / "seataubench"))
    assert first.stdout.startswith("seataubench: 144 files written to "), first.stderr
    again = pulled("seataubench")
    assert again.stdout.startswith("seataubench: all 144 files are already in "), again.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "reported"),
    [
        (("unheard-of",), 2, "choose tau2, seataubench, bfcl"),
        (("bfcl", "--url", "ftp://example.org"), 2, "is not a web address"),
        (("bfcl", "--from", "/nowhere"), 1, "give one that holds the files, or bfcl_eval-"),
        (("bfcl", "--url", "http://127.0.0.1:1/"), 1, "cannot be fetched"),
    ],
)
def test_what_cannot_be_pulled_is_told_in_one_line(
    pulled: Pulled, tmp_path: Path, arguments: tuple[str, ...], status: int, reported: str
) -> None:
    done = pulled(*arguments)
    assert done.returncode == status
    assert reported in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert list(tmp_path.rglob("index.json")) == []
