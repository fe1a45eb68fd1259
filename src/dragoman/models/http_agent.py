"""Client of agents behind HTTP, and their protocol: one request per reply, with all messages.

    POST {"session", "messages", "tools", "metadata"}  ->  {"content", "tool_calls", "usage"}

Messages and tools have OpenAI's form. The request does not contain the task's id, because an agent
must not know which task it is. A server does not need state; `session` names the conversation for
servers that keep some.
"""

import logging
from collections.abc import Mapping, Sequence

import msgspec

from dragoman.core.agent_replies import ParsedAgentReply, RawAnswer, parse_raw_answer
from dragoman.core.chat_messages import has_audio, message_encoder
from dragoman.core.errors import DataError, ParticipantError, RunHalted
from dragoman.core.personas import UserProfile
from dragoman.core.protocols import ChatRequest, Completion
from dragoman.core.replies import Latency, TextReply, ToolCallReply, UnparsedReply
from dragoman.core.texts.decoding import DECODING_ERRORS, TranslatedErrors
from dragoman.core.tools import ToolCall
from dragoman.core.usage import Usage
from dragoman.core.version import VERSION
from dragoman.models.http.transport import (
    CallContext,
    MalformedResponse,
    RequestRejected,
    Sender,
    UnexpectedResponse,
)

MOST_ANSWER_BYTES = 4 * 1024 * 1024
"""The largest answer that is read, in bytes."""

MOST_NAMES, MOST_NAME_CHARS = 4, 30
"""Limits for an error message: shown names of an object that is not an answer, and their length."""


class RequestMetadata(msgspec.Struct, frozen=True, omit_defaults=True):
    """Data of a request in addition to the conversation.

    Attributes:
        seed: The conversation's seed, below 2**31; all of its requests have the same one.
        dragoman: The version of Dragoman.
        must_call: Whether the reply must call a tool.
        user: Facts about the user that the agent is told, as data; absent if it is told none.
    """

    seed: int
    dragoman: str
    must_call: bool
    user: UserProfile = {}


class AgentRequest(msgspec.Struct, frozen=True):
    """One request for a reply."""

    session: str
    messages: Sequence[Mapping[str, object]]
    tools: msgspec.Raw
    metadata: RequestMetadata


def encode_request(request: ChatRequest) -> bytes:
    """Return the request body for an agent's next reply."""
    metadata = RequestMetadata(request.seed, VERSION, request.tools.must_call, request.user)
    return _ENCODER.encode(
        AgentRequest(request.session, request.messages, request.tools.encoded, metadata)
    )


def decode_request(body: bytes) -> AgentRequest:
    """Parse a request, as a server does.

    Raises:
        DataError: If the body is not a request.
    """
    with TranslatedErrors(DataError, "not a request for a reply"):
        body.decode()
        request = _REQUEST.decode(body)
        _TOOLS.decode(request.tools)
    return request


def offered_tools(request: AgentRequest) -> list[dict[str, object]]:
    """Return the function schemas in a request."""
    return _TOOLS.decode(request.tools)


def encode_answer(answer: ParsedAgentReply) -> bytes:
    """Return the body of an answer; an unusable answer has neither text nor calls."""
    body: dict[str, object]
    match answer.reply:
        case TextReply() as said:
            body = {"content": said.text}
        case ToolCallReply(calls=calls, text=text):
            body = {"content": text, "tool_calls": [_encode_call(call) for call in calls]}
        case UnparsedReply():
            body = {"content": None}
    tokens = {"input_tokens": answer.input_tokens, "output_tokens": answer.output_tokens}
    return msgspec.json.encode({**body, "usage": tokens})


def decode_answer(body: bytes, position: int) -> ParsedAgentReply:
    """Parse an agent's answer; unusable arguments are the agent's mistake and stay on the call.

    Args:
        body: The answer's bytes.
        position: The number of messages so far, from which the ids of calls without an id are made.

    Raises:
        MalformedResponse: If the body is damaged or reports an error, which is the server's fault.
        UnexpectedResponse: If the body is whole, but not an answer.
    """
    if len(body) > MOST_ANSWER_BYTES:
        raise MalformedResponse(f"an answer of {len(body):,} bytes, read are {MOST_ANSWER_BYTES:,}")
    try:
        body.decode()
        given = _ANSWER.decode(body)
    except DECODING_ERRORS as error:
        if body.lstrip().startswith(b"<"):
            raise UnexpectedResponse("not an agent's answer (it is a web page)") from error
        kind = UnexpectedResponse if _is_whole(body) else MalformedResponse
        raise kind(f"not an agent's answer ({error})") from error
    if given.content is msgspec.UNSET and given.tool_calls is msgspec.UNSET:
        raise _without_reply(body)
    return parse_raw_answer(given, position)


def _is_whole(body: bytes) -> bool:
    try:
        body.decode()
        msgspec.json.decode(body)
    except DECODING_ERRORS:
        return False
    return True


def _without_reply(body: bytes) -> MalformedResponse | UnexpectedResponse:
    """Return the error for an object without a reply."""
    names = list(_OBJECT.decode(body))
    if "error" in names:
        return MalformedResponse("not an agent's answer (it tells of an error)")
    shown = ", ".join(f"`{name[:MOST_NAME_CHARS]}`" for name in names[:MOST_NAMES])
    has = f"it has {shown}, and" if shown else "it has"
    return UnexpectedResponse(f"not an agent's answer ({has} neither `content` nor `tool_calls`)")


_ENCODER = message_encoder()
_REQUEST = msgspec.json.Decoder(AgentRequest)
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_TOOLS = msgspec.json.Decoder(list[dict[str, object]])
_ANSWER = msgspec.json.Decoder(RawAnswer[msgspec.Raw])


def _encode_call(call: ToolCall) -> dict[str, object]:
    arguments = call.raw if call.malformed else call.arguments
    return {"id": call.id, "name": call.name, "arguments": arguments}


log = logging.getLogger(__name__)

ADVICE = {
    401: "check its token in the environment",
    403: "check its token in the environment",
    404: "check the path of its address",
    405: "check the path of its address",
}
"""Advice by status, for an endpoint that refuses every request."""


class HttpAgent:
    """Agent client that asks a server for each reply and keeps no state between them.

    Args:
        name: The agent's name in tables.
        url: Address of the agent.
        sender: The sender of the requests.
        token: Bearer token of the requests; "" for none.
        hears_audio: Whether the agent accepts audio itself.
    """

    def __init__(
        self, name: str, url: str, sender: Sender, token: str = "", *, hears_audio: bool = False
    ) -> None:
        self.name = name
        self.hears_audio = hears_audio
        self._url = url
        self._sender = sender
        self._has_warned = self._has_answered = False
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        """Return the agent's reply.

        Raises:
            ParticipantError: If the agent gave no answer.
            RunHalted: If the server refuses every request, or its first answer is not an answer of
                the protocol.
        """
        position = len(request.messages)

        def read(body: bytes) -> tuple[ParsedAgentReply, msgspec.Raw]:
            return decode_answer(body, position), msgspec.Raw(body)

        call_context = CallContext(purpose, self.name, MOST_ANSWER_BYTES, is_itself=True)
        try:
            (answer, raw), attempts = await self._sender.send(
                self._url, self._headers, encode_request(request), read, call_context
            )
        except RequestRejected as refusal:
            raise self._refused(refusal) from refusal
        except UnexpectedResponse as error:
            raise self._unexpected_response(error) from error
        self._has_answered = True
        if answer.odd_usage and not self._has_warned:
            self._has_warned = True
            log.warning("%s: the tokens it tells make no sense: %s", self.name, answer.odd_usage)
        usage = Usage(
            purpose,
            self.name,
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            faults=attempts.faults,
            seconds=attempts.seconds,
            input_audio_tokens=None if has_audio(request.messages) else 0,
        )
        return Completion(answer.reply, raw, usage, Latency(attempts.seconds))

    def _unexpected_response(self, error: UnexpectedResponse) -> ParticipantError | RunHalted:
        """Return the error for an answer of another shape.

        It ends the conversation, or the run if no valid answer came so far.
        """
        if self._has_answered:
            return error
        return RunHalted(f"{self.name}: {error}: docs/reference/agents.md says what it must be")

    def _refused(self, refusal: RequestRejected) -> ParticipantError | RunHalted:
        line = f"{self.name}: {refusal}"
        if advice := ADVICE.get(refusal.status):
            return RunHalted(f"{line}: {advice}")
        return ParticipantError(line)
