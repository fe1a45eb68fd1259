"""A local realtime server that answers from a script or from recordings, with faults on demand.

In a test, use `with RealtimeServer(answerer) as server:` and open sessions below `server.url`; as a
separate process, use `python -m dragoman.testing.realtime --help`. It listens on the loopback
address only.
"""

import asyncio
import contextlib
from pathlib import Path

import msgspec
from aiohttp import WSMsgType, web

from dragoman.testing.chat_requests import ChatBody
from dragoman.testing.fault_injection import FaultDraws, Faults
from dragoman.testing.local_server import LocalServer
from dragoman.testing.openai_api import with_ids
from dragoman.testing.realtime.client_events import (
    AudioAppended,
    AudioCleared,
    AudioCommitted,
    ItemCreated,
    ItemCut,
    ReceivedEvent,
    RefusedEvent,
    ResponseAsked,
    ResponseCancelled,
    SessionUpdate,
    appended_samples,
    event_id_of,
    read_client_event,
)
from dragoman.testing.realtime.responses import (
    BETA,
    RealtimeConfig,
    RealtimeDraws,
    ResponseConnection,
    ServerEvent,
    StreamedResponse,
)
from dragoman.testing.realtime.session import KeptItem, SessionState, SpeechBackend
from dragoman.testing.request_handler import Exchange, has_bearer
from dragoman.testing.request_log import ABANDONED, BROKEN, RequestLog
from dragoman.testing.scripted_answers import Answerer, NotifiedOfEnds, Unanswered
from dragoman.testing.server_config import ServerConfig

MOST_FRAME_BYTES = 32 * 1024 * 1024


class RealtimeServer(LocalServer):
    """Realtime sessions as a context manager: `with` uses a thread, `async with` none.

    It can be entered once.
    """

    def __init__(
        self,
        answerer: Answerer,
        behaviour: RealtimeConfig | None = None,
        *,
        voice: SpeechBackend | None = None,
        port: int = 0,
        log_file: Path | None = None,
    ) -> None:
        """Prepare a server, which starts when it is entered.

        Args:
            answerer: Gives the replies; it receives the conversation as a chat request.
            behaviour: Faults of the server; none by default.
            voice: Speech backend; by default, it speaks tones and decodes or describes audio.
            port: Port to listen on; 0 takes a free port.
            log_file: A file that gets a line whenever a response starts or ends.

        Raises:
            UsageError: If the log file cannot be written.
        """
        on_end = answerer.ended if isinstance(answerer, NotifiedOfEnds) else None
        log = RequestLog(log_file, on_end)
        service = _Service(answerer, behaviour or RealtimeConfig(), voice or SpeechBackend(), log)
        super().__init__(service.application(), service.exchange, (), port)

    @property
    def url(self) -> str:
        """The base address for clients, to which `/realtime` is added."""
        return f"{self.origin.replace('http', 'ws', 1)}/v1"


class _Service:
    def __init__(
        self,
        answerer: Answerer,
        behaviour: RealtimeConfig,
        voice: SpeechBackend,
        log: RequestLog,
    ) -> None:
        self.answerer = answerer
        self.behaviour = behaviour
        self.voice = voice
        self.draws = RealtimeDraws(behaviour)
        # The exchange keeps only the log and outages; faults of sessions are drawn here.
        self.exchange = Exchange(ServerConfig(), log, FaultDraws(Faults(), 0))

    def application(self) -> web.Application:
        application = web.Application()
        application.router.add_get("/v1/realtime", self.connect)
        return application

    async def connect(self, request: web.Request) -> web.StreamResponse:
        if (refusal := self._refusal(request)) is not None:
            status, message = refusal
            return web.json_response({"error": {"message": message}}, status=status)
        socket = web.WebSocketResponse(max_msg_size=MOST_FRAME_BYTES, compress=False)
        await socket.prepare(request)
        conversation = SessionState(request.query["model"], self.voice.hear)
        await _ServedSession(self, request, socket, conversation).run()
        return socket

    def _refusal(self, request: web.Request) -> tuple[int, str] | None:
        checks, model = self.behaviour.checks, request.query.get("model", "")
        if self.exchange.outage is not None:
            return 503, "the server is out of service"
        if checks.api_key and not has_bearer(request, checks.api_key):
            return 401, "wrong or no API key"
        if not model or (checks.models and model not in checks.models):
            return 404, f"no model '{model}' here"
        fault = self.draws.of_opening()
        return None if fault is None else (fault.status, "not now")


class _ServedSession:
    def __init__(
        self,
        service: _Service,
        request: web.Request,
        socket: web.WebSocketResponse,
        conversation: SessionState,
    ) -> None:
        self._service = service
        self._request = request
        self._socket = socket
        self._conversation = conversation
        self._response: StreamedResponse | None = None
        self._task: asyncio.Task[None] | None = None
        self._responses = self._events = 0

    async def run(self) -> None:
        """Serve until the client or a fault ends it."""
        session = {"type": "realtime", "object": "realtime.session"}
        await self._send({"type": "session.created", "session": session})
        try:
            async for message in self._socket:
                if message.type != WSMsgType.TEXT:
                    break
                await self._take(message.data)
        finally:
            if self._task is not None:
                self._task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await self._task

    async def _take(self, text: str) -> None:
        try:
            for event in self._handled(read_client_event(text)):
                await self._send(event)
        except RefusedEvent as refused:
            await self._complain(refused, event_id_of(text))

    def _handled(self, event: ReceivedEvent) -> list[ServerEvent]:
        """Handle an event, and return the immediate answers."""
        conversation, answered = self._conversation, list[ServerEvent]()
        match event:
            case SessionUpdate(session=settings):
                answered = [{"type": "session.updated", "session": conversation.update(settings)}]
            case AudioAppended() | AudioCommitted() | AudioCleared():
                answered = self._heard(event)
            case ItemCreated():
                answered = _item_added_events(conversation.create(event))
            case ItemCut():
                conversation.truncate(event)
                cut = msgspec.to_builtins(event)
                answered = [{**cut, "type": "conversation.item.truncated"}]
            case ResponseAsked():
                self._begin()
            case ResponseCancelled():
                self._cancel()
        return answered

    def _heard(self, event: AudioAppended | AudioCommitted | AudioCleared) -> list[ServerEvent]:
        match event:
            case AudioAppended():
                self._conversation.append(appended_samples(event))
                return []
            case AudioCommitted():
                item = self._conversation.commit()
                return [
                    {"type": "input_audio_buffer.committed", "item_id": item.id},
                    *_item_added_events(item),
                ]
            case AudioCleared():
                self._conversation.clear()
                return [{"type": "input_audio_buffer.cleared"}]

    def _begin(self) -> None:
        if self._response is not None:
            raise RefusedEvent(
                "there is an active response", "conversation_already_has_active_response"
            )
        request = self._conversation.request()
        reply = self._service.answerer(request)
        if isinstance(reply, Unanswered):
            raise RefusedEvent(reply.reason, "no_answer")
        number, self._responses = self._responses, self._responses + 1
        fault = self._service.draws.of_response(request.content, number)
        self._response = StreamedResponse(
            self._conversation,
            with_ids(reply, request.content),
            self._service.voice.speak,
            ResponseConnection(self._send, self._socket.send_str, self._cut),
            fault,
        )
        self._task = asyncio.create_task(self._stream(self._response, request))

    def _cancel(self) -> None:
        if self._response is None:
            raise RefusedEvent("no response is active", "response_cancel_not_active")
        self._response.is_cancelled = True

    async def _stream(self, response: StreamedResponse, request: ChatBody) -> None:
        log, outcome = self._service.exchange.log, BROKEN
        log.start(request.content)
        try:
            outcome = await response.run()
        except asyncio.CancelledError:
            outcome = ABANDONED
            raise
        except (ConnectionError, RuntimeError):
            outcome = ABANDONED
        except Exception:
            # The client that waits for the response must learn that it failed.
            self._cut()
            raise
        finally:
            self._response = None
            log.end(request.content, outcome)

    async def _send(self, event: ServerEvent) -> None:
        name = str(event["type"])
        if self._service.behaviour.dialect == "beta":
            if name == "conversation.item.done":
                return
            name = BETA.get(name, name)
        self._events += 1
        written = {**event, "type": name, "event_id": f"event_{self._events}"}
        await self._socket.send_str(msgspec.json.encode(written).decode())

    async def _complain(self, refused: RefusedEvent, event_id: str | None) -> None:
        error = {
            "type": "invalid_request_error",
            "code": refused.code,
            "message": refused.message,
            "param": refused.param,
            "event_id": event_id,
        }
        await self._send({"type": "error", "error": error})

    def _cut(self) -> None:
        if self._request.transport is not None:
            self._request.transport.abort()


def _item_added_events(item: KeptItem) -> list[ServerEvent]:
    as_object = {"id": item.id, "object": "realtime.item", "status": "completed"}
    names = ("conversation.item.added", "conversation.item.done")
    return [{"type": name, "previous_item_id": None, "item": as_object} for name in names]
