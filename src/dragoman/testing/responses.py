"""HTTP responses of the model server: chat completions, streams, embeddings and errors.

Spoken replies are audio that encodes its text, so that it can be decoded without an engine. A
person or a recognizer would not understand this audio, and it does not survive channel effects.
Embeddings are computed without a model: the vectors of texts with common words are close.
"""

import base64
import hashlib
import struct
from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

from dragoman.core.audio import SAMPLE_BYTES, Audio, write_wav
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.testing.chat_requests import Call, Checks, Refusal

JSON = "application/json"
EVENTS = "text/event-stream"


class HttpAnswer(msgspec.Struct, frozen=True):
    """The HTTP answer to one request.

    Args:
        status: The status code.
        pieces: The body; a stream's pieces are its events.
        content_type: `text/event-stream` makes it a stream, without a length header.
        headers: Additional headers.
        wait: Seconds before the first byte.
        pause: Seconds between two pieces.
        ending: `cut` closes the connection after the pieces; `reset` closes it before any byte;
            `endless` repeats the pieces until the client leaves.
        missing: Number of announced bytes that are not sent if the connection is cut.
    """

    status: int
    pieces: tuple[bytes, ...]
    content_type: str = JSON
    headers: Mapping[str, str] = {}
    wait: float = 0.0
    pause: float = 0.0
    ending: Literal["whole", "cut", "reset", "endless"] = "whole"
    missing: int = 0

    @property
    def is_stream(self) -> bool:
        """Whether it is a stream of events."""
        return self.content_type == EVENTS

    @property
    def body(self) -> bytes:
        """The pieces, joined."""
        return b"".join(self.pieces)


def error_answer(refusal: Refusal, headers: Mapping[str, str] | None = None) -> HttpAnswer:
    """Return an error in OpenAI's form."""
    error = {
        "message": refusal.message,
        "type": refusal.type,
        "param": refusal.param,
        "code": refusal.code,
    }
    body = msgspec.json.encode({"error": error})
    return HttpAnswer(refusal.status, (body,), headers=headers or {})


RATE_HZ = 24_000
SAMPLES_PER_BYTE = 40
"""Samples per byte of text.

They give audio some length: about 0.04 s for twenty letters, far less than speech.
"""

_MARK = 12_345
_STEP = 64


def coded_audio(text: str) -> Audio:
    """Return audio from which `decoded_text` reads the text."""
    values = [_MARK]
    for byte in text.encode():
        values += [(byte + 1) * _STEP] * SAMPLES_PER_BYTE
    return Audio(struct.pack(f"<{len(values)}h", *values), RATE_HZ)


def decoded_text(audio: Audio) -> str:
    """Return the encoded text; "" for any other audio."""
    count = len(audio.pcm) // SAMPLE_BYTES
    mark, *values = struct.unpack(f"<{count}h", audio.pcm[: count * SAMPLE_BYTES]) or (0,)
    codes = values[::SAMPLES_PER_BYTE]
    if mark != _MARK or any(code % _STEP or not _STEP <= code <= 256 * _STEP for code in codes):
        return ""
    return bytes(code // _STEP - 1 for code in codes).decode("utf-8", "replace")


BYTES_PER_TOKEN = 4
CHUNK_CHARS = 24
CHUNK_BYTES = 4_000
"""Bytes of speech per chunk of a stream.

The number is not a multiple of three, so that each chunk is encoded separately.
"""


class CannedReply(msgspec.Struct, frozen=True):
    """The model's answer: text, calls, or both.

    A call without an id gets one that is derived from the request. `choices` above 1 repeats the
    same choice.
    """

    content: str | None = None
    tool_calls: tuple[Call, ...] = ()
    choices: int = 1


class Envelope(msgspec.Struct, frozen=True):
    """Data around a reply: identity, time in seconds since 1970, and the prompt's tokens.

    `audio_tokens` are those of `prompt_tokens` that were audio. `spoken_as` is the audio format of
    a spoken reply; "" for text.
    """

    id: str
    created: int
    model: str
    system_fingerprint: str
    prompt_tokens: int
    audio_tokens: int = 0
    spoken_as: str = ""


def count_tokens(size: int) -> int:
    """Return the tokens for a number of bytes: a quarter, rounded up."""
    return -(-size // BYTES_PER_TOKEN)


def encode_completion(reply: CannedReply, envelope: Envelope) -> bytes:
    """Return the body of a completion."""
    message: dict[str, object] = {"role": "assistant", "content": reply.content}
    if envelope.spoken_as and reply.content:
        message |= {"content": None, "audio": _encode_audio(reply.content, envelope)}
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
    """Return the server-sent events of a completion, each complete, including the end mark.

    Args:
        reply: The reply.
        envelope: The data around it.
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


def _encode_audio(words: str, envelope: Envelope) -> dict[str, object]:
    """Return words as audio in the code that `decoded_text` understands."""
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


DIMENSIONS = 64
_MOST_TEXTS = 2_048


class EmbeddingBody(msgspec.Struct, frozen=True):
    """The part of a request's body that answers depend on."""

    model: str
    input: str | tuple[str, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts, also if the input is a single one."""
        return (self.input,) if isinstance(self.input, str) else self.input


def read_embedding_request(body: bytes, checks: Checks) -> EmbeddingBody | Refusal:
    """Decode and check a request's body."""
    try:
        request = msgspec.json.decode(body, type=EmbeddingBody)
    except DECODING_ERRORS as error:
        return Refusal(f"the body is not a request for embeddings: {error}")
    if checks.models and request.model not in checks.models:
        return Refusal(f"no model '{request.model}' here", "model", "model_not_found", 404)
    if not 0 < len(request.texts) <= _MOST_TEXTS:
        return Refusal(f"input holds {len(request.texts)} texts", "input")
    return request


def word_vector(text: str) -> list[float]:
    """Return a text's vector: each word adds 1 to one dimension; no vector is all 0."""
    # The first dimension belongs to no word, so that a text without words has a direction, too.
    vector = [0.1] + [0.0] * (DIMENSIONS - 1)
    for word in "".join(sign if sign.isalnum() else " " for sign in text.lower()).split():
        digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=4).digest()
        vector[1 + int.from_bytes(digest) % (DIMENSIONS - 1)] += 1.0
    return vector


def encode_embeddings(request: EmbeddingBody, size: int) -> bytes:
    """Return the answer to a request with a body of this size."""
    tokens = count_tokens(size)
    return msgspec.json.encode(
        {
            "object": "list",
            "model": request.model,
            "data": [
                {"object": "embedding", "index": index, "embedding": word_vector(text)}
                for index, text in enumerate(request.texts)
            ],
            "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
        }
    )
