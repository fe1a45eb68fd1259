"""Files are completed in order, and equal lines are made once."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from dragoman.core.errors import ParticipantError
from dragoman.core.usage import Usage
from dragoman.curation.audio_sets.audio_pipeline import (
    LineFile,
    Place,
    complete_lines,
    message_place,
)
from dragoman.store.audio_set_format import TranscriptLine, encode_line, intact_lines

KEYS = ("a", "b", "a", "c", "b")
PLACES: tuple[Place, ...] = tuple(("task", turn, 0) for turn in range(len(KEYS)))


def line(at: int, key: str) -> TranscriptLine:
    return TranscriptLine(*PLACES[at], key, key, key, (Usage("recognition", "ear"),))


def complete(
    path: Path, good: Sequence[TranscriptLine | None] = ()
) -> tuple[tuple[TranscriptLine, ...], list[int], list[int]]:
    """Return the lines, the new lines, and the reported progress."""
    made: list[int] = []
    reported: list[int] = []

    async def make(at: int) -> TranscriptLine:
        made.append(at)
        return line(at, KEYS[at])

    wanted = LineFile(path, PLACES, KEYS, good)
    lines = asyncio.run(complete_lines(wanted, make, 2, reported.append))
    assert tuple(intact_lines(path, TranscriptLine)) == lines
    return lines, made, reported


def test_what_is_the_same_is_made_once_and_its_use_is_told_once(tmp_path: Path) -> None:
    lines, made, reported = complete(tmp_path / "lines.jsonl")
    assert made == [0, 1, 3]
    assert [each.words for each in lines] == list(KEYS)
    assert tuple(map(message_place, lines)) == PLACES
    assert [len(each.usage) for each in lines] == [1, 1, 0, 1, 0]
    assert sum(reported) == len(KEYS)


def test_a_file_goes_on_after_its_last_good_line_to_the_same_bytes(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    whole, _, _ = complete(path)
    content = path.read_bytes()
    for kept in range(len(KEYS) + 1):
        path.write_bytes(b"".join(map(encode_line, whole[:kept])) + b'{"task":"to')
        _, made, _ = complete(path, whole[:kept])
        assert made == [at for at in (0, 1, 3) if at >= kept]
        assert path.read_bytes() == content


def test_lines_behind_a_wrong_one_are_not_made_again(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    whole, _, _ = complete(path)
    content = path.read_bytes()
    _, made, _ = complete(path, (whole[0], None, *whole[2:4], None))
    assert made == [1]
    assert path.read_bytes() == content


def test_a_broken_engine_is_told_with_the_message_and_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"

    async def make(at: int) -> TranscriptLine:
        if at == 3:
            raise ParticipantError("the ear broke")
        return line(at, KEYS[at])

    with pytest.raises(ParticipantError) as caught:
        asyncio.run(
            complete_lines(
                LineFile[TranscriptLine](path, PLACES, KEYS, ()), make, 4, lambda _: None
            )
        )
    assert str(caught.value) == (
        f"task/3.0: the ear broke; the results so far are in {path}: repeat the command to continue"
    )
    assert len(list(intact_lines(path, TranscriptLine))) == 3
