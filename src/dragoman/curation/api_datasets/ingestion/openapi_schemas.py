"""OpenAPI `$ref` resolution and JSON schemas, within bounds.

References lead to the same file, to other files of the source and, if allowed, to other hosts.
"""

import posixpath
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from dragoman.core.errors import DataError
from dragoman.curation.api_datasets.ingestion.sources import SourceFolder, is_address, suffix_of
from dragoman.curation.api_datasets.ingestion.untrusted_values import (
    as_list,
    as_mapping,
    as_text,
    parse_document,
    storable,
    storable_with_size,
)

_LONGEST = 120
_MOST_STEPS, _MOST_FILES, _MOST_BYTES = 30, 100, 64 << 20


MOST_PARTS = 500_000
"""Most parts of one document; referenced parts count once for each reference."""


class ResolvedValue(NamedTuple):
    """A value, and the file that it was read from."""

    value: object
    file: str


class References:
    """Resolves the references of one document, also to other files of its source.

    Args:
        source: Reads files.
        file: The document's place.
        document: The parsed document.
    """

    def __init__(self, source: SourceFolder, file: str, document: object) -> None:
        self._source = source
        self._files = {file: document}
        self._failed: dict[str, str] = {}
        self._bytes = 0
        self._parts = 0

    def charge(self, parts: int) -> None:
        """Count parts of the document that were read.

        Raises:
            DataError: If the document has too many parts.
        """
        self._parts += parts
        if self._parts > MOST_PARTS:
            raise DataError(f"the document has more than {MOST_PARTS:,} parts: split it")

    @property
    def addresses(self) -> list[str]:
        """Addresses of files that were read from other hosts."""
        return [place for place in self._files if is_address(place)]

    def followed(self, value: object, file: str) -> ResolvedValue:
        """Resolve a value's reference, and references in the result.

        Keywords next to a `$ref` take precedence over the referenced ones, as in OpenAPI 3.1.

        Raises:
            DataError: If the target does not exist or may not be read, or if references are
                circular.
        """
        self.charge(1)
        place, beside = ResolvedValue(value, file), dict[str, object]()
        for _ in range(_MOST_STEPS):
            target = reference_of(place.value)
            if target is None:
                return ResolvedValue({**place.value, **beside}, place.file) if beside else place  # type: ignore[dict-item]
            beside = {**_sibling_keywords(place.value), **beside}
            place = self.target(target, place.file)
        raise DataError(f"the reference {_short(reference_of(value) or '')} leads in a circle")

    def target(self, reference: str, file: str) -> ResolvedValue:
        """Return the target of one reference.

        Raises:
            DataError: If the target does not exist or may not be read.
        """
        try:
            place, pointer = _split(reference, file)
        except ValueError as error:
            raise DataError(
                f"the reference {_short(reference)} is not an address ({error})"
            ) from error
        whole = self._whole(place, reference)
        return ResolvedValue(_resolve_pointer(whole, pointer, reference), place)

    def _whole(self, place: str, reference: str) -> object:
        if place not in self._files:
            try:
                self._files[place] = self._read(place)
            except DataError as error:
                self._failed[place] = str(error)
                raise DataError(f"the reference {_short(reference)}: {error}") from error
        return self._files[place]

    def _read(self, place: str) -> object:
        if place in self._failed:
            raise DataError(self._failed[place])
        if len(self._files) + len(self._failed) > _MOST_FILES or self._bytes > _MOST_BYTES:
            raise DataError("the document refers to more files than are read of one")
        content = self._source.read(place)
        self._bytes += len(content)
        return parse_document(content, suffix_of(place.partition("?")[0]))[0]


def reference_of(value: object) -> str | None:
    """Return the target of a reference; None if the value is not a reference."""
    target = as_mapping(value).get("$ref")
    return target if isinstance(target, str) else None


def _split(reference: str, file: str) -> tuple[str, str]:
    """Return the place and the pointer of a reference in a file.

    A reference in a file of another host is resolved on that host, never to files here.
    """
    address = urlsplit(reference)
    pointer = unquote(address.fragment)
    if is_address(file) or address.scheme or address.netloc:
        whole = urljoin(file if is_address(file) else "https:", reference)
        if not is_address(whole):
            raise ValueError("neither a file here nor one of the web")
        return whole.partition("#")[0], pointer
    if not address.path:
        return file, pointer
    inside = posixpath.join(posixpath.dirname(file), unquote(address.path))
    return posixpath.normpath(inside), pointer


def _sibling_keywords(value: object) -> Mapping[str, object]:
    return {key: each for key, each in as_mapping(value).items() if key != "$ref"}


def _resolve_pointer(value: object, pointer: str, reference: str) -> object:
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and int(key[:9]) < len(value):
            value = value[int(key[:9])]
        else:
            raise DataError(f"the reference {_short(reference)} names nothing")
    return value


def _short(reference: str) -> str:
    said = " ".join(reference.split())
    return said if len(said) <= _LONGEST else said[: _LONGEST - 1] + "…"


IN_TASK = "x-in-task"
"""The key by which an author says that a parameter belongs to tasks.

It is needed for a header, or for a parameter with the name of a credential.
"""

TYPES = frozenset(("string", "number", "integer", "boolean", "array", "object", "null"))
_SLIPS = {
    **dict.fromkeys(("str", "text"), "string"),
    **dict.fromkeys(("int", "long", "int32", "int64"), "integer"),
    **dict.fromkeys(("float", "double", "decimal"), "number"),
    **dict.fromkeys(("bool",), "boolean"),
    **dict.fromkeys(("list",), "array"),
    **dict.fromkeys(("dict", "map"), "object"),
    **{kind: kind for kind in TYPES},
}
_IN_LIST = ("allOf", "anyOf", "oneOf", "prefixItems")
_IN_MAPPING = ("properties", "patternProperties")
_SINGLE = ("items", "additionalProperties", "not")
_LEFT_OUT = frozenset(("xml", "externalDocs", "$schema", "$id", "$defs", "definitions", "$anchor"))
_DEEPEST, _MOST_SCHEMAS, _DEEPEST_MIX = 12, 1_500, 8


class SchemaReader:
    """A reader of one schema, which may be spread over several files.

    Attributes:
        missing: References that cannot be read; such a part is `{}`, which allows anything.
    """

    def __init__(self, references: References) -> None:
        self._references = references
        self._left = _MOST_SCHEMAS
        self.missing: list[str] = []

    def read(
        self, schema: object, file: str, trail: tuple[tuple[str, str], ...] = (), depth: int = 0
    ) -> dict[str, object]:
        """Return a schema with its references resolved.

        A circular reference is replaced by the type of its target. Parts that are deeper or larger
        than the limits are left open: `{}` allows anything.
        """
        self._left -= 1
        if depth > _DEEPEST or self._left < 0:
            return {}
        target = reference_of(schema)
        if target is not None:
            if (file, target) in trail:
                return self._end(schema, file)
            trail = (*trail, (file, target))
        found = self._found(schema, file)
        raw = as_mapping(found.value)
        if "x-example" in raw and "example" not in raw:
            raw = {**raw, "example": raw["x-example"]}
        return {
            key: self._part(key, value, found.file, trail, depth)
            for key, value in raw.items()
            if key not in _LEFT_OUT and (not key.startswith("x-") or key == IN_TASK)
        }

    def _part(
        self, key: str, value: object, file: str, trail: tuple[tuple[str, str], ...], depth: int
    ) -> object:
        if key in _IN_MAPPING:
            parts = as_mapping(value).items()
            return {as_text(name): self.read(each, file, trail, depth + 1) for name, each in parts}
        if key in _IN_LIST:
            return [self.read(each, file, trail, depth + 1) for each in as_list(value)]
        if key in _SINGLE and isinstance(value, dict):
            return self.read(value, file, trail, depth + 1)
        if key == "type":
            return known_type(value)
        bounded, size = storable_with_size(value)
        self._references.charge(size)
        return bounded

    def _end(self, schema: object, file: str) -> dict[str, object]:
        kind = known_type(as_mapping(self._found(schema, file).value).get("type"))
        return {"type": kind} if isinstance(kind, str) and kind in TYPES else {}

    def _found(self, schema: object, file: str) -> ResolvedValue:
        try:
            return self._references.followed(schema, file)
        except DataError as error:
            self.missing.append(str(error))
            return ResolvedValue({}, file)


def known_type(said: object) -> object:
    """Return a type by its JSON schema name if it is a slip with a single meaning.

    Otherwise, return the type unchanged.
    """
    if isinstance(said, list):
        return [known_type(each) for each in said[: len(TYPES)]]
    return _SLIPS.get(said.lower(), said) if isinstance(said, str) else storable(said)


def type_of(schema: Mapping[str, object]) -> str:
    """Return the type of a schema's values, as stated or as implied by its other keywords.

    Raises:
        DataError: If it states a type that JSON schema does not know.
    """
    said = schema.get("type")
    for kind in said if isinstance(said, list) else [said] if said is not None else []:
        if not isinstance(kind, str) or kind not in TYPES:
            raise DataError(f"the type {as_text(kind, 60)!r}, which JSON schema does not know")
        if kind != "null":
            return kind
    return _meant_type(schema, 0)


def _meant_type(schema: Mapping[str, object], depth: int) -> str:
    if "properties" in schema:
        return "object"
    if "items" in schema:
        return "array"
    if depth < _DEEPEST_MIX:
        for key in ("allOf", "oneOf", "anyOf"):
            for each in as_list(schema.get(key)):
                part = as_mapping(each)
                said = part.get("type")
                if isinstance(said, str) and said in TYPES - {"null"}:
                    return said
                if (kind := _meant_type(part, depth + 1)) != "string":
                    return kind
    return "string"


def properties_of(
    schema: Mapping[str, object], depth: int = 0
) -> tuple[dict[str, dict[str, object]], list[str]]:
    """Return an object's properties, with those from its `allOf`, and the required names."""
    found: dict[str, dict[str, object]] = {}
    required: list[str] = []
    if depth < _DEEPEST_MIX:
        for each in as_list(schema.get("allOf")):
            inner, needed = properties_of(as_mapping(each), depth + 1)
            found.update(inner)
            required += needed
    for name, each in as_mapping(schema.get("properties")).items():
        found[name] = dict(as_mapping(each))
    required += [name for name in as_list(schema.get("required")) if isinstance(name, str)]
    return found, required


def is_choice(schema: Mapping[str, object]) -> bool:
    """Return whether a schema is a choice of alternatives.

    The properties of one alternative do not hold for the others.
    """
    parts = (schema, *map(as_mapping, as_list(schema.get("allOf"))))
    return any("oneOf" in part or "anyOf" in part for part in parts)
