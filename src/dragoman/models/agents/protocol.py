"""The protocol of agents behind HTTP: one request per reply, each with the whole conversation.

    POST {"session", "messages", "tools", "metadata"}  ->  {"content", "tool_calls", "usage"}

Messages and tools have OpenAI's shapes. The task's id is not sent: an agent must not know which task
it is. A server needs no state; `session` names the conversation for those that want to keep some.
"""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.core.agent_answers import AgentAnswer, GivenAnswer, understood
from dragoman.core.errors import DataError
from dragoman.core.personas import AboutUser
from dragoman.core.protocols import ChatRequest
from dragoman.core.speech import Called, Said, Unparsed
from dragoman.core.texts.decoding import UNREADABLE, OutsideErrors
from dragoman.core.tools import ToolCall
from dragoman.core.version import VERSION
from dragoman.core.voice.sound_parts import message_encoder
from dragoman.models.wire.sending import Misshapen, Unreadable

MOST_ANSWER_BYTES = 4 * 1024 * 1024
"""The largest answer that is read."""

MOST_NAMES, MOST_NAME_CHARS = 4, 30
"""What is shown of an object that is no answer."""


class Metadata(msgspec.Struct, frozen=True, omit_defaults=True):
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
    user: AboutUser = {}


class AgentRequest(msgspec.Struct, frozen=True):
    """One request for a reply."""

    session: str
    messages: Sequence[Mapping[str, object]]
    tools: msgspec.Raw
    metadata: Metadata


def encode_request(request: ChatRequest) -> bytes:
    """Return the body that asks an agent for its next reply."""
    metadata = Metadata(request.seed, VERSION, request.tools.must_call, request.user)
    return _ENCODER.encode(
        AgentRequest(request.session, request.messages, request.tools.encoded, metadata)
    )


def decode_request(body: bytes) -> AgentRequest:
    """Read a request, as a server does.

    Raises:
        DataError: Where it is none.
    """
    with OutsideErrors(DataError, "not a request for a reply"):
        body.decode()
        request = _REQUEST.decode(body)
        _TOOLS.decode(request.tools)
    return request


def offered_tools(request: AgentRequest) -> list[dict[str, object]]:
    """Return the function schemas in a request."""
    return _TOOLS.decode(request.tools)


def encode_answer(answer: AgentAnswer) -> bytes:
    """Return the body that carries an answer; one without words or calls where it is unusable."""
    body: dict[str, object]
    match answer.reply:
        case Said() as said:
            body = {"content": said.text}
        case Called(calls=calls, text=text):
            body = {"content": text, "tool_calls": [_sent(call) for call in calls]}
        case Unparsed():
            body = {"content": None}
    tokens = {"input_tokens": answer.input_tokens, "output_tokens": answer.output_tokens}
    return msgspec.json.encode({**body, "usage": tokens})


def decode_answer(body: bytes, position: int) -> AgentAnswer:
    """Read an agent's answer; unusable arguments are the agent's mistake, kept on the call.

    Args:
        body: The answer's bytes.
        position: The number of messages so far; it makes ids of calls that have none.

    Raises:
        Unreadable: Where the body is damaged or tells of an error: the server's fault.
        Misshapen: Where it is whole, and something else than an answer.
    """
    if len(body) > MOST_ANSWER_BYTES:
        raise Unreadable(f"an answer of {len(body):,} bytes, read are {MOST_ANSWER_BYTES:,}")
    try:
        body.decode()
        given = _ANSWER.decode(body)
    except UNREADABLE as error:
        if body.lstrip().startswith(b"<"):
            raise Misshapen("not an agent's answer (it is a web page)") from error
        kind = Misshapen if _is_whole(body) else Unreadable
        raise kind(f"not an agent's answer ({error})") from error
    if given.content is msgspec.UNSET and given.tool_calls is msgspec.UNSET:
        raise _without_reply(body)
    return understood(given, position)


def _is_whole(body: bytes) -> bool:
    try:
        body.decode()
        msgspec.json.decode(body)
    except UNREADABLE:
        return False
    return True


def _without_reply(body: bytes) -> Unreadable | Misshapen:
    """Return what is wrong with an object that holds no reply."""
    names = list(_OBJECT.decode(body))
    if "error" in names:
        return Unreadable("not an agent's answer (it tells of an error)")
    shown = ", ".join(f"`{name[:MOST_NAME_CHARS]}`" for name in names[:MOST_NAMES])
    has = f"it has {shown}, and" if shown else "it has"
    return Misshapen(f"not an agent's answer ({has} neither `content` nor `tool_calls`)")


_ENCODER = message_encoder()
_REQUEST = msgspec.json.Decoder(AgentRequest)
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_TOOLS = msgspec.json.Decoder(list[dict[str, object]])
_ANSWER = msgspec.json.Decoder(GivenAnswer[msgspec.Raw])


def _sent(call: ToolCall) -> dict[str, object]:
    arguments = call.raw if call.malformed else call.arguments
    return {"id": call.id, "name": call.name, "arguments": arguments}
