"""Values as they stand in requests: the styles of OpenAPI 3 and the collection formats of Swagger 2.0.

OpenAPI defines its styles by URI templates (RFC 6570). Their libraries have neither `deepObject` nor the
delimited styles and expand whole templates, and clients of OpenAPI bring models of their own; what is
needed is a page.
"""

from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote, quote_plus

import msgspec

from dragoman.core.apis.documents import Serialization

_SEPARATORS = {"spaceDelimited": "%20", "pipeDelimited": "%7C", "tabDelimited": "%09"}
_RESERVED = ":/?@!$'()*,;"
"""Reserved signs that are sent as they are where a document allows it; `#[]&=+` would part the query."""

_DEEPEST = 10


def written(value: object) -> str:
    """Return a value as it stands in a path, a query or a header, by itself."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return ",".join(map(written, value))
    if isinstance(value, dict):
        return as_json(value)
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def as_json(value: object) -> str:
    """Return a value as JSON."""
    return msgspec.json.encode(value).decode()


def query_of(name: str, value: object, how: Serialization | None) -> str:
    """Return what a parameter adds to a query, "" for nothing: parts joined by `&`."""
    if how is None:
        return f"{quote_plus(name)}={quote_plus(written(value))}"
    key = quote(name, safe="")
    if how.media_type:
        return f"{key}={quote(as_media(value, how.media_type), safe='')}"
    safe = _RESERVED if how.allow_reserved else ""
    if how.style == "deepObject" and isinstance(value, dict):
        return "&".join(_deep(key, value, safe))
    return "&".join(_form(key, value, how, safe))


def path_of(name: str, value: object, how: Serialization | None) -> str:
    """Return what stands in a path for a parameter's name in braces."""
    if how is not None and how.media_type:
        return quote(as_media(value, how.media_type), safe="")
    if how is None or how.style == "simple":
        return _simple(value, quoted=True, explode=how is not None and how.explode)
    key = quote(name, safe="")
    is_parted = isinstance(value, list | tuple | dict)
    if how.style == "matrix":
        if is_parted and how.explode:
            return "".join(f";{part}" for part in _exploded(key, value, ""))
        said = _simple(value, quoted=True, explode=False)
        return f";{key}={said}" if said else f";{key}"
    said = _simple(value, quoted=True, explode=how.explode)
    return "." + (said.replace(",", ".") if is_parted and how.explode else said)


def header_of(value: object, how: Serialization | None) -> str:
    """Return what a header carries: nothing is escaped there."""
    if how is not None and how.media_type:
        return as_media(value, how.media_type)
    return _simple(value, quoted=False, explode=how is not None and how.explode)


def form_fields(fields: Mapping[str, tuple[object, Serialization | None]]) -> bytes:
    """Return the fields of a form as `application/x-www-form-urlencoded`.

    Arrays and objects are exploded where nothing else is said, as OpenAPI has it.
    """
    usual = Serialization("form", explode=True)
    parts = [query_of(name, value, how or usual) for name, (value, how) in fields.items()]
    return "&".join(filter(None, parts)).replace("%20", "+").encode()


def as_media(value: object, media_type: str) -> str:
    """Return a value in a media type: as JSON, or a text as it is.

    Raises:
        ValueError: For a value with parts in what is no JSON.
    """
    if "json" in media_type:
        return as_json(value)
    if isinstance(value, list | tuple | dict):
        raise ValueError(  # noqa: TRY004 - of the document, not of a caller
            f"a value in {media_type[:60]} is sent only where its document states it as text"
        )
    return written(value)


def _form(key: str, value: object, how: Serialization, safe: str) -> Iterable[str]:
    if isinstance(value, list | tuple | dict):
        if not value:
            return ()
        if how.explode:
            return _exploded(key, value, safe)
        separator = _SEPARATORS.get(how.style, ",")
        return (f"{key}={separator.join(_quoted(value, safe))}",)
    return (f"{key}={quote(written(value), safe=safe)}",)


def _exploded(key: str, value: object, safe: str) -> Iterable[str]:
    if isinstance(value, dict):
        return [
            f"{quote(str(name), safe='')}={quote(written(each), safe=safe)}"
            for name, each in value.items()
        ]
    parts: Sequence[object] = value if isinstance(value, list | tuple) else (value,)
    return [f"{key}={quote(written(each), safe=safe)}" for each in parts]


def _deep(key: str, value: object, safe: str, depth: int = 0) -> Iterable[str]:
    """Yield a part for each value that is none itself; what OpenAPI leaves open is as `qs` writes it."""
    if depth < _DEEPEST and isinstance(value, dict):
        for name, each in value.items():
            yield from _deep(f"{key}%5B{quote(str(name), safe='')}%5D", each, safe, depth + 1)
    elif depth < _DEEPEST and isinstance(value, list | tuple):
        for each in value:
            yield from _deep(key, each, safe, depth + 1)
    else:
        yield f"{key}={quote(written(value), safe=safe)}"


def _quoted(value: object, safe: str) -> list[str]:
    parts = (
        [part for pair in value.items() for part in pair]
        if isinstance(value, dict)
        else value
        if isinstance(value, list | tuple)
        else [value]
    )
    return [quote(written(each), safe=safe) for each in parts]


def _simple(value: object, *, quoted: bool, explode: bool) -> str:
    def said(each: object) -> str:
        return quote(written(each), safe="") if quoted else written(each)

    if isinstance(value, dict):
        if explode:
            return ",".join(f"{said(name)}={said(each)}" for name, each in value.items())
        return ",".join(said(part) for pair in value.items() for part in pair)
    if isinstance(value, list | tuple):
        return ",".join(map(said, value))
    return said(value)
