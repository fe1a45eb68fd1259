"""Takes what is secret out of exchanges before they are stored, by the names of fields and by value."""

import re
from collections.abc import Collection, Mapping
from urllib.parse import parse_qsl, unquote_plus, urlsplit, urlunsplit

from msgspec.structs import replace

from dragoman.core.apis.exchanges import HttpExchange
from dragoman.core.texts.hidden_keys import HIDDEN, SHORTEST_KEY, hidden

_HIDDEN = HIDDEN.decode()
_WORDS = r"(?:api|app|access|auth|client|private|secret|service|subscription|session|refresh|id|csrf|xsrf)"
_is_secret = re.compile(
    rf"(?:x[-_])?(?:{_WORDS}[-_]?(?:key|token|secret|id_token|signature)|key|token|secret|pass(?:word|wd|code)?"
    r"|pwd|sig(?:nature)?|jwt|bearer|credentials?|authorization|proxy-authorization|cookie|set-cookie"
    r"|session(?:[-_]?id)?|sid|ocp-apim-subscription-key|x-amz-[\w-]+|x-rapidapi-key)",
    re.IGNORECASE,
).fullmatch
_JSON_FIELD = re.compile(
    rb'("(?:(?:access|refresh|id|auth|session|api|bearer|csrf|xsrf)[-_]?token|api[-_]?key|apikey|client[-_]?secret'
    rb'|secret[-_]?(?:key|access[-_]?key)?|private[-_]?key|authorization|jwt)"\s*:\s*")((?:[^"\\]|\\.){0,8192})',
    re.IGNORECASE,
)


def is_secret(name: str) -> bool:
    """Whether the name of a header or of a parameter says that its value is a secret."""
    return _is_secret(name) is not None


def redacted(exchange: HttpExchange, keys: Collection[str] = ()) -> HttpExchange:
    """Return an exchange without secrets.

    Args:
        exchange: As it was.
        keys: Secrets known by value; so are those that its request carried.
    """
    known = tuple(sorted({*keys, *_sent(exchange)}, key=len, reverse=True))
    return replace(
        exchange,
        url=_plain(_without(exchange.url), known),
        request_headers=_headers(exchange.request_headers, known),
        request_body=_body(exchange.request_body, known),
        headers=_headers(exchange.headers, known),
        body=_body(exchange.body, known),
        redirects=tuple(_plain(_without(url), known) for url in exchange.redirects),
        failure=_plain(exchange.failure, known),
    )


def _sent(exchange: HttpExchange) -> set[str]:
    """Return the secrets that a request carried, which answers repeat."""
    query = exchange.url.partition("#")[0].partition("?")[2]
    named = [*exchange.request_headers.items(), *parse_qsl(query)]
    found = {value for name, value in named if is_secret(name)}
    found |= {value.partition(" ")[2] for value in found}
    return {value for value in found if len(value) >= SHORTEST_KEY}


def _headers(headers: Mapping[str, str], known: tuple[str, ...]) -> dict[str, str]:
    return {
        name: _HIDDEN if is_secret(name) else _plain(_located(name, value), known)
        for name, value in headers.items()
    }


def _located(name: str, value: str) -> str:
    return _without(value) if name.lower() in {"location", "content-location", "referer"} else value


def _without(url: str) -> str:
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
    return f"{name}={_HIDDEN}" if equals and is_secret(unquote_plus(name)) else piece


def _plain(text: str, known: tuple[str, ...]) -> str:
    for key in known:
        if len(key) >= SHORTEST_KEY:
            text = text.replace(key, _HIDDEN)
    return text


def _body(body: bytes, known: tuple[str, ...]) -> bytes:
    return _JSON_FIELD.sub(rb"\1" + HIDDEN, hidden(body, known)) if body else body
