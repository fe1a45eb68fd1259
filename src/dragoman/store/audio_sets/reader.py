"""A whole audio set, read to be played."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.keys import content_key
from dragoman.core.speech import AudioRef
from dragoman.core.texts.decoding import OutsideErrors
from dragoman.core.usage import Usage
from dragoman.core.voice.audio import Audio
from dragoman.core.voice.recordings import Heard, RecordedMessage
from dragoman.store.audio_sets.layout import (
    CARD,
    MOST_BYTES,
    SETTINGS,
    SPEECH,
    TEXTS,
    MessageWhitelist,
    SetSettings,
    SpeechLine,
    TranscriptLine,
    transcripts_name,
)
from dragoman.store.audio_sets.lines import read_lines
from dragoman.store.audio_sets.sounds import SetSounds
from dragoman.store.foreign_files import read_plain


class AudioSet:
    """What was recorded of a set's messages; `core.voice.recordings.Recordings`.

    Attributes:
        settings: What it is made of.
        digest: The content key of everything recorded.
    """

    def __init__(self, folder: Path) -> None:
        """Read a set; its audio is read when it is asked for.

        Raises:
            DataError: Where a file is missing or damaged, or something of a message is missing.
        """
        self.settings = read_settings(folder)
        self._sounds = SetSounds(folder)
        messages = tuple(_messages(folder, self.settings))
        self.digest = content_key("audio-set-1", messages)
        self._of: dict[str, list[RecordedMessage]] = {}
        for message in messages:
            self._of.setdefault(message.task, []).append(message)

    @property
    def recognizers(self) -> Sequence[str]:
        """The names of the recognizers that heard everything, as `--asr` takes them."""
        return self.settings.asr

    @property
    def speakers(self) -> Sequence[str]:
        """The voices that spoke, as `--speaker` takes them; none where nobody spoke."""
        return self.settings.tts

    @property
    def line(self) -> str:
        """The line that was spoken over, as `--voice` takes it; "" where nobody spoke."""
        return self.settings.line

    @property
    def normalizer(self) -> str:
        """The rules of inverse text normalization by which its transcripts were written."""
        return self.settings.normalizer

    @property
    def tasks(self) -> Collection[str]:
        """The ids of the tasks whose users' words were recorded."""
        return self._of.keys()

    def of(self, task: str) -> Sequence[RecordedMessage]:
        """Return what was recorded of a task, in the order of its turns; nothing for an unknown one."""
        return tuple(self._of.get(task, ()))

    def sound(self, audio: AudioRef) -> Audio:
        """Return recorded audio.

        Raises:
            DataError: Where its file is missing or damaged.
            UsageError: Where the extra `voice` is not installed.
        """
        return self._sounds.sound(audio)


def read_settings(folder: Path) -> SetSettings:
    """Return what a set is made of.

    Raises:
        DataError: Where the file is missing or damaged.
    """
    path = folder / SETTINGS
    with OutsideErrors(DataError, f"{path}: cannot be read"):
        return msgspec.json.decode(read_plain(path, MOST_BYTES), type=SetSettings)


def require_unchanged(folder: Path, recordings: AudioSet) -> None:
    """See that what was recorded is what the set's card tells; a set without a card tells nothing.

    Raises:
        DataError: Where it is not, or the card cannot be read.
    """
    if not (folder / CARD).is_file():
        return
    told = _card(folder).recorded
    if told not in {"", recordings.digest}:
        raise DataError(
            f"{folder} was changed after it was made, or made by another version: "
            f"`dragoman speak --verify {folder}` says what differs"
        )


def used_for_set(folder: Path) -> tuple[Usage, ...]:
    """Return what models and services consumed to make a set, by purpose and model.

    Raises:
        DataError: Where its card is missing or damaged.
    """
    return _card(folder).usage


def _card(folder: Path) -> "_Card":
    path = folder / CARD
    with OutsideErrors(DataError, f"{path}: cannot be read"):
        return msgspec.json.decode(read_plain(path, MOST_BYTES), type=_Card)


class _Card(msgspec.Struct, frozen=True):
    recorded: str = ""
    usage: tuple[Usage, ...] = ()


class _Message(msgspec.Struct, frozen=True):
    suite: str
    task: str
    turn: int
    place: int
    text: str


class _Spoken(msgspec.Struct, frozen=True):
    message: _Message


class _TextLine(msgspec.Struct, frozen=True):
    """What is read of a line of texts."""

    spoken: _Spoken
    whitelist: MessageWhitelist


def _messages(folder: Path, settings: SetSettings) -> Iterator[RecordedMessage]:
    if not settings.asr:
        raise DataError(
            f"{folder}: a set of texts: nobody heard it (dragoman speak without --texts-only)"
        )
    files = {name: folder / transcripts_name(name) for name in settings.asr}
    missing = [path for path in (folder / SPEECH, *files.values()) if not path.is_file()]
    if missing:
        raise _unfinished(missing[0])
    spoken = read_lines(folder / SPEECH, SpeechLine)
    heard = {name: read_lines(path, TranscriptLine) for name, path in files.items()}
    for text in read_lines(folder / TEXTS, _TextLine):
        lines = {name: next(transcripts, None) for name, transcripts in heard.items()}
        yield _recorded(folder, text, next(spoken, None), lines)
    if any(next(lines, None) is not None for lines in (spoken, *heard.values())):
        raise _unfinished(folder / TEXTS)


def _recorded(
    folder: Path,
    text: _TextLine,
    speech: SpeechLine | None,
    heard: Mapping[str, TranscriptLine | None],
) -> RecordedMessage:
    """Put the lines of one message together.

    Raises:
        DataError: Where one is missing, or is of another message.
    """
    if speech is None:
        raise _unfinished(folder / SPEECH)
    message = text.spoken.message
    whole = {}
    for name, line in heard.items():
        if line is None:
            raise _unfinished(folder / transcripts_name(name))
        whole[name] = line
    at = (message.task, message.turn, message.place)
    lines: tuple[SpeechLine | TranscriptLine, ...] = (speech, *whole.values())
    if any((line.task, line.turn, line.place) != at for line in lines):
        raise DataError(
            f"{folder}: its files are not of the same messages at {'/'.join(map(str, at))}"
        )
    return RecordedMessage(
        message.suite,
        *at,
        text=message.text,
        said=speech.said,
        audio=speech.audio,
        stages=speech.stages,
        heard={name: Heard(line.words, line.text) for name, line in whole.items()},
        whitelist=text.whitelist.allowed,
    )


def _unfinished(path: Path) -> DataError:
    return DataError(
        f"{path}: messages are missing: the `dragoman speak` that made the set goes on"
    )
