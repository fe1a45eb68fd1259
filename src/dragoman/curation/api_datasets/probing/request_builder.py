"""HTTP requests for operation calls: parameter styles, bodies and sample arguments.

Styles are those of OpenAPI 3 and the collection formats of Swagger 2.0. OpenAPI defines its styles
by URI templates (RFC 6570). No library is used. Libraries for URI templates lack `deepObject` and
the delimited styles and expand whole templates, and OpenAPI clients have their own models.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from urllib.parse import quote, quote_plus, urlsplit, urlunsplit

import msgspec

from dragoman.core.apis.documents import (
    WHOLE_BODY,
    ApiParameter,
    ConfiguredParameter,
    Operation,
    Serialization,
)
from dragoman.curation.api_datasets.parameter_values import documented_arguments
from dragoman.web.fetcher import FetchRequest

_SEPARATORS = {"spaceDelimited": "%20", "pipeDelimited": "%7C", "tabDelimited": "%09"}
_RESERVED = ":/?@!$'()*,;"
"""Reserved characters that are sent unencoded if a document allows it.

`#[]&=+` are excluded because they would split the query.
"""

_DEEPEST = 10


def as_string(value: object) -> str:
    """Return a value as text in a path, a query or a header, without a name."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return ",".join(map(as_string, value))
    if isinstance(value, dict):
        return as_json(value)
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def as_json(value: object) -> str:
    """Return a value as JSON."""
    return msgspec.json.encode(value).decode()


def query_parameter(name: str, value: object, how: Serialization | None) -> str:
    """Return a parameter's part of a query, "" for none; several parts are joined by `&`."""
    if how is None:
        return f"{quote_plus(name)}={quote_plus(as_string(value))}"
    key = quote(name, safe="")
    if how.media_type:
        return f"{key}={quote(as_media(value, how.media_type), safe='')}"
    safe = _RESERVED if how.allow_reserved else ""
    if how.style == "deepObject" and isinstance(value, dict):
        return "&".join(_deep(key, value, safe))
    return "&".join(_form_style(key, value, how, safe))


def path_parameter(name: str, value: object, how: Serialization | None) -> str:
    """Return the text that replaces a parameter's name in braces in a path."""
    if how is not None and how.media_type:
        return quote(as_media(value, how.media_type), safe="")
    if how is None or how.style == "simple":
        return _simple(value, quoted=True, explode=how is not None and how.explode)
    key = quote(name, safe="")
    is_parted = isinstance(value, list | tuple | dict)
    if how.style == "matrix":
        if is_parted and how.explode:
            return "".join(f";{part}" for part in _format_exploded(key, value, ""))
        said = _simple(value, quoted=True, explode=False)
        return f";{key}={said}" if said else f";{key}"
    said = _simple(value, quoted=True, explode=how.explode)
    return "." + (said.replace(",", ".") if is_parted and how.explode else said)


def header_value(value: object, how: Serialization | None) -> str:
    """Return the value of a header; nothing is escaped in headers."""
    if how is not None and how.media_type:
        return as_media(value, how.media_type)
    return _simple(value, quoted=False, explode=how is not None and how.explode)


def form_fields(fields: Mapping[str, tuple[object, Serialization | None]]) -> bytes:
    """Return the fields of a form as `application/x-www-form-urlencoded`.

    Arrays and objects are exploded unless the document says otherwise, as in OpenAPI.
    """
    usual = Serialization("form", explode=True)
    parts = [query_parameter(name, value, how or usual) for name, (value, how) in fields.items()]
    return "&".join(filter(None, parts)).replace("%20", "+").encode()


def as_media(value: object, media_type: str) -> str:
    """Return a value in a media type: as JSON, or as unchanged text.

    Raises:
        ValueError: For an array or object in a media type other than JSON.
    """
    if "json" in media_type:
        return as_json(value)
    if isinstance(value, list | tuple | dict):
        raise ValueError(  # noqa: TRY004 - of the document, not of a caller
            f"a value in {media_type[:60]} is sent only where its document states it as text"
        )
    return as_string(value)


def _form_style(key: str, value: object, how: Serialization, safe: str) -> Iterable[str]:
    if isinstance(value, list | tuple | dict):
        if not value:
            return ()
        if how.explode:
            return _format_exploded(key, value, safe)
        separator = _SEPARATORS.get(how.style, ",")
        return (f"{key}={separator.join(_quote_parts(value, safe))}",)
    return (f"{key}={quote(as_string(value), safe=safe)}",)


def _format_exploded(key: str, value: object, safe: str) -> Iterable[str]:
    if isinstance(value, dict):
        return [
            f"{quote(str(name), safe='')}={quote(as_string(each), safe=safe)}"
            for name, each in value.items()
        ]
    parts: Sequence[object] = value if isinstance(value, list | tuple) else (value,)
    return [f"{key}={quote(as_string(each), safe=safe)}" for each in parts]


def _deep(key: str, value: object, safe: str, depth: int = 0) -> Iterable[str]:
    """Yield a query part for each value that is neither an object nor an array.

    OpenAPI leaves the notation of nested values open; the parts follow the `qs` library.
    """
    if depth < _DEEPEST and isinstance(value, dict):
        for name, each in value.items():
            yield from _deep(f"{key}%5B{quote(str(name), safe='')}%5D", each, safe, depth + 1)
    elif depth < _DEEPEST and isinstance(value, list | tuple):
        for each in value:
            yield from _deep(key, each, safe, depth + 1)
    else:
        yield f"{key}={quote(as_string(value), safe=safe)}"


def _quote_parts(value: object, safe: str) -> list[str]:
    parts = (
        [part for pair in value.items() for part in pair]
        if isinstance(value, dict)
        else value
        if isinstance(value, list | tuple)
        else [value]
    )
    return [quote(as_string(each), safe=safe) for each in parts]


def _simple(value: object, *, quoted: bool, explode: bool) -> str:
    def said(each: object) -> str:
        return quote(as_string(each), safe="") if quoted else as_string(each)

    if isinstance(value, dict):
        if explode:
            return ",".join(f"{said(name)}={said(each)}" for name, each in value.items())
        return ",".join(said(part) for pair in value.items() for part in pair)
    if isinstance(value, list | tuple):
        return ",".join(map(said, value))
    return said(value)


JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
_ESCAPED = str.maketrans({'"': "%22", "\r": "%0D", "\n": "%0A"})
"""Escapes of these characters in the names of parts, as browsers write them."""


class Body(msgspec.Struct, frozen=True):
    """The bytes of a body, and its `Content-Type`."""

    content: bytes
    content_type: str


def encode_body(
    fields: Mapping[str, object],
    described: Mapping[str, ApiParameter],
    media_type: str,
    *,
    whole: bool,
) -> Body:
    """Encode a body.

    Args:
        fields: Its fields by name; a single one if it is the whole body.
        described: The parameters of these values.
        media_type: The media type of the body; "" for JSON.
        whole: Whether the single field is the whole body.

    Raises:
        ValueError: If the media type is not supported for the value.
    """
    kind = media_type or JSON
    plain = kind.partition(";")[0].strip()
    value: object = next(iter(fields.values())) if whole else fields
    if plain == JSON or plain.endswith(("+json", "/json")):
        return Body(msgspec.json.encode(value), kind)
    if plain == FORM:
        return Body(_form_body(value, described, whole=whole), kind)
    if plain == MULTIPART:
        return _multipart(value, described, whole=whole)
    if isinstance(value, dict | list | tuple):
        said = f"a body in {plain[:60]} is sent only where its document states it as text"
        raise ValueError(said)  # noqa: TRY004 - of the document, not of a caller
    return Body(as_string(value).encode(), kind)


def _form_body(value: object, described: Mapping[str, ApiParameter], *, whole: bool) -> bytes:
    if not isinstance(value, dict):
        return as_string(value).encode()
    return form_fields(
        {
            name: (each, described[name].serialization if not whole and name in described else None)
            for name, each in value.items()
        }
    )


def _multipart(value: object, described: Mapping[str, ApiParameter], *, whole: bool) -> Body:
    """Encode fields as parts (RFC 7578), with a boundary derived from them.

    Equal fields give equal bytes, so that a recorded call is found again. The writers of HTTP
    libraries draw a random boundary and write to a connection.
    """
    if not isinstance(value, dict):
        raise ValueError(f"a body in {MULTIPART} has fields, and its document states none")  # noqa: TRY004
    border = sha256(msgspec.json.encode(value, order="sorted")).hexdigest()[:32]
    content = b"".join(
        f"--{border}\r\n".encode() + _part(name, part, None if whole else described.get(name))
        for name, each in value.items()
        for part in (each if isinstance(each, list | tuple) else (each,))
    )
    return Body(content + f"--{border}--\r\n".encode(), f"{MULTIPART}; boundary={border}")


def _part(name: str, value: object, parameter: ApiParameter | None) -> bytes:
    how = parameter.serialization if parameter else None
    is_file = parameter is not None and _is_file(parameter.schema)
    kind = how.media_type if how is not None else ""
    kind = kind or (
        JSON if isinstance(value, dict) else "application/octet-stream" if is_file else ""
    )
    said = as_media(value, kind) if kind and not is_file else as_string(value)
    plain = name.translate(_ESCAPED)
    head = f'Content-Disposition: form-data; name="{plain}"'
    head += f'; filename="{plain}"' if is_file else ""
    head += f"\r\nContent-Type: {kind}" if kind else ""
    return f"{head}\r\n\r\n{said}\r\n".encode()


def _is_file(schema: Mapping[str, object]) -> bool:
    """Return whether a field is a file, in the notation of either version.

    An array is a file if its items are.
    """
    inner = schema.get("items")
    kinds: Iterable[object] = (schema, inner if isinstance(inner, dict) else {})
    return any(
        each.get("format") == "binary" or "contentMediaType" in each
        for each in kinds
        if isinstance(each, dict)
    )


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
"""Methods that are called; other methods may change something."""

_PLACE = re.compile(r"\{([^{}]{1,100})\}")


def sample_arguments(operation: Operation, most: int) -> list[dict[str, object]]:
    """Return sets of arguments with only the values that the operation's document states.

    Raises:
        ValueError: If it cannot be called with them; the text gives the reason.
    """
    if operation.method not in CALLED:
        raise ValueError(f"{operation.method} is not called: it may change something")
    return documented_arguments(operation)[:most]


def build_request(
    operation: Operation,
    arguments: Mapping[str, object],
    configured: Mapping[str, object] | None = None,
) -> FetchRequest:
    """Build the request of a call; values are written as its document says.

    Args:
        operation: The operation to call.
        arguments: Its values by the names of its parameters.
        configured: Fields of its body that no task holds.

    Raises:
        ValueError: If a placeholder in the path has no value, or if a body cannot be encoded.
    """
    described = {parameter.name: parameter for parameter in operation.parameters}
    url, query, headers = operation.url, list[str](), dict[str, str]()
    body: dict[str, object] = dict(configured or {})
    for name, value in arguments.items():
        parameter = described.get(name)
        how = parameter.serialization if parameter else None
        match parameter.place if parameter else "query":
            case "path":
                url = url.replace("{" + name + "}", path_parameter(name, value, how))
            case "header":
                headers[name] = _header(name, header_value(value, how))
            case "body":
                body[name] = value
            case _:
                query.append(query_parameter(name, value, how))
    require_filled_address(url, operation.configuration)
    content = b""
    if body:
        whole = any(name in described and described[name].schema.get(WHOLE_BODY) for name in body)
        made = encode_body(body, described, operation.media_type, whole=whole)
        headers.setdefault("Content-Type", made.content_type)
        content = made.content
    return FetchRequest(_with_query(url, query), operation.method, headers, content)


def require_filled_address(url: str, configuration: Sequence[ConfiguredParameter] = ()) -> None:
    """Require that an address has no unfilled placeholder, except configured parameters.

    Raises:
        ValueError: If it has one; the text names it.
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
