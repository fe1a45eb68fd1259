"""Translated names in databases, matched by path, because two names may have the same text.

A language's database differs from the English one in the text of some leaves only. Their paths
map each English name to its translation and back.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import DECODING_ERRORS, decode_toml

Path = tuple[str | int, ...]

_MAX_DEPTH = 64


class TranslatedName(msgspec.Struct, frozen=True):
    """A name in English and in the language."""

    english: str
    localized: str


class DatabaseDifference(msgspec.Struct, frozen=True):
    """A place where two databases differ; `structure` where not by a text alone."""

    path: Path
    english: object
    localized: object
    structure: bool


class DatabaseNames(msgspec.Struct, frozen=True):
    """The translated names of a database by path."""

    by_path: dict[Path, TranslatedName]

    def localize(self, database: object) -> object:
        """Return an English database in the language; a name that was changed stays."""
        texts = {path: (name.english, name.localized) for path, name in self.by_path.items()}
        return _replace_texts(database, texts, ())

    def restore(self, database: object) -> object:
        """Return a database in the language in English; a name that was changed stays."""
        texts = {path: (name.localized, name.english) for path, name in self.by_path.items()}
        return _replace_texts(database, texts, ())


def decode_database(content: bytes, where: str) -> dict[str, Any]:
    """Decode a database that is JSON or TOML: only JSON starts with a brace.

    Raises:
        DataError: If it is neither.
    """
    is_json = content.lstrip()[:1] == b"{"
    try:
        if is_json:
            return msgspec.json.decode(content, type=dict[str, Any])
        return decode_toml(content, dict[str, Any])
    except DECODING_ERRORS as error:
        raise DataError(f"{where}: {error}") from error


def match_names(
    english: object, localized: object, leaves: frozenset[str], where: str
) -> DatabaseNames:
    """Return the names of two databases in two languages.

    Args:
        english: The English database.
        localized: The same in another language.
        leaves: The keys of leaves that may differ.
        where: The database, for messages.

    Raises:
        DataError: If the databases differ in anything except names.
    """
    names: dict[Path, TranslatedName] = {}
    for difference in find_differences(english, localized):
        path, old, new = difference.path, difference.english, difference.localized
        if not (isinstance(old, str) and isinstance(new, str)) or path[-1] not in leaves:
            raise DataError(f"{where}: {dotted_path(path)} differs from English and is not a name")
        names[path] = TranslatedName(old, new)
    return DatabaseNames(names)


def find_differences(
    english: object, localized: object, path: Path = ()
) -> Iterator[DatabaseDifference]:
    """Yield the places where two decoded files differ.

    Raises:
        DataError: If they are nested too deeply.
    """
    _require_shallow(path)
    if isinstance(english, dict) and isinstance(localized, dict):
        if english.keys() != localized.keys():
            yield DatabaseDifference(path, sorted(english), sorted(localized), structure=True)
        for key in english.keys() & localized.keys() if english != localized else ():
            yield from find_differences(english[key], localized[key], (*path, key))
    elif isinstance(english, list) and isinstance(localized, list):
        if len(english) != len(localized):
            yield DatabaseDifference(path, len(english), len(localized), structure=True)
        for at, (old, new) in enumerate(zip(english, localized, strict=False)):
            yield from find_differences(old, new, (*path, at))
    elif type(english) is not type(localized):
        yield DatabaseDifference(path, english, localized, structure=True)
    elif english != localized:
        yield DatabaseDifference(path, english, localized, structure=False)


def text_leaves(
    value: object, leaves: frozenset[str], path: Path = ()
) -> Iterator[tuple[Path, str]]:
    """Yield the path and text of each string whose key is one of those given.

    Raises:
        DataError: If the value is nested too deeply.
    """
    _require_shallow(path)
    if isinstance(value, dict):
        for key, part in value.items():
            if isinstance(part, str) and key in leaves:
                yield (*path, key), part
            else:
                yield from text_leaves(part, leaves, (*path, key))
    elif isinstance(value, list):
        for at, part in enumerate(value):
            yield from text_leaves(part, leaves, (*path, at))


def count_texts(value: object, leaves: frozenset[str]) -> int:
    """Return the number of strings under the given keys, at any depth.

    These are the strings that `text_leaves` yields; they are not collected.
    """
    if isinstance(value, dict):
        own = sum(isinstance(value[key], str) for key in leaves & value.keys())
        return own + sum(count_texts(part, leaves) for part in value.values())
    if isinstance(value, list):
        return sum(count_texts(part, leaves) for part in value)
    return 0


def _require_shallow(path: Path) -> None:
    if len(path) > _MAX_DEPTH:
        raise DataError(f"a file is nested more than {_MAX_DEPTH} deep at {dotted_path(path[:3])}")


def dotted_path(path: Path) -> str:
    """Return a path as text."""
    return ".".join(map(str, path))


def _replace_texts(value: object, texts: Mapping[Path, tuple[str, str]], path: Path) -> object:
    if isinstance(value, dict):
        return {key: _replace_texts(part, texts, (*path, key)) for key, part in value.items()}
    if isinstance(value, list):
        return [_replace_texts(part, texts, (*path, at)) for at, part in enumerate(value)]
    old, new = texts.get(path, (None, None))
    return new if old is not None and value == old else value
