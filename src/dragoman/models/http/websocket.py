"""WebSocket client over aiohttp: bounded frames, bounded silence, failures as `TransportError`."""

import asyncio
import contextlib
from collections.abc import Mapping
from types import SimpleNamespace

import aiohttp

from dragoman.core.texts.redaction import redact
from dragoman.models.http.transport import (
    CHAT_BYTES,
    HttpResponse,
    Timeouts,
    TransportError,
    TransportErrorKind,
    describe_os_error,
)

CLOSING_SECONDS = 2.0
MOST_UNREAD = 1_024
"""Frames that wait to be read; where there are more, the server has to wait."""

OPENED = frozenset({101, 200})
"""Statuses that refuse nothing; where no connection comes of them, it is no WebSocket."""

TOO_BIG = aiohttp.WSCloseCode.MESSAGE_TOO_BIG


class HandshakeError(Exception):
    """An answer in the place of a connection; its body is not known."""

    def __init__(self, answer: HttpResponse) -> None:
        super().__init__(f"status {answer.status}")
        self.answer = answer


class WebSocket:
    """One connection; frames are read as they come, so that pings are answered at any time.

    Args:
        connection: The library's.
        silence: Seconds after which a frame that is awaited does not come any more.
        secrets: Texts that are taken out of every frame.
    """

    def __init__(
        self,
        connection: aiohttp.ClientWebSocketResponse,
        silence: float,
        secrets: tuple[str, ...] = (),
    ) -> None:
        self._connection = connection
        self._silence = silence
        self._secrets = secrets
        self._frames: asyncio.Queue[bytes | TransportError] = asyncio.Queue(MOST_UNREAD)
        self._end: TransportError | None = None
        self._reading = asyncio.create_task(self._read())

    async def send(self, frame: bytes) -> None:
        """Send a frame of text.

        Raises:
            Fault: Where the connection is gone.
        """
        try:
            async with asyncio.timeout(self._silence):
                await self._connection.send_str(frame.decode())
        except TimeoutError:
            fault = _connection_error("timeout", "the endpoint takes no more")
        except (aiohttp.ClientError, OSError, RuntimeError):
            fault = self._end or _connection_error("cut", "the connection was cut")
        else:
            return
        raise fault

    async def receive(self) -> bytes:
        """Return the next frame.

        Raises:
            Fault: Where none comes in time, or none can come any more.
        """
        if self._end is not None and self._frames.empty():
            raise self._end
        try:
            async with asyncio.timeout(self._silence):
                frame = await self._frames.get()
        except TimeoutError:
            raise _connection_error("timeout", "no answer in time") from None
        if isinstance(frame, TransportError):
            raise frame
        return frame

    async def close(self) -> None:
        """Close the connection; a server that does not answer that is left."""
        self._reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._reading
        with contextlib.suppress(TimeoutError, aiohttp.ClientError, OSError):
            async with asyncio.timeout(CLOSING_SECONDS):
                await self._connection.close()

    async def _read(self) -> None:
        while True:
            try:
                message = await self._connection.receive()
            except aiohttp.ClientError:
                # A ping is answered while it is read: here the connection may be gone.
                self._end = _connection_error("cut", "the connection was cut")
                await self._frames.put(self._end)
                return
            match message.type:
                case aiohttp.WSMsgType.TEXT:
                    await self._frames.put(redact(message.data.encode(), self._secrets))
                case aiohttp.WSMsgType.BINARY:
                    self._end = _connection_error(
                        "malformed", "a frame of bytes, where text is expected"
                    )
                case aiohttp.WSMsgType.ERROR:
                    self._end = _frame_error(message.data)
                case _:
                    self._end = self._closed()
            if self._end is not None:
                await self._frames.put(self._end)
                return

    def _closed(self) -> TransportError:
        code = self._connection.close_code
        if code in {None, aiohttp.WSCloseCode.ABNORMAL_CLOSURE}:
            return _connection_error("cut", "the connection was cut")
        return _connection_error("cut", f"the endpoint closed the connection (code {code})")


class WebSocketConnector:
    """Opens connections; made on first use and bound to the event loop that used it.

    Args:
        timeouts: For connections, and for silence.
        most_bytes: The largest frame that is read.
    """

    def __init__(self, timeouts: Timeouts, most_bytes: int = CHAT_BYTES) -> None:
        self._timeouts = timeouts
        self._most_bytes = most_bytes
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def open(
        self,
        url: str,
        headers: Mapping[str, str],
        proxy: str | None = None,
        secrets: tuple[str, ...] = (),
    ) -> WebSocket:
        """Open a connection; redirections are not followed.

        Raises:
            Fault: Where nobody answers.
            HandshakeError: Where the answer is no connection.
        """
        try:
            async with asyncio.timeout(self._timeouts.connect):
                connection = await self._open().ws_connect(
                    url,
                    headers=headers,
                    proxy=proxy,
                    max_msg_size=self._most_bytes,
                    timeout=aiohttp.ClientWSTimeout(ws_close=CLOSING_SECONDS),
                )
        except aiohttp.WSServerHandshakeError as error:
            if error.status in OPENED:
                raise TransportError("broken_http", "no WebSocket") from None
            raise HandshakeError(HttpResponse(error.status, error.headers or {}, b"")) from None
        except TimeoutError:
            raise TransportError("connect", "no connection in time") from None
        except (aiohttp.ClientError, OSError) as error:
            fault = _fault_of(error)
        else:
            return WebSocket(connection, self._timeouts.read, secrets)
        # Raised out here so that nothing hangs on it: the library's errors quote what was received.
        raise fault

    async def close(self) -> None:
        """Release what it holds; connections are closed by whoever opened them."""
        session, self._session = self._session, None
        if session is not None and self._loop is asyncio.get_running_loop():
            await session.close()

    def _open(self) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        if self._session is None or self._loop is not loop:
            self._loop = loop
            stopping = aiohttp.TraceConfig()
            stopping.on_request_redirect.append(_refuse_redirection)
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),
                cookie_jar=aiohttp.DummyCookieJar(),
                skip_auto_headers=("User-Agent",),
                trace_configs=[stopping],
            )
        return self._session


async def _refuse_redirection(
    _session: aiohttp.ClientSession,
    _context: SimpleNamespace,
    reported: aiohttp.TraceRequestRedirectParams,
) -> None:
    raise HandshakeError(HttpResponse(reported.response.status, reported.response.headers, b""))


def _connection_error(kind: TransportErrorKind, detail: str) -> TransportError:
    """Return the end of a connection: what it was for is lost with it."""
    return TransportError(kind, detail, may_pass=False)


def _frame_error(error: object) -> TransportError:
    if isinstance(error, aiohttp.WebSocketError) and error.code == TOO_BIG:
        return _connection_error("oversized", "a frame that is too large")
    return _connection_error("broken_http", "no WebSocket frame")


def _fault_of(error: Exception) -> TransportError:
    """Return what one of the library's errors says of the way to an endpoint."""
    kind: TransportErrorKind = "connect"
    match error:
        case aiohttp.ClientConnectorDNSError():
            kind, detail = "dns", f"no address found for {error.host}"
        case aiohttp.ConnectionTimeoutError():
            detail = "no connection in time"
        case aiohttp.ClientConnectorCertificateError():
            detail = "its certificate is not to be trusted"
        case aiohttp.ClientConnectorError():
            detail = f"no connection ({describe_os_error(error.os_error)})"
        case TimeoutError():
            kind, detail = "timeout", "no answer in time"
        case aiohttp.ServerDisconnectedError() | aiohttp.ClientPayloadError():
            kind, detail = "cut", "the connection was cut"
        case OSError():
            kind, detail = "cut", f"the connection broke ({describe_os_error(error)})"
        case _:
            kind, detail = "broken_http", f"no HTTP answer ({type(error).__name__})"
    return TransportError(kind, detail)
