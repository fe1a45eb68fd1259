"""The bundled world on the loopback address: its APIs, the documents about them, and their faults.

In a test, `with WorldServer(faults=...) as server:` and ask at `server.origin`; from the command line,
`dragoman world serve`.
"""

from collections.abc import Mapping
from datetime import datetime

from aiohttp import web

from dragoman.benchmarks.itc.world.bundled_set import NOW, load_world
from dragoman.benchmarks.itc.world.request_handler import SimulatedRequest
from dragoman.testing.behaviour import Behaviour
from dragoman.testing.exchange import Exchange
from dragoman.testing.faults import FaultDraws, Faults
from dragoman.testing.http_answers import HttpAnswer
from dragoman.testing.local_server import LocalServer
from dragoman.testing.request_log import OK, RequestLog
from dragoman.testing.world.faults import WorldFaultDraws, WorldFaults
from dragoman.testing.world.spoiling import spoilt
from dragoman.testing.world.written import world_documents


class WorldServer(LocalServer):
    """The world as a context manager: `with` uses a thread, `async with` none; entered once.

    Attributes:
        now: What its clock says, which decides about faults; set it to let time pass.
    """

    def __init__(
        self,
        faults: WorldFaults | None = None,
        *,
        now: datetime | None = None,
        port: int = 0,
    ) -> None:
        """Prepare a server; entering it starts it.

        Args:
            faults: What goes wrong, and when.
            now: With an offset; the world's Monday morning where not given.
            port: Where to listen; 0 takes a free port.
        """
        self.now = now or datetime.fromisoformat(NOW)
        self._world = load_world().world
        self._faults = WorldFaultDraws(faults or WorldFaults())
        exchange = Exchange(Behaviour(), RequestLog(), FaultDraws(Faults(), 0))
        application = web.Application()
        application.router.add_get("/", self._contents)
        application.router.add_get("/{page}", self._document)
        application.router.add_get("/documents/{page}", self._document)
        application.router.add_route("*", "/{path:.*}", self._serve)
        super().__init__(application, exchange, (), port)

    async def _contents(self, _request: web.Request) -> web.Response:
        """List the documents, for a person who looks."""
        return web.Response(
            text="".join(f"{self.origin}/documents/{name}\n" for name in world_documents())
        )

    async def _document(self, request: web.Request) -> web.Response:
        """Send a document, by the name of its file or as the page of its country."""
        page = request.match_info["page"]
        for name, content in world_documents(self.origin).items():
            if page in {name, name.partition(".")[0]}:
                return web.Response(body=content, content_type="text/plain", charset="utf-8")
        raise web.HTTPNotFound

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        asked = SimulatedRequest(
            request.method, request.path, dict(request.query), body, dict(request.headers)
        )
        return await self._exchange.serve(request, lambda _asked: self._made(asked))

    def _made(self, asked: SimulatedRequest) -> tuple[str, HttpAnswer]:
        """Return what becomes of a request, as logs name it, and the answer."""
        api = self._world.api_of(asked)
        answered = self._world.answer(
            asked.method, asked.path, asked.query, asked.body, asked.headers
        )
        answer = HttpAnswer(
            answered.status, (answered.body,), content_type=answered.headers["Content-Type"]
        )
        fault = api and self._faults.hitting(api, _target(asked), self.now)
        if not fault:
            return OK, answer
        return fault.kind, spoilt(fault, answer, asked.query)


def _target(asked: SimulatedRequest) -> str:
    query: Mapping[str, str] = dict(sorted(asked.query.items()))
    return f"{asked.method} {asked.path} {query}"
