"""Bodies of requests in the media type that a document states."""

from collections.abc import Iterable, Mapping
from hashlib import sha256

import msgspec

from dragoman.core.apis.documents import ApiParameter
from dragoman.curation.apis.verifying.serialization import as_media, form_fields, written

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
_ESCAPED = str.maketrans({'"': "%22", "\r": "%0D", "\n": "%0A"})
"""As browsers write these signs in the names of parts."""


class Body(msgspec.Struct, frozen=True):
    """The bytes of a body, and its `Content-Type`."""

    content: bytes
    content_type: str


def body_of(
    fields: Mapping[str, object],
    described: Mapping[str, ApiParameter],
    media_type: str,
    *,
    whole: bool,
) -> Body:
    """Return a body.

    Args:
        fields: Its fields by name; one alone where it is a value as it stands.
        described: The parameters that they are values of.
        media_type: In which it is sent; "" for JSON.
        whole: Whether the one field is the whole body.

    Raises:
        ValueError: Where nothing here writes such a media type.
    """
    kind = media_type or JSON
    plain = kind.partition(";")[0].strip()
    value: object = next(iter(fields.values())) if whole else fields
    if plain == JSON or plain.endswith(("+json", "/json")):
        return Body(msgspec.json.encode(value), kind)
    if plain == FORM:
        return Body(_form(value, described, whole=whole), kind)
    if plain == MULTIPART:
        return _multipart(value, described, whole=whole)
    if isinstance(value, dict | list | tuple):
        said = f"a body in {plain[:60]} is sent only where its document states it as text"
        raise ValueError(said)  # noqa: TRY004 - of the document, not of a caller
    return Body(written(value).encode(), kind)


def _form(value: object, described: Mapping[str, ApiParameter], *, whole: bool) -> bytes:
    if not isinstance(value, dict):
        return written(value).encode()
    return form_fields(
        {
            name: (each, described[name].serialization if not whole and name in described else None)
            for name, each in value.items()
        }
    )


def _multipart(value: object, described: Mapping[str, ApiParameter], *, whole: bool) -> Body:
    """Return fields as parts (RFC 7578), under a border that is made of them.

    The same fields are the same bytes, so that a recorded call is found again. The writers of HTTP
    libraries draw a border by lot, and write to a connection.
    """
    if not isinstance(value, dict):
        raise ValueError(f"a body in {MULTIPART} has fields, and its document states none")  # noqa: TRY004 - of the document
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
    said = as_media(value, kind) if kind and not is_file else written(value)
    plain = name.translate(_ESCAPED)
    head = f'Content-Disposition: form-data; name="{plain}"'
    head += f'; filename="{plain}"' if is_file else ""
    head += f"\r\nContent-Type: {kind}" if kind else ""
    return f"{head}\r\n\r\n{said}\r\n".encode()


def _is_file(schema: Mapping[str, object]) -> bool:
    """Whether a field is a file, as either version says it; of an array whether its items are."""
    inner = schema.get("items")
    kinds: Iterable[object] = (schema, inner if isinstance(inner, dict) else {})
    return any(
        each.get("format") == "binary" or "contentMediaType" in each
        for each in kinds
        if isinstance(each, dict)
    )
