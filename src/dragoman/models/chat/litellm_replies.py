"""Writes what litellm answers as a chat completion, without what it adds where a provider is silent.

It ends a stream that stopped in the middle as if it were whole (of late only some, and fails at others),
counts tokens itself where a stream tells none, and says 0 of an answer that tells none.
"""

from collections.abc import AsyncIterator
from typing import Protocol

import msgspec

from dragoman.models.wire.transport import Fault

Fields = dict[str, msgspec.Raw]

_decode = msgspec.json.Decoder(Fields).decode
_encode = msgspec.json.Encoder().encode


class LitellmRecord(Protocol):
    """What litellm answers, or a chunk of it: a record of pydantic."""

    def model_dump_json(self) -> str:
        """Return it as JSON."""
        ...


class _Counts(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


async def written_reply(reply: LitellmRecord | AsyncIterator[LitellmRecord]) -> bytes:
    """Return the body of a reply, or the events of a stream.

    Raises:
        Fault: Where a stream stopped before its end.
        Exception: Whatever else litellm raises at a stream.
    """
    if not isinstance(reply, AsyncIterator):
        fields = _decode(reply.model_dump_json())
        return _encode(fields if _counts_something(fields) else _without_usage(fields))
    try:
        chunks = [_decode(chunk.model_dump_json()) async for chunk in reply]
    except Exception as error:
        if not _met_the_end(error):
            raise
        chunks = []
    if not chunks or not _was_ended(reply):
        raise Fault("cut", "the stream stopped before its end")
    if not _told_usage(reply):
        chunks = [_without_usage(chunk) for chunk in chunks]
    return b"".join([*(b"data: %b\n\n" % _encode(chunk) for chunk in chunks), b"data: [DONE]\n\n"])


def _counts_something(fields: Fields) -> bool:
    counts = msgspec.json.decode(fields.get("usage", b"null"), type=_Counts | None)
    return counts is not None and bool(counts.prompt_tokens or counts.completion_tokens)


def _without_usage(fields: Fields) -> Fields:
    return {name: value for name, value in fields.items() if name != "usage"}


def _met_the_end(error: Exception) -> bool:
    """Whether litellm failed because there was nothing more of a stream, and not at a part of it."""
    return isinstance(error.__context__, StopAsyncIteration)


def _was_ended(stream: object) -> bool:
    """Whether the provider said why a stream ended, under either of the names that litellm keeps it."""
    reasons = ("received_finish_reason", "intermittent_finish_reason")
    return any(getattr(stream, name) for name in reasons)


def _told_usage(stream: object) -> bool:
    """Whether a chunk that came from the provider counts tokens."""
    return any(getattr(chunk, "usage", None) for chunk in getattr(stream, "chunks", ()))
