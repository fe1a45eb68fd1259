"""Export of an audio set as a Hugging Face `audiofolder`.

    load_dataset("audiofolder", data_dir=FOLDER, split="test")

`test/metadata.jsonl` has one row for each message with audio; messages with equal words share a
file.
"""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from dragoman.core.errors import StoreError, UsageError
from dragoman.core.protocols import Provenance
from dragoman.core.recordings import RecordedMessage
from dragoman.core.texts.counts import format_count
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.registry.suites import load_suite
from dragoman.store.atomic_files import atomic_write
from dragoman.store.audio_set import AudioSet
from dragoman.store.audio_set_format import CARD, audio_name

SPLIT = "test"
METADATA = "metadata.jsonl"


class Transcribed(msgspec.Struct, frozen=True):
    """A transcript of one recognizer: its words, and the text that an agent reads."""

    recognizer: str
    words: str
    text: str


class Confirmable(msgspec.Struct, frozen=True):
    """A value that the user may be asked to confirm."""

    topic: str
    value: str


class FolderRow(msgspec.Struct, frozen=True):
    """One message in the form that `datasets` reads.

    `datasets` makes the column `audio` of `file_name`.
    """

    file_name: str
    suite: str
    task: str
    turn: int
    place: int
    text: str
    said: str
    voice: str
    seconds: float
    transcripts: tuple[Transcribed, ...]
    whitelist: tuple[Confirmable, ...]


class WrittenFolder(msgspec.Struct, frozen=True):
    """Numbers of written rows, audio files, and messages without audio."""

    rows: int
    files: int
    left_out: int


def write_audio_folder(folder: Path, out: Path) -> WrittenFolder:
    """Write a set as an audio folder.

    Args:
        folder: The audio set.
        out: The new folder; an existing one must be empty.

    Raises:
        DataError: If the set is damaged or not finished.
        StoreError: If the folder cannot be written.
        UsageError: If the set has no audio, a suite of it does not exist, or `out` is not empty.
    """
    audio_set = AudioSet(folder)
    messages = [message for task in audio_set.tasks for message in audio_set.of(task)]
    rows = list(_rows(messages))
    if not rows:
        raise UsageError(
            f"{folder}: the set has no audio: record it with `dragoman speak` and a --speaker"
        )
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there already and not empty: name another folder")
    files = {audio_name(each.audio.sha256): each.audio for each in messages if each.audio}
    # Only audio that the set names is exported, wherever a link in it leads.
    for audio in files.values():
        audio_set.sound(audio)
    for name in files:
        _copy(folder / name, out / SPLIT / name)
    encode = msgspec.json.Encoder().encode
    atomic_write(out / SPLIT / METADATA, (encode(row) + b"\n" for row in rows))
    _copy(folder / CARD, out / CARD)
    written = WrittenFolder(len(rows), len(files), len(messages) - len(rows))
    suites = {name: load_suite(name).provenance for name in audio_set.settings.suites}
    atomic_write(out / "README.md", _readme(audio_set, suites, written).encode())
    return written


def _rows(messages: Sequence[RecordedMessage]) -> Iterator[FolderRow]:
    for message in messages:
        if message.audio is not None:
            yield FolderRow(
                file_name=audio_name(message.audio.sha256),
                suite=message.suite,
                task=message.task,
                turn=message.turn,
                place=message.place,
                text=message.text,
                said=message.said,
                voice=message.stages[0].engine if message.stages else "",
                seconds=round(message.audio.seconds, 3),
                transcripts=tuple(
                    Transcribed(name, heard.words, heard.text)
                    for name, heard in message.heard.items()
                ),
                whitelist=tuple(Confirmable(*pair) for pair in message.whitelist.items()),
            )


def _copy(source: Path, target: Path) -> None:
    with TranslatedErrors(StoreError, f"{target}: cannot be written"):
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


def _readme(audio_set: AudioSet, suites: dict[str, Provenance], written: WrittenFolder) -> str:
    settings = audio_set.settings
    origins = "\n".join(
        f"- `{name}`: {each.source}. Licence: {each.licence}. {each.notice}".rstrip()
        for name, each in suites.items()
    )
    return f"""---
language: {settings.language}
task_categories:
- automatic-speech-recognition
configs:
- config_name: default
  drop_labels: true
  data_files:
  - split: {SPLIT}
    path: {SPLIT}/**
---

# Spoken messages of {", ".join(f"`{name}`" for name in suites)}

{format_count(written.rows, "message")} of users in {format_count(written.files, "audio file")}; \
{format_count(written.left_out, "message")} without audio excluded. \
Voices: {", ".join(settings.tts)}. Channel: {settings.line}. \
Recognizers: {", ".join(settings.asr)}. Made by `dragoman speak`, seed {settings.seed}; \
`card.json` has its statistics.

| column | holds |
|---|---|
| `suite`, `task`, `turn`, `place` | the message's place in the benchmark |
| `text`, `said` | the typed text, and its verbalization for the voice |
| `audio`, `voice`, `seconds` | the audio after the channel, its voice and its length |
| `transcripts` | the transcript of each recognizer: words, and the text that an agent reads |
| `whitelist` | the values that the user may be asked to confirm |

Sources of the texts:

{origins}
"""
