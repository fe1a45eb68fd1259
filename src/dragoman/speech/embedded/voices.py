"""The voices of the embedded synthesizer: which there are, and which languages have none that is sound."""

import importlib.resources

import msgspec

from dragoman.core.errors import UsageError


class Voice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One voice: espeak-ng's name of it, with a variant after `+`, and its rate in words per minute."""

    name: str
    language: str
    accent: str
    engine_voice: str
    words_per_minute: int


class Unsound(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A language that espeak-ng cannot be trusted with, and why."""

    language: str
    reason: str


class VoiceCatalogue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `voices.toml` declares."""

    voices: tuple[Voice, ...]
    unsound: tuple[Unsound, ...]


def shipped_voices() -> VoiceCatalogue:
    """Return the voices that are shipped, in the order of the file."""
    content = importlib.resources.files(__package__).joinpath("voices.toml").read_bytes()
    return msgspec.toml.decode(content, type=VoiceCatalogue)


def voices_of(language: str) -> tuple[Voice, ...]:
    """Return the voices of a language, by its tag; there is at least one.

    Raises:
        UsageError: Where no voice speaks it, or none that is sound.
    """
    shipped = shipped_voices()
    found = tuple(voice for voice in shipped.voices if voice.language == language)
    if found:
        return found
    for known in shipped.unsound:
        if known.language == language:
            raise UsageError(
                f"no sound embedded voice for {language}: {known.reason}; simulate errors instead"
            )
    spoken = sorted({voice.language for voice in shipped.voices})
    raise UsageError(f"no embedded voice speaks {language!r}; there are {', '.join(spoken)}")


def find_voice(name: str) -> Voice:
    """Return a voice by its name.

    Raises:
        UsageError: Where there is none, with those that there are.
    """
    shipped = shipped_voices().voices
    for voice in shipped:
        if voice.name == name:
            return voice
    raise UsageError(
        f"no embedded voice {name!r}; there are {', '.join(voice.name for voice in shipped)}"
    )
