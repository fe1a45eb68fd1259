"""What is known of providers and engines of speech: a table, read strictly and once."""

from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec

from dragoman.models.catalog import ParameterType, Provider

Direction = Literal["synthesis", "recognition"]
"""What speech is for; also the purpose of its calls in ledgers."""

Wire = Literal["openai", "elevenlabs", "deepgram", "cartesia", "gemini", "qwen"]
Engine = Literal["piper", "kokoro", "whisper", "vosk"]


class SettableParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What may be set for one direction."""

    parameters: dict[str, ParameterType] = {}


class SpeechProvider(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One provider: where it is and with which key, its protocol, and what it offers."""

    at: Provider
    wire: Wire
    synthesis: SettableParameters
    recognition: SettableParameters


class LocalEngine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One engine on this machine; each works in one direction."""

    synthesis: SettableParameters | None = None
    recognition: SettableParameters | None = None


class Mute(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Models that are not told the language, for they refuse to be."""

    match: tuple[str, ...]


class SpeechFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole table."""

    providers: dict[str, SpeechProvider]
    engines: dict[Engine, LocalEngine]
    mute: tuple[Mute, ...]

    def takes_language(self, model: str) -> bool:
        """Whether a model, `provider/name`, may be told the language."""
        return not any(fnmatchcase(model, match) for mute in self.mute for match in mute.match)


@cache
def load_speech_facts() -> SpeechFacts:
    """Return the table that ships."""
    content = (files("dragoman.speech") / "providers.toml").read_bytes()
    return msgspec.toml.decode(content, type=SpeechFacts)
