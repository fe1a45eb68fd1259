"""The content of a set is read whole, or the wrong file is named."""

import math
import struct
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dragoman.core.audio import Audio
from dragoman.core.errors import DataError
from dragoman.core.recordings import RecordedMessage, RecordedTranscript, Recordings
from dragoman.core.replies import AudioRef, Stage
from dragoman.store.atomic_files import atomic_write
from dragoman.store.audio_set import AudioSet, AudioSetFiles
from dragoman.store.audio_set_format import (
    SpeechLine,
    TranscriptLine,
    audio_name,
    encode_line,
    transcripts_name,
)

BEEP = Audio(
    b"".join(struct.pack("<h", int(9_000 * math.sin(at / 5))) for at in range(1_600)), 16_000
)
STAGES = (Stage("synthesis", "espeak-ng:us", 7, {"speaker": "us"}),)
SETTINGS: dict[str, Any] = {
    "program": "1",
    "suites": {"courier": "abc"},
    "seed": 1,
    "tts": ["us"],
    "line": "studio",
    "asr": ["mixed", "simulated:15"],
}


def text(task: str, turn: int, words: str) -> dict[str, Any]:
    message = {"suite": "courier", "task": task, "turn": turn, "place": 0, "text": words}
    whitelist = {"topics": {"day": "Friday"}, "named": {"when": "Friday"}}
    return {"spoken": {"message": message, "said": f"um, {words}"}, "whitelist": whitelist}


def write_set(folder: Path) -> AudioRef:
    """Write a set of two messages, of which one says nothing."""
    audio = AudioSetFiles(folder).keep(BEEP)
    spoken = [
        SpeechLine("a", 0, 0, "um, on friday", audio, STAGES),
        SpeechLine("b", 1, 0, "", None),
    ]
    heard = [
        TranscriptLine("a", 0, 0, "on fry day", "on fry day", "0"),
        TranscriptLine("b", 1, 0, "", "", "0"),
    ]
    texts = [text("a", 0, "on Friday"), text("b", 1, "...")]
    atomic_write(folder / "settings.json", msgspec.json.encode(SETTINGS))
    atomic_write(folder / "texts.jsonl", (msgspec.json.encode(line) + b"\n" for line in texts))
    atomic_write(folder / "speech.jsonl", map(encode_line, spoken))
    for name in SETTINGS["asr"]:
        atomic_write(folder / transcripts_name(name), map(encode_line, heard))
    return audio


def test_a_set_is_read_by_task(tmp_path: Path) -> None:
    audio = write_set(tmp_path)
    recordings: Recordings = AudioSet(tmp_path)

    assert recordings.recognizers == ("mixed", "simulated:15")
    (message,) = recordings.of("a")
    heard = RecordedTranscript("on fry day", "on fry day")
    assert message == RecordedMessage(
        "courier",
        "a",
        0,
        0,
        text="on Friday",
        said="um, on friday",
        audio=audio,
        stages=STAGES,
        heard={"mixed": heard, "simulated:15": heard},
        whitelist={"when": "Friday"},
    )
    assert recordings.sound(audio) == BEEP
    assert [(each.turn, each.audio) for each in recordings.of("b")] == [(1, None)]
    assert recordings.of("c") == ()


def test_the_digest_is_of_what_was_recorded_and_of_nothing_else(tmp_path: Path) -> None:
    write_set(tmp_path)
    before = AudioSet(tmp_path).digest
    atomic_write(tmp_path / "settings.json", msgspec.json.encode(SETTINGS | {"program": "2"}))
    assert AudioSet(tmp_path).digest == before

    path = tmp_path / transcripts_name("mixed")
    path.write_bytes(path.read_bytes().replace(b"fry", b"fri"))
    assert AudioSet(tmp_path).digest != before


@pytest.mark.parametrize("name", ["texts.jsonl", "speech.jsonl", "transcripts/mixed.jsonl"])
def test_a_set_that_is_not_whole_is_refused(tmp_path: Path, name: str) -> None:
    write_set(tmp_path)
    path = tmp_path / name
    whole = path.read_bytes()

    path.write_bytes(whole[:-4])
    with pytest.raises(DataError, match=f"{name}, line 2: no line of a set"):
        AudioSet(tmp_path)
    path.write_bytes(whole[: whole.index(b"\n") + 1])
    with pytest.raises(DataError, match=f"{name}: messages are missing"):
        AudioSet(tmp_path)
    path.unlink()
    with pytest.raises(DataError, match=name):
        AudioSet(tmp_path)


def test_lines_of_other_messages_are_refused(tmp_path: Path) -> None:
    write_set(tmp_path)
    path = tmp_path / transcripts_name("simulated:15")
    path.write_bytes(b"".join(reversed(path.read_bytes().splitlines(keepends=True))))
    with pytest.raises(DataError, match="not of the same messages at a/0/0"):
        AudioSet(tmp_path)


def test_a_set_of_texts_cannot_be_played(tmp_path: Path) -> None:
    write_set(tmp_path)
    atomic_write(tmp_path / "settings.json", b'{"suites": {"courier": "abc"}, "seed": 1}')
    with pytest.raises(DataError, match="a set of texts"):
        AudioSet(tmp_path)


def test_damaged_audio_is_refused(tmp_path: Path) -> None:
    audio = write_set(tmp_path)
    recordings, path = AudioSet(tmp_path), tmp_path / audio_name(audio.sha256)
    whole = path.read_bytes()
    for content in (b"", whole[:60], whole[:-200], whole[:-9] + b"\x00" * 9):
        path.write_bytes(content)
        with pytest.raises(DataError, match=str(path)):
            recordings.sound(audio)
    other = AudioSetFiles(tmp_path).keep(Audio(BEEP.pcm[:100], 16_000))
    path.write_bytes((tmp_path / audio_name(other.sha256)).read_bytes())
    with pytest.raises(DataError, match="another sound than its name says"):
        recordings.sound(audio)
    path.unlink()
    with pytest.raises(DataError, match="cannot be read"):
        recordings.sound(audio)


def test_no_line_leads_out_of_the_folder(tmp_path: Path) -> None:
    write_set(tmp_path)
    outside = AudioRef("../../../../etc/passwd", 1.0, 16_000)
    with pytest.raises(DataError, match="no SHA-256"):
        AudioSet(tmp_path).sound(outside)


def test_files_that_belong_to_no_line_are_told(tmp_path: Path) -> None:
    audio = write_set(tmp_path)
    sounds, path = AudioSetFiles(tmp_path), tmp_path / audio_name(audio.sha256)
    assert list(sounds.others({audio.sha256})) == []
    assert list(sounds.others(())) == [path]
    draft = path.with_name(f".{path.name}.part")
    draft.touch()
    assert list(sounds.others({audio.sha256})) == [draft]


def test_every_recognizer_has_a_file_of_its_own() -> None:
    names = [
        "mixed",
        "simulated:15",
        "simulated-15",
        "a/b",
        "a-b",
        "A/b",
        "whisper//../../etc",
        "x" * 99,
    ]
    files = [transcripts_name(name) for name in names]
    assert files[0] == "transcripts/mixed.jsonl"
    assert len({file.lower() for file in files}) == len(names)
    assert all(file.count("/") == 1 and len(file) < 99 for file in files)


def test_equal_audio_may_be_kept_by_many_threads_at_a_time(tmp_path: Path) -> None:
    sounds = AudioSetFiles(tmp_path)
    with ThreadPoolExecutor(8) as threads:
        kept = set(threads.map(sounds.keep, [BEEP] * 64))
    assert kept == {BEEP.reference()}
    assert list(sounds.others({BEEP.reference().sha256})) == []
