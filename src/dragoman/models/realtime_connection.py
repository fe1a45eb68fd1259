"""Connection of one realtime session: configuration, input, and responses read from its events.

The state of a session is lost with its connection. Retries are possible only while it is being
opened, and for a response that failed before any part of it arrived.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager

import msgspec

from dragoman.core.agent_replies import Tokens
from dragoman.core.audio import MAX_SECONDS, Audio
from dragoman.core.errors import ParticipantError
from dragoman.core.replies import Reply, ToolCallReply, UnparsedReply, text_reply
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.tools import ToolCall
from dragoman.core.usage import Usage
from dragoman.models.chat.message_parsing import parse_tool_call, with_unique_ids
from dragoman.models.http.transport import CHAT_BYTES, MalformedResponse, TransportError
from dragoman.models.http.websocket import WebSocket
from dragoman.models.realtime_protocol import (
    BYTES_PER_SECOND,
    RATE_HZ,
    AudioDelta,
    CancelResponse,
    ClientEvent,
    CreateResponse,
    ErrorEvent,
    FinishedResponse,
    ItemDone,
    ItemTruncated,
    OutputItem,
    RateLimitsUpdated,
    RealtimeError,
    ResponseDone,
    ServerEvent,
    SessionCreated,
    SessionUpdated,
    TextDelta,
    TruncateItem,
    UpdateSession,
    decode_samples,
    read_event,
)

MOST_REASON_CHARS = 40
CALL = "function_call"


class HeardShare(msgspec.Struct, frozen=True):
    """The heard part of a spoken item, in milliseconds."""

    item_id: str
    milliseconds: int


class _Details(msgspec.Struct):
    cached_tokens: Tokens | None = None
    audio_tokens: Tokens | None = None


class _Tokens(msgspec.Struct):
    input_tokens: Tokens | None = None
    output_tokens: Tokens | None = None
    input_token_details: _Details | None = None
    output_token_details: _Details | None = None


_USAGE = msgspec.json.Decoder(_Tokens | None)


class ResponseBuilder:
    """Collects the events of one response, in the order in which items begin."""

    def __init__(self) -> None:
        self._samples: dict[str, bytearray] = {}
        self._words: dict[str, list[str]] = {}
        self._items: dict[str, OutputItem] = {}
        self._audio_bytes = self._text_chars = 0

    @property
    def is_empty(self) -> bool:
        """Whether no event has come yet."""
        return not (self._samples or self._words or self._items)

    @property
    def audio_seconds(self) -> float:
        """Length of the speech so far, in seconds."""
        return self._audio_bytes / BYTES_PER_SECOND

    def add(self, event: AudioDelta | TextDelta | ItemDone) -> None:
        """Add an event.

        Raises:
            TransportError: If a response exceeds the limits on audio and text.
            MalformedResponse: For invalid audio.
        """
        match event:
            case AudioDelta(item_id=item, delta=delta):
                pcm = decode_samples(delta)
                self._samples.setdefault(item, bytearray()).extend(pcm)
                self._audio_bytes += len(pcm)
            case TextDelta(item_id=item, delta=delta):
                self._words.setdefault(item, []).append(delta)
                self._text_chars += len(delta)
            case ItemDone(item=item):
                self._items[item.id] = item
        if self.audio_seconds > MAX_SECONDS or self._text_chars > CHAT_BYTES:
            raise TransportError("oversized", "a response without end", may_pass=False)

    def finish(self, response: FinishedResponse) -> None:
        """Add the complete items at the end of a response."""
        self._items |= {item.id: item for item in response.output}

    def cuts(self, seconds: float) -> tuple[HeardShare, ...]:
        """Return the heard part of each spoken item that was cut off after a number of seconds.

        Items that were heard in full are not included.
        """
        left, found = int(seconds * BYTES_PER_SECOND), []
        for item, pcm in self._samples.items():
            if len(pcm) > left:
                found.append(HeardShare(item, left * 1_000 // BYTES_PER_SECOND))
            left = max(0, left - len(pcm))
        return tuple(found)

    def audio(self, cuts: Iterable[HeardShare] = ()) -> Audio | None:
        """Return the heard audio; None if nothing was heard."""
        ends = {cut.item_id: cut.milliseconds * RATE_HZ // 1_000 * 2 for cut in cuts}
        pcm = b"".join(bytes(each[: ends.get(item)]) for item, each in self._samples.items())
        return Audio(pcm, RATE_HZ) if pcm else None

    def words(self, cuts: Iterable[HeardShare] = ()) -> str:
        """Return the words; of an item that was cut off, the share of its words that was heard."""
        shares = {
            cut.item_id: cut.milliseconds
            * BYTES_PER_SECOND
            / 1_000
            / len(self._samples[cut.item_id])
            for cut in cuts
        }
        texts = (
            (item, self._text_of(item)) for item in dict.fromkeys((*self._words, *self._items))
        )
        said = (_share(text, shares[item]) if item in shares else text for item, text in texts)
        return " ".join(text for text in said if text.strip())

    def calls(self) -> tuple[ToolCall, ...]:
        """Return the tool calls."""
        return with_unique_ids(
            [
                parse_tool_call(item.call_id, item.name, item.arguments, index)
                for index, item in enumerate(self._called())
            ]
        )

    def _called(self) -> Iterator[OutputItem]:
        return (item for item in self._items.values() if item.type == CALL)

    def _text_of(self, item_id: str) -> str:
        item = self._items.get(item_id)
        parts = () if item is None else item.content or ()
        whole = "".join(part.transcript or part.text or "" for part in parts)
        return whole or "".join(self._words.get(item_id, ()))


def build_reply(
    gathered: ResponseBuilder, response: FinishedResponse, cuts: Iterable[HeardShare] = ()
) -> Reply:
    """Return a response as a reply; without words and calls it is unusable, with a reason."""
    words = gathered.words(cuts)
    if calls := gathered.calls():
        return ToolCallReply(calls, words or None)
    if words:
        return text_reply(words)
    details = response.status_details
    reason = (details.reason if details is not None else None) or response.status
    return UnparsedReply(
        "", f"the reply has neither words nor calls ({reason[:MOST_REASON_CHARS]})"
    )


def response_usage(response: FinishedResponse, purpose: str, model: str) -> Usage:
    """Return the usage of a response; malformed counts become unknown."""
    try:
        reported = _USAGE.decode(response.usage) or _Tokens()
    except DECODING_ERRORS:
        reported = _Tokens()
    sent = reported.input_token_details or _Details()
    received = reported.output_token_details or _Details()
    return Usage(
        purpose,
        model,
        input_tokens=reported.input_tokens,
        output_tokens=reported.output_tokens,
        cached_tokens=sent.cached_tokens,
        input_audio_tokens=sent.audio_tokens,
        output_audio_tokens=received.audio_tokens,
    )


def _share(text: str, share: float) -> str:
    """Return approximately this share of a text, from its beginning.

    The result has whole words if the text has spaces.
    """
    at = int(len(text) * min(share, 1.0))
    beginning = text[:at]
    if at >= len(text) or text[at].isspace() or " " not in text:
        return beginning.rstrip()
    return beginning.rpartition(" ")[0].rstrip()


CANCEL = "cancel"
"""The id of the cancel event: an endpoint's complaint about it is not a fault."""

RATE_LIMITED = "rate_limit_exceeded"
INVALID = "invalid_request_error"


class SessionRejected(ParticipantError):  # noqa: N818 - says what the endpoint did
    """A refusal within a session; a retry would be refused, too."""

    def __init__(self, complaint: RealtimeError) -> None:
        super().__init__(complaint.line)
        self.complaint = complaint


class CompletedResponse(msgspec.Struct, frozen=True):
    """A finished response.

    Attributes:
        gathered: The collected events.
        response: The response object at the end.
        raw: The event that ended the response.
        cuts: The heard parts of the items that the caller interrupted.
        seconds: Seconds from the request to the end.
        first_word_s: Seconds from the request to the first audio or word; None if there was none.
        pause: Seconds to wait before the next response, as the endpoint asks.
    """

    gathered: ResponseBuilder
    response: FinishedResponse
    raw: msgspec.Raw
    cuts: tuple[HeardShare, ...]
    seconds: float
    first_word_s: float | None
    pause: float


class RealtimeConnection:
    """An open session.

    Args:
        socket: The WebSocket connection.
        total: Longest time of a whole response, in seconds.
    """

    def __init__(self, socket: WebSocket, total: float) -> None:
        self._socket = socket
        self._total = total
        self._pause = 0.0

    async def begin(self, session: Mapping[str, object]) -> None:
        """Wait for the session, and configure it.

        Raises:
            TransportError: If the endpoint fails, or sends nothing.
            SessionRejected: If the endpoint refuses the settings.
        """
        async with _time_limit(self._total):
            await self._awaited(SessionCreated)
            await self._update(session)

    async def update(self, session: Mapping[str, object]) -> None:
        """Change settings of the session.

        Raises:
            TransportError: If the endpoint fails, or sends nothing.
            SessionRejected: If the endpoint refuses the settings.
        """
        async with _time_limit(self._total):
            await self._update(session)

    async def send(self, events: Sequence[ClientEvent]) -> None:
        """Send events that get no individual answers.

        Raises:
            TransportError: If the connection is gone.
        """
        for event in events:
            await self._socket.send(msgspec.json.encode(event))

    async def respond(self, interrupted_after: float | None = None) -> CompletedResponse:
        """Request a response and collect it.

        Args:
            interrupted_after: Seconds of speech after which the caller interrupts.

        Raises:
            TransportError: If the response failed; a retry makes sense if no part of it arrived.
            SessionRejected: If the endpoint refuses to respond.
        """
        async with _time_limit(self._total):
            responded = await self._respond(interrupted_after)
            for cut in responded.cuts:
                await self.send([TruncateItem(cut.item_id, cut.milliseconds)])
                await self._awaited(ItemTruncated)
        return responded

    async def close(self) -> None:
        """Close the session."""
        await self._socket.close()

    async def _update(self, session: Mapping[str, object]) -> None:
        await self.send([UpdateSession({"type": "realtime", **session})])
        await self._awaited(SessionUpdated)

    async def _respond(self, interrupted_after: float | None) -> CompletedResponse:
        await self.send([CreateResponse()])
        began, first = _now(), None
        gathered, is_cancelled = ResponseBuilder(), False
        done: FinishedResponse | None = None
        raw = msgspec.Raw(b"null")
        while done is None:
            raw, event = await self._next()
            match event:
                case AudioDelta() | TextDelta() | ItemDone():
                    if first is None and not isinstance(event, ItemDone):
                        first = _now() - began
                    _take(gathered, event)
                case ResponseDone(response=done):
                    pass
                case _:
                    continue
            is_late = interrupted_after is not None and gathered.audio_seconds > interrupted_after
            if is_late and not is_cancelled and done is None:
                is_cancelled = True
                await self.send([CancelResponse(CANCEL)])
        _require_whole(done, gathered, is_cancelled=is_cancelled)
        gathered.finish(done)
        cuts = () if interrupted_after is None else gathered.cuts(interrupted_after)
        return CompletedResponse(gathered, done, raw, cuts, _now() - began, first, self._pause)

    async def _awaited(self, kind: type[ServerEvent]) -> None:
        while not isinstance((await self._next())[1], kind):
            pass

    async def _next(self) -> tuple[msgspec.Raw, ServerEvent | None]:
        """Return the next event.

        An error event is raised, unless it reports a late cancellation.
        """
        frame = await self._socket.receive()
        try:
            event = read_event(frame)
        except MalformedResponse as error:
            raise TransportError("malformed", str(error), may_pass=False) from None
        match event:
            case ErrorEvent(error=complaint) if complaint.event_id != CANCEL:
                raise _error_of(complaint)
            case RateLimitsUpdated(pause=pause):
                self._pause = pause
            case _:
                pass
        return msgspec.Raw(frame), event


def _take(gathered: ResponseBuilder, event: AudioDelta | TextDelta | ItemDone) -> None:
    try:
        gathered.add(event)
    except MalformedResponse as error:
        raise TransportError("malformed", str(error), may_pass=False) from None


def _require_whole(
    response: FinishedResponse, gathered: ResponseBuilder, *, is_cancelled: bool
) -> None:
    """Refuse a failed or cancelled response; one that the model ended early is its reply."""
    details = response.status_details
    if response.status == "failed":
        complaint = (details.error if details is not None else None) or RealtimeError()
        raise _error_of(complaint, may_pass=gathered.is_empty)
    if response.status == "cancelled" and not is_cancelled:
        why = (details.reason if details is not None else None) or "no reason given"
        raise TransportError(
            "server_error", f"the endpoint cancelled its response ({why})", may_pass=False
        )


def _error_of(
    complaint: RealtimeError, *, may_pass: bool = False
) -> TransportError | SessionRejected:
    """Return the error for a complaint: a refusal, or a fault of the endpoint."""
    if complaint.code == RATE_LIMITED:
        return TransportError(
            "rate_limited", f"refused for now: {complaint.line}", may_pass=may_pass
        )
    if complaint.type == INVALID or complaint.code == "insufficient_quota":
        return SessionRejected(complaint)
    return TransportError("server_error", f"an error: {complaint.line}", may_pass=may_pass)


@asynccontextmanager
async def _time_limit(seconds: float) -> AsyncIterator[None]:
    """Limit the total time of an operation, whatever arrives in between."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise TransportError("timeout", f"not done in {seconds:.0f} s", may_pass=False) from None


def _now() -> float:
    return asyncio.get_running_loop().time()
