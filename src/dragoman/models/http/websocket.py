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
"""Largest number of unread frames; the server has to wait while there are more."""

OPENED = frozenset({101, 200})
"""Statuses that are not refusals.

If no connection follows, the address does not serve WebSockets.
"""

TOO_BIG = aiohttp.WSCloseCode.MESSAGE_TOO_BIG


class HandshakeError(Exception):
    """An HTTP answer instead of a WebSocket connection; its body is not known."""

    def __init__(self, answer: HttpResponse) -> None:
        super().__init__(f"status {answer.status}")
        self.answer = answer


class WebSocket:
    """One WebSocket connection.

    Frames are read as they come, so that pings are answered at any time.

    Args:
        connection: The connection object of aiohttp.
        silence: Seconds of silence after which an awaited frame counts as lost.
        secrets: Texts that are removed from every frame.
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
            TransportError: If the connection is gone.
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
            TransportError: If no frame comes in time, or the connection has ended.
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
        """Close the connection; do not wait long for a server that does not answer."""
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
                # Reading a frame answers pings, and the connection may be gone by then.
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
        timeouts: Time limits for connections and for silence.
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
        """Open a connection; redirects are not followed.

        Raises:
            TransportError: If the endpoint does not answer.
            HandshakeError: If the answer is not a WebSocket connection.
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
        # The error is raised outside of the handler, because the library's errors quote received
        # data.
        raise fault

    async def close(self) -> None:
        """Release all resources; the callers close their connections."""
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
    """Return the error at the end of a connection: its session is lost with it."""
    return TransportError(kind, detail, may_pass=False)


def _frame_error(error: object) -> TransportError:
    if isinstance(error, aiohttp.WebSocketError) and error.code == TOO_BIG:
        return _connection_error("oversized", "a frame that is too large")
    return _connection_error("broken_http", "no WebSocket frame")


def _fault_of(error: Exception) -> TransportError:
    """Return the transport error for an exception of aiohttp."""
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
