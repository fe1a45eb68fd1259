"""A chat model that answers from memory what it was asked before."""

import hashlib

import msgspec

from dragoman.core.errors import ParticipantError
from dragoman.core.protocols import ChatModel, ChatRequest, Completion
from dragoman.core.usage import as_replayed
from dragoman.models.chat.completions import decode_completion
from dragoman.store.replies import ReplyCache

_VERSION = "reply-1"

_ENCODER = msgspec.json.Encoder()


class RememberedModel:
    """Another model's replies, each paid for once.

    What is the same question follows from everything that shapes the reply: the model's identity,
    the draw (two trials never share one), the seed, the purpose, the messages and the tools. Only
    replies are remembered, never faults.

    Args:
        model: The model that is asked what is not remembered.
        cache: Where replies are kept.
        identity: Everything that makes the model what it is: provider, address, name, settings.
    """

    def __init__(self, model: ChatModel, cache: ReplyCache, identity: str) -> None:
        self._model = model
        self._cache = cache
        self._identity = identity

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        """Return the reply remembered, or the model's.

        Raises:
            ParticipantError: Where the provider broke.
        """
        key = self.key(request, purpose)
        remembered = self._remembered(key, purpose)
        if remembered is not None:
            return remembered
        was_interrupted = self._cache.was_in_flight(key)
        self._cache.begin(key)
        try:
            asked = msgspec.structs.replace(request, key=key.hex())
            completion = await self._model.complete(asked, purpose)
        except Exception:
            # Not so where the call is cut off: the provider may still answer and charge it.
            self._cache.forget(key)
            raise
        if completion.usage.calls:
            await self._cache.keep(key, bytes(completion.raw))
        else:
            self._cache.forget(key)
        return _interrupted(completion) if was_interrupted else completion

    def key(self, request: ChatRequest, purpose: str) -> bytes:
        """Return the content hash under which a reply is kept."""
        content = _ENCODER.encode(
            (
                _VERSION,
                self._identity,
                request.draw,
                request.seed,
                purpose,
                request.messages,
                request.tools.digest,
                request.tools.must_call,
                request.reply_schema,
            )
        )
        return hashlib.blake2b(content, digest_size=16).digest()

    def _remembered(self, key: bytes, purpose: str) -> Completion | None:
        body = self._cache.get(key)
        if body is None:
            return None
        try:
            completion = decode_completion(body, self.name, purpose)
        except ParticipantError:
            return None
        return msgspec.structs.replace(completion, usage=as_replayed(completion.usage))


def _interrupted(completion: Completion) -> Completion:
    """Return a completion whose call an earlier process had under way: it may be paid for twice."""
    faults = {**completion.usage.faults, "interrupted": 1}
    usage = msgspec.structs.replace(completion.usage, faults=faults)
    return msgspec.structs.replace(completion, usage=usage)
