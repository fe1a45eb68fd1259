"""espeak-ng through ctypes: samples and phonemes of a text, and the table of voices.

The library keeps global state and draws random numbers for breath and pauses, so that the second
text of a process sounds different from the same text spoken first. For equal bytes, synthesize only
once in a process: a child forked from one that has loaded the library and said nothing
(`speech.embedded.worker`).
"""

import ctypes
import importlib.resources
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import cast

import msgspec

from dragoman.conditions.voice.pocketsphinx_data import (
    CUSTOM_PRONUNCIATIONS,
    NOT_INSTALLED,
    ipa_to_arpabet,
)
from dragoman.core.audio import MAX_SECONDS, SAMPLE_BYTES
from dragoman.core.errors import ParticipantError, UnplayableConditionError, UsageError

_RETRIEVE_AT_ONCE = 2
_DO_NOT_EXIT = 0x8000
_UTF8 = 1
_IPA = 0x02
_RATE_PARAMETER = 1
_SEED_LIMIT = 2**31

_Receive = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)


class SpeechLibrary:
    """The loaded library; there can be one in a process."""

    def __init__(self) -> None:
        """Load and start the library without synthesizing anything.

        Raises:
            UsageError: If the extra `voice` is not installed.
            ParticipantError: If the library does not start.
        """
        library, folder = _location()
        self._engine = ctypes.CDLL(str(library))
        _declare(self._engine)
        self._pcm = bytearray()
        self._receiver = _Receive(self._receive)
        self.rate_hz = int(
            self._engine.espeak_Initialize(_RETRIEVE_AT_ONCE, 0, bytes(folder), _DO_NOT_EXIT)
        )
        if self.rate_hz <= 0:
            raise ParticipantError(f"espeak-ng does not start with the data in {folder}")
        self._engine.espeak_SetSynthCallback(self._receiver)

    def select(self, engine_voice: str, words_per_minute: int) -> None:
        """Choose the voice and then its rate, which choosing a voice resets.

        Raises:
            ParticipantError: If the library has no such voice.
        """
        if self._engine.espeak_SetVoiceByName(engine_voice.encode()):
            raise ParticipantError(f"espeak-ng has no voice {engine_voice!r}")
        self._engine.espeak_SetParameter(_RATE_PARAMETER, words_per_minute, 0)

    def samples(self, text: str, seed: int) -> bytes:
        """Return a text as 16-bit samples at `rate_hz`; b"" for a text without words.

        Raises:
            ParticipantError: If the library refuses, or the speech is longer than audio may be.
        """
        if not text.strip():
            return b""  # the library would say some silence
        self._pcm.clear()
        self._engine.espeak_ng_SetRandSeed(seed % _SEED_LIMIT)
        content = _as_c_text(text)
        if self._engine.espeak_Synth(content, len(content), 0, 1, 0, _UTF8, None, None):
            raise ParticipantError("espeak-ng refused to synthesize a text")
        if len(self._pcm) > self._most_bytes:
            raise ParticipantError(
                f"a text of {len(text)} characters takes more than {MAX_SECONDS:.0f} seconds to say"
            )
        return bytes(self._pcm)

    def phonemes(self, text: str) -> str:
        """Return how the chosen voice says a text, in IPA."""
        content = ctypes.create_string_buffer(_as_c_text(text))
        position = ctypes.c_void_p(ctypes.addressof(content))
        clauses: list[str] = []
        while position.value:
            clause = self._engine.espeak_TextToPhonemes(ctypes.byref(position), _UTF8, _IPA)
            clauses.append(cast("bytes", clause or b"").decode())
        return " ".join(clauses)

    @property
    def _most_bytes(self) -> int:
        return int(MAX_SECONDS * self.rate_hz) * SAMPLE_BYTES

    def _receive(self, samples: int | None, count: int, _events: int | None) -> int:
        if samples and count > 0:
            self._pcm += ctypes.string_at(samples, count * SAMPLE_BYTES)
        return int(len(self._pcm) > self._most_bytes)


def _location() -> tuple[Path, Path]:
    try:
        from espeakng_loader import get_data_path, get_library_path
    except ImportError as error:
        raise UsageError(NOT_INSTALLED) from error
    return Path(cast("Callable[[], str]", get_library_path)()), Path(
        cast("Callable[[], str]", get_data_path)()
    ).parent


def _declare(engine: ctypes.CDLL) -> None:
    number, text, pointer = ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p
    unsigned = ctypes.c_uint
    engine.espeak_Initialize.argtypes = [number, number, text, number]
    engine.espeak_SetVoiceByName.argtypes = [text]
    engine.espeak_SetParameter.argtypes = [number, number, number]
    engine.espeak_ng_SetRandSeed.argtypes = [ctypes.c_long]
    engine.espeak_Synth.argtypes = [
        text,
        ctypes.c_size_t,
        unsigned,
        number,
        unsigned,
        unsigned,
        pointer,
        pointer,
    ]
    engine.espeak_TextToPhonemes.argtypes = [pointer, number, number]
    engine.espeak_TextToPhonemes.restype = text


def _as_c_text(text: str) -> bytes:
    """Return the text as UTF-8 that C can hold: a zero byte would end it."""
    return text.replace("\0", " ").encode() + b"\0"


class Voice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A voice: its espeak-ng name, with a variant after `+`, and its rate in words per minute."""

    name: str
    language: str
    accent: str
    engine_voice: str
    words_per_minute: int


class UnsupportedLanguage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A language that espeak-ng cannot be trusted with, and why."""

    language: str
    reason: str


class VoiceCatalogue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Content of `voices.toml`."""

    voices: tuple[Voice, ...]
    unsound: tuple[UnsupportedLanguage, ...]


def builtin_voices() -> VoiceCatalogue:
    """Return the voices that are shipped, in the order of the file."""
    content = importlib.resources.files(__package__).joinpath("voices.toml").read_bytes()
    return msgspec.toml.decode(content, type=VoiceCatalogue)


def voices_of(language: str) -> tuple[Voice, ...]:
    """Return the voices of a language, by its tag; there is at least one.

    Raises:
        UnplayableConditionError: If no voice speaks it, or no usable one.
    """
    shipped = builtin_voices()
    found = tuple(voice for voice in shipped.voices if voice.language == language)
    if found:
        return found
    for known in shipped.unsound:
        if known.language == language:
            raise UnplayableConditionError(
                f"no sound embedded voice for {language}: {known.reason}"
            )
    spoken = sorted({voice.language for voice in shipped.voices})
    raise UnplayableConditionError(
        f"no embedded voice speaks {language!r}: there are {', '.join(spoken)}"
    )


def find_voice(name: str) -> Voice:
    """Return a voice by its name.

    Raises:
        UsageError: If the voice does not exist; the message lists the existing ones.
    """
    shipped = builtin_voices().voices
    for voice in shipped:
        if voice.name == name:
            return voice
    raise UsageError(
        f"no embedded voice {name!r}; there are {', '.join(voice.name for voice in shipped)}"
    )


LANGUAGE = "en"
_RATE = 160


def accents() -> tuple[str, ...]:
    """Return the engine's names of the accents that the voices have, each once."""
    return tuple(dict.fromkeys(accent_of(voice) for voice in voices_of(LANGUAGE)))


def accent_of(voice: Voice) -> str:
    """Return the engine's name of a voice without the variant of its throat."""
    return voice.engine_voice.partition("+")[0]


def pronunciations(
    words: Iterable[str], library: SpeechLibrary, spoken_in: Iterable[str]
) -> Mapping[str, tuple[str, ...]]:
    """Return the pronunciations of every word in these accents, without duplicates.

    A word without phones, or with a custom pronunciation, has none.
    """
    ways: dict[str, dict[str, None]] = {word: {} for word in words}
    asked = {word: found for word, found in ways.items() if word not in CUSTOM_PRONUNCIATIONS}
    for accent in spoken_in:
        library.select(accent, _RATE)
        for word, found in asked.items():
            phones = ipa_to_arpabet(library.phonemes(word))
            if phones:
                found[phones] = None
    return {word: tuple(found) for word, found in ways.items()}
