"""Carries what litellm sends over our own connections: bounded, not redirected, kinds of faults kept.

litellm's own client follows redirects with the key, reads bodies without end, and tells a cut
connection, a time-out and an answer that is no JSON apart by words only.
"""

from collections.abc import Callable
from contextvars import ContextVar

import httpx
from yarl import URL

from dragoman.models.wire.http import Http
from dragoman.models.wire.http1.requests import OUR_OWN
from dragoman.models.wire.transport import Fault, HttpResponse


class Carried:
    """What went over the wire for one call: its last answer, or how it broke."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.answer: HttpResponse | None = None
        self.fault: Fault | None = None


CARRIED: ContextVar[Carried] = ContextVar("CARRIED")
"""The call that is being answered in this context."""


class Carrier(httpx.AsyncBaseTransport):
    """What litellm takes for the network.

    Args:
        http: Our connections.
        proxy_for: The proxy for an address, or None.
    """

    def __init__(self, http: Http, proxy_for: Callable[[str], str | None]) -> None:
        self._http = http
        self._proxy_for = proxy_for

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request as it is and return the whole answer.

        Raises:
            httpx.TransportError: Where none came; the fault is kept with the call.
        """
        carried, url = CARRIED.get(), str(request.url)
        headers = {n: v for n, v in request.headers.items() if n not in OUR_OWN}
        body, proxy = await request.aread(), self._proxy_for(url)
        address = URL(url, encoded=True)
        try:
            answer = await self._http.post(address, headers, body, proxy, carried.most_bytes)
        except Fault as fault:
            carried.fault = fault
            raise httpx.TransportError(fault.detail, request=request) from None
        carried.answer, carried.fault = answer, None
        kind = answer.headers.get("Content-Type", "application/json")
        return httpx.Response(answer.status, headers={"Content-Type": kind}, content=answer.body)
