"""One realtime session at an endpoint: opened, told, heard, and asked for responses.

Nothing of it can be had again once its connection is lost: only opening it, and asking for a response
that failed before anything came, may be tried again.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import msgspec

from dragoman.core.errors import ParticipantError
from dragoman.models.realtime.client_events import (
    CancelResponse,
    ClientEvent,
    CreateResponse,
    TruncateItem,
    UpdateSession,
)
from dragoman.models.realtime.gathering import Gathering, HeardShare
from dragoman.models.realtime.server_events import (
    Allowances,
    AudioDelta,
    Complained,
    Complaint,
    FinishedResponse,
    ItemDone,
    ItemTruncated,
    ResponseDone,
    ServerEvent,
    SessionCreated,
    SessionUpdated,
    WordsDelta,
    read_event,
)
from dragoman.models.wire.sending import Unreadable
from dragoman.models.wire.transport import Fault
from dragoman.models.wire.websocket import WebSocket

CANCEL = "cancel"
"""The id of the event that cancels: what an endpoint complains of it is no fault."""

RATE_LIMITED = "rate_limit_exceeded"
INVALID = "invalid_request_error"


class RefusedInSession(ParticipantError):  # noqa: N818 - says what the endpoint did
    """What an endpoint refuses in a session: the same would be refused again."""

    def __init__(self, complaint: Complaint) -> None:
        super().__init__(complaint.line)
        self.complaint = complaint


class Responded(msgspec.Struct, frozen=True):
    """A response that is over.

    Attributes:
        gathered: What came.
        response: How it ended.
        raw: The event that ended it.
        cuts: What the caller did not hear, having interrupted.
        seconds: From asking to the end.
        first_word_s: Seconds from asking to the first sound or word; None where there was none.
        pause: Seconds that the endpoint asks to wait before the next response.
    """

    gathered: Gathering
    response: FinishedResponse
    raw: msgspec.Raw
    cuts: tuple[HeardShare, ...]
    seconds: float
    first_word_s: float | None
    pause: float


class RealtimeConnection:
    """A session that is open.

    Args:
        socket: The connection.
        total: Seconds that a whole response may take.
    """

    def __init__(self, socket: WebSocket, total: float) -> None:
        self._socket = socket
        self._total = total
        self._pause = 0.0

    async def begin(self, session: Mapping[str, object]) -> None:
        """Wait for the session, and set it up.

        Raises:
            Fault: Where the endpoint breaks, or says nothing.
            RefusedInSession: Where it takes none of this.
        """
        async with _limited(self._total):
            await self._awaited(SessionCreated)
            await self._update(session)

    async def update(self, session: Mapping[str, object]) -> None:
        """Set what is given from now on.

        Raises:
            Fault: Where the endpoint breaks, or says nothing.
            RefusedInSession: Where it does not take it.
        """
        async with _limited(self._total):
            await self._update(session)

    async def send(self, events: Sequence[ClientEvent]) -> None:
        """Send events that are not answered one by one.

        Raises:
            Fault: Where the connection is gone.
        """
        for event in events:
            await self._socket.send(msgspec.json.encode(event))

    async def respond(self, interrupted_after: float | None = None) -> Responded:
        """Ask for a response and take it in.

        Args:
            interrupted_after: Seconds of speech after which the caller interrupts.

        Raises:
            Fault: Where it broke; another attempt is of use where nothing had come of it.
            RefusedInSession: Where the endpoint refuses to respond.
        """
        async with _limited(self._total):
            responded = await self._respond(interrupted_after)
            for cut in responded.cuts:
                await self.send([TruncateItem(cut.item_id, cut.milliseconds)])
                await self._awaited(ItemTruncated)
        return responded

    async def close(self) -> None:
        """End the session."""
        await self._socket.close()

    async def _update(self, session: Mapping[str, object]) -> None:
        await self.send([UpdateSession({"type": "realtime", **session})])
        await self._awaited(SessionUpdated)

    async def _respond(self, interrupted_after: float | None) -> Responded:
        await self.send([CreateResponse()])
        began, first = _now(), None
        gathered, is_cancelled = Gathering(), False
        done: FinishedResponse | None = None
        raw = msgspec.Raw(b"null")
        while done is None:
            raw, event = await self._next()
            match event:
                case AudioDelta() | WordsDelta() | ItemDone():
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
        return Responded(gathered, done, raw, cuts, _now() - began, first, self._pause)

    async def _awaited(self, kind: type[ServerEvent]) -> None:
        while not isinstance((await self._next())[1], kind):
            pass

    async def _next(self) -> tuple[msgspec.Raw, ServerEvent | None]:
        """Return the next event; a complaint is raised, unless it is of cancelling too late."""
        frame = await self._socket.receive()
        try:
            event = read_event(frame)
        except Unreadable as error:
            raise Fault("malformed", str(error), may_pass=False) from None
        match event:
            case Complained(error=complaint) if complaint.event_id != CANCEL:
                raise _complained(complaint)
            case Allowances(pause=pause):
                self._pause = pause
            case _:
                pass
        return msgspec.Raw(frame), event


def _take(gathered: Gathering, event: AudioDelta | WordsDelta | ItemDone) -> None:
    try:
        gathered.add(event)
    except Unreadable as error:
        raise Fault("malformed", str(error), may_pass=False) from None


def _require_whole(response: FinishedResponse, gathered: Gathering, *, is_cancelled: bool) -> None:
    """Refuse a response that is none; one that the model broke off itself is what it said."""
    details = response.status_details
    if response.status == "failed":
        complaint = (details.error if details is not None else None) or Complaint()
        raise _complained(complaint, may_pass=gathered.is_empty)
    if response.status == "cancelled" and not is_cancelled:
        why = (details.reason if details is not None else None) or "no reason given"
        raise Fault("server_error", f"the endpoint cancelled its response ({why})", may_pass=False)


def _complained(complaint: Complaint, *, may_pass: bool = False) -> Fault | RefusedInSession:
    """Return what a complaint means: a refusal, or a fault of the endpoint."""
    if complaint.code == RATE_LIMITED:
        return Fault("rate_limited", f"refused for now: {complaint.line}", may_pass=may_pass)
    if complaint.type == INVALID or complaint.code == "insufficient_quota":
        return RefusedInSession(complaint)
    return Fault("server_error", f"an error: {complaint.line}", may_pass=may_pass)


@asynccontextmanager
async def _limited(seconds: float) -> AsyncIterator[None]:
    """Bound how long something may take, whatever comes of it in between."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise Fault("timeout", f"not done in {seconds:.0f} s", may_pass=False) from None


def _now() -> float:
    return asyncio.get_running_loop().time()
