"""Reader of audio sets, and their FLAC files by content hash.

Decoding a FLAC file gives back the same samples.
"""

import io
import threading
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.core.audio import MAX_SECONDS, Audio
from dragoman.core.content_keys import content_key
from dragoman.core.errors import DataError, UsageError
from dragoman.core.recordings import RecordedMessage, RecordedTranscript
from dragoman.core.replies import AudioRef
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.core.usage import Usage
from dragoman.store.atomic_files import atomic_write
from dragoman.store.audio_files import MOST_SOUND
from dragoman.store.audio_set_format import (
    AUDIO,
    CARD,
    MOST_BYTES,
    SETTINGS,
    SPEECH,
    TEXTS,
    MessageWhitelist,
    SetSettings,
    SpeechLine,
    TranscriptLine,
    audio_name,
    read_lines,
    transcripts_name,
)
from dragoman.store.safe_files import read_plain, require_inside

_SUBTYPE = "PCM_16"
_MAX_RATE_HZ = 192_000
_NOT_INSTALLED = "recorded audio is FLAC, and reading it is an extra: pip install 'dragoman[voice]'"


def require_flac() -> None:
    """Check that FLAC can be read and written.

    Raises:
        UsageError: If the extra `voice` is not installed.
    """
    try:
        import soundfile  # noqa: F401 - only the import itself is of interest
    except (ImportError, OSError) as error:
        raise UsageError(_NOT_INSTALLED) from error


def encode_flac(audio: Audio) -> bytes:
    """Return audio as a FLAC file; the same library gives equal audio equal bytes.

    Raises:
        UsageError: If the extra `voice` is not installed.
        DataError: For audio without samples, which FLAC cannot represent.
    """
    require_flac()
    import numpy as np
    import soundfile

    if not audio.pcm:
        raise DataError("audio without samples cannot be a FLAC file")
    file = io.BytesIO()
    samples = np.frombuffer(audio.pcm, dtype="<i2")
    soundfile.write(file, samples, audio.rate_hz, format="FLAC", subtype=_SUBTYPE)
    return file.getvalue()


def decode_flac(content: bytes, where: str) -> Audio:
    """Read a FLAC file of 16-bit mono samples.

    Raises:
        UsageError: If the extra `voice` is not installed.
        DataError: If the file is damaged, of another form, or too long; the message begins with
            `where`.
    """
    require_flac()
    import soundfile

    try:
        with soundfile.SoundFile(io.BytesIO(content)) as file:
            form = (file.format, file.channels, file.subtype)
            most = MAX_SECONDS * min(file.samplerate, _MAX_RATE_HZ)
            if form != ("FLAC", 1, _SUBTYPE) or file.frames > most:
                raise DataError(
                    f"{where}: not FLAC of 16-bit mono, or longer than {MAX_SECONDS:.0f} seconds"
                )
            return Audio(file.read(dtype="int16").astype("<i2").tobytes(), file.samplerate)
    except soundfile.SoundFileError as error:
        raise DataError(f"{where}: no readable FLAC file ({error})") from error


class AudioSetFiles:
    """The audio files in the folder of one set; `core.audio.AudioStore`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writing = threading.Lock()

    def keep(self, audio: Audio) -> AudioRef:
        """Store audio, completely or not at all, and return its reference.

        Raises:
            StoreError: If the file cannot be written.
            DataError: If the audio has no samples.
            UsageError: If the extra `voice` is not installed.
        """
        reference, content = audio.reference(), encode_flac(audio)
        # Two threads may store equal audio at the same time, in one file.
        path = self._folder / audio_name(reference.sha256)
        with self._writing, TranslatedErrors(DataError, f"{path}: cannot store audio"):
            require_inside(self._folder, path)
            atomic_write(path, content)
        return reference

    def sound(self, audio: AudioRef) -> Audio:
        """Return stored audio.

        Raises:
            DataError: If the file is missing or damaged, or holds other audio.
            UsageError: If the extra `voice` is not installed.
        """
        path = self._folder / audio_name(audio.sha256)
        with TranslatedErrors(DataError, f"{path}: cannot be read"):
            content = read_plain(path, MOST_SOUND)
        found = decode_flac(content, str(path))
        if found.reference() != audio:
            raise DataError(f"{path}: another sound than its name says")
        return found

    def others(self, known: Container[str]) -> Iterator[Path]:
        """Yield the files other than the audio with these hashes.

        Raises:
            DataError: If the folder cannot be read.
        """
        folder = self._folder / AUDIO
        with TranslatedErrors(DataError, f"{folder}: cannot be read"):
            files = sorted(path for path in folder.rglob("*") if not path.is_dir())
        for path in files:
            name = path.relative_to(self._folder).as_posix()
            if path.stem not in known or audio_name(path.stem) != name:
                yield path


class AudioSet:
    """The recordings of a set's messages; `core.recordings.Recordings`.

    Attributes:
        settings: The settings of the set.
        digest: The content hash of all recordings.
    """

    def __init__(self, folder: Path) -> None:
        """Read a set; its audio is read on demand.

        Raises:
            DataError: If a file is missing or damaged, or a part of a message is missing.
        """
        self.settings = read_settings(folder)
        self._sounds = AudioSetFiles(folder)
        messages = tuple(_messages(folder, self.settings))
        self.digest = content_key("audio-set-1", messages)
        self._of: dict[str, list[RecordedMessage]] = {}
        for message in messages:
            self._of.setdefault(message.task, []).append(message)

    @property
    def recognizers(self) -> Sequence[str]:
        """Names of the recognizers that transcribed every message, as `--asr` takes them."""
        return self.settings.asr

    @property
    def speakers(self) -> Sequence[str]:
        """The voices of the set, as `--speaker` takes them; empty if it has no audio."""
        return self.settings.tts

    @property
    def line(self) -> str:
        """The channel of the set, as `--voice` takes it; "" if it has no audio."""
        return self.settings.line

    @property
    def normalizer(self) -> str:
        """The rules of inverse text normalization for the transcripts."""
        return self.settings.normalizer

    @property
    def tasks(self) -> Collection[str]:
        """The ids of the tasks whose user messages were recorded."""
        return self._of.keys()

    def of(self, task: str) -> Sequence[RecordedMessage]:
        """Return the recorded messages of a task, in the order of its turns.

        The result is empty for an unknown task.
        """
        return tuple(self._of.get(task, ()))

    def sound(self, audio: AudioRef) -> Audio:
        """Return recorded audio.

        Raises:
            DataError: If the file is missing or damaged.
            UsageError: If the extra `voice` is not installed.
        """
        return self._sounds.sound(audio)


def read_settings(folder: Path) -> SetSettings:
    """Return the settings of a set.

    Raises:
        DataError: If the file is missing or damaged.
    """
    path = folder / SETTINGS
    with TranslatedErrors(DataError, f"{path}: cannot be read"):
        return msgspec.json.decode(read_plain(path, MOST_BYTES), type=SetSettings)


def require_matching_card(folder: Path, recordings: AudioSet) -> None:
    """Check that the recordings match the set's card; a set without a card passes.

    Raises:
        DataError: If they differ, or the card cannot be read.
    """
    if not (folder / CARD).is_file():
        return
    reported = _card(folder).recorded
    if reported not in {"", recordings.digest}:
        raise DataError(
            f"{folder} was changed after it was made, or made by another version: "
            f"`dragoman speak --verify {folder}` says what differs"
        )


def audio_set_usage(folder: Path) -> tuple[Usage, ...]:
    """Return the usage of models and services for a set, by purpose and model.

    Raises:
        DataError: If the card is missing or damaged.
    """
    return _card(folder).usage


def _card(folder: Path) -> "_Card":
    path = folder / CARD
    with TranslatedErrors(DataError, f"{path}: cannot be read"):
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
    """The parts of a line of texts that are read."""

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
        raise _unfinished_error(missing[0])
    spoken = read_lines(folder / SPEECH, SpeechLine)
    heard = {name: read_lines(path, TranscriptLine) for name, path in files.items()}
    for text in read_lines(folder / TEXTS, _TextLine):
        lines = {name: next(transcripts, None) for name, transcripts in heard.items()}
        yield _merge_lines(folder, text, next(spoken, None), lines)
    if any(next(lines, None) is not None for lines in (spoken, *heard.values())):
        raise _unfinished_error(folder / TEXTS)


def _merge_lines(
    folder: Path,
    text: _TextLine,
    speech: SpeechLine | None,
    heard: Mapping[str, TranscriptLine | None],
) -> RecordedMessage:
    """Combine the lines of one message.

    Raises:
        DataError: If a line is missing, or belongs to another message.
    """
    if speech is None:
        raise _unfinished_error(folder / SPEECH)
    message = text.spoken.message
    whole = {}
    for name, line in heard.items():
        if line is None:
            raise _unfinished_error(folder / transcripts_name(name))
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
        heard={name: RecordedTranscript(line.words, line.text) for name, line in whole.items()},
        whitelist=text.whitelist.allowed,
    )


def _unfinished_error(path: Path) -> DataError:
    return DataError(
        f"{path}: messages are missing: the `dragoman speak` that made the set goes on"
    )
