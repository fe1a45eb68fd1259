"""Names of voices and ears become synthesizers and recognizers.

`PROVIDER/VOICE?model=MODEL` speaks and `PROVIDER/MODEL` listens; `piper/PATH`, `kokoro/PATH`,
`whisper/PATH` and `vosk/PATH` do so on this machine. `whisper/base` is downloaded when it is first used.
"""

from collections.abc import Mapping

import msgspec

from dragoman.core.errors import UsageError
from dragoman.core.keys import content_key
from dragoman.core.protocols import Recognizer, Synthesizer
from dragoman.models.http.transport import MEDIA_BYTES, CallContext
from dragoman.speech.facts import Direction, Wire, load_speech_facts
from dragoman.speech.providers import (
    cartesia,
    deepgram,
    elevenlabs,
    gemini,
    openai,
    qwen,
)
from dragoman.speech.providers.calls import SpeechCalls
from dragoman.speech.providers.engine import (
    RECOGNITION,
    SYNTHESIS,
    Label,
    ProviderEar,
    ProviderVoice,
)
from dragoman.speech.providers.wire import EarWire, SpeechEndpoint, VoiceWire
from dragoman.speech.remembered import RememberedEar, RememberedVoice
from dragoman.speech.spec import LocalSpec, SpeechSpec, read_ear, read_voice
from dragoman.wiring.connections import Connections
from dragoman.wiring.environment import (
    cache_folder,
    hub_endpoint,
    hub_is_off,
    make_threads_wait_asleep,
)
from dragoman.wiring.providers import base_address_of, describe_provider, key_of

VOICES: Mapping[Wire, VoiceWire] = {
    "openai": openai.VOICE,
    "elevenlabs": elevenlabs.VOICE,
    "deepgram": deepgram.VOICE,
    "cartesia": cartesia.VOICE,
    "gemini": gemini.VOICE,
    "qwen": qwen.VOICE,
}
EARS: Mapping[Wire, EarWire] = {
    "openai": openai.EAR,
    "elevenlabs": elevenlabs.EAR,
    "deepgram": deepgram.EAR,
    "cartesia": cartesia.EAR,
    "gemini": gemini.EAR,
    "qwen": qwen.EAR,
}


def resolve_synthesizer(written: str, connections: Connections) -> Synthesizer:
    """Return the voice of that name, for example `elevenlabs/VOICE?model=eleven_flash_v2_5`.

    Raises:
        UsageError: Where there is no such provider, or a model, key, address, package or file is
            missing, or a budget in money cannot be kept for it.
    """
    spec = read_voice(written)
    if isinstance(spec, LocalSpec):
        return _local_voice(spec)
    endpoint = _endpoint(spec)
    label = Label(written, content_key(spec.identity, endpoint.url))
    calls = _calls(spec, endpoint, SYNTHESIS, connections)
    voice = ProviderVoice(label, endpoint, VOICES[spec.wire], calls)
    memory = connections.memory()
    return voice if memory is None else RememberedVoice(voice, memory)


def resolve_recognizer(written: str, connections: Connections) -> Recognizer:
    """Return the ear of that name, for example `deepgram/nova-3`.

    Raises:
        UsageError: As for voices.
    """
    spec = read_ear(written)
    if isinstance(spec, LocalSpec):
        return _local_ear(spec)
    endpoint, wire = _endpoint(spec), EARS[spec.wire]
    label = Label(written, content_key(spec.identity, endpoint.url, wire.prompt()))
    calls = _calls(spec, endpoint, RECOGNITION, connections)
    ear = ProviderEar(label, endpoint, wire, calls)
    memory = connections.memory()
    return ear if memory is None else RememberedEar(ear, memory)


def split_names(written: str) -> tuple[str, ...]:
    """Return the names in a list like `deepgram/nova-3,openai/whisper-1`, each once.

    A comma within a name is written as %2C.

    Raises:
        UsageError: Where one is empty or stands there twice.
    """
    names = tuple(name.strip() for name in written.split(","))
    if not all(names):
        raise UsageError(f"{written!r} holds an empty name: write A,B")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise UsageError(f"{twice} is named twice")
    return names


def describe_speech() -> dict[str, str]:
    """Return a line about every provider and engine; whether a key is set, never the key."""
    facts = load_speech_facts()
    lines = {name: describe_provider(provider.at) for name, provider in facts.providers.items()}
    for name, engine in facts.engines.items():
        lines[name] = f"on this machine, {'speaks' if engine.synthesis else 'listens'}"
    return lines


def _endpoint(spec: SpeechSpec) -> SpeechEndpoint:
    return SpeechEndpoint(
        url=base_address_of(spec),
        key=key_of(spec),
        model=spec.model,
        voice=spec.voice,
        settings=spec.settings,
        tells_language=spec.tells_language,
    )


def _calls(
    spec: SpeechSpec, endpoint: SpeechEndpoint, purpose: Direction, connections: Connections
) -> SpeechCalls:
    gate = connections.gate(endpoint.url, endpoint.key, spec.name)
    return SpeechCalls(
        CallContext(purpose, spec.name, MEDIA_BYTES), gate, connections.budget_for(spec.name)
    )


def _local_voice(spec: LocalSpec) -> Synthesizer:
    if spec.engine == "piper":
        from dragoman.speech.local.piper import PiperVoice

        return PiperVoice(spec)
    from dragoman.speech.local.kokoro import KokoroVoice

    return KokoroVoice(spec)


def _local_ear(spec: LocalSpec) -> Recognizer:
    if spec.engine == "whisper":
        from dragoman.speech.local.hub_download import HubPlace
        from dragoman.speech.local.whisper import WhisperEar, model_folder

        make_threads_wait_asleep()
        folder = cache_folder() / "speech" / "whisper"
        place = HubPlace(hub_endpoint(), folder, is_offline=hub_is_off())
        return WhisperEar(msgspec.structs.replace(spec, path=model_folder(spec, place)))
    from dragoman.speech.local.vosk import VoskEar

    return VoskEar(spec)
