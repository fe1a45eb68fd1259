"""Encodes a reply as a chat completion: one JSON body, or the chunks of a stream."""

import base64
from collections.abc import Iterator

import msgspec

from dragoman.core.audio import write_wav
from dragoman.testing.chat_requests import Call
from dragoman.testing.coded_speech import coded_audio

BYTES_PER_TOKEN = 4
CHUNK_CHARS = 24
CHUNK_BYTES = 4_000
"""Of speech in a stream: no multiple of three, so that each piece is encoded by itself."""


class CannedReply(msgspec.Struct, frozen=True):
    """What the model answers: words, calls, or both.

    A call without an id gets one made from the request. `choices` above 1 repeats the same choice.
    """

    content: str | None = None
    tool_calls: tuple[Call, ...] = ()
    choices: int = 1


class Envelope(msgspec.Struct, frozen=True):
    """What surrounds a reply: identity, time in seconds since 1970, and the tokens asked with.

    `audio_tokens` are those of `prompt_tokens` that were audio. `speaking_style` is the form in which words
    are spoken; "" where they are text.
    """

    id: str
    created: int
    model: str
    system_fingerprint: str
    prompt_tokens: int
    audio_tokens: int = 0
    spoken_as: str = ""


def count_tokens(size: int) -> int:
    """Return the tokens that so many bytes are charged as: a quarter, rounded up."""
    return -(-size // BYTES_PER_TOKEN)


def encode_completion(reply: CannedReply, envelope: Envelope) -> bytes:
    """Return the body of a completion."""
    message: dict[str, object] = {"role": "assistant", "content": reply.content}
    if envelope.spoken_as and reply.content:
        message |= {"content": None, "audio": _spoken(reply.content, envelope)}
    if reply.tool_calls:
        message |= {"tool_calls": reply.tool_calls}
    finished = _finish_reason(reply)
    choices = [
        {"index": index, "message": message, "logprobs": None, "finish_reason": finished}
        for index in range(reply.choices)
    ]
    head = _head(envelope, "chat.completion")
    return msgspec.json.encode({**head, "choices": choices, "usage": _usage(reply, envelope)})


def encode_chunks(reply: CannedReply, envelope: Envelope, *, with_usage: bool) -> tuple[bytes, ...]:
    """Return the server-sent events of a completion, each whole, the end mark included.

    Args:
        reply: What is said.
        envelope: What surrounds it.
        with_usage: Whether a last chunk without choices carries the usage.
    """
    head = _head(envelope, "chat.completion.chunk")
    chunks = [
        {**head, "choices": [{"index": index, "delta": delta, "finish_reason": finished}]}
        for index in range(reply.choices)
        for delta, finished in _deltas(reply, envelope)
    ]
    if with_usage:
        chunks = [{**chunk, "usage": None} for chunk in chunks]
        chunks.append({**head, "choices": [], "usage": _usage(reply, envelope)})
    return (*(event(msgspec.json.encode(chunk)) for chunk in chunks), event(b"[DONE]"))


def event(data: bytes) -> bytes:
    """Return one server-sent event."""
    return b"data: %b\n\n" % data


def _deltas(
    reply: CannedReply, envelope: Envelope
) -> Iterator[tuple[dict[str, object], str | None]]:
    yield {"role": "assistant", "content": "" if reply.content is not None else None}, None
    for piece in _pieces(reply.content or ""):
        yield {"audio": {"transcript": piece}} if envelope.spoken_as else {"content": piece}, None
    if envelope.spoken_as and reply.content:
        pcm = coded_audio(reply.content).pcm
        for start in range(0, len(pcm), CHUNK_BYTES):
            data = base64.b64encode(pcm[start : start + CHUNK_BYTES]).decode()
            yield {"audio": {"data": data}}, None
    for index, call in enumerate(reply.tool_calls):
        named = {"name": call.function.name, "arguments": ""}
        first = {"index": index, "id": call.id, "type": call.type, "function": named}
        yield {"tool_calls": [first]}, None
        for piece in _pieces(call.function.arguments):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}, None
    yield {}, _finish_reason(reply)


def _spoken(words: str, envelope: Envelope) -> dict[str, object]:
    """Return words as audio, in the voice that `testing.coded_speech` understands."""
    audio = coded_audio(words)
    content = write_wav(audio) if envelope.spoken_as == "wav" else audio.pcm
    return {
        "id": f"audio-{envelope.id}",
        "data": base64.b64encode(content).decode(),
        "transcript": words,
        "expires_at": envelope.created + 3_600,
    }


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), CHUNK_CHARS):
        yield text[start : start + CHUNK_CHARS]


def _finish_reason(reply: CannedReply) -> str:
    return "tool_calls" if reply.tool_calls else "stop"


def _head(envelope: Envelope, kind: str) -> dict[str, object]:
    return {
        "id": envelope.id,
        "object": kind,
        "created": envelope.created,
        "model": envelope.model,
        "system_fingerprint": envelope.system_fingerprint,
    }


def _usage(reply: CannedReply, envelope: Envelope) -> dict[str, object]:
    said = len((reply.content or "").encode())
    for call in reply.tool_calls:
        said += len(call.function.name.encode()) + len(call.function.arguments.encode())
    answered = count_tokens(said) * reply.choices
    spoken = count_tokens(len((reply.content or "").encode())) if envelope.spoken_as else 0
    answered += spoken
    usage: dict[str, object] = {
        "prompt_tokens": envelope.prompt_tokens,
        "completion_tokens": answered,
        "total_tokens": envelope.prompt_tokens + answered,
    }
    if envelope.audio_tokens or spoken:
        usage |= {
            "prompt_tokens_details": {"audio_tokens": envelope.audio_tokens},
            "completion_tokens_details": {"audio_tokens": spoken},
        }
    return usage
