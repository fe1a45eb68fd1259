"""Any endpoint that speaks OpenAI's chat completions: one request body, one completion back."""

import codecs
from collections.abc import Mapping

import msgspec

from dragoman.core.errors import ParticipantError, RunHalted
from dragoman.core.protocols import ChatRequest, Completion
from dragoman.core.speech import Unparsed
from dragoman.core.texts.decoding import UNREADABLE
from dragoman.core.texts.hidden_keys import hidden
from dragoman.core.usage import Usage
from dragoman.core.voice.clock import Latency
from dragoman.core.voice.histories import has_sound, written
from dragoman.core.voice.sound_parts import (
    OPENAI_PART,
    PartForm,
    message_encoder,
)
from dragoman.models.chat.completions import DecodedReply, decode_reply
from dragoman.models.chat.streams import first_words, is_stream, whole_completion
from dragoman.models.wire.sending import Attempts, EndpointRefused, Sender, Unreadable, Who

BAD_REQUEST = frozenset({400, 413, 422})
OF_ONE_REQUEST = BAD_REQUEST | {403, 451}
"""What may be refused of one conversation (its words are moderated) while others are answered."""

MOST_SHOWN = 300

_encode = msgspec.json.encode


class ChatEndpoint(msgspec.Struct, frozen=True):
    """Where a model is reached, and how it is asked.

    Attributes:
        url: The address of its chat completions.
        headers: Sent with every call, authorization included.
        key: The key in them, which must not come back in a reply; "" for none.
        model: The model's name at the provider.
        settings: Parameters sent with every call (temperature, ...).
        seeds: Whether the conversation's seed is sent.
        streams: Whether answers are asked for as streams.
        schemas: Whether a reply's JSON schema is sent where one is asked for.
        audio: How it takes audio in messages; None for a model that cannot hear.
    """

    url: str
    headers: Mapping[str, str]
    model: str
    settings: Mapping[str, object]
    key: str = ""
    seeds: bool = True
    streams: bool = False
    schemas: bool = True
    audio: PartForm | None = None


class OpenAIModel:
    """A chat model behind an OpenAI-compatible endpoint.

    Args:
        name: The name in tables and prices, for example `openai/gpt-4.1-mini`.
        endpoint: Where it is reached.
        sender: Sends the calls.
    """

    def __init__(self, name: str, endpoint: ChatEndpoint, sender: Sender) -> None:
        self.name = name
        self._endpoint = endpoint
        self._sender = sender
        self._has_answered = False
        self._head = _encode({"model": endpoint.model, **endpoint.settings})[:-1]
        self._streams = endpoint.streams
        self._messages = message_encoder(endpoint.audio or OPENAI_PART)

    @property
    def hears_audio(self) -> bool:
        """Whether the model can be given audio itself."""
        return self._endpoint.audio is not None

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        """Return the model's reply.

        A conversation that has outgrown the model's context is an unusable reply, not a fault.

        Raises:
            ParticipantError: Where no reply could be had.
            RunHalted: Where the endpoint refuses whatever it is asked.
        """
        as_stream = self._streams
        try:
            try:
                return await self._asked(request, purpose, as_stream=as_stream)
            except EndpointRefused as refusal:
                if as_stream or not _wants_streams(refusal):
                    raise
                self._streams = True
                return await self._asked(request, purpose, as_stream=True)
        except EndpointRefused as refusal:
            return self._refused(refusal, purpose)

    async def _asked(self, request: ChatRequest, purpose: str, *, as_stream: bool) -> Completion:
        heard_sound = has_sound(request.messages)

        def read(answer: bytes) -> tuple[DecodedReply, bytes]:
            return self._read(answer, heard_sound=heard_sound), answer

        url, headers = self._endpoint.url, self._headers(request)
        body = self._body(request, as_stream=as_stream)
        (decoded, answer), attempts = await self._sender.send(
            url, headers, body, read, Who(purpose, self.name)
        )
        self._has_answered = True
        completion = decoded.completion(
            self.name, purpose, _latency(answer, attempts), attempts.faults, attempts.seconds
        )
        taken = completion.usage
        self._sender.settle(len(body), (taken.input_tokens or 0) + (taken.output_tokens or 0))
        return completion

    def _headers(self, request: ChatRequest) -> Mapping[str, str]:
        if not request.key:
            return self._endpoint.headers
        # The same question asked for as a stream has another body, and so another key.
        key = f"{request.key}-stream" if self._streams else request.key
        return {**self._endpoint.headers, "Idempotency-Key": key}

    def _read(self, body: bytes, *, heard_sound: bool) -> DecodedReply:
        whole = body.removeprefix(codecs.BOM_UTF8)
        if is_stream(whole):
            # A key may have come in pieces, to be found only now.
            whole = hidden(whole_completion(whole), (self._endpoint.key,))
        try:
            return decode_reply(whole, self.name, heard_sound=heard_sound)
        except ParticipantError as error:
            raise Unreadable(_error_in(whole) or str(error)) from error

    def _body(self, request: ChatRequest, *, as_stream: bool) -> bytes:
        parts = [self._head]
        if len(request.tools):
            choice = b'"required"' if request.tools.must_call else b'"auto"'
            parts += [b',"tools":', request.tools.encoded, b',"tool_choice":', choice]
        if self._endpoint.seeds:
            parts.append(b',"seed":%d' % request.seed)
        if request.reply_schema is not None and self._endpoint.schemas:
            parts += [b',"response_format":', _encode(_format(request.reply_schema))]
        if as_stream:
            parts.append(b',"stream":true,"stream_options":{"include_usage":true}')
        parts += [b',"messages":', written(request.messages, self._messages), b"}"]
        return b"".join(parts)

    def _refused(self, refusal: EndpointRefused, purpose: str) -> Completion:
        reason = _reason(refusal.body)
        if refusal.status in BAD_REQUEST and _outgrew_context(reason):
            detail = f"the conversation is longer than the model's context: {reason.message}"
            usage = Usage(purpose, self.name, 0, faults={"context": 1})
            return Completion(Unparsed("", detail), msgspec.Raw(b"null"), usage)
        line = f"{self.name}: the endpoint refuses (status {refusal.status}): {reason.message}"
        if refusal.status in OF_ONE_REQUEST and self._has_answered:
            raise ParticipantError(line)
        raise RunHalted(f"{line}{_advice(refusal.status, reason)}")


def _latency(answer: bytes, attempts: Attempts) -> Latency | None:
    """Return how long a reply took, to its first word where it came piece by piece."""
    if not attempts.is_timed:
        return None
    begun = first_words(answer) if attempts.arrivals and is_stream(answer) else None
    return Latency(attempts.seconds, None if begun is None else attempts.seconds_to(begun))


class _Reason(msgspec.Struct):
    message: str = ""
    code: object = None
    type: object = None
    param: object = None


class _ErrorBody(msgspec.Struct):
    error: _Reason | str


def _reason(body: bytes) -> _Reason:
    """Return what a refusal says, in OpenAI's shape or as plain text."""
    try:
        given = msgspec.json.decode(body, type=_ErrorBody).error
        reason = _Reason(given) if isinstance(given, str) else given
    except UNREADABLE:
        reason = _Reason(body.decode("utf-8", "replace"))
    return msgspec.structs.replace(reason, message=" ".join(reason.message.split())[:MOST_SHOWN])


def _error_in(body: bytes) -> str:
    """Return what is wrong according to a body that holds an error; "" where it holds none."""
    try:
        msgspec.json.decode(body, type=_ErrorBody)
    except UNREADABLE:
        return ""
    return f"an error in a good answer: {_reason(body).message}"


def _outgrew_context(reason: _Reason) -> bool:
    said = f"{reason.code} {reason.message}".lower()
    return "context_length" in said or "maximum context length" in said or "context window" in said


def _wants_streams(refusal: EndpointRefused) -> bool:
    return refusal.status in BAD_REQUEST and "stream" in _reason(refusal.body).message.lower()


def _advice(status: int, reason: _Reason) -> str:
    match status:
        case 301 | 302 | 303 | 307 | 308:
            return ": it points elsewhere, which is not followed: give the address itself"
        case 401 | 403:
            return ": check the key in the environment"
        case 404:
            return ": check the model's name and the address"
        case _ if isinstance(reason.param, str) and reason.param:
            name = reason.param.partition(".")[0][:MOST_SHOWN]
            return f": {_SWITCHES.get(name) or f'leave {name!r} out or set another value'}"
        case _:
            return ""


_SWITCHES = {
    "seed": "add seed=off to the model's parameters",
    "response_format": "add schema=off to the model's parameters",
}


def _format(schema: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "json_schema",
        "json_schema": {"name": "reply", "strict": True, "schema": dict(schema)},
    }
