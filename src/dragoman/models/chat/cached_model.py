"""Chat model with a reply cache: a request that was answered before is not paid again."""

import hashlib

import msgspec

from dragoman.core.audio import hears_audio
from dragoman.core.chat_messages import encode_messages, has_audio, hash_encoder
from dragoman.core.errors import ParticipantError
from dragoman.core.protocols import ChatModel, ChatRequest, Completion
from dragoman.core.replies import Latency
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.usage import as_replayed
from dragoman.models.chat.completions import decode_completion
from dragoman.models.http.connection_reuse import track_connections
from dragoman.models.response_audio import with_sound
from dragoman.store.reply_cache import ReplyCache

_VERSION = "reply-1"

_ENCODER = hash_encoder()
_LATENCY = msgspec.json.Decoder(Latency)

_MARK = b"\0"
"""Separator between a reply and its latency: a byte that no JSON text contains."""


class CachedModel:
    """Wrapper of a model that pays for each reply once.

    Everything that shapes the reply identifies the question: the model's identity, the draw (two
    trials never share one), the seed, the purpose, the messages and the tools. The cache stores
    only replies, never faults.

    Args:
        model: The model that answers questions that are not cached.
        cache: The cache of replies.
        identity: Everything that identifies the model: provider, address, name, settings.
    """

    def __init__(self, model: ChatModel, cache: ReplyCache, identity: str) -> None:
        self._model = model
        self._cache = cache
        self._identity = identity

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    @property
    def hears_audio(self) -> bool:
        """Whether the model can be given audio itself."""
        return hears_audio(self._model)

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        """Return the cached reply, or the model's.

        Raises:
            ParticipantError: If the provider failed.
        """
        key = self.key(request, purpose)
        heard_sound = has_audio(request.messages)
        cached = self._cached(key, purpose, heard_sound=heard_sound)
        if cached is not None:
            return cached
        was_interrupted = self._cache.was_in_flight(key)
        self._cache.begin(key)
        try:
            asked = msgspec.structs.replace(request, key=key.hex())
            with track_connections() as came_over:
                completion = await self._model.complete(asked, purpose)
        except Exception:
            # A cancelled call is not forgotten: the provider may still answer and charge it.
            self._cache.forget(key)
            raise
        is_doubtful = any(source.is_doubtful for source in came_over)
        if completion.usage.calls and not is_doubtful:
            for source in came_over:
                source.kept(self._cache, key)
            await self._cache.keep(key, _encode_cached(completion))
        else:
            self._cache.forget(key)
        return _mark_interrupted(completion) if was_interrupted else completion

    def key(self, request: ChatRequest, purpose: str) -> bytes:
        """Return the content hash under which a reply is kept."""
        content = _ENCODER.encode(
            (
                _VERSION,
                self._identity,
                request.draw,
                request.seed,
                purpose,
                msgspec.Raw(encode_messages(request.messages, _ENCODER)),
                request.tools.digest,
                request.tools.must_call,
                request.reply_schema,
            )
        )
        return hashlib.blake2b(content, digest_size=16).digest()

    def _cached(self, key: bytes, purpose: str, *, heard_sound: bool) -> Completion | None:
        kept = self._cache.get(key)
        if kept is None:
            return None
        body, latency = _split_cached(kept)
        try:
            completion = decode_completion(
                body, self.name, purpose, latency, heard_sound=heard_sound
            )
        except ParticipantError:
            return None
        return msgspec.structs.replace(completion, usage=as_replayed(completion.usage))


def _encode_cached(completion: Completion) -> bytes:
    """Return the bytes that the cache stores for a completion.

    They are the body and, if it is known, the latency.

    The body holds the model's speech, so that it can be heard again.
    """
    body = bytes(completion.raw)
    if completion.spoken is not None:
        body = with_sound(body, completion.spoken)
    if completion.latency is None:
        return body
    return body + _MARK + _ENCODER.encode(completion.latency)


def _split_cached(kept: bytes) -> tuple[bytes, Latency | None]:
    """Split the output of `_encode_cached`; replies cached by earlier versions have no latency."""
    body, mark, written = kept.rpartition(_MARK)
    if not mark:
        return kept, None
    try:
        return body, _LATENCY.decode(written)
    except DECODING_ERRORS:
        return body, None


def _mark_interrupted(completion: Completion) -> Completion:
    """Return a completion whose call may be paid twice, because an earlier process had begun it."""
    faults = {**completion.usage.faults, "interrupted": 1}
    usage = msgspec.structs.replace(completion.usage, faults=faults)
    return msgspec.structs.replace(completion, usage=usage)
