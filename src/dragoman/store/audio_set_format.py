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

SETTINGS = "settings.json"
TEXTS = "texts.jsonl"
SPEECH = "speech.jsonl"
CARD = "card.json"
AUDIO = "audio"
TRANSCRIPTS = "transcripts"

MATCHER_SETTING = "matcher"
"""The setting that names the rules by which values are found."""

VERBALIZATION_SETTING = "verbalization"
"""The setting that names how texts are put into the words that voices are given."""

NORMALIZATION_SETTING = "normalization"
"""The setting that names how texts are treated before their words are compared."""

UNRECORDED_MATCHER = "dragoman-values-0"
"""How values were found where settings name no matcher: by rules of audio sets alone."""

UNRECORDED_VERBALIZATION = "dragoman-verbalization-1"
"""How texts were put into words where settings name no verbalization."""

UNRECORDED_NORMALIZATION = "dragoman-speech-1"
"""How words were compared where settings name no normalization."""

MOST_BYTES = 16 * 2**20
"""Of a set's settings, and of its card."""

_SHA256 = re.compile(r"[0-9a-f]{64}")
_NOT_PLAIN = re.compile(r"[^a-z0-9_.-]+")
_LONGEST_NAME = 60


class SetSettings(msgspec.Struct, frozen=True):
    """What a set is made of, as far as it has to be known to play it; the file holds more.

    Attributes:
        suites: Digests of the suites' data by the suites' names.
        seed: What voices, lines and simulated errors are drawn from, with the text.
        language: What is spoken.
        tts: Voices, as `--speaker` takes them; none where nobody spoke.
        line: What is spoken over.
        asr: Recognizers, as `--asr` takes them; none in a set of texts.
        sample: Of how many tasks it has the messages; 0 for all.
        normalizer: The rules of inverse text normalization by which its transcripts were written.
        matcher: The rules by which values are found in its texts and transcripts.
        verbalization: How its texts are put into the words that voices are given.
        normalization: How texts are treated before their words are compared.
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
    """What a user may be asked to confirm of one message: topics and their canonical values.

    Attributes:
        topics: Values by the parameters that they are for.
        named: The same after a model renamed topics and dropped what was not said; None for no
            model, or where its answer could not be used.
        why: Why it could not.
    """

    topics: dict[str, str]
    named: dict[str, str] | None = None
    why: str = ""

    @property
    def allowed(self) -> dict[str, str]:
        """The topics that count."""
        return self.topics if self.named is None else self.named


class SpeechLine(msgspec.Struct, frozen=True):
    """How one message was spoken.

    Attributes:
        task: The task's id.
        turn: The turn, from 0.
        place: Which message of the turn, from 0.
        said: The words that the voice was given: the text as it is said, in spoken form.
        audio: What reached the ear; None where nobody spoke or there was nothing to say.
        stages: Who spoke it, with which seed, and what the line did.
        usage: What speaking consumed; equal words are spoken once, for the first message with them.
    """

    task: str
    turn: int
    place: int
    said: str
    audio: AudioRef | None
    stages: tuple[Stage, ...] = ()
    usage: tuple[Usage, ...] = ()


class TranscriptLine(msgspec.Struct, frozen=True):
    """What one recognizer heard of one message.

    Attributes:
        task: The task's id.
        turn: The turn, from 0.
        place: Which message of the turn, from 0.
        words: What was recognized: the raw transcript.
        text: The same after inverse text normalization: what an agent reads unless it reads
            `words`.
        source: The SHA-256 of the audio; of the words said where a recognizer is simulated; ""
            where there was nothing to hear.
        usage: What recognition consumed; equal audio is heard once, for the first message with it.
    """

    task: str
    turn: int
    place: int
    words: str
    text: str
    source: str = ""
    usage: tuple[Usage, ...] = ()


def audio_name(sha256: str) -> str:
    """Return where audio lies under a set's folder.

    Raises:
        DataError: Where it is no hash, so that no file's line leads out of the folder.
    """
    if not _SHA256.fullmatch(sha256):
        raise DataError(f"{sha256!r:.80} is no SHA-256 of audio")
    return f"{AUDIO}/{sha256[:2]}/{sha256}.flac"


def transcripts_name(recognizer: str) -> str:
    """Return where a recognizer's transcripts lie under a set's folder."""
    plain = _NOT_PLAIN.sub("-", recognizer.lower())[:_LONGEST_NAME]
    mark = "" if plain == recognizer else f"-{content_key(recognizer)[:8]}"
    return f"{TRANSCRIPTS}/{plain}{mark}.jsonl"


T = TypeVar("T", bound=msgspec.Struct)

_encode = msgspec.json.Encoder().encode


def encode_line(line: msgspec.Struct) -> bytes:
    """Return a line as it is written."""
    return _encode(line) + b"\n"


def intact_lines(path: Path, kind: type[T]) -> Iterator[T]:
    """Yield the lines of a file up to the first that is torn or changed.

    A line is changed if it differs from its canonical encoding.

    Raises:
        DataError: Where the file cannot be read; one that is not there has no lines.
    """
    decoder = msgspec.json.Decoder(kind)
    for written in _written_lines(path) if path.is_file() else ():
        line = _line(written, decoder)
        if line is None or encode_line(line) != written:
            return
        yield line


def read_lines(path: Path, kind: type[T]) -> Iterator[T]:
    """Yield the lines of a whole file; records may hold more than `kind` reads.

    Raises:
        DataError: Where the file is missing, or a line is torn or of another form.
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
