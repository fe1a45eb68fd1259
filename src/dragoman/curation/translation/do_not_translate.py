"""Do-not-translate terms in a domain's data: ids, names, literals, call arguments."""

import functools
import importlib.resources
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from dragoman.conditions.language.artifacts import SCHEMA_FILES, Schema
from dragoman.conditions.language.lint.assets import EnglishAssets
from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.tools import ToolSpec
from dragoman.curation.translation.glossary import Value, values_of

_LAST_WORD = re.compile(r"[A-Za-z]+$")
_CODE_LITERAL = re.compile(r"(?=.*[A-Z])[A-Z0-9]{3,}(?:-[A-Z0-9]+)*")
_ID = re.compile(r"[^\s]{2,80}")
_PLAIN_WORD = re.compile(r"[A-Za-z]?[a-z]+")
_NAME = re.compile(r"(?=.{2,60}$)[A-Z0-9#][^\s]*(?: [A-Z0-9#&][^\s]*)*")
_NUMBER = re.compile(r"[\d.,:]{1,4}")
_MAX_DEPTH = 64


class FieldNames(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Names of fields with ids, arguments, parts of a file's structure, people, or values."""

    ids: frozenset[str]
    arguments: frozenset[str]
    structural: frozenset[str]
    people: frozenset[str]
    literals: frozenset[str]


@functools.cache
def field_names() -> FieldNames:
    """Return the known names of fields."""
    content = importlib.resources.files(__package__).joinpath("fields.toml").read_bytes()
    return msgspec.toml.decode(content, type=FieldNames)


def ids_by_field(records: Iterable[object]) -> dict[str, set[str]]:
    """Return the ids of records by the name of their field.

    A field holds ids if its name implies it, or if all its texts are codes of at least three
    capitals and digits and at least two of them differ. A word in lower case never counts as an id.
    """
    texts: dict[str, set[str]] = {}
    for record in records:
        for field, text in _leaves(record, "", 0):
            texts.setdefault(field, set()).add(text)
    structural = field_names().structural
    return {
        field: ids
        for field, found in texts.items()
        if field not in structural and (ids := _ids_of(field, found))
    }


def people_in(records: Iterable[object]) -> set[str]:
    """Return first and last names of people, as they are written in their fields."""
    people = field_names().people
    return {text for record in records for field, text in _leaves(record, "", 0) if field in people}


def literals_in(schemas: Iterable[object]) -> set[str]:
    """Return the texts that JSON schemas list as values: choices, defaults, examples."""
    literals = field_names().literals
    return {
        text for schema in schemas for field, text in _leaves(schema, "", 0) if field in literals
    }


def is_named_for_ids(field: str) -> bool:
    """Return whether the last word of a field's name implies that it holds ids."""
    last = _LAST_WORD.search(field)
    return last is not None and last.group().lower() in field_names().ids


def names_in_calls(records: Iterable[object]) -> set[str]:
    """Return the names in arguments of calls: words that start with capitals or digits.

    A call must repeat them literally: people, streets, dates.
    """
    found = {text for record in records for text in _arguments(record, 0)}
    return {text for text in found if _NAME.fullmatch(text) and not _NUMBER.fullmatch(text)}


def _ids_of(field: str, texts: set[str]) -> set[str]:
    if is_named_for_ids(field):
        return {text for text in texts if _ID.fullmatch(text) and not _says_nothing(text)}
    if len(texts) > 1 and all(map(_CODE_LITERAL.fullmatch, texts)):
        return texts
    return set()


def _says_nothing(text: str) -> bool:
    """Return whether a text is a plain word or a short number.

    Such texts occur in prose with other meanings too.
    """
    return bool(_NUMBER.fullmatch(text) or _PLAIN_WORD.fullmatch(text))


def _leaves(value: object, field: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield the texts below a field; entries of a list belong to the list's field."""
    if isinstance(value, str):
        yield field, value
    elif isinstance(value, dict) and depth < _MAX_DEPTH:
        for key, part in value.items():
            yield from _leaves(part, str(key), depth + 1)
    elif isinstance(value, list) and depth < _MAX_DEPTH:
        for part in value:
            yield from _leaves(part, field, depth + 1)


def _arguments(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, dict) and depth < _MAX_DEPTH:
        for key, part in value.items():
            if key in field_names().arguments:
                yield from (text for _, text in _leaves(part, "", depth))
            else:
                yield from _arguments(part, depth + 1)
    elif isinstance(value, list) and depth < _MAX_DEPTH:
        for part in value:
            yield from _arguments(part, depth + 1)


_DECODER = msgspec.json.Decoder()


class DomainData(msgspec.Struct, frozen=True):
    """The data of one domain; terms of other domains are not protected in its texts.

    Attributes:
        records: Its databases and tasks, decoded, with the arguments of gold actions.
        tools: Its tools, of both sides.
        schemas: Its English schemas by file.
    """

    records: tuple[object, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    schemas: Mapping[str, Schema] = {}


def data_of(english: EnglishAssets, where: str) -> DomainData:
    """Return the data of a domain's English side, from all its files of records.

    Args:
        english: The English side.
        where: The domain, for messages.

    Raises:
        DataError: If a file is damaged.
    """
    return DomainData(
        tuple(
            record
            for name, content in english.files.items()
            if name.endswith((".json", ".toml"))
            for record in _records(content, f"{where}: {name}")
        ),
        tuple(tool for toolset in english.toolsets.values() for tool in toolset),
        {SCHEMA_FILES[side]: schema for side, schema in english.schemas.items()},
    )


def _records(content: bytes, where: str) -> Sequence[object]:
    """Return the values in a file: one value, or one per line."""
    for decode in (msgspec.json.decode, _DECODER.decode_lines, msgspec.toml.decode):
        try:
            found: object = decode(content)
        except DECODING_ERRORS:
            continue
        return found if isinstance(found, list) else (found,)
    raise DataError(f"{where}: neither JSON nor TOML")


_LETTERS_THEN_DIGITS = re.compile(r"[A-Z]+\d+")
_CODE_CHUNK = re.compile(r"[A-Z0-9]+")
_LEAST_DIGITS = 7
"""Fewest digits of a number with a shape; shorter ones are often amounts or years."""


def shape_of(text: str) -> str | None:
    """Return the shape of a word, or None for plain words and short numbers.

    Each digit becomes `9` and each letter `A` or `a`. If digits and capitals are mixed, any of them
    may stand in any place, and each becomes `X`: `HAT001` is `AAA999`, `4WQ150` is `XXXXXX`.
    """
    if not any(sign.isdecimal() for sign in text):
        return None
    if text.isdecimal():
        return "9" * len(text) if len(text) >= _LEAST_DIGITS else None
    return "".join(map(_chunk_shape, re.split(r"([^A-Za-z0-9])", text)))


def shapes_of(ids: Iterable[str]) -> frozenset[str]:
    """Return the shapes of ids."""
    return frozenset(shape for each in ids if (shape := shape_of(each)) is not None)


def matches_shape(text: str, shapes: frozenset[str]) -> bool:
    """Return whether a word has one of the shapes."""
    shape = shape_of(text)
    return shape is not None and (shape in shapes or _mask_code_chunk(text, shape) in shapes)


def _mask_code_chunk(text: str, shape: str) -> str:
    return "X" * len(shape) if _CODE_CHUNK.fullmatch(text) and not text.isdecimal() else shape


def _chunk_shape(chunk: str) -> str:
    if _CODE_CHUNK.fullmatch(chunk) and not chunk.isdecimal() and not chunk.isalpha():
        return _signs(chunk) if _LETTERS_THEN_DIGITS.fullmatch(chunk) else "X" * len(chunk)
    return _signs(chunk)


def _signs(chunk: str) -> str:
    return "".join(map(_sign, chunk))


def _sign(sign: str) -> str:
    if sign.isdecimal():
        return "9"
    if "A" <= sign <= "Z":
        return "A"
    return "a" if "a" <= sign <= "z" else sign


class ProtectedTerms(msgspec.Struct, frozen=True):
    """The terms that stay untranslated in the texts of one domain.

    Attributes:
        ids: Ids by the name of their field.
        names: Names other than ids that calls must repeat: streets, cities, dates.
        people: First and last names of people, which count as a name if two stand together.
        identifiers: Names of tools, parameters and types.
        literals: Values in schemas of parameters: choices, defaults, examples.
        values: The values of its value sets.
    """

    ids: Mapping[str, frozenset[str]]
    names: frozenset[str]
    people: frozenset[str]
    identifiers: frozenset[str]
    literals: frozenset[str]
    values: tuple[Value, ...]


def terms_of(data: DomainData) -> ProtectedTerms:
    """Find the terms that must stay in the texts of a domain from its data."""
    return ProtectedTerms(
        ids={field: frozenset(ids) for field, ids in ids_by_field(data.records).items()},
        names=frozenset(names_in_calls(data.records)),
        people=frozenset(people_in(data.records)),
        identifiers=frozenset(_identifiers(data)),
        literals=frozenset(literals_in(tool.parameters for tool in data.tools)),
        values=values_of(data.schemas),
    )


def _identifiers(data: DomainData) -> Iterator[str]:
    for tool in data.tools:
        yield tool.name
        yield from _parameters(tool)
    for schema in data.schemas.values():
        yield from schema.models


def _parameters(tool: ToolSpec) -> Iterable[str]:
    properties = tool.parameters.get("properties")
    return properties if isinstance(properties, Mapping) else ()


_CODE_NAME = re.compile(r"\w*(?:[a-z][A-Z]|[_.]|\d)")
_FEWEST = 2
"""Shortest word that is searched; a single letter may be an article."""


def dnt_words(text: str, words: Iterable[str]) -> Iterator[str]:
    """Yield the occurrences of some words in a text, in any case, as written there."""
    folded = text.casefold()
    for word in words:
        inner = word.strip()
        if len(inner) >= _FEWEST and inner.casefold() in folded and any(map(str.isalnum, inner)):
            for found in re.finditer(_whole(inner), text, re.IGNORECASE):
                yield found.group()


def with_parts(text: str) -> tuple[str, ...]:
    """Return a text and its capitalized parts between commas.

    For example, `San Francisco` is a part of `San Francisco, CA`.
    """
    parts = (part.strip() for part in text.split(","))
    return (text, *(part for part in parts if part[:1].isupper()))


def word_places(text: str, word: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of a word in a text; letters of other scripts may be adjacent."""
    if word in text:
        yield from (found.span() for found in re.finditer(_whole(word), text))


def looks_like_code(name: str) -> bool:
    """Return whether a name is not a plain word: `user_id`, `math.sqrt`, `getName`."""
    return _CODE_NAME.match(name) is not None


def _whole(word: str) -> str:
    return rf"(?<![A-Za-z0-9_]){re.escape(word)}(?![A-Za-z0-9_])"
