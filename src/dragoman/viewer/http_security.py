"""HTTP security of the viewer: a check of host and origin, and the response headers.

Only this machine gets answers. A content security policy lets pages load their own resources only.
"""

from collections.abc import Awaitable, Callable

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

READING = frozenset({"GET", "HEAD"})

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}

_LOCAL_HOSTS = frozenset({"same-origin", "none"})


def refusal(request: web.Request) -> web.HTTPException | None:
    """Return the reason for refusing a request; None if it is answered."""
    if request.method not in READING:
        return web.HTTPMethodNotAllowed(request.method, READING, text="This server is read-only.")
    port = request.get_extra_info("sockname", ("", 0))[1]
    hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
    if request.headers.get("Host") not in hosts:
        return web.HTTPForbidden(text="This server only answers requests to its local address.")
    origin = request.headers.get("Origin")
    if origin is not None and origin not in {f"http://{host}" for host in hosts}:
        return web.HTTPForbidden(text="Requests from pages of other sites are refused.")
    return (
        None
        if _is_own(request)
        else web.HTTPForbidden(text="Other sites cannot load resources from this server.")
    )


def _is_own(request: web.Request) -> bool:
    """Return whether a page of the viewer, or a person, sends the request.

    Links from other sites may only open pages.
    """
    site = request.headers.get("Sec-Fetch-Site", "none")
    return site in _LOCAL_HOSTS or request.headers.get("Sec-Fetch-Mode") == "navigate"


@web.middleware
async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse requests from other hosts and origins."""
    refused = refusal(request)
    if refused is not None:
        raise refused
    return await handler(request)


async def add_headers(_: web.Request, response: web.StreamResponse) -> None:
    """Add the security headers to every response."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
