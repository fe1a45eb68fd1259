"""Requests of calls: an operation with arguments as what goes over the wire."""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit, urlunsplit

from dragoman.core.apis.documents import WHOLE_BODY, ConfiguredParameter, Operation
from dragoman.curation.apis.stated_values import stated_arguments
from dragoman.curation.apis.verifying.bodies import body_of
from dragoman.curation.apis.verifying.serialization import header_of, path_of, query_of
from dragoman.web.fetcher import FetchRequest

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

_PLACE = re.compile(r"\{([^{}]{1,100})\}")


def sample_arguments(operation: Operation, most: int) -> list[dict[str, object]]:
    """Return sets of values that the operation's document states, and no others.

    Raises:
        ValueError: Where it cannot be called so; the text says why.
    """
    if operation.method not in CALLED:
        raise ValueError(f"{operation.method} is not called: it may change something")
    return stated_arguments(operation)[:most]


def request_of(
    operation: Operation,
    arguments: Mapping[str, object],
    configured: Mapping[str, object] | None = None,
) -> FetchRequest:
    """Return the request of a call, as its document says that values are written.

    Args:
        operation: What is called.
        arguments: Its values by the names of its parameters.
        configured: Fields of its body that no task holds.

    Raises:
        ValueError: Where a place in the path has no value, or a body cannot be written.
    """
    described = {parameter.name: parameter for parameter in operation.parameters}
    url, query, headers = operation.url, list[str](), dict[str, str]()
    body: dict[str, object] = dict(configured or {})
    for name, value in arguments.items():
        parameter = described.get(name)
        how = parameter.serialization if parameter else None
        match parameter.place if parameter else "query":
            case "path":
                url = url.replace("{" + name + "}", path_of(name, value, how))
            case "header":
                headers[name] = _header(name, header_of(value, how))
            case "body":
                body[name] = value
            case _:
                query.append(query_of(name, value, how))
    refuse_open(url, operation.configuration)
    content = b""
    if body:
        whole = any(name in described and described[name].schema.get(WHOLE_BODY) for name in body)
        made = body_of(body, described, operation.media_type, whole=whole)
        headers.setdefault("Content-Type", made.content_type)
        content = made.content
    return FetchRequest(_with_query(url, query), operation.method, headers, content)


def refuse_open(url: str, configuration: Sequence[ConfiguredParameter] = ()) -> None:
    """See that an address has no place that nothing fills, but for what a caller configures.

    Raises:
        ValueError: Where it has one; the text names it.
    """
    filled = {each.name for each in configuration if each.place == "path"}
    parts = urlsplit(url)
    missing = [name for name in _PLACE.findall(parts.netloc + parts.path) if name not in filled]
    if missing:
        raise ValueError(
            f"its document states no value for a place in the path: {missing[0][:60]!r}"
        )


def _header(name: str, value: str) -> str:
    if name.lower() in _NOT_OURS or not name.isascii() or not value.isprintable():
        raise ValueError(f"the header {name[:40]!r} is not for a document to set")
    return value


def _with_query(url: str, query: Sequence[str]) -> str:
    added = [each for each in query if each]
    if not added:
        return url
    parts = urlsplit(url)
    both = "&".join(filter(None, (parts.query, *added)))
    return urlunsplit(parts._replace(query=both))
