"""HTTP download of one file whose size is known, with bounds on bytes, time and redirects.

A module of its own, imported on demand, because the network libraries load slowly.
"""

import gzip
import http.client
import io
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable
from typing import IO
from urllib.parse import urlsplit

from dragoman.core.errors import DataError

_CHUNK = 1 << 16
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_TIME_LIMIT = 20
_MAX_REASON = 200

# ValueError and OverflowError: what a redirect's address may hold.
_BROKEN = (OSError, http.client.HTTPException, EOFError, zlib.error, ValueError, OverflowError)


def download(url: str, size: int, *, timeout: float, arrived: Callable[[int], None]) -> bytes:
    """Return the body of an answer, cut off one byte after the expected size.

    Args:
        url: An http or https address; redirects may only lead to such.
        size: The bytes that the file has.
        timeout: Seconds to wait for a connection and for each part of the body; the whole body
            may take 20 times as long.
        arrived: Callback with the number of bytes that have arrived so far.

    Raises:
        DataError: If no complete answer came; the message has the address and the reason.
    """
    try:
        return _body(url, size, timeout, arrived)
    except urllib.error.HTTPError as error:
        error.close()
        raise _failure(url, error) from error
    except urllib.error.URLError as error:
        raise _failure(url, error.reason) from error
    except _BROKEN as error:
        raise _failure(url, error) from error


def _failure(url: str, reason: object) -> DataError:
    # A server's own words may hold line breaks and terminal codes.
    text = "".join(letter if letter.isprintable() else " " for letter in str(reason))
    shown = " ".join(text.split())[:_MAX_REASON] or type(reason).__name__
    return DataError(
        f"{url} cannot be fetched ({shown}): try again, give another address with --url URL "
        "or a local copy with --from DIR"
    )


def _body(url: str, size: int, timeout: float, arrived: Callable[[int], None]) -> bytes:
    headers = {"User-Agent": "dragoman", "Accept-Encoding": "gzip, identity"}
    # The opener knows HTTP only.
    request = urllib.request.Request(url, headers=headers)  # noqa: S310
    with opener_for(url).open(request, timeout=timeout) as response:
        encoding = response.headers.get("Content-Encoding", "identity").lower()
        if encoding not in {"gzip", "identity"}:
            raise http.client.HTTPException(f"unknown content encoding {encoding}")
        packed = encoding == "gzip"
        # Packing may add a little to what it cannot make smaller.
        limit = size + 1 + packed * (size // 1000 + 1000)
        body = _drain(response, limit, time.monotonic() + _TIME_LIMIT * timeout, arrived)
    return gzip.GzipFile(fileobj=io.BytesIO(body)).read(size + 1) if packed else body


def _drain(
    response: http.client.HTTPResponse,
    limit: int,
    deadline: float,
    arrived: Callable[[int], None],
) -> bytes:
    body = bytearray()
    while chunk := response.read1(min(_CHUNK, limit - len(body))):
        body += chunk
        arrived(len(body))
        if len(body) >= limit:
            return bytes(body)
        if time.monotonic() > deadline:
            raise TimeoutError("the body takes too long")
    if response.length:  # `read1` does not say that the connection ended early
        raise http.client.IncompleteRead(bytes(body), response.length)
    return bytes(body)


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects without reading their bodies, which may be of any length."""

    def http_error_302(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
    ) -> object:
        fp.close()
        return super().http_error_302(req, fp, code, msg, headers)

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def opener_for(url: str) -> urllib.request.OpenerDirector:
    """Return an opener without the handlers for files and FTP, so that no redirect leads there."""
    proxies = {} if urlsplit(url).hostname in _LOOPBACK else urllib.request.getproxies()
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler({k: v for k, v in proxies.items() if k in {"http", "https"}}),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        _Redirects(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener
