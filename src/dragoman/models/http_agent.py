"""Client of agents behind HTTP, and their protocol: one request per reply, with all messages.

    POST {"session", "messages", "tools", "metadata"}  ->  {"content", "tool_calls", "usage"}

Messages and tools have OpenAI's shapes. The id of the task is not sent: an agent must not know
which task it is. A server needs no state; `session` names the conversation for those that keep
some.
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
"""The largest answer that is read."""

MOST_NAMES, MOST_NAME_CHARS = 4, 30
"""What is shown of an object that is no answer."""


class RequestMetadata(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a request tells beside the conversation.

    Attributes:
        seed: The conversation's seed, below 2**31; the same for all of its requests.
        dragoman: The version that asks.
        must_call: Whether the reply must call a tool.
        user: What the agent is told of its user, as data; left out where it is told nothing.
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
    """Return the body that asks an agent for its next reply."""
    metadata = RequestMetadata(request.seed, VERSION, request.tools.must_call, request.user)
    return _ENCODER.encode(
        AgentRequest(request.session, request.messages, request.tools.encoded, metadata)
    )


def decode_request(body: bytes) -> AgentRequest:
    """Read a request, as a server does.

    Raises:
        DataError: Where it is none.
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
    """Return the body that carries an answer; one without words or calls where it is unusable."""
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
    """Read an agent's answer; unusable arguments are the agent's mistake, kept on the call.

    Args:
        body: The answer's bytes.
        position: The number of messages so far; it makes ids of calls that have none.

    Raises:
        Unreadable: Where the body is damaged or tells of an error: the server's fault.
        Misshapen: Where it is whole, and something else than an answer.
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
    """Return what is wrong with an object that holds no reply."""
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
"""What to do where an endpoint refuses whatever it is asked."""


class HttpAgent:
    """Asks an agent's server for each reply; keeps nothing between them.

    Args:
        name: The name in tables.
        url: Where it is asked.
        sender: Sends the requests.
        token: Sent as a bearer token; "" for none.
        hears_audio: Whether it can be given audio itself.
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
            ParticipantError: Where no answer could be had.
            RunHalted: Where the server refuses whatever it is asked, or its first answer is none.
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
        """Return the end of a conversation, or of the run where no answer was one so far."""
        if self._has_answered:
            return error
        return RunHalted(f"{self.name}: {error}: docs/agents.md says what it must be")

    def _refused(self, refusal: RequestRejected) -> ParticipantError | RunHalted:
        line = f"{self.name}: {refusal}"
        if advice := ADVICE.get(refusal.status):
            return RunHalted(f"{line}: {advice}")
        return ParticipantError(line)
