"""One response under way: streamed event by event, struck by a fault, or cancelled in the middle."""

import asyncio
import base64
from collections.abc import Awaitable, Callable, Iterator

import msgspec

from dragoman.testing.chat_requests import Call, ChatMessage
from dragoman.testing.completions import CannedReply
from dragoman.testing.faults import kind_of
from dragoman.testing.realtime.faults import (
    CancelledResponse,
    Dropped,
    Erroneous,
    FailedResponse,
    HugeFrame,
    ResponseFault,
    SilentResponse,
    SlowDeltas,
    TornEvent,
)
from dragoman.testing.realtime.mouths import Speak
from dragoman.testing.realtime.responses import (
    Consumption,
    ServerEvent,
    begun,
    call_item,
    call_pieces,
    ended,
    item_events,
    message_item,
    spoken_pieces,
    written_pieces,
)
from dragoman.testing.realtime.served import KeptItem, ServedConversation
from dragoman.testing.request_log import OK

AUDIO_DELTA = "response.output_audio.delta"
WORDS_DELTAS = frozenset({"response.output_audio_transcript.delta", "response.output_text.delta"})
STRUCK_AT = 1
"""The event of a response that a fault of one event strikes."""

Send = Callable[[ServerEvent], Awaitable[None]]
SendText = Callable[[str], Awaitable[None]]


class Wire(msgspec.Struct, frozen=True):
    """What a response is sent over: events, any text, and a way to cut the connection."""

    send: Send
    send_text: SendText
    cut: Callable[[], None]


class Streamed:
    """One response.

    Args:
        conversation: What it answers, and where what is said is added.
        reply: What is said; its calls have ids.
        speak: Speaks.
        wire: What it is sent over.
        fault: What goes wrong, if anything.
    """

    def __init__(
        self,
        conversation: ServedConversation,
        reply: CannedReply,
        speak: Speak,
        wire: Wire,
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
        """Send it, and return what became of it as logs name it."""
        match self._fault:
            case SilentResponse():
                await asyncio.Event().wait()
            case Erroneous(type=kind, code=code, message=message):
                error = {"type": kind, "code": code, "message": message, "event_id": None}
                await self._wire.send({"type": "error", "error": error})
            case FailedResponse(type=kind, code=code, message=message):
                await self._wire.send(begun(self._id))
                error = {"type": kind, "code": code, "message": message}
                await self._end("failed", {"type": "failed", "error": error})
            case _:
                await self._stream()
        return OK if self._fault is None else kind_of(self._fault)

    async def _stream(self) -> None:
        await self._wire.send(begun(self._id))
        await self._wire.send({"type": "rate_limits.updated", "rate_limits": []})
        parts = [self._said] if self._reply.content else []
        for index, part in enumerate([*parts, *self._calls()]):
            if not await part(index):
                return
        await self._end("completed", None)

    async def _said(self, index: int) -> bool:
        """Say the words; False where that was broken off."""
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
        """Send events; False where they were cancelled, None where there is nobody any more."""
        for event in events:
            if self.is_cancelled or (isinstance(self._fault, CancelledResponse) and self._words):
                return False
            if not await self._sent_one(event):
                return None
            if event["type"] == AUDIO_DELTA:
                self._seconds += len(base64.b64decode(str(event["delta"]))) / 48_000
            elif event["type"] in WORDS_DELTAS:
                self._words += str(event["delta"])
            # Whoever interrupts is heard in between.
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
        await self._wire.send(ended(self._id, status, self._output, spending.told(), details))
