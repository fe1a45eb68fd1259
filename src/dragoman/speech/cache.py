"""Cached synthesizers and recognizers: each request is paid for once.

A hosted voice never gives the same audio twice, so the seed is part of the request; every draw has
its own seed. A recognizer is asked about the same audio only once.
"""

import hashlib
from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec

from dragoman.core.audio import MAX_SECONDS, SAMPLE_BYTES, Audio
from dragoman.core.protocols import Recognizer, SynthesisResult, Synthesizer, Transcript
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.usage import Usage, as_replayed
from dragoman.models.http.connection_reuse import track_connections
from dragoman.store.reply_cache import ReplyCache

_VERSION = "speech-reply-1"
MAX_CACHED_BYTES = 16 * 1024 * 1024
"""Larger replies are not remembered: some minutes of audio."""

T = TypeVar("T", SynthesisResult, Transcript)


class _CachedSpeech(msgspec.Struct, array_like=True):
    pcm: bytes
    rate_hz: int
    usage: Usage | None


class _CachedWords(msgspec.Struct, array_like=True):
    text: str
    usage: Usage | None


class CachedSynthesizer:
    """Audio of another synthesizer, cached by text, language and seed.

    Args:
        voice: Synthesizer of texts that are not cached.
        cache: The cache of replies.
    """

    def __init__(self, voice: Synthesizer, cache: ReplyCache) -> None:
        self._voice = voice
        self._cache = cache
        self.name = voice.name
        self.identity = voice.identity

    async def speak(self, text: str, language: str, seed: int) -> SynthesisResult:
        """Return the cached audio, or new audio of the voice.

        Raises:
            ParticipantError: If the engine fails.
            UsageError: For a language that the voice does not speak.
        """
        key = _key("voice", self.identity, text, language, seed)
        body = self._cache.get(key)
        if body is not None and (spoken := _speech_of(body)) is not None:
            return spoken
        return await _ask_cached(
            self._cache, key, lambda: self._voice.speak(text, language, seed), _speech_body
        )


class CachedRecognizer:
    """Transcripts of another recognizer, cached by audio and language.

    Args:
        recognizer: Recognizer of audio that is not cached.
        cache: The cache of replies.
    """

    def __init__(self, recognizer: Recognizer, cache: ReplyCache) -> None:
        self._recognizer = recognizer
        self._cache = cache
        self.name = recognizer.name
        self.identity = recognizer.identity

    async def transcribe(self, audio: Audio, language: str) -> Transcript:
        """Return the cached transcript, or a new one of the recognizer.

        Raises:
            ParticipantError: If the engine fails.
            UsageError: For a language that it does not know.
        """
        heard = hashlib.sha256(audio.pcm).hexdigest()
        key = _key("ear", self.identity, heard, audio.rate_hz, language)
        body = self._cache.get(key)
        if body is not None and (transcript := _words_of(body)) is not None:
            return transcript
        return await _ask_cached(
            self._cache, key, lambda: self._recognizer.transcribe(audio, language), _words_body
        )


def _key(*parts: object) -> bytes:
    content = msgspec.msgpack.encode((_VERSION, *parts))
    return hashlib.blake2b(content, digest_size=16).digest()


async def _ask_cached(
    cache: ReplyCache,
    key: bytes,
    ask: Callable[[], Awaitable[T]],
    body_of: Callable[[T], bytes | None],
) -> T:
    was_interrupted = cache.was_in_flight(key)
    cache.begin(key)
    try:
        with track_connections() as came_over:
            answer = await ask()
    except Exception:
        # Not so where the call is cut off: the provider may still answer and charge it.
        cache.forget(key)
        raise
    body = body_of(answer)
    is_doubtful = any(source.is_doubtful for source in came_over)
    if body is None or len(body) > MAX_CACHED_BYTES or is_doubtful:
        cache.forget(key)
    else:
        for source in came_over:
            source.kept(cache, key)
        await cache.keep(key, body)
    return _mark_interrupted(answer) if was_interrupted else answer


def _mark_interrupted(answer: T) -> T:
    """Return an answer whose call an earlier process had under way: it may be paid for twice."""
    if answer.usage is None:
        return answer
    faults = {**answer.usage.faults, "interrupted": 1}
    usage = msgspec.structs.replace(answer.usage, faults=faults)
    return msgspec.structs.replace(answer, usage=usage)


def _speech_body(spoken: SynthesisResult) -> bytes | None:
    """Return what is kept of an answer; None if nobody was asked."""
    if spoken.usage is None:
        return None
    kept = _CachedSpeech(spoken.audio.pcm, spoken.audio.rate_hz, spoken.usage)
    return msgspec.msgpack.encode(kept)


def _speech_of(body: bytes) -> SynthesisResult | None:
    try:
        kept = msgspec.msgpack.decode(body, type=_CachedSpeech)
    except DECODING_ERRORS:
        return None
    is_whole = kept.rate_hz > 0 and kept.pcm and not len(kept.pcm) % SAMPLE_BYTES
    if not is_whole or len(kept.pcm) > MAX_SECONDS * kept.rate_hz * SAMPLE_BYTES:
        return None
    return SynthesisResult(Audio(kept.pcm, kept.rate_hz), _mark_replayed(kept.usage))


def _words_body(transcript: Transcript) -> bytes | None:
    if transcript.usage is None:
        return None
    return msgspec.msgpack.encode(_CachedWords(transcript.text, transcript.usage))


def _words_of(body: bytes) -> Transcript | None:
    try:
        kept = msgspec.msgpack.decode(body, type=_CachedWords)
    except DECODING_ERRORS:
        return None
    return Transcript(kept.text, _mark_replayed(kept.usage))


def _mark_replayed(usage: Usage | None) -> Usage | None:
    return None if usage is None else as_replayed(usage)
