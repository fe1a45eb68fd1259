"""Client of OpenAI-compatible chat completions: one request body, one completion."""

import codecs
import re
from collections.abc import Mapping

import msgspec

from dragoman.core.chat_messages import (
    OPENAI_PART,
    PartForm,
    encode_messages,
    has_audio,
    message_encoder,
)
from dragoman.core.errors import ParticipantError, RequestsRefused, RunHalted
from dragoman.core.protocols import ChatRequest, Completion
from dragoman.core.replies import Latency, UnparsedReply
from dragoman.core.texts.redaction import redact
from dragoman.core.usage import Usage
from dragoman.models.chat.completions import DecodedReply, decode_reply
from dragoman.models.chat.streaming import (
    StreamError,
    assemble_completion,
    first_text_offset,
    is_stream,
)
from dragoman.models.endpoints.error_responses import (
    MOST_SHOWN,
    ErrorDetails,
    find_error,
    is_request_error,
    parse_error_response,
)
from dragoman.models.history_format import HistoryFormat, adapt_history_format
from dragoman.models.http.transport import (
    Attempts,
    CallContext,
    MalformedResponse,
    RequestRejected,
    Sender,
)

_BAD = 400
BAD_REQUEST = frozenset({_BAD, 413, 422})
OF_ONE_REQUEST = BAD_REQUEST | {403, 451}
"""Statuses that may refuse a single conversation while others are answered.

For example, its text is moderated.
"""

ADAPTED = BAD_REQUEST | {500}
"""Statuses that may refuse the form of a request.

Llama.cpp answers 500 if a template rejects it.
"""

_STREAM = re.compile(r"\bstream(?:s|ed|ing)?\b", re.IGNORECASE)

_STREAMED = "stream"
"""The only adaptation that does not change the question; it is not counted as a remark."""

_MOST_ADAPTED = 8
"""Largest number of adaptations of one request before it is refused for good."""

_encode = msgspec.json.encode


class ChatEndpoint(msgspec.Struct, frozen=True):
    """Address of a model, and the form of its requests.

    Attributes:
        url: The address of its chat completions.
        headers: Headers sent with every call, authorization included.
        key: The key in the headers, which must not come back in a reply; "" for none.
        model: The model's name at the provider.
        settings: Parameters sent with every call (temperature, ...).
        seeds: Whether the conversation's seed is sent.
        streams: Whether requests ask for streams.
        schemas: Whether a reply's JSON schema is sent if a request has one.
        audio: The form in which the model accepts audio in messages; None for a model without audio
            input.
        history: The form in which the model accepts histories.
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
    history: HistoryFormat = HistoryFormat()


class OpenAIModel:
    """A chat model behind an OpenAI-compatible endpoint.

    Args:
        name: The name in tables and prices, for example `openai/gpt-4.1-mini`.
        endpoint: The model's address and form of requests.
        sender: The sender of the calls.
    """

    def __init__(self, name: str, endpoint: ChatEndpoint, sender: Sender) -> None:
        self.name = name
        self._endpoint = endpoint
        self._sender = sender
        self._has_answered = False
        self._head = _encode({"model": endpoint.model, **endpoint.settings})[:-1]
        self._streams = endpoint.streams
        self._chooses = self._tells_usage = True
        self._form = endpoint.history
        self._messages = message_encoder(endpoint.audio or OPENAI_PART)

    @property
    def hears_audio(self) -> bool:
        """Whether the model can be given audio itself."""
        return self._endpoint.audio is not None

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        """Return the model's reply.

        If a conversation has outgrown the model's context, the reply is unusable; this is not a
        fault.

        Raises:
            ParticipantError: If the model gave no reply.
            RunHalted: If the endpoint refuses every request.
        """
        adapted: dict[str, int] = {}
        while True:
            form, as_stream = self._form, self._streams
            try:
                completion = await self._asked(request, purpose, form, as_stream=as_stream)
            except RequestRejected as refusal:
                reason = parse_error_response(refusal.body)
                if not self._adapts(refusal.status, reason, form, adapted, as_stream=as_stream):
                    return self._refused(refusal.status, reason, purpose)
            else:
                return _with_remarks(completion, adapted)

    def _adapts(
        self,
        status: int,
        reason: ErrorDetails,
        form: HistoryFormat,
        adapted: dict[str, int],
        *,
        as_stream: bool,
    ) -> bool:
        """Adapt the form of requests as a refusal asks, if it does.

        The method returns whether to send the request again. Each adaptation is tried once for a
        request.

        Args:
            status: Status of the refusal.
            reason: Details of the refusal.
            form: The form of the refused history.
            adapted: The adaptations of this request so far; the method adds to them.
            as_stream: Whether the refused request asked for a stream.
        """
        if status not in ADAPTED or reason.is_context or reason.is_failed_call:
            return False
        if self._adapts_parameters(reason, adapted, as_stream=as_stream):
            return True
        found = adapt_history_format(reason, form)
        if found is None or found.remark in adapted or len(adapted) >= _MOST_ADAPTED:
            return False
        adapted[found.remark] = 1
        self._form = found.form
        return True

    def _adapts_parameters(
        self, reason: ErrorDetails, adapted: dict[str, int], *, as_stream: bool
    ) -> bool:
        """Omit a refused parameter of ours, or stream if the refusal asks for that.

        The method returns whether it changed anything.
        """
        if self._tells_usage and as_stream and reason.refuses_parameter("stream_options"):
            self._tells_usage = False
        elif self._chooses and reason.refuses_parameter("tool_choice"):
            self._chooses = False
            adapted["tool_choice_left_out"] = 1
        elif _STREAM.search(reason.message) and _STREAMED not in adapted:
            adapted[_STREAMED] = 1
            self._streams = not as_stream
        else:
            return False
        return True

    async def _asked(
        self, request: ChatRequest, purpose: str, form: HistoryFormat, *, as_stream: bool
    ) -> Completion:
        heard_sound = has_audio(request.messages)

        def read(answer: bytes) -> tuple[DecodedReply, bytes]:
            return self._read(answer, heard_sound=heard_sound), answer

        url, headers = self._endpoint.url, self._headers(request)
        body = self._body(request, form, as_stream=as_stream)
        (decoded, answer), attempts = await self._sender.send(
            url, headers, body, read, CallContext(purpose, self.name, is_chat=True)
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
        # As a stream, the same question has another body, and therefore another key.
        key = f"{request.key}-stream" if self._streams else request.key
        return {**self._endpoint.headers, "Idempotency-Key": key}

    def _read(self, body: bytes, *, heard_sound: bool) -> DecodedReply:
        whole = body.removeprefix(codecs.BOM_UTF8)
        try:
            if is_stream(whole):
                # A key may have come in pieces, and only the assembled reply shows it.
                whole = redact(assemble_completion(whole), (self._endpoint.key,))
            else:
                whole = whole.rstrip().removesuffix(b"data: [DONE]")
            decoded = decode_reply(whole, self.name, heard_sound=heard_sound)
        except StreamError as error:
            raise _error_inside(error.body, str(error)) from error
        except ParticipantError as error:
            reason = find_error(whole)
            if reason is None:
                raise MalformedResponse(str(error)) from error
            raise _error_inside(whole, f"an error in a good answer: {reason.message}") from error
        if isinstance(decoded.reply, UnparsedReply) and (reason := find_error(whole)) is not None:
            raise _error_inside(whole, f"an error in a good answer: {reason.message}")
        return decoded

    def _body(self, request: ChatRequest, form: HistoryFormat, *, as_stream: bool) -> bytes:
        parts = [self._head]
        if len(request.tools):
            choice = b'"required"' if request.tools.must_call else b'"auto"'
            parts += [b',"tools":', request.tools.encoded]
            parts += [b',"tool_choice":', choice] if self._chooses else []
        if self._endpoint.seeds:
            parts.append(b',"seed":%d' % request.seed)
        if request.reply_schema is not None and self._endpoint.schemas:
            parts += [b',"response_format":', _encode(_format(request.reply_schema))]
        if as_stream:
            parts.append(b',"stream":true')
            parts += [b',"stream_options":{"include_usage":true}'] if self._tells_usage else []
        parts += [b',"messages":', encode_messages(request.messages, self._messages, form), b"}"]
        return b"".join(parts)

    def _refused(self, status: int, reason: ErrorDetails, purpose: str) -> Completion:
        """Return the unusable reply for a refusal, or raise the error that it means for the run."""
        if unusable := self._unusable(reason, purpose):
            return unusable
        line = f"{self.name}: the endpoint refuses (status {status}): {reason.message}"
        if reason.is_moderated or (status in ADAPTED | OF_ONE_REQUEST and self._has_answered):
            raise ParticipantError(line)
        halts = RequestsRefused if status in BAD_REQUEST else RunHalted
        raise halts(f"{line}{_advice(status, reason)}")

    def _unusable(self, reason: ErrorDetails, purpose: str) -> Completion | None:
        """Return the model's unusable reply if the model itself is the reason of the refusal."""
        if reason.is_failed_call:
            kind, detail = "failed_call", f"the server could not read the call: {reason.message}"
        elif reason.is_context:
            kind = "context"
            detail = f"the conversation is longer than the model's context: {reason.message}"
        else:
            return None
        self._has_answered = True
        usage = Usage(purpose, self.name, 0, faults={kind: 1})
        return Completion(UnparsedReply(reason.failed, detail), msgspec.Raw(b"null"), usage)


def _latency(answer: bytes, attempts: Attempts) -> Latency | None:
    """Return the latency of a reply, with the time to its first token if it was streamed."""
    if not attempts.is_timed:
        return None
    begun = first_text_offset(answer) if attempts.arrivals and is_stream(answer) else None
    return Latency(attempts.seconds, None if begun is None else attempts.seconds_to(begun))


def _error_inside(body: bytes, said: str) -> Exception:
    """Return the exception for an error object inside a good answer.

    It is an error of the request, or a fault of the endpoint.
    """
    return RequestRejected(_BAD, body) if is_request_error(body) else MalformedResponse(said)


def _with_remarks(completion: Completion, adapted: Mapping[str, int]) -> Completion:
    reported = {kind: count for kind, count in adapted.items() if kind != _STREAMED}
    if not reported:
        return completion
    usage = completion.usage
    usage = msgspec.structs.replace(usage, remarks={**usage.remarks, **reported})
    return msgspec.structs.replace(completion, usage=usage)


def _advice(status: int, reason: ErrorDetails) -> str:
    if status in _MOVED:
        return ": it points elsewhere, which is not followed: give the address itself"
    for pattern, advice in _ADVICE_BY_WORDS.items():
        if re.search(pattern, reason.said):
            return f": {advice}"
    if status in {401, 403}:
        return ": check the key in the environment"
    if status in _NOT_THERE:
        return ": check the model's name and the address"
    name = re.split(r"[.\[]", reason.param)[0][:MOST_SHOWN]
    if name and name not in _OF_THE_CONVERSATION:
        return f": {_SWITCHES.get(name) or f'leave {name!r} out or set another value'}"
    return ""


_MOVED = frozenset({301, 302, 303, 307, 308})
_NOT_THERE = frozenset({404, 405})
_OF_THE_CONVERSATION = frozenset({"messages", "tools", "prompt", "input"})
"""Parameters that no user sets: advice to omit them would not help."""

_SWITCHES = {
    "seed": "add seed=off to the model's parameters",
    "response_format": "add schema=off to the model's parameters",
}
_ADVICE_BY_WORDS = {
    r"\benable-auto-tool-choice": (
        "start the server with a tool parser (vLLM: --enable-auto-tool-choice --tool-call-parser "
        "NAME)"
    ),
    r"support (?:tools|tool use|tool calls?|tool calling|function call)|tools? (?:is|are) not "
    r"supported": (
        "take a model that is served with tools, or ask for calls as text "
        "(docs/how_to/local_models.md)"
    ),
    r"(?<![\w/-])seed(?![\w/-])": _SWITCHES["seed"],
    r"(?<![\w/-])(?:response_format|json_schema)(?![\w/-])": _SWITCHES["response_format"],
}


def _format(schema: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "json_schema",
        "json_schema": {"name": "reply", "strict": True, "schema": dict(schema)},
    }
