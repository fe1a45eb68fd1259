"""A server that repeats its request in every place where an answer may hold text.

The first word of an address selects the way: `http://HOST:PORT/refused/v1`.
"""

import base64
import contextlib
import html
import json
from collections.abc import AsyncIterator
from typing import Self
from urllib.parse import quote

from aiohttp import WSMsgType, web

from dragoman.testing.local_server import ServingThread

WAYS = (
    *("words", "calls", "refused", "page", "moved", "named", "later", "quoted", "coded", "stream"),
    *("events", "bytes", "search"),
)


class EchoServer:
    """A context manager whose server answers with the request that it got.

    Attributes:
        origin: Its address.
        heard: The values of headers and queries that it was sent.
    """

    def __init__(self) -> None:
        self.origin = ""
        self.heard: list[str] = []
        self._thread = ServingThread(self._serving())

    def __enter__(self) -> Self:
        self._thread.enter()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.leave()

    def at(self, way: str) -> str:
        """Return the base address that answers in a way."""
        return f"{self.origin}/{way}/v1"

    @contextlib.asynccontextmanager
    async def _serving(self) -> AsyncIterator[None]:
        application = web.Application(client_max_size=2**26)
        application.router.add_route("*", "/{way}/v1{rest:.*}", self._answer)
        application.router.add_route("*", "/{rest:.*}", self._proxied)
        runner = web.AppRunner(
            application, access_log=None, handler_cancellation=True, shutdown_timeout=0.1
        )
        await runner.setup()
        site = web.TCPSite(
            runner,
            "127.0.0.1",
            0,
        )
        await site.start()
        host, port = runner.addresses[0]
        self.origin = f"http://{host}:{port}"
        yield
        await runner.cleanup()

    async def _proxied(self, request: web.Request) -> web.StreamResponse:
        """Answer as a proxy that repeats its request."""
        return web.json_response({"error": {"message": await self._said(request)}}, status=403)

    async def _said(self, request: web.Request) -> str:
        sent = [*request.headers.values(), *request.query.values(), request.path_qs]
        self.heard += sent
        words = [word for value in sent for word in (value, value.rpartition(" ")[2])]
        return " | ".join(dict.fromkeys(words))

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        said = await self._said(request)
        if request.headers.get("Upgrade", "").lower() == "websocket":
            return await self._talk(request, said)
        body = await request.read()
        way = request.match_info["way"]
        if way == "search":
            hit = {"title": said, "href": f"http://x/?k={quote(said)}", "body": said}
            return web.json_response({"organic_results": [hit], "search_parameters": said})
        if request.path.endswith("/audio/transcriptions") and way == "words":
            return web.json_response({"text": said, "usage": said})
        if b'"stream":true' in body.replace(b" ", b"") and way in {"words", "calls", "stream"}:
            return await self._streamed(request, said, breaks=way == "stream")
        return getattr(self, f"_{way}", self._refused)(said)

    def _words(self, said: str) -> web.Response:
        return _completion({"role": "assistant", "content": said}, said)

    def _calls(self, said: str) -> web.Response:
        function = {"name": said[:60], "arguments": json.dumps({"q": said})}
        calls = [{"id": said, "type": "function", "function": function}]
        return _completion({"role": "assistant", "content": said, "tool_calls": calls}, said)

    def _refused(self, said: str) -> web.Response:
        return web.json_response({"error": {"message": said, "code": said}}, status=401)

    def _page(self, said: str) -> web.Response:
        page = f"<html><title>{html.escape(said)}</title><pre>{html.escape(said)}</pre></html>"
        return web.Response(text=page, status=500, content_type="text/html")

    def _moved(self, said: str) -> web.Response:
        return web.Response(
            text=said, status=302, headers={"Location": f"{self.origin}/x?key={quote(said)}"}
        )

    def _named(self, said: str) -> web.Response:
        return web.Response(text=said, status=400, reason=said.replace("\n", " "))

    def _later(self, said: str) -> web.Response:
        headers = {"Retry-After": said, "x-ratelimit-reset-requests": said, "X-Request-Id": said}
        return web.json_response({"error": said}, status=429, headers=headers)

    def _quoted(self, said: str) -> web.Response:
        return web.json_response({"error": {"message": quote(said, safe="")}}, status=400)

    def _coded(self, said: str) -> web.Response:
        coded = [base64.b64encode(b"x" * n + said.encode()).decode() for n in range(3)]
        return web.json_response({"error": {"message": coded}}, status=400)

    def _bytes(self, said: str) -> web.Response:
        return web.Response(body=b"\xff\xfe" + said.encode() + b"\0", status=200)

    def _events(self, said: str) -> web.Response:
        return web.Response(text=f"data: {said}\n\n", content_type="text/event-stream")

    def _stream(self, said: str) -> web.Response:
        return self._events(said)

    async def _streamed(
        self, request: web.Request, said: str, *, breaks: bool
    ) -> web.StreamResponse:
        """Send it in pieces that cut every word, and an error in the end if it is to break."""
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        pieces: list[dict[str, object]] = [
            {"choices": [{"index": 0, "delta": {"content": said[at : at + 5]}}]}
            for at in range(0, len(said), 5)
        ]
        pieces.append({"error": {"message": said}} if breaks else {"choices": [], "usage": {}})
        for piece in pieces:
            await response.write(f"data: {json.dumps(piece)}\n\n".encode())
        await response.write(b"data: [DONE]\n\n")
        return response

    async def _talk(self, request: web.Request, said: str) -> web.StreamResponse:
        """Answer a realtime session's frames with errors that say it all, then close with it."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json({"type": "session.created", "session": {"id": said}})
        async for message in socket:
            if message.type is WSMsgType.TEXT:
                error = {"type": "error", "error": {"message": said, "code": said, "param": said}}
                await socket.send_json(error)
                await socket.close(code=4001, message=said.encode()[:120])
        return socket


def _completion(message: dict[str, object], said: str) -> web.Response:
    choice = {"index": 0, "message": message, "finish_reason": said[:30]}
    usage = {"prompt_tokens": 3, "completion_tokens": 2}
    return web.json_response(
        {"id": said, "model": said, "choices": [choice], "usage": usage},
        headers={"X-Request-Id": said},
    )
