"""HTTP exchanges: one request with its response, and redaction of their secrets.

Secrets are found by the names of headers, parameters and fields, and by value.
"""

import re
from collections.abc import Collection, Mapping
from urllib.parse import parse_qsl, unquote_plus, urlsplit, urlunsplit

import msgspec
from msgspec.structs import replace

from dragoman.core.texts.redaction import REDACTED, SHORTEST_KEY, redact


class HttpExchange(msgspec.Struct, frozen=True, omit_defaults=True):
    """A request and its answer; secrets are removed before one is stored.

    Attributes:
        at: Time in ISO 8601, UTC; "" if a recording does not state it.
        status: The HTTP status; 0 without an answer.
        body: The answer's bytes, cut off at the limit of the fetcher.
        failure: The reason for an incomplete answer ("refused: private address", "timed out after
            10 s", "too large"); "" for a complete one.
        redirects: The addresses of the redirects.
        seconds: Duration in seconds; 0 if unknown.
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


_REDACTED_TEXT = REDACTED.decode()
_WORDS = (
    r"(?:api|app|access|auth|client|private|secret|service|subscription|session|refresh|id"
    r"|csrf|xsrf)"
)
_is_secret = re.compile(
    rf"(?:x[-_])?(?:{_WORDS}[-_]?(?:key|token|secret|id_token|signature)|key|token|secret"
    r"|pass(?:word|wd|code)?"
    r"|pwd|sig(?:nature)?|jwt|bearer|credentials?|authorization|proxy-authorization|cookie"
    r"|set-cookie"
    r"|session(?:[-_]?id)?|sid|ocp-apim-subscription-key|x-amz-[\w-]+|x-rapidapi-key)",
    re.IGNORECASE,
).fullmatch
_JSON_FIELD = re.compile(
    rb'("(?:(?:access|refresh|id|auth|session|api|bearer|csrf|xsrf)[-_]?token|api[-_]?key'
    rb"|apikey|client[-_]?secret"
    rb"|secret[-_]?(?:key|access[-_]?key)?|private[-_]?key|authorization"
    rb'|jwt)"\s*:\s*")((?:[^"\\]|\\.){0,8192})',
    re.IGNORECASE,
)


def is_secret(name: str) -> bool:
    """Return whether the name of a header or parameter implies that its value is a secret."""
    return _is_secret(name) is not None


def redact_exchange(exchange: HttpExchange, keys: Collection[str] = ()) -> HttpExchange:
    """Return an exchange without secrets.

    Args:
        exchange: The exchange as it took place.
        keys: Secrets that are removed by value, in addition to those that the request carried.
    """
    known = tuple(sorted({*keys, *_sent_secrets(exchange)}, key=len, reverse=True))
    return replace(
        exchange,
        url=_redact_known(_redact_url(exchange.url), known),
        request_headers=_redact_headers(exchange.request_headers, known),
        request_body=_redact_body(exchange.request_body, known),
        headers=_redact_headers(exchange.headers, known),
        body=_redact_body(exchange.body, known),
        redirects=tuple(_redact_known(_redact_url(url), known) for url in exchange.redirects),
        failure=_redact_known(exchange.failure, known),
    )


def _sent_secrets(exchange: HttpExchange) -> set[str]:
    """Return the secrets that a request carried; answers may repeat them."""
    query = exchange.url.partition("#")[0].partition("?")[2]
    named = [*exchange.request_headers.items(), *parse_qsl(query)]
    found = {value for name, value in named if is_secret(name)}
    found |= {value.partition(" ")[2] for value in found}
    return {value for value in found if len(value) >= SHORTEST_KEY}


def _redact_headers(headers: Mapping[str, str], known: tuple[str, ...]) -> dict[str, str]:
    return {
        name: _REDACTED_TEXT
        if is_secret(name)
        else _redact_known(_redact_location(name, value), known)
        for name, value in headers.items()
    }


def _redact_location(name: str, value: str) -> str:
    return (
        _redact_url(value) if name.lower() in {"location", "content-location", "referer"} else value
    )


def _redact_url(url: str) -> str:
    """Return an address without credentials and without the values of secret parameters."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url.partition("?")[0].rpartition("@")[2]
    pieces = [_piece(each) for each in parts.query.split("&")]
    return urlunsplit(
        parts._replace(netloc=parts.netloc.rpartition("@")[2], query="&".join(pieces))
    )


def _piece(piece: str) -> str:
    name, equals, _ = piece.partition("=")
    return f"{name}={_REDACTED_TEXT}" if equals and is_secret(unquote_plus(name)) else piece


def _redact_known(text: str, known: tuple[str, ...]) -> str:
    for key in known:
        if len(key) >= SHORTEST_KEY:
            text = text.replace(key, _REDACTED_TEXT)
    return text


def _redact_body(body: bytes, known: tuple[str, ...]) -> bytes:
    return _JSON_FIELD.sub(rb"\1" + REDACTED, redact(body, known)) if body else body
