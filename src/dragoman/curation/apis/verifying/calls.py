"""Requests of calls: an operation with arguments as what goes over the wire."""

from collections.abc import Mapping
from urllib.parse import quote, urlencode, urlsplit, urlunsplit

import msgspec

from dragoman.core.apis.documents import Operation
from dragoman.curation.apis.stated_values import stated_arguments
from dragoman.web.fetching import FetchRequest

_NOT_OURS = frozenset(
    {
        "host",
        "content-length",
        "transfer-encoding",
        "connection",
        "upgrade",
        "te",
        "trailer",
        "expect",
    }
)
CALLED = frozenset({"GET", "POST"})
"""Methods that are called; others may change something."""

_WHOLE_BODY = "x-whole-body"
"""In the schema of a parameter that is a body as it stands, and no field of one."""


def sample_requests(operation: Operation, most: int) -> list[FetchRequest]:
    """Return requests with values that the operation's document states, and no others.

    Raises:
        ValueError: Where it cannot be called so; the text says why.
    """
    if operation.method not in CALLED:
        raise ValueError(f"{operation.method} is not called: it may change something")
    return [request_of(operation, each) for each in stated_arguments(operation)[:most]]


def request_of(operation: Operation, arguments: Mapping[str, object]) -> FetchRequest:
    """Return the request of a call.

    Raises:
        ValueError: Where a place in the path has no value.
    """
    places = {parameter.name: parameter.place for parameter in operation.parameters}
    whole = {each.name for each in operation.parameters if each.schema.get(_WHOLE_BODY)}
    url, query, headers, body = operation.url, {}, {}, {}
    for name, value in arguments.items():
        match places.get(name, "query"):
            case "path":
                url = url.replace("{" + name + "}", quote(written(value), safe=""))
            case "header":
                headers[name] = _header(name, written(value))
            case "body":
                body[name] = value
            case _:
                query[name] = written(value)
    if "{" in urlsplit(url).path:
        raise ValueError("its document states no value for a place in the path")
    if body:
        headers.setdefault("Content-Type", "application/json")
    sent = next((value for name, value in body.items() if name in whole), body)
    content = msgspec.json.encode(sent) if body else b""
    return FetchRequest(_with_query(url, query), operation.method, headers, content)


def written(value: object) -> str:
    """Return a value as it stands in a path, a query or a header."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ",".join(map(written, value))
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _header(name: str, value: str) -> str:
    if name.lower() in _NOT_OURS or not name.isascii() or not value.isprintable():
        raise ValueError(f"the header {name[:40]!r} is not for a document to set")
    return value


def _with_query(url: str, query: Mapping[str, str]) -> str:
    if not query:
        return url
    parts = urlsplit(url)
    both = "&".join(filter(None, (parts.query, urlencode(query))))
    return urlunsplit(parts._replace(query=both))
