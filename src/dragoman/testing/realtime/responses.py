"""Streaming of realtime responses, event by event, with faults and cancellation.

Faults are drawn from the conversation so far, and from the number of its earlier occurrences.
"""

import asyncio
import base64
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Literal

import msgspec

from dragoman.core.audio import Audio
from dragoman.models.realtime_protocol import BYTES_PER_SECOND
from dragoman.testing.chat_requests import Call, ChatMessage, Checks
from dragoman.testing.fault_injection import ServerFault, chance, choose_fault, kind_of
from dragoman.testing.realtime.session import KeptItem, SessionState, Speak
from dragoman.testing.request_log import OK
from dragoman.testing.responses import CannedReply, count_tokens


class Dropped(ServerFault, frozen=True, tag="dropped"):
    """The connection is cut after this many events of the response."""

    after: int = 2


class SilentResponse(ServerFault, frozen=True, tag="unanswered"):
    """The server sends nothing."""


class Erroneous(ServerFault, frozen=True, tag="error"):
    """An error event in place of the response."""

    type: str = "server_error"
    code: str | None = None
    message: str = "the server had an error"


class FailedResponse(ServerFault, frozen=True, tag="failed"):
    """The response fails before any of its output."""

    type: str = "server_error"
    code: str | None = None
    message: str = "the server had an error"


class CancelledResponse(ServerFault, frozen=True, tag="cancelled"):
    """The server itself cancels the response, in the middle."""


class SlowDeltas(ServerFault, frozen=True, tag="slow"):
    """This many seconds pass before every piece of the output."""

    seconds: float = 0.05


class TornEvent(ServerFault, frozen=True, tag="malformed_json"):
    """One event is half a JSON object."""


class HugeFrame(ServerFault, frozen=True, tag="huge_frame"):
    """One event has this many bytes."""

    size: int = 9 * 1024 * 1024


class RefusedOpening(ServerFault, frozen=True, tag="refused"):
    """The server refuses to open the session with this status."""

    status: int = 503


OPENING = "opening"
"""Content of openings in draws, as no conversation exists yet."""

ResponseFault = (
    Dropped
    | SilentResponse
    | Erroneous
    | FailedResponse
    | CancelledResponse
    | SlowDeltas
    | TornEvent
    | HugeFrame
)


class RealtimeConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Configuration of a realtime server except its answers; the default has no faults.

    Args:
        responses: Faults of responses; at most one hits a response.
        openings: Faults of openings.
        first: Number of first responses of a session without faults.
        most_in_a_row: Number of faults in a row after which the same response or opening is spared
            once.
        checks: Requirements: `models` and `api_key`.
        dialect: Whether events have the names of the general availability or of the beta.
        seed: Seed of the draws.
    """

    responses: tuple[ResponseFault, ...] = ()
    openings: tuple[RefusedOpening, ...] = ()
    first: int = 0
    most_in_a_row: int = 3
    checks: Checks = Checks()
    dialect: Literal["ga", "beta"] = "ga"
    seed: int = 0


class RealtimeDraws:
    """Draws faults from the seed, the content, and the number of its earlier occurrences."""

    def __init__(self, behaviour: RealtimeConfig) -> None:
        self._behaviour = behaviour
        self._times: dict[str, tuple[int, int]] = {}

    def of_response(self, content: str, number: int) -> ResponseFault | None:
        """Return the fault of a response, given its number within the session, if any."""
        if number < self._behaviour.first or (drawn := self._drawn(content)) is None:
            return None
        fault = choose_fault(self._behaviour.responses, drawn)
        self._count(content, fault)
        return fault

    def of_opening(self) -> RefusedOpening | None:
        """Return the fault of an opening, if any."""
        if (drawn := self._drawn(OPENING)) is None:
            return None
        fault = choose_fault(self._behaviour.openings, drawn)
        self._count(OPENING, fault)
        return fault

    def _drawn(self, content: str) -> float | None:
        """Return a number from 0 up to 1; None if the content is spared."""
        times, in_a_row = self._times.get(content, (0, 0))
        if in_a_row >= self._behaviour.most_in_a_row:
            self._times[content] = (times + 1, 0)
            return None
        return chance(self._behaviour.seed, content, f"try {times}")

    def _count(self, content: str, fault: ServerFault | None) -> None:
        times, in_a_row = self._times.get(content, (0, 0))
        self._times[content] = (times + 1, 0 if fault is None else in_a_row + 1)


ServerEvent = dict[str, object]

DELTA_SECONDS = 0.5
INPUT_TOKENS_PER_SECOND, OUTPUT_TOKENS_PER_SECOND = 10, 20
"""Price of a second of audio: one token per 100 ms of input, and per 50 ms of output."""

BETA = {
    "response.output_audio.delta": "response.audio.delta",
    "response.output_audio.done": "response.audio.done",
    "response.output_audio_transcript.delta": "response.audio_transcript.delta",
    "response.output_audio_transcript.done": "response.audio_transcript.done",
    "response.output_text.delta": "response.text.delta",
    "response.output_text.done": "response.text.done",
    "conversation.item.added": "conversation.item.created",
}
"""Names of the beta's events; the beta has no event for a completed item."""


class Consumption(msgspec.Struct):
    """Usage of a response: text in bytes, audio in seconds."""

    text_in: int = 0
    audio_in: float = 0.0
    text_out: int = 0
    audio_out: float = 0.0

    def as_object(self) -> dict[str, object]:
        """Return the usage object of a response."""
        heard = round(self.audio_in * INPUT_TOKENS_PER_SECOND)
        said = round(self.audio_out * OUTPUT_TOKENS_PER_SECOND)
        read, written = count_tokens(self.text_in), count_tokens(self.text_out)
        return {
            "total_tokens": heard + said + read + written,
            "input_tokens": heard + read,
            "output_tokens": said + written,
            "input_token_details": {"text_tokens": read, "audio_tokens": heard, "cached_tokens": 0},
            "output_token_details": {"text_tokens": written, "audio_tokens": said},
        }


def response_created(response_id: str) -> ServerEvent:
    """Return the first event of a response."""
    response = {"id": response_id, "object": "realtime.response", "status": "in_progress"}
    return {"type": "response.created", "response": {**response, "output": [], "usage": None}}


def response_done(
    response_id: str,
    status: str,
    output: list[ServerEvent],
    usage: Mapping[str, object],
    details: Mapping[str, object] | None = None,
) -> ServerEvent:
    """Return the last event of a response."""
    response = {
        "id": response_id,
        "object": "realtime.response",
        "status": status,
        "status_details": details,
        "output": output,
        "usage": usage,
    }
    return {"type": "response.done", "response": response}


def item_events(
    item: ServerEvent, where: Mapping[str, object], pieces: Iterator[ServerEvent]
) -> Iterator[ServerEvent]:
    """Yield the events of an item: its beginning, its pieces, its end."""
    head = {name: value for name, value in item.items() if name not in {"content", "arguments"}}
    added = {**head, "status": "in_progress"}
    yield {"type": "response.output_item.added", **_place(where), "item": added}
    yield {"type": "conversation.item.added", "previous_item_id": None, "item": added}
    yield from pieces
    yield {"type": "response.output_item.done", **_place(where), "item": item}
    yield {"type": "conversation.item.done", "previous_item_id": None, "item": item}


def spoken_pieces(text: str, audio: Audio, where: Mapping[str, object]) -> Iterator[ServerEvent]:
    """Yield a spoken text, with pieces of its transcript next to its audio."""
    here = {**where, "content_index": 0}
    size = int(DELTA_SECONDS * BYTES_PER_SECOND)
    count = max(1, -(-len(audio.pcm) // size))
    for index in range(count):
        words = text[len(text) * index // count : len(text) * (index + 1) // count]
        pcm = audio.pcm[index * size : (index + 1) * size]
        yield {"type": "response.output_audio_transcript.delta", **here, "delta": words}
        sound = base64.b64encode(pcm).decode()
        yield {"type": "response.output_audio.delta", **here, "delta": sound}
    yield {"type": "response.output_audio.done", **here}
    yield {"type": "response.output_audio_transcript.done", **here, "transcript": text}


def written_pieces(text: str, where: Mapping[str, object]) -> Iterator[ServerEvent]:
    """Yield a written text."""
    here = {**where, "content_index": 0}
    half = len(text) // 2
    for words in (text[:half], text[half:]):
        yield {"type": "response.output_text.delta", **here, "delta": words}
    yield {"type": "response.output_text.done", **here, "text": text}


def call_pieces(call: Call, where: Mapping[str, object]) -> Iterator[ServerEvent]:
    """Yield a call's arguments."""
    here = {**where, "call_id": call.id}
    arguments = call.function.arguments
    yield {"type": "response.function_call_arguments.delta", **here, "delta": arguments}
    yield {"type": "response.function_call_arguments.done", **here, "arguments": arguments}


def message_item(item_id: str, text: str, *, spoken: bool, status: str) -> ServerEvent:
    """Return a message as an item."""
    part: ServerEvent = {"type": "output_text", "text": text}
    if spoken:
        part = {"type": "output_audio", "transcript": text}
    return _item(item_id, "message", status) | {"role": "assistant", "content": [part]}


def call_item(item_id: str, call: Call) -> ServerEvent:
    """Return a call as an item."""
    return _item(item_id, "function_call", "completed") | {
        "call_id": call.id,
        "name": call.function.name,
        "arguments": call.function.arguments,
    }


def _item(item_id: str, kind: str, status: str) -> ServerEvent:
    return {"id": item_id, "object": "realtime.item", "type": kind, "status": status}


def _place(where: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in where.items() if name != "item_id"}


AUDIO_DELTA = "response.output_audio.delta"
WORDS_DELTAS = frozenset({"response.output_audio_transcript.delta", "response.output_text.delta"})
STRUCK_AT = 1
"""Index of the event of a response that a fault of a single event hits."""

Send = Callable[[ServerEvent], Awaitable[None]]
SendText = Callable[[str], Awaitable[None]]


class ResponseConnection(msgspec.Struct, frozen=True):
    """Connection of a response: it sends events and raw text, and can be cut."""

    send: Send
    send_text: SendText
    cut: Callable[[], None]


class StreamedResponse:
    """One streamed response.

    Args:
        conversation: Conversation that it answers and to which its output is added.
        reply: The output; its calls have ids.
        speak: Speech function.
        wire: Connection of the response.
        fault: Fault of the response, if any.
    """

    def __init__(
        self,
        conversation: SessionState,
        reply: CannedReply,
        speak: Speak,
        wire: ResponseConnection,
        fault: ResponseFault | None,
    ) -> None:
        self._conversation = conversation
        self._reply = reply
        self._speak = speak
        self._wire = wire
        self._fault = fault
        self._id = conversation.new_id().replace("item", "resp")
        self._output: list[ServerEvent] = []
        self._seconds, self._words = 0.0, ""
        self._sent = 0
        self.is_cancelled = False

    async def run(self) -> str:
        """Send the response, and return its outcome as in logs."""
        match self._fault:
            case SilentResponse():
                await asyncio.Event().wait()
            case Erroneous(type=kind, code=code, message=message):
                error = {"type": kind, "code": code, "message": message, "event_id": None}
                await self._wire.send({"type": "error", "error": error})
            case FailedResponse(type=kind, code=code, message=message):
                await self._wire.send(response_created(self._id))
                error = {"type": kind, "code": code, "message": message}
                await self._end("failed", {"type": "failed", "error": error})
            case _:
                await self._stream()
        return OK if self._fault is None else kind_of(self._fault)

    async def _stream(self) -> None:
        await self._wire.send(response_created(self._id))
        await self._wire.send({"type": "rate_limits.updated", "rate_limits": []})
        parts = [self._said] if self._reply.content else []
        for index, part in enumerate([*parts, *self._calls()]):
            if not await part(index):
                return
        await self._end("completed", None)

    async def _said(self, index: int) -> bool:
        """Send the text; False if it was interrupted."""
        text, conversation = self._reply.content or "", self._conversation
        spoken = conversation.speaks
        where = self._where(index)
        item_id = str(where["item_id"])
        item = message_item(item_id, text, spoken=spoken, status="completed")
        pieces = written_pieces(text, where)
        if spoken:
            pieces = spoken_pieces(text, await self._speak(text), where)
            conversation.has_spoken = True
        is_whole = await self._sending(item_events(item, where, pieces))
        if is_whole is None:
            return False
        said = text if is_whole else self._words
        kept = KeptItem(item_id, ChatMessage("assistant", said))
        kept.spoken_seconds = self._seconds if spoken else None
        conversation.items.append(kept)
        if not is_whole:
            item = message_item(item_id, said, spoken=spoken, status="incomplete")
            await self._wire.send(
                {"type": "response.output_item.done", "output_index": index, "item": item}
            )
        self._output.append(item)
        if not is_whole:
            reason = "client_cancelled" if self.is_cancelled else "turn_detected"
            await self._end("cancelled", {"type": "cancelled", "reason": reason})
        return is_whole

    def _calls(self) -> Iterator[Callable[[int], Awaitable[bool]]]:
        for call in self._reply.tool_calls:
            yield self._calling(call)

    def _calling(self, call: Call) -> Callable[[int], Awaitable[bool]]:
        async def calling(index: int) -> bool:
            where = self._where(index)
            item = call_item(str(where["item_id"]), call)
            is_whole = await self._sending(item_events(item, where, call_pieces(call, where)))
            if not is_whole:
                return False
            message = ChatMessage("assistant", None, (call,))
            self._conversation.items.append(KeptItem(str(where["item_id"]), message))
            self._output.append(item)
            return True

        return calling

    def _where(self, index: int) -> dict[str, object]:
        item_id = self._conversation.new_id()
        return {"response_id": self._id, "item_id": item_id, "output_index": index}

    async def _sending(self, events: Iterator[ServerEvent]) -> bool | None:
        """Send events; False if they were cancelled, None if the client has gone."""
        for event in events:
            if self.is_cancelled or (isinstance(self._fault, CancelledResponse) and self._words):
                return False
            if not await self._sent_one(event):
                return None
            if event["type"] == AUDIO_DELTA:
                self._seconds += len(base64.b64decode(str(event["delta"]))) / 48_000
            elif event["type"] in WORDS_DELTAS:
                self._words += str(event["delta"])
            # An interrupting client gets its turn here.
            await asyncio.sleep(0)
        return True

    async def _sent_one(self, event: ServerEvent) -> bool:
        number, self._sent = self._sent, self._sent + 1
        match self._fault:
            case Dropped(after=after) if number >= after:
                self._wire.cut()
                return False
            case TornEvent() if number == STRUCK_AT:
                text = msgspec.json.encode(event).decode()
                await self._wire.send_text(text[: len(text) // 2])
            case HugeFrame(size=size) if number == STRUCK_AT:
                await self._wire.send_text('{"type":"padding","text":"' + "x" * size + '"}')
            case SlowDeltas(seconds=seconds) if str(event["type"]).endswith(".delta"):
                await asyncio.sleep(seconds)
                await self._wire.send(event)
            case _:
                await self._wire.send(event)
        return True

    async def _end(self, status: str, details: ServerEvent | None) -> None:
        conversation = self._conversation
        spending = Consumption(text_out=len(msgspec.json.encode(self._output)))
        spending.audio_out = self._seconds
        for item in conversation.items:
            spending.audio_in += item.heard_seconds
            spending.text_in += 0 if item.heard_seconds else len(item.message.text.encode())
        spending.text_in += len(msgspec.json.encode(conversation.settings))
        await self._wire.send(
            response_done(self._id, status, self._output, spending.as_object(), details)
        )
