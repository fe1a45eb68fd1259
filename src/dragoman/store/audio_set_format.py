"""File format of audio sets (speech datasets): folder layout, JSON Lines manifests, transcripts."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from dragoman.core.content_keys import content_key
from dragoman.core.errors import DataError
from dragoman.core.replies import UNRECORDED_NORMALIZER, AudioRef, Stage
from dragoman.core.texts.decoding import DECODING_ERRORS, TranslatedErrors
from dragoman.core.usage import Usage
from dragoman.store.folder_contents import AUDIO_SET_FILE, AUDIO_TEXTS_FILE

SETTINGS = AUDIO_SET_FILE
TEXTS = AUDIO_TEXTS_FILE
SPEECH = "speech.jsonl"
CARD = "card.json"
AUDIO = "audio"
TRANSCRIPTS = "transcripts"

MATCHER_SETTING = "matcher"
"""The setting with the rules that find values."""

VERBALIZATION_SETTING = "verbalization"
"""The setting with the verbalization of texts for voices."""

NORMALIZATION_SETTING = "normalization"
"""The setting with the normalization of texts before their words are compared."""

UNRECORDED_MATCHER = "dragoman-values-0"
"""Value matcher if the settings name none: rules of early audio sets."""

UNRECORDED_VERBALIZATION = "dragoman-verbalization-1"
"""Verbalization if the settings name none."""

UNRECORDED_NORMALIZATION = "dragoman-speech-1"
"""Normalization before words are compared if the settings name none."""

MOST_BYTES = 16 * 2**20
"""Longest settings file, and longest card, in bytes."""

_SHA256 = re.compile(r"[0-9a-f]{64}")
_NOT_PLAIN = re.compile(r"[^a-z0-9_.-]+")
_LONGEST_NAME = 60


class SetSettings(msgspec.Struct, frozen=True):
    """The settings of a set that are needed to play it; the file holds more.

    Attributes:
        suites: Digests of the suites' data by the suites' names.
        seed: Seed that, together with the text, determines voices, channels and simulated errors.
        language: The spoken language.
        tts: Voices, as `--speaker` takes them; empty if the set has no audio.
        line: The channel.
        asr: Recognizers, as `--asr` takes them; empty in a set of texts.
        sample: Number of tasks whose messages the set contains; 0 for all.
        normalizer: The rules of inverse text normalization for the transcripts.
        matcher: The rules that find values in texts and transcripts.
        verbalization: The verbalization of texts for voices.
        normalization: The normalization of texts before their words are compared.
    """

    suites: dict[str, str]
    seed: int
    language: str = "en"
    tts: tuple[str, ...] = ()
    line: str = ""
    asr: tuple[str, ...] = ()
    sample: int = 0
    normalizer: str = UNRECORDED_NORMALIZER
    matcher: str = UNRECORDED_MATCHER
    verbalization: str = UNRECORDED_VERBALIZATION
    normalization: str = UNRECORDED_NORMALIZATION


class MessageWhitelist(msgspec.Struct, frozen=True, omit_defaults=True):
    """The values of one message that a user may be asked to confirm: topics and canonical values.

    Attributes:
        topics: Values by parameter.
        named: The same after a model renamed topics and dropped values that were not said; None
            without a model, or if its answer could not be used.
        why: The reason why it could not be used.
    """

    topics: dict[str, str]
    named: dict[str, str] | None = None
    why: str = ""

    @property
    def allowed(self) -> dict[str, str]:
        """The topics that apply."""
        return self.topics if self.named is None else self.named


class SpeechLine(msgspec.Struct, frozen=True):
    """The speech of one message.

    Attributes:
        task: The task's id.
        turn: The turn, from 0.
        place: Index of the message within the turn, from 0.
        said: The words that the voice was given: the verbalized text.
        audio: The audio after the channel; None if nobody spoke or there was nothing to say.
        stages: The speaker, its seed, and the effects of the channel.
        usage: Usage of the synthesis; equal words are spoken once, for the first message with them.
    """

    task: str
    turn: int
    place: int
    said: str
    audio: AudioRef | None
    stages: tuple[Stage, ...] = ()
    usage: tuple[Usage, ...] = ()


class TranscriptLine(msgspec.Struct, frozen=True):
    """The transcript of one message by one recognizer.

    Attributes:
        task: The task's id.
        turn: The turn, from 0.
        place: Index of the message within the turn, from 0.
        words: The raw transcript.
        text: The transcript after inverse text normalization, which an agent reads unless it reads
            `words`.
        source: SHA-256 of the audio, or of the spoken words if the recognizer is simulated; "" if
            there was nothing to transcribe.
        usage: Usage of the recognition; equal audio is transcribed once, for the first message with
            it.
    """

    task: str
    turn: int
    place: int
    words: str
    text: str
    source: str = ""
    usage: tuple[Usage, ...] = ()


def audio_name(sha256: str) -> str:
    """Return the path of audio in a set's folder.

    Raises:
        DataError: If the text is not a hash, so that no line of a file leads out of the folder.
    """
    if not _SHA256.fullmatch(sha256):
        raise DataError(f"{sha256!r:.80} is no SHA-256 of audio")
    return f"{AUDIO}/{sha256[:2]}/{sha256}.flac"


def transcripts_name(recognizer: str) -> str:
    """Return the path of a recognizer's transcripts in a set's folder."""
    plain = _NOT_PLAIN.sub("-", recognizer.lower())[:_LONGEST_NAME]
    mark = "" if plain == recognizer else f"-{content_key(recognizer)[:8]}"
    return f"{TRANSCRIPTS}/{plain}{mark}.jsonl"


T = TypeVar("T", bound=msgspec.Struct)

_encode = msgspec.json.Encoder().encode


def encode_line(line: msgspec.Struct) -> bytes:
    """Return a line in its stored form."""
    return _encode(line) + b"\n"


def intact_lines(path: Path, kind: type[T]) -> Iterator[T]:
    """Yield the lines of a file up to the first one that is incomplete or changed.

    A line is changed if it differs from its canonical encoding.

    Raises:
        DataError: If the file cannot be read; a missing file has no lines.
    """
    decoder = msgspec.json.Decoder(kind)
    for written in _written_lines(path) if path.is_file() else ():
        line = _line(written, decoder)
        if line is None or encode_line(line) != written:
            return
        yield line


def read_lines(path: Path, kind: type[T]) -> Iterator[T]:
    """Yield the lines of a whole file; records may have more fields than `kind`.

    Raises:
        DataError: If the file is missing, or a line is incomplete or of another form.
    """
    decoder = msgspec.json.Decoder(kind)
    for number, written in enumerate(_written_lines(path), 1):
        line = _line(written, decoder)
        if line is None or not written.endswith(b"\n"):
            raise DataError(f"{path}, line {number}: no line of a set: it was changed or cut off")
        yield line


def _written_lines(path: Path) -> Iterator[bytes]:
    if path.exists() and not path.is_file():
        raise DataError(f"{path}: no file")
    with TranslatedErrors(DataError, f"{path}: cannot be read"), path.open("rb") as file:
        yield from file


def _line(written: bytes, decoder: msgspec.json.Decoder[T]) -> T | None:
    try:
        return decoder.decode(written)
    except DECODING_ERRORS:
        return None
