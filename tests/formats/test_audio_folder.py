"""An audio set as a folder of Hugging Face `datasets`, opened by that library itself."""

import math
import struct
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import msgspec
import pytest

from dragoman.core.audio import Audio
from dragoman.core.errors import DataError, UsageError
from dragoman.core.replies import Stage
from dragoman.formats.audio_folder import write_audio_folder
from dragoman.store.atomic_files import atomic_write
from dragoman.store.audio_set import AudioSetFiles, decode_flac
from dragoman.store.audio_set_format import (
    SpeechLine,
    TranscriptLine,
    encode_line,
    transcripts_name,
)

pytest.importorskip("soundfile", reason="reading FLAC needs the extra voice")

BEEP = Audio(
    b"".join(struct.pack("<h", int(9_000 * math.sin(at / 5))) for at in range(1_600)), 16_000
)
STAGES = (Stage("synthesis", "espeak-ng:us", 7),)
SETTINGS = {
    "suites": {"courier": "abc"},
    "seed": 1,
    "tts": ["us"],
    "line": "studio",
    "asr": ["mixed"],
}


def text(task: str, words: str) -> bytes:
    message = {"suite": "courier", "task": task, "turn": 0, "place": 0, "text": words}
    line = {"spoken": {"message": message}, "whitelist": {"topics": {"day": "Friday"}}}
    return msgspec.json.encode(line) + b"\n"


def write_set(folder: Path, *, spoken: bool = True) -> None:
    """Write a set of three messages: two with equal words, one that says nothing."""
    audio = AudioSetFiles(folder).keep(BEEP) if spoken else None
    says = [("a", "on Friday", audio), ("b", "on Friday", audio), ("c", "...", None)]
    files = {
        "settings.json": [msgspec.json.encode(SETTINGS)],
        "card.json": [b"{}"],
        "texts.jsonl": [text(task, words) for task, words, _ in says],
        "speech.jsonl": [
            encode_line(SpeechLine(task, 0, 0, words, sound, STAGES)) for task, words, sound in says
        ],
        transcripts_name("mixed"): [
            encode_line(TranscriptLine(task, 0, 0, "on fry day", "on fry day")) for task, *_ in says
        ],
    }
    for name, content in files.items():
        atomic_write(folder / name, content)


@pytest.mark.nightly
def test_datasets_opens_a_row_for_each_message_that_was_spoken(
    tmp_path: Path, in_process: Callable[..., CompletedProcess[str]]
) -> None:
    write_set(tmp_path / "set")
    done = in_process("export", "set", "--to", "audiofolder", "--out", "hf", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "2 messages in 1 audio file: hf; 1 excluded, as they have no audio\n"

    datasets = pytest.importorskip("datasets", reason="a library of others opens the folder")
    datasets.disable_progress_bars()
    options = {"split": "test", "cache_dir": str(tmp_path / "cache")}
    rows = datasets.load_dataset("audiofolder", data_dir=str(tmp_path / "hf"), **options)
    rows = rows.cast_column("audio", datasets.Audio(decode=False))
    first, second = rows
    assert (first["task"], second["task"]) == ("a", "b")
    assert (first["text"], first["said"], first["voice"]) == (
        "on Friday",
        "on Friday",
        "espeak-ng:us",
    )
    assert first["whitelist"] == [{"topic": "day", "value": "Friday"}]
    assert first["transcripts"] == [
        {"recognizer": "mixed", "words": "on fry day", "text": "on fry day"}
    ]
    audio = first["audio"]["bytes"] or Path(first["audio"]["path"]).read_bytes()
    assert decode_flac(audio, "the row") == BEEP
    assert datasets.load_dataset(str(tmp_path / "hf"), **options).num_rows == 2


def test_the_readme_says_where_the_texts_come_from(tmp_path: Path) -> None:
    write_set(tmp_path / "set")
    write_audio_folder(tmp_path / "set", tmp_path / "hf")
    readme = (tmp_path / "hf" / "README.md").read_text("utf-8")
    assert "split: test" in readme
    assert "- `courier`: " in readme
    assert "Licence: " in readme


def test_what_lies_there_already_stays(tmp_path: Path) -> None:
    write_set(tmp_path / "set")
    (tmp_path / "hf").mkdir()
    (tmp_path / "hf" / "mine.txt").write_text("mine")
    with pytest.raises(UsageError, match="is there already and not empty"):
        write_audio_folder(tmp_path / "set", tmp_path / "hf")


def test_a_file_that_is_not_the_sound_of_its_name_is_not_passed_on(tmp_path: Path) -> None:
    write_set(tmp_path / "set")
    secret = tmp_path / "secret"
    secret.write_text("key")
    (sound,) = (tmp_path / "set").rglob("*.flac")
    sound.unlink()
    sound.symlink_to(secret)
    with pytest.raises(DataError, match="no readable FLAC file"):
        write_audio_folder(tmp_path / "set", tmp_path / "hf")
    assert not (tmp_path / "hf").exists()


def test_a_set_in_which_nobody_speaks_has_nothing_to_write(tmp_path: Path) -> None:
    write_set(tmp_path / "set", spoken=False)
    with pytest.raises(UsageError, match="the set has no audio"):
        write_audio_folder(tmp_path / "set", tmp_path / "hf")


def test_a_folder_that_is_no_set_is_told(
    tmp_path: Path, in_process: Callable[..., CompletedProcess[str]]
) -> None:
    done = in_process("export", "nothing", "--to", "audiofolder", "--out", "hf", cwd=tmp_path)
    assert done.returncode == 2
    assert "nothing: not an audio set; make one with `dragoman speak`" in done.stderr
