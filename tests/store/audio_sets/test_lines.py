"""Lines are taken up to the first that is torn."""

import os
from pathlib import Path

import msgspec
import pytest

from dragoman.core.errors import DataError
from dragoman.store.audio_set_format import encode_line, intact_lines, read_lines


class Word(msgspec.Struct):
    word: str
    place: int = 0


def test_lines_are_kept_up_to_the_first_that_is_not_as_it_would_be_written(tmp_path: Path) -> None:
    path = tmp_path / "words.jsonl"
    assert list(intact_lines(path, Word)) == []
    words = [Word("one", 1), Word("two", 2), Word("three", 3)]
    whole = b"".join(map(encode_line, words))
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        assert list(intact_lines(path, Word)) == words[: whole[:cut].count(b"\n")]
    path.write_bytes(whole.replace(b'"place":2', b'"place": 2'))
    assert list(intact_lines(path, Word)) == words[:1]


def test_a_file_to_be_read_whole_may_hold_more_in_a_line_but_no_torn_one(tmp_path: Path) -> None:
    path = tmp_path / "words.jsonl"
    path.write_bytes(b'{"word":"one","more":1}\n{"word":"two"}')
    with pytest.raises(DataError, match=r"words\.jsonl, line 2: no line of a set"):
        list(read_lines(path, Word))
    path.write_bytes(b'{"word":"one","more":1}\n')
    assert list(read_lines(path, Word)) == [Word("one")]
    with pytest.raises(DataError, match="cannot be read"):
        list(read_lines(tmp_path / "none.jsonl", Word))


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "words.jsonl")
    with pytest.raises(DataError, match="no file"):
        list(read_lines(tmp_path / "words.jsonl", Word))
