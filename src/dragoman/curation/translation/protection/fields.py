"""Ids and the arguments of calls, read out of a domain's data."""

import functools
import importlib.resources
import re
from collections.abc import Iterable, Iterator

import msgspec

_LAST_WORD = re.compile(r"[A-Za-z]+$")
_CODE = re.compile(r"(?=.*[A-Z])[A-Z0-9]{3,}(?:-[A-Z0-9]+)*")
_ID = re.compile(r"[^\s]{2,80}")
_PLAIN_WORD = re.compile(r"[A-Za-z]?[a-z]+")
_NAME = re.compile(r"(?=.{2,60}$)[A-Z0-9#][^\s]*(?: [A-Z0-9#&][^\s]*)*")
_NUMBER = re.compile(r"[\d.,:]{1,4}")
_MAX_DEPTH = 64


class FieldNames(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How fields are called: with ids, arguments, a file's own parts, people, values."""

    ids: frozenset[str]
    arguments: frozenset[str]
    structural: frozenset[str]
    people: frozenset[str]
    literals: frozenset[str]


@functools.cache
def field_names() -> FieldNames:
    """Return how fields are called."""
    content = importlib.resources.files(__package__).joinpath("fields.toml").read_bytes()
    return msgspec.toml.decode(content, type=FieldNames)


def ids_by_field(records: Iterable[object]) -> dict[str, set[str]]:
    """Return the ids of records by the name of their field.

    A field holds ids where its name says so, or where all its texts are codes: capitals and digits,
    of at least three, and not one text for all. A word in small letters is no id, wherever it stands.
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
    """Return first and last names of people, each as it stands in its field."""
    people = field_names().people
    return {text for record in records for field, text in _leaves(record, "", 0) if field in people}


def literals_in(schemas: Iterable[object]) -> set[str]:
    """Return the texts that JSON schemas name as values: choices, defaults, examples."""
    literals = field_names().literals
    return {
        text for schema in schemas for field, text in _leaves(schema, "", 0) if field in literals
    }


def is_named_for_ids(field: str) -> bool:
    """Whether the last word of a field's name says that it holds ids."""
    last = _LAST_WORD.search(field)
    return last is not None and last.group().lower() in field_names().ids


def names_in_calls(records: Iterable[object]) -> set[str]:
    """Return the names in arguments of calls: texts whose words start with a capital or a digit.

    A call must repeat them to the letter: people, streets, dates.
    """
    found = {text for record in records for text in _arguments(record, 0)}
    return {text for text in found if _NAME.fullmatch(text) and not _NUMBER.fullmatch(text)}


def _ids_of(field: str, texts: set[str]) -> set[str]:
    if is_named_for_ids(field):
        return {text for text in texts if _ID.fullmatch(text) and not _says_nothing(text)}
    if len(texts) > 1 and all(map(_CODE.fullmatch, texts)):
        return texts
    return set()


def _says_nothing(text: str) -> bool:
    """Whether a text is a word or a short number, which stand in prose for other things too."""
    return bool(_NUMBER.fullmatch(text) or _PLAIN_WORD.fullmatch(text))


def _leaves(value: object, field: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield the texts below a field; a list's are its field's."""
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
