"""Cached files have the written content, or they are made again."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dragoman.speech.embedded.interpolated_model import matches_manifest, sign


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A model and its dictionary, signed."""
    model, dictionary = tmp_path / "a.arpa", tmp_path / "a.dict"
    model.write_text("\\data\\\n" * 500)
    dictionary.write_text("word W ER D\n" * 500)
    sign((model, dictionary), tmp_path / "a.sums")
    return model, dictionary


def test_files_as_they_were_written_are_taken(files: tuple[Path, Path]) -> None:
    assert matches_manifest(files, files[0].with_name("a.sums"))


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:1_000]),
        lambda path: path.write_bytes(bytes([path.read_bytes()[0] ^ 1]) + path.read_bytes()[1:]),
        lambda path: path.unlink(),
    ],
    ids=["empty", "halved", "a bit", "gone"],
)
def test_a_file_that_lost_or_changed_anything_is_not(
    files: tuple[Path, Path], damage: Callable[[Path], object], place: int
) -> None:
    damage(files[place])
    assert not matches_manifest(files, files[0].with_name("a.sums"))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"a.arpa": {"size": 4000}}', b"{}", None])
def test_files_of_which_nothing_is_known_are_not(
    files: tuple[Path, Path], content: bytes | None
) -> None:
    sums = files[0].with_name("a.sums")
    sums.unlink() if content is None else sums.write_bytes(content)
    assert not matches_manifest(files, sums)
