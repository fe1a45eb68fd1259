from pathlib import Path

import pytest

from dragoman.core.audio import Audio, read_wav, write_wav
from dragoman.core.errors import DataError, StoreError
from dragoman.store.audio_files import AudioFiles, audio_path

BEEP = Audio(b"\x00\x01" * 800, 8_000)


def test_audio_is_kept_by_its_content_and_read_back(tmp_path: Path) -> None:
    files = AudioFiles(tmp_path)

    reference = files.keep(BEEP)

    assert (reference.seconds, reference.rate_hz) == (0.1, 8_000)
    assert read_wav(files.read(reference.sha256), "kept") == BEEP
    assert (tmp_path / audio_path(reference.sha256)).read_bytes() == write_wav(BEEP)


def test_whoever_may_read_the_run_may_listen_to_it(tmp_path: Path) -> None:
    (tmp_path / "run.sqlite").touch()
    reference = AudioFiles(tmp_path).keep(BEEP)

    kept = tmp_path / audio_path(reference.sha256)
    assert kept.stat().st_mode == (tmp_path / "run.sqlite").stat().st_mode


def test_equal_audio_is_one_file_whoever_keeps_it(tmp_path: Path) -> None:
    first, again = AudioFiles(tmp_path).keep(BEEP), AudioFiles(tmp_path).keep(BEEP)

    assert first == again
    assert [path.name for path in tmp_path.rglob("*.*")] == [f"{first.sha256}.wav"]


def test_audio_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "audio").write_text("a file in the way", "utf-8")

    with pytest.raises(StoreError, match="audio: a file, where a folder is needed"):
        AudioFiles(tmp_path).keep(BEEP)


def test_missing_audio_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot read audio"):
        AudioFiles(tmp_path).read("ab" * 32)


def test_a_truncated_file_is_refused() -> None:
    whole = write_wav(BEEP)
    for content in (b"", b"RIFF", whole[:20], whole[:-1], whole[:60]):
        with pytest.raises(DataError, match=r"^here: "):
            read_wav(content, "here")


def test_stereo_is_refused() -> None:
    stereo = bytearray(write_wav(BEEP))
    stereo[22] = 2
    with pytest.raises(DataError, match=r"here: "):
        read_wav(bytes(stereo), "here")
