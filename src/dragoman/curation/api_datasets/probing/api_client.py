"""API client for all steps that make calls: over the guarded network or from cassettes.

Cassettes are recorded exchanges: those of a dataset, or YAML files of VCR (Ruby).
"""

import base64
import binascii
import codecs
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import msgspec

from dragoman.core.errors import DataError, UsageError
from dragoman.core.texts.decoding import TranslatedErrors, decompress
from dragoman.curation.api_datasets.probing.api_keys import keys_from_environment
from dragoman.curation.api_datasets.probing.responses import EXCHANGE
from dragoman.curation.api_datasets.probing.verify import Fetch
from dragoman.curation.untrusted_yaml import load_yaml
from dragoman.store.dataset import FILE, Dataset
from dragoman.web.address_guard import why_blocked, why_blocked_locally
from dragoman.web.crawl_policy import CrawlPolicy, PoliteFetcher
from dragoman.web.exchange import HttpExchange, redact_exchange
from dragoman.web.fetcher import Fetcher, FetchLimits, FetchRequest

MOST_BYTES = 64 << 20
"""Largest file, in bytes."""

MOST_BODY = 16 << 20
"""Largest body, in bytes, uncompressed."""

_GZIP = b"\x1f\x8b"


class _Body(msgspec.Struct):
    encoding: str | None = None
    string: Any = None
    base64_string: str | None = None


class _Request(msgspec.Struct):
    method: str
    uri: str
    body: _Body | str | None = None
    headers: dict[str, Any] = {}


class _Status(msgspec.Struct):
    code: int


class _Response(msgspec.Struct):
    status: _Status
    body: _Body | str | None = None
    headers: dict[str, Any] = {}


class _Interaction(msgspec.Struct):
    request: _Request
    response: _Response
    recorded_at: str = ""


class _Cassette(msgspec.Struct):
    http_interactions: list[_Interaction]


def read_vcr(path: Path) -> list[HttpExchange]:
    """Return the exchanges in a file, without secrets.

    Raises:
        DataError: If the file cannot be read or is not a cassette.
    """
    with TranslatedErrors(DataError, f"{path}: it cannot be read"):
        size = path.stat().st_size
        content = path.read_bytes() if size <= MOST_BYTES else b""
        if size > MOST_BYTES:
            raise DataError(f"{path}: more than {MOST_BYTES:,} bytes")
        text = content.decode("utf-8-sig")
    try:
        tags = {"!binary": _base64, "tag:yaml.org,2002:binary": _base64}
        return vcr_exchanges(load_yaml(text, tags))
    except DataError as error:
        raise DataError(f"{path}: {error}") from error


def vcr_exchanges(value: object) -> list[HttpExchange]:
    """Return the exchanges of a parsed cassette, without secrets.

    Raises:
        DataError: If the value is not a cassette.
    """
    try:
        cassette = msgspec.convert(value, _Cassette)
    except msgspec.ValidationError as error:
        raise DataError(f"no cassette of VCR ({error})") from error
    return [redact_exchange(_exchange(each)) for each in cassette.http_interactions]


def _exchange(recorded: _Interaction) -> HttpExchange:
    request, response = recorded.request, recorded.response
    return HttpExchange(
        request.method.upper(),
        request.uri,
        _headers(request.headers, lower=False),
        _bytes(request.body),
        response.status.code,
        _headers(response.headers, lower=True),
        _bytes(response.body),
        recorded.recorded_at,
    )


def _headers(headers: Mapping[str, Any], *, lower: bool) -> dict[str, str]:
    return {
        (name.lower() if lower else name): ", ".join(map(str, value))
        if isinstance(value, list)
        else str(value)
        for name, value in headers.items()
    }


def _bytes(body: _Body | str | None) -> bytes:
    """Return a body as bytes; a compressed one is uncompressed."""
    if body is None or isinstance(body, str):
        content = (body or "").encode()
    elif body.base64_string is not None:
        content = _base64(body.base64_string)
    elif isinstance(body.string, bytes):
        content = body.string
    else:
        content = _encode_ruby_text(
            "" if body.string is None else str(body.string), body.encoding or ""
        )
    with TranslatedErrors(DataError, "a body cannot be unpacked"):
        content = decompress(content, MOST_BODY) if content.startswith(_GZIP) else content
    if len(content) > MOST_BODY:
        raise DataError(f"a body of more than {MOST_BODY:,} bytes")
    return content


def _encode_ruby_text(text: str, encoding: str) -> bytes:
    """Return the bytes that Ruby wrote as text.

    Text that the named encoding cannot hold is encoded in UTF-8.
    """
    try:
        return text.encode(codecs.lookup(encoding).name)
    except (LookupError, ValueError):
        return text.encode()


def _base64(text: str) -> bytes:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except binascii.Error as error:
        raise DataError("a !binary that is no base64") from error


_Key = tuple[str, str, tuple[tuple[str, str], ...], bytes]


class Cassettes:
    """A client that answers requests from recorded exchanges.

    Of several equal requests the last one counts.

    Args:
        exchanges: The recorded exchanges, without secrets.
    """

    def __init__(self, exchanges: Iterable[HttpExchange]) -> None:
        self._by_key = {_key(each): each for each in exchanges}

    def __len__(self) -> int:
        """Return the number of different requests that it can answer."""
        return len(self._by_key)

    async def fetch(self, request: FetchRequest, at: str = "") -> HttpExchange:  # noqa: ARG002
        """Return the recorded exchange, or a failed exchange if none was recorded."""
        asked = HttpExchange(request.method, request.url, dict(request.headers), request.body)
        found = self._by_key.get(_key(redact_exchange(asked)))
        if found is not None:
            return found
        return HttpExchange(
            *(asked.method, asked.url, asked.request_headers, asked.request_body),
            failure="unasked: no cassette has this request",
        )


def open_cassettes(path: Path) -> Cassettes:
    """Read cassettes: a dataset's exchanges, a file of VCR, or a folder of such files.

    Raises:
        UsageError: If no cassette is found.
        DataError: If a file is not a cassette.
        StoreError: If a dataset cannot be read.
    """
    if (path / FILE).is_file():
        with Dataset(path, write=False) as dataset:
            return Cassettes(item.record(HttpExchange) for item in dataset.items(EXCHANGE))
    files = sorted(each for each in path.glob("*") if each.suffix in {".yml", ".yaml"})
    files = files or ([path] if path.is_file() else [])
    if not files:
        raise UsageError(f"{path}: no cassettes: name a dataset, a file of VCR or a folder of them")
    return Cassettes(exchange for file in files for exchange in read_vcr(file))


def _key(exchange: HttpExchange) -> _Key:
    """Return the key of a request.

    It consists of the method, the address, the parameters in any order, and the body.
    """
    try:
        parts = urlsplit(exchange.url)
    except ValueError:
        return exchange.method, exchange.url, (), exchange.request_body
    query = tuple(sorted(parse_qsl(parts.query, keep_blank_values=True)))
    place = f"{parts.scheme}://{parts.netloc.lower()}{parts.path or '/'}"
    return exchange.method, place, query, exchange.request_body


class CallOptions(msgspec.Struct, frozen=True):
    """Options of calls.

    Attributes:
        allow_local: Whether loopback and private addresses may be called.
        concurrency: Operations under way at the same time.
        seconds: Longest time for a whole response, in seconds.
        most_bytes: Largest body, in bytes.
        pause: Seconds between two requests to one host.
        cassettes: Recorded exchanges that replace the network.
        keys: Names of environment variables by "HOST/NAME"; their values are sent to that host.
    """

    allow_local: bool = False
    concurrency: int = 16
    seconds: float = 20.0
    most_bytes: int = 2_000_000
    pause: float = 0.5
    cassettes: Path | None = None
    keys: dict[str, str] = {}

    def __post_init__(self) -> None:
        """Validate the options.

        Raises:
            UsageError: If an option is invalid.
        """
        least = {"concurrency": self.concurrency, "max-bytes": self.most_bytes}
        for option, number in least.items():
            if number < 1:
                raise UsageError(f"--{option} {number}: at least 1")
        if not self.seconds > 0:
            raise UsageError(f"--timeout {self.seconds:g}: more than 0")
        if not self.pause >= 0:
            raise UsageError(f"--pause {self.pause:g}: at least 0")


class ApiClient:
    """A client for APIs that uses cassettes, or the network through the guard.

    It must be opened before its first request.

    Args:
        terms: The options of calls.

    Attributes:
        keys: The keys that calls carry.

    Raises:
        UsageError: If the environment lacks a key.
    """

    def __init__(self, terms: CallOptions) -> None:
        # Recorded requests contain no keys.
        self.keys = () if terms.cassettes else keys_from_environment(terms.keys)
        self._terms = terms
        self._fetch: Fetch | None = None

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Open the client for the duration of the context.

        Raises:
            UsageError: If no cassette is found.
            DataError: If a file is not a cassette.
        """
        terms = self._terms
        if terms.cassettes is not None:
            self._fetch = open_cassettes(terms.cassettes).fetch
            yield
            return
        limits = FetchLimits(terms.seconds, terms.most_bytes)
        refuses = why_blocked_locally if terms.allow_local else why_blocked
        async with Fetcher(limits, refuses) as fetcher:
            self._fetch = PoliteFetcher(fetcher, CrawlPolicy(terms.pause)).fetch
            yield

    async def fetch(self, request: FetchRequest, at: str = "") -> HttpExchange:
        """Return the response, as `PoliteFetcher.fetch` and cassettes do."""
        if self._fetch is None:
            raise RuntimeError("open the client before its first request")
        return await self._fetch(request, at)
