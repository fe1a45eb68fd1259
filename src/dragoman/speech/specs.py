"""Specifications of speech engines: the provider table, and the names that people write.

A synthesizer is `provider/voice?model=...`, a recognizer `provider/model`. The table is read once.
"""

import difflib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

import msgspec

from dragoman.core.content_keys import content_key
from dragoman.core.errors import UsageError
from dragoman.models.catalog import ParameterType, Provider, matches_type, require_base_url
from dragoman.models.model_spec import (
    EXTRA,
    key_variable,
    parse_base_url,
    parse_parameters,
    parse_switch,
    parse_value,
    require_no_address,
    require_no_agent_name,
    require_no_credentials,
)

Direction = Literal["synthesis", "recognition"]
"""Use of speech; also the purpose of its calls in ledgers."""

Wire = Literal["openai", "elevenlabs", "deepgram", "cartesia", "gemini", "qwen"]
Engine = Literal["piper", "kokoro", "whisper", "vosk"]


class SettableParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters that may be set for one direction."""

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


class UnsupportedDirection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Models that are not told the language, for they refuse to be."""

    match: tuple[str, ...]


class SpeechFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole table."""

    providers: dict[str, SpeechProvider]
    engines: dict[Engine, LocalEngine]
    mute: tuple[UnsupportedDirection, ...]

    def takes_language(self, model: str) -> bool:
        """Return whether a model, `provider/name`, may be told the language."""
        return not any(fnmatchcase(model, match) for mute in self.mute for match in mute.match)


@cache
def load_speech_facts() -> SpeechFacts:
    """Return the table that ships."""
    content = (files("dragoman.speech") / "providers.toml").read_bytes()
    return msgspec.toml.decode(content, type=SpeechFacts)


_OWN_PARAMETERS = ("base_url", "key_env", "language", "model")
_RESERVED = frozenset(
    {
        "audio",
        "container",
        "encoding",
        "file",
        "input",
        "language",
        "language_code",
        "language_type",
        "model",
        "model_id",
        "output_format",
        "responseModalities",
        "response_format",
        "sample_rate",
        "seed",
        "speechConfig",
        "stream",
        "text",
        "transcript",
        "voice",
    }
)


class SpeechSpec(msgspec.Struct, frozen=True):
    """One voice or recognizer at a provider, with everything that its calls send.

    Attributes:
        written: The text that it was read from; it identifies voices and recognizers.
        name: `provider/model`, as in prices and ledgers.
        provider: The provider: its address and its key.
        wire: The protocol of the provider.
        model: The model's name at the provider.
        voice: The voice's name at the provider; "" for a recognizer.
        base_url: The address given, or "".
        key_env: The environment variable of the key, given or the provider's.
        settings: Parameters of every call, by the names under which they are sent.
        tells_language: Whether the language is sent.
    """

    written: str
    name: str
    provider: Provider
    wire: Wire
    model: str
    voice: str
    base_url: str
    key_env: str
    settings: dict[str, object]
    tells_language: bool

    @property
    def identity(self) -> str:
        """The content key of everything that can change what comes back; no key is part of it."""
        return content_key(
            "speech-1",
            self.name,
            self.wire,
            self.voice,
            self.base_url,
            self.settings,
            self.tells_language,
        )


class LocalSpec(msgspec.Struct, frozen=True):
    """An engine on this machine: its name, its files, and its settings."""

    written: str
    engine: Engine
    path: Path
    settings: dict[str, object]

    def text(self, name: str) -> str:
        """Return a setting that is text; "" if it is not set."""
        value = self.settings.get(name, "")
        return value if isinstance(value, str) else ""

    def require(self, name: str, example: str) -> str:
        """Return a required setting, as text.

        Raises:
            UsageError: If it is not set.
        """
        if not (value := self.text(name)):
            raise UsageError(f"{self.written}: add {name}={example}")
        return value


def parse_synthesizer(written: str) -> SpeechSpec | LocalSpec:
    """Read what speaks: `elevenlabs/VOICE?model=MODEL`, `piper/PATH`.

    Raises:
        UsageError: For a provider, model or parameter that does not exist or is missing.
    """
    return _read(written, "synthesis")


def parse_recognizer(written: str) -> SpeechSpec | LocalSpec:
    """Read what listens: `deepgram/nova-3`, `whisper/PATH`.

    Raises:
        UsageError: For a provider, model or parameter that does not exist or is missing.
    """
    return _read(written, "recognition")


def _read(written: str, direction: Direction) -> SpeechSpec | LocalSpec:
    require_no_credentials(written)
    require_no_address(written)
    require_no_agent_name(written)
    name, _, query = written.partition("?")
    provider, _, rest = name.partition("/")
    engines = _engines(direction)
    providers = load_speech_facts().providers
    if provider not in {*providers, *engines}:
        raise UsageError(
            f"unknown provider of {direction} {provider!r} in {written!r}: choose "
            f"{', '.join([*sorted(providers), *sorted(engines)])}"
        )
    if not rest:
        what = "PATH" if provider in engines else _NAMED[direction]
        raise UsageError(f"{written!r} is not complete: write {provider}/{what}")
    given = dict(parse_parameters(query, written))
    for engine, offer in engines.items():
        if engine == provider:
            settings = _settings(given, written, offer.parameters, takes_extra=False)
            return LocalSpec(written, engine, Path(rest), settings)
    return _read_provider(written, direction, given)


def _engines(direction: Direction) -> dict[Engine, SettableParameters]:
    """Return the engines on this machine that work in a direction."""
    offers = {
        engine: local.synthesis if direction == "synthesis" else local.recognition
        for engine, local in load_speech_facts().engines.items()
    }
    return {engine: offer for engine, offer in offers.items() if offer is not None}


_NAMED: Mapping[Direction, str] = {"synthesis": "VOICE?model=MODEL", "recognition": "MODEL"}


def _read_provider(written: str, direction: Direction, given: dict[str, str]) -> SpeechSpec:
    facts = load_speech_facts()
    provider_name, _, rest = written.partition("?")[0].partition("/")
    provider = facts.providers[provider_name]
    speaks = direction == "synthesis"
    if speaks and not given.get("model"):
        raise UsageError(f"{written}: which model is to speak? Add model=MODEL")
    model = given.pop("model") if speaks else rest
    name = f"{provider_name}/{model}"
    base_url = given.pop("base_url", "")
    base_url = parse_base_url(base_url, "base_url") if base_url else ""
    require_base_url(base_url, "base_url")
    switch, takes = given.pop("language", ""), facts.takes_language(name)
    tells_language = parse_switch(switch, "language", written) if switch else takes
    if tells_language and not takes:
        raise UsageError(f"{written}: {name} cannot be told the language: leave language=on out")
    key_env = key_variable(given.pop("key_env", ""), base_url, provider.at)
    offer = provider.synthesis if speaks else provider.recognition
    return SpeechSpec(
        written=written,
        name=name,
        provider=provider.at,
        wire=provider.wire,
        model=model,
        voice=rest if speaks else "",
        base_url=base_url,
        key_env=key_env,
        settings=_settings(given, written, offer.parameters, takes_extra=True),
        tells_language=tells_language,
    )


def _settings(
    given: Mapping[str, str],
    written: str,
    parameters: Mapping[str, ParameterType],
    *,
    takes_extra: bool,
) -> dict[str, object]:
    settings: dict[str, object] = {}
    for name, text in given.items():
        value = parse_value(text)
        sent = name.removeprefix(EXTRA)
        if sent in settings:
            raise UsageError(f"{written}: {sent} is given twice, once with {EXTRA}")
        if takes_extra and name != sent:
            if sent in _RESERVED or not sent:
                raise UsageError(f"{written}: {name}: that part of a request is not to be set")
        elif name not in parameters:
            raise UsageError(f"{written}: {_unknown(name, parameters, takes_extra=takes_extra)}")
        elif parameters[name] == "string":
            value = text
        elif not matches_type(value, parameters[name]):
            raise UsageError(f"{written}: {name} is of type {parameters[name]}, not {text!r}")
        settings[sent] = value
    return settings


def _unknown(name: str, parameters: Mapping[str, ParameterType], *, takes_extra: bool) -> str:
    known = [*parameters, *(_OWN_PARAMETERS if takes_extra else ())]
    near = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known) or 'none'}"
    return f"unknown parameter {name!r}: {hint}"
