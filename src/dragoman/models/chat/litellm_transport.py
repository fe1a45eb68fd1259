"""HTTP transport for litellm over the package's own client: bounded, without redirects.

litellm's own client follows redirects with the key, reads bodies without a bound, and
distinguishes a cut connection, a time-out and a response that is not JSON by words only.
"""

from collections.abc import Callable
from contextvars import ContextVar

import httpx
from yarl import URL

from dragoman.models.http.http_client import HttpClient
from dragoman.models.http.http_request import OUR_OWN
from dragoman.models.http.transport import HttpResponse, TransportError


class CallTrace:
    """What went over the wire for one call: its last answer, or how it broke."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.answer: HttpResponse | None = None
        self.fault: TransportError | None = None


CALL_TRACE: ContextVar[CallTrace] = ContextVar("CARRIED")
"""The call that is being answered in this context."""


class LitellmTransport(httpx.AsyncBaseTransport):
    """What litellm takes for the network.

    Args:
        http: Our connections.
        proxy_for: The proxy for an address, or None.
    """

    def __init__(self, http: HttpClient, proxy_for: Callable[[str], str | None]) -> None:
        self._http = http
        self._proxy_for = proxy_for

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request as it is and return the whole answer.

        Raises:
            httpx.TransportError: Where none came; the fault is kept with the call.
        """
        carried, url = CALL_TRACE.get(), str(request.url)
        headers = {n: v for n, v in request.headers.items() if n not in OUR_OWN}
        body, proxy = await request.aread(), self._proxy_for(url)
        address = URL(url, encoded=True)
        try:
            answer = await self._http.post(address, headers, body, proxy, carried.most_bytes)
        except TransportError as fault:
            carried.fault = fault
            raise httpx.TransportError(fault.detail, request=request) from None
        carried.answer, carried.fault = answer, None
        kind = answer.headers.get("Content-Type", "application/json")
        return httpx.Response(answer.status, headers={"Content-Type": kind}, content=answer.body)
