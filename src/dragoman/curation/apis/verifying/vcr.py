"""Exchanges recorded in the format of VCR (Ruby): YAML that somebody else wrote, read within bounds."""

import base64
import binascii
import codecs
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import TranslatedErrors, decompress
from dragoman.curation.untrusted_yaml import load_yaml
from dragoman.web.exchange import HttpExchange, redact_exchange

MOST_BYTES = 64 << 20
"""Bytes of one file."""

MOST_BODY = 16 << 20
"""Bytes of one body, unpacked."""

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
    """Return the exchanges of a file, without secrets.

    Raises:
        DataError: Where it cannot be read or is no cassette.
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
    """Return the exchanges of a cassette that was read as plain values.

    Raises:
        DataError: Where it is none.
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
    """Return a body as it came over the wire; unpacked, where it was kept compressed."""
    if body is None or isinstance(body, str):
        content = (body or "").encode()
    elif body.base64_string is not None:
        content = _base64(body.base64_string)
    elif isinstance(body.string, bytes):
        content = body.string
    else:
        content = _encoded("" if body.string is None else str(body.string), body.encoding or "")
    with TranslatedErrors(DataError, "a body cannot be unpacked"):
        content = decompress(content, MOST_BODY) if content.startswith(_GZIP) else content
    if len(content) > MOST_BODY:
        raise DataError(f"a body of more than {MOST_BODY:,} bytes")
    return content


def _encoded(text: str, encoding: str) -> bytes:
    """Return the bytes that Ruby showed as a text; what another encoding cannot hold is in UTF-8."""
    try:
        return text.encode(codecs.lookup(encoding).name)
    except (LookupError, ValueError):
        return text.encode()


def _base64(text: str) -> bytes:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except binascii.Error as error:
        raise DataError("a !binary that is no base64") from error
