"""One request over HTTP and what came back."""

import msgspec


class HttpExchange(msgspec.Struct, frozen=True, omit_defaults=True):
    """A request and its answer; secrets are taken out before one is stored.

    Attributes:
        at: When, in ISO 8601, UTC; "" where a recording does not say.
        status: The HTTP status; 0 where nothing was answered.
        body: The answer's bytes, cut off at the limit that was set.
        failure: Why there is no whole answer ("refused: private address", "timed out after 10 s", "too
            large"); "" for none.
        redirects: The addresses that were passed on the way.
        seconds: How long it took; 0 where unknown.
    """

    method: str
    url: str
    request_headers: dict[str, str] = {}
    request_body: bytes = b""
    status: int = 0
    headers: dict[str, str] = {}
    body: bytes = b""
    at: str = ""
    failure: str = ""
    redirects: tuple[str, ...] = ()
    seconds: float = 0.0
