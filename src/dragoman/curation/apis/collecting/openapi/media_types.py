"""How documents say that values are written: media types of bodies, styles of parameters."""

from collections.abc import Mapping, Sequence
from typing import Final

from dragoman.core.apis.documents import Serialization
from dragoman.core.errors import DataError
from dragoman.curation.apis.collecting.values import first_text, mapping, text

FORM: Final = "application/x-www-form-urlencoded"
_MULTIPART: Final = "multipart/form-data"
_STYLES: Final[Mapping[str, frozenset[str]]] = {
    "query": frozenset(("form", "spaceDelimited", "pipeDelimited", "deepObject")),
    "path": frozenset(("simple", "label", "matrix")),
    "header": frozenset(("simple",)),
}
_USUAL: Final = {"query": "form", "path": "simple", "header": "simple"}
_COLLECTIONS: Final = {
    "csv": Serialization("form"),
    "ssv": Serialization("spaceDelimited"),
    "tsv": Serialization("tabDelimited"),
    "pipes": Serialization("pipeDelimited"),
    "multi": Serialization("form", explode=True),
}
_PARTED: Final = frozenset(("array", "object"))


def media_type_of(content: object) -> tuple[str, Mapping[str, object]] | None:
    """Return the media type in which a body is sent or read, and what is said of it; None for no content."""
    kinds = {text(name, 200).lower(): mapping(each) for name, each in mapping(content).items()}
    if not kinds:
        return None
    chosen = preferred_type(list(kinds))
    return chosen, kinds[chosen]


def preferred_type(names: Sequence[str]) -> str:
    """Return the one of some media types that is sent: JSON, forms, text, anything else; "" of none."""
    return min(map(str.lower, names), key=_rank, default="")


def _rank(name: str) -> tuple[bool, bool, bool, bool, bool, str]:
    plain = name.partition(";")[0].strip()
    return (
        plain != "application/json",
        "json" not in plain or "seq" in plain or "lines" in plain,
        plain != FORM,
        plain != _MULTIPART,
        plain != "text/plain",
        name,
    )


def serialization_of(raw: Mapping[str, object], place: str, kind: str) -> Serialization | None:
    """Return how a parameter is written; None for as its place usually has it.

    Args:
        raw: What describes it.
        place: "query", "path", "header", "formData" or "body".
        kind: Its type: only arrays and objects have parts.

    Raises:
        DataError: For a style that its place does not have.
    """
    collection = first_text(raw, "collectionFormat")
    if place == "formData" or ("schema" not in raw and "type" in raw):
        return _collected(collection or "csv", place) if kind == "array" else None
    styles = _STYLES.get(place)
    if styles is None:
        return None
    style = first_text(raw, "style") or _USUAL[place]
    if style not in styles:
        raise DataError(f"the style {style[:40]!r} is none of parameters in {place}")
    explode = raw.get("explode", style == "form") is True
    is_reserved = place == "query" and raw.get("allowReserved") is True
    is_usual = style == _USUAL[place] and not is_reserved
    if is_usual and (kind not in _PARTED or (place != "query" and not explode and kind == "array")):
        return None
    return Serialization(style, explode, is_reserved)


def _collected(name: str, place: str) -> Serialization | None:
    found = _COLLECTIONS.get(name)
    if found is None:
        raise DataError(f"the collectionFormat {name[:40]!r} is none of Swagger 2.0")
    return None if found.style == "form" and place in {"path", "header"} else found


def encoded_as(encoding: Mapping[str, object], kind: str) -> Serialization | None:
    """Return how a field of a form is written, as an `encoding` of OpenAPI 3 says; None for as usual."""
    style, media_type = first_text(encoding, "style"), first_text(encoding, "contentType")
    if style or "explode" in encoding or "allowReserved" in encoding:
        style = style or "form"
        if style not in _STYLES["query"]:
            raise DataError(f"the style {style[:40]!r} is none of fields of forms")
        return Serialization(
            style,
            encoding.get("explode", style == "form") is True,
            encoding.get("allowReserved") is True,
        )
    if media_type and (kind in _PARTED or media_type.partition(";")[0] != "text/plain"):
        # Several may be listed, by commas: the first is as good as any.
        return Serialization(media_type=media_type.partition(",")[0].strip().lower())
    return None
