"""Registry of synthesizers and recognizers; embedded ones share worker processes.

`PROVIDER/VOICE?model=MODEL` is a synthesizer and `PROVIDER/MODEL` a recognizer. `piper/PATH`,
`kokoro/PATH`, `whisper/PATH` and `vosk/PATH` run on this machine. `whisper/base` is downloaded on
first use.
"""

import os
from collections.abc import Callable, Mapping, Sequence

import msgspec

from dragoman.conditions.language.languages import SHIPPED, find_language
from dragoman.conditions.voice.asr_error_simulation.pronunciation import LANGUAGES as SIMULATED_IN
from dragoman.conditions.voice.asr_error_simulation.simulator import ErrorSimulator
from dragoman.conditions.voice.channel import Listener, SimulatedPath
from dragoman.config.environment import (
    cache_folder,
    hub_endpoint,
    hub_is_off,
    use_passive_openmp_waits,
)
from dragoman.core.capabilities import Vocabulary
from dragoman.core.conditions import ITSELF, MIXED, SIMULATED
from dragoman.core.content_keys import content_key
from dragoman.core.errors import UnplayableConditionError, UsageError
from dragoman.core.protocols import Recognizer, Suite, Synthesizer
from dragoman.models.http.transport import MEDIA_BYTES, CallContext
from dragoman.registry.model_clients import ModelClients
from dragoman.registry.providers import base_address_of, describe_provider
from dragoman.speech.cache import CachedRecognizer, CachedSynthesizer
from dragoman.speech.embedded.espeak_library import Voice, find_voice, voices_of
from dragoman.speech.embedded.language_model import SHARE
from dragoman.speech.embedded.recognizer import LANGUAGE, SuiteRecognizer
from dragoman.speech.embedded.synthesizer import EspeakSynthesizer
from dragoman.speech.embedded.worker_pool import SpeechWorkerPool
from dragoman.speech.providers import cartesia, deepgram, elevenlabs, gemini, openai, qwen
from dragoman.speech.providers.client import (
    RECOGNITION,
    SYNTHESIS,
    ProviderRecognizer,
    ProviderSynthesizer,
    SpeechCalls,
    SpeechEngineLabel,
)
from dragoman.speech.providers.protocol import AsrProtocol, SpeechEndpoint, TtsProtocol
from dragoman.speech.specs import (
    Direction,
    LocalSpec,
    SpeechSpec,
    Wire,
    load_speech_facts,
    parse_recognizer,
    parse_synthesizer,
)

TTS_PROTOCOLS: Mapping[Wire, TtsProtocol] = {
    "openai": openai.TTS,
    "elevenlabs": elevenlabs.TTS,
    "deepgram": deepgram.TTS,
    "cartesia": cartesia.TTS,
    "gemini": gemini.TTS,
    "qwen": qwen.TTS,
}
ASR_PROTOCOLS: Mapping[Wire, AsrProtocol] = {
    "openai": openai.ASR,
    "elevenlabs": elevenlabs.ASR,
    "deepgram": deepgram.ASR,
    "cartesia": cartesia.ASR,
    "gemini": gemini.ASR,
    "qwen": qwen.ASR,
}


def resolve_synthesizer(written: str, connections: ModelClients) -> Synthesizer:
    """Return the voice of that name, such as `elevenlabs/VOICE?model=eleven_flash_v2_5`.

    Raises:
        UsageError: If the provider does not exist, or a model, key, address, package or file is
            missing, or a budget in money cannot be kept for it.
    """
    spec = parse_synthesizer(written)
    if isinstance(spec, LocalSpec):
        return _local_voice(spec)
    endpoint = _endpoint(spec, connections)
    label = SpeechEngineLabel(written, content_key(spec.identity, endpoint.url))
    calls = _calls(spec, endpoint, SYNTHESIS, connections)
    voice = ProviderSynthesizer(label, endpoint, TTS_PROTOCOLS[spec.wire], calls)
    memory = connections.memory()
    return voice if memory is None else CachedSynthesizer(voice, memory)


def resolve_recognizer(written: str, connections: ModelClients) -> Recognizer:
    """Return the recognizer of that name, for example `deepgram/nova-3`.

    Raises:
        UsageError: As for voices.
    """
    spec = parse_recognizer(written)
    if isinstance(spec, LocalSpec):
        return _local_recognizer(spec)
    endpoint, wire = _endpoint(spec, connections), ASR_PROTOCOLS[spec.wire]
    label = SpeechEngineLabel(written, content_key(spec.identity, endpoint.url, wire.prompt()))
    calls = _calls(spec, endpoint, RECOGNITION, connections)
    recognizer = ProviderRecognizer(label, endpoint, wire, calls)
    memory = connections.memory()
    return recognizer if memory is None else CachedRecognizer(recognizer, memory)


def split_names(written: str) -> tuple[str, ...]:
    """Return the names in a list like `deepgram/nova-3,openai/whisper-1`, each once.

    A comma within a name is written as %2C.

    Raises:
        UsageError: If a name is empty or occurs twice.
    """
    names = tuple(name.strip() for name in written.split(","))
    if not all(names):
        raise UsageError(f"{written!r} holds an empty name: write A,B")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise UsageError(f"{twice} is named twice")
    return names


def describe_speech() -> dict[str, str]:
    """Return a line about every provider and engine; it says whether a key is set.

    The line never contains the key.
    """
    facts = load_speech_facts()
    lines = {name: describe_provider(provider.at) for name, provider in facts.providers.items()}
    for name, engine in facts.engines.items():
        lines[name] = f"on this machine, {'speaks' if engine.synthesis else 'listens'}"
    return lines


def _endpoint(spec: SpeechSpec, connections: ModelClients) -> SpeechEndpoint:
    return SpeechEndpoint(
        url=base_address_of(spec),
        key=connections.key_for(spec),
        model=spec.model,
        voice=spec.voice,
        settings=spec.settings,
        tells_language=spec.tells_language,
    )


def _calls(
    spec: SpeechSpec, endpoint: SpeechEndpoint, purpose: Direction, connections: ModelClients
) -> SpeechCalls:
    client = connections.client(endpoint.url, endpoint.key, spec.name)
    return SpeechCalls(
        CallContext(purpose, spec.name, MEDIA_BYTES), client, connections.budget_for(spec.name)
    )


def _local_voice(spec: LocalSpec) -> Synthesizer:
    if spec.engine == "piper":
        from dragoman.speech.local.piper import PiperSynthesizer

        return PiperSynthesizer(spec)
    from dragoman.speech.local.kokoro import KokoroSynthesizer

    return KokoroSynthesizer(spec)


def _local_recognizer(spec: LocalSpec) -> Recognizer:
    if spec.engine == "whisper":
        from dragoman.speech.local.hub_models import HubPlace
        from dragoman.speech.local.whisper import WhisperRecognizer, model_folder

        use_passive_openmp_waits()
        folder = cache_folder() / "speech" / "whisper"
        place = HubPlace(hub_endpoint(), folder, is_offline=hub_is_off())
        return WhisperRecognizer(msgspec.structs.replace(spec, path=model_folder(spec, place)))
    from dragoman.speech.local.vosk import VoskRecognizer

    return VoskRecognizer(spec)


MOST_WORKERS = 8
"""Largest number of worker processes; each may hold some hundred MB of language models."""

EMBEDDED = "embedded"
"""All embedded voices of a language."""

GENERIC = "generic"
ORACLE = "understood"
RECOGNIZERS = {
    MIXED: "embedded, expects words of the suite's tools, policy and database; English",
    GENERIC: "embedded, expects English in general",
    ORACLE: "no recognition errors: the listener gets the intended words",
    ITSELF: "none: an agent that can hear is given the audio itself",
}
"""The recognizers that need neither a key nor a model of the user's own."""


def simulated_rate(name: str) -> float:
    """Return the word error rate that a name asks to simulate, 0 to 1.

    Raises:
        UsageError: If the name does not give a valid rate.
    """
    try:
        percent = float(name.removeprefix(SIMULATED))
    except ValueError:
        percent = -1.0
    if not 0 <= percent <= 100:  # noqa: PLR2004 - percent
        raise UsageError(f"{name}: write a word error rate in percent, such as {SIMULATED}15")
    return percent / 100


class SpeechEngines:
    """Voices and recognizers by name, each made once; close it after the last speech.

    Args:
        suites: The suites whose words the recognizer `mixed` expects; it has one language model of
            them all.
        connections: The resources that engines of providers share.
        sharers: Number of processes that share the cores of this machine.
    """

    def __init__(
        self, suites: Sequence[Suite], connections: ModelClients, sharers: int = 1
    ) -> None:
        self._suites = suites
        self._connections = connections
        self._workers = SpeechWorkerPool(max(1, min(os.cpu_count() or 1, MOST_WORKERS) // sharers))
        self._listeners: dict[str, Listener] = {}
        self._simulators: dict[str, ErrorSimulator] = {}

    def speakers(self, names: Sequence[str], language: str) -> dict[str, Synthesizer]:
        """Return the named voices that speak a language; without names, all embedded ones.

        Raises:
            UsageError: If a name does not exist.
            UnplayableConditionError: If none of the voices speaks the language.
        """
        outside = {
            name: resolve_synthesizer(name, self._connections) for name in names if "/" in name
        }
        named = [find_voice(name) for name in names if "/" not in name and name != EMBEDDED]
        own = [voice for voice in named if voice.language == language]
        if not names or EMBEDDED in names:
            own = [*own, *(voice for voice in _embedded_voices(language) if voice not in own)]
        if not own and not outside:
            raise UnplayableConditionError(
                f"none of the speakers named speaks {language}", "--speaker with one that does"
            )
        return outside | {voice.name: EspeakSynthesizer(voice, self._workers) for voice in own}

    def listener(self, name: str, language: str) -> Listener:
        """Return the recognizer of a name.

        Raises:
            UsageError: If it does not exist.
            UnplayableConditionError: If an embedded recognizer does not support the language.
        """
        if name not in self._listeners:
            self._listeners[name] = self._made(name)
        if name in {MIXED, GENERIC} and language != LANGUAGE:
            raise UnplayableConditionError(
                f"no embedded recognizer for {language_name(language)}",
                _ways_without(language, _LOCAL_RECOGNIZER, "--asr PROVIDER/MODEL"),
            )
        return self._listeners[name]

    def simulated(self, name: str, language: str, texts: Sequence[str] = ()) -> SimulatedPath:
        """Return the ASR error simulation of a language at the rate in a name.

        Args:
            name: A name such as `simulated:15`.
            language: The language tag.
            texts: Texts whose words may also appear in transcripts.

        Raises:
            UsageError: If the rate is not valid, or the language has no word list.
        """
        key = content_key(language, *texts)
        if key not in self._simulators:
            self._simulators[key] = ErrorSimulator({language: texts})
        return SimulatedPath(language, self._simulators[key], simulated_rate(name))

    def about(self, name: str) -> str:
        """Return what a recognizer was told to expect, for the record of results."""
        if name != MIXED:
            return name if name == GENERIC else ""
        suites = ", ".join(suite.name for suite in self._suites)
        return (
            f"generic, interpolated ({SHARE}) with tools, policy and database of {suites}; "
            "nothing that users say"
        )

    async def close(self) -> None:
        """End the worker processes."""
        await self._workers.close()

    def _made(self, name: str) -> Listener:
        if name == ORACLE:
            return None
        if name == ITSELF:
            return ITSELF
        if "/" in name:
            return resolve_recognizer(name, self._connections)
        folder = cache_folder() / "speech"
        if name == GENERIC:
            return SuiteRecognizer("", None, folder, self._workers)
        if name == MIXED:
            own = (each for suite in self._suites for each in (suite.name, suite.provenance.digest))
            return SuiteRecognizer(
                content_key(*own), vocabulary_texts(self._suites), folder, self._workers
            )
        raise UsageError(
            f"unknown recognizer {name!r}: choose {', '.join(RECOGNIZERS)} or PROVIDER/MODEL"
        )


def language_name(code: str) -> str:
    """Return the English name of a bundled language, or the code of any other language."""
    return find_language(code).name if code in SHIPPED else code


def _embedded_voices(language: str) -> tuple[Voice, ...]:
    """Return the embedded voices of a language.

    Raises:
        UnplayableConditionError: If there are none; the error names options that do not need them.
    """
    try:
        return voices_of(language)
    except UnplayableConditionError as error:
        remedy = _ways_without(language, "--speaker PROVIDER/VOICE")
        raise UnplayableConditionError(error.reason, remedy) from error


def without_engines(
    language: str, unheard: UnplayableConditionError, unspoken: UnplayableConditionError
) -> UnplayableConditionError:
    """Return the error for a language that has neither a recognizer nor a voice."""
    options = "--asr PROVIDER/MODEL with --speaker PROVIDER/VOICE"
    return UnplayableConditionError(
        f"{unheard.reason} and {unspoken.reason}", _ways_without(language, options)
    )


_LOCAL_RECOGNIZER = "--asr whisper/base (needs dragoman[whisper], 148 MB once)"


def _ways_without(language: str, *options: str) -> str:
    """Return the options for speech without an embedded engine, those without a key first."""
    is_simulated = language.partition("-")[0] in SIMULATED_IN
    *first, last = (f"--voice {SIMULATED}10", *options) if is_simulated else options
    return f"{', '.join(first)}, or {last}" if first else last


def vocabulary_texts(suites: Sequence[Suite]) -> Callable[[], Mapping[str, object]]:
    """Return a function that reads the texts that suites know before any speech.

    The function returns nothing for suites that do not offer any texts.
    """
    if len(suites) == 1:
        return suites[0].texts if isinstance(suites[0], Vocabulary) else dict
    return lambda: {
        f"{source} of {suite.name}": text
        for suite in suites
        if isinstance(suite, Vocabulary)
        for source, text in suite.texts().items()
    }
