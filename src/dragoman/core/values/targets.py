"""Values that are looked for: their types, by how they are written, and how they can be read."""

from functools import lru_cache
from typing import Literal

import msgspec

from dragoman.core.values.folding import fold
from dragoman.core.values.items import ReadItem, Readout
from dragoman.core.values.lexicon import lexicon_of
from dragoman.core.values.reading import read

ValueType = Literal[
    "number", "money", "percent", "date", "time", "code", "phone", "email", "file", "name", "text"
]
TypedKind = Literal["number", "money", "percent", "date", "time"]

_TYPED: dict[str, TypedKind] = {
    "number": "number",
    "money": "money",
    "percent": "percent",
    "date": "date",
    "time": "time",
}
_MIN_PHONE_DIGITS = 7
_MOST_ACRONYM = 6
_IN_PHONE = frozenset("+-(). /")


class SoughtValue(msgspec.Struct, frozen=True):
    """A value after reading.

    Attributes:
        raw: The value without spaces around it.
        kind: Its type.
        typed: Its typed reading; None for a code, a name and the like.
        joined: Its canonical units, joined.
        digits: Its digits alone.
    """

    raw: str
    kind: ValueType
    typed: ReadItem | None
    joined: str
    digits: str


@lru_cache(maxsize=4096)
def targets_of(value: str, language: str) -> tuple[SoughtValue, ...]:
    """Return how a value can be read: as English has it, and as the text's language does."""
    own = _target(value, language)
    atoms = _measure_atoms(value.strip(), language)
    if atoms:
        return (own, SoughtValue(own.raw, "text", None, "".join(atoms), ""))
    if language[:2] == "en":
        return (own,)
    english = _target(value, "en")
    if own == english:
        return (english,)
    is_number = english.kind in {"number", "money"} and english.typed is not None
    return (english, own) if is_number else (own, english)


def _measure_atoms(plain: str, language: str) -> tuple[str, ...]:
    """Return the canonical units of a unit of measure or a currency that stands alone."""
    lexicon = lexicon_of(language)
    words = tuple(fold(plain, language).text.casefold().split())
    for table in (lexicon.amounts.unit, lexicon.amounts.currency):
        found = table.at(words, 0)
        if found is not None and found[1] == len(words) and len(plain) > 1:
            return tuple(found[0].split())
    return ()


def _target(value: str, language: str) -> SoughtValue:
    plain = value.strip()
    readout = read(plain, language)
    atoms = [atom for item in readout.items for atom in item.atoms] or [
        token.text for token in readout.tokens if token.kind == "word"
    ]
    digits = "".join([sign for sign in value if sign.isdigit()])
    if atoms[:1] == ["plus"] and any(map(str.isdigit, "".join(atoms))):
        atoms = atoms[1:]
    return SoughtValue(
        plain, _type_of(plain, readout), _typed_item(readout), "".join(atoms), digits
    )


def typed_kind(item: ReadItem) -> TypedKind | None:
    """Return the type of an item that states a value of its own; None for words, codes and signs."""
    return _TYPED.get(item.kind)


def _typed_item(readout: Readout) -> ReadItem | None:
    """Return the typed reading that a whole value is."""
    items = [item for item in readout.items if item.atoms]
    return items[0] if len(items) == 1 and items[0].kind in _TYPED else None


@lru_cache(maxsize=4096)
def value_type(value: str, language: str = "en") -> ValueType:
    """Return the type of a value by how it is written."""
    plain = value.strip()
    return _type_of(plain, read(plain, language))


def _type_of(plain: str, readout: Readout) -> ValueType:
    typed = _typed_item(readout)
    kind = None if typed is None else typed_kind(typed)
    if kind == "number":
        return _type_of_number(plain)
    if kind is not None:
        return kind
    return _address_type(plain, readout) or _code_type(plain, readout) or _free_type(plain)


def _type_of_number(plain: str) -> ValueType:
    """Return the type of a figure: zeros before it, or a plus before many digits, make it no number."""
    count = sum(map(str.isdigit, plain))
    if plain.startswith("+") and count >= _MIN_PHONE_DIGITS:
        return "phone"
    is_code = count > 1 and plain.startswith("0") and plain.isdigit()
    return "code" if is_code else "number"


def _address_type(plain: str, readout: Readout) -> ValueType | None:
    has_dot = any(item.kind == "sign" and "dot" in item.atoms for item in readout.items)
    if not has_dot or " " in plain:
        return None
    if "@" in plain:
        return "email"
    return "file" if plain[-1:].isalnum() else None


def _code_type(plain: str, readout: Readout) -> ValueType | None:
    has_digit = any(map(str.isdigit, plain))
    if plain and all(sign.isdigit() or sign in _IN_PHONE for sign in plain):
        return "phone" if sum(map(str.isdigit, plain)) >= _MIN_PHONE_DIGITS else "code"
    is_read = any(item.kind == "code" for item in readout.items)
    if " " not in plain and (is_read or has_digit or "_" in plain):
        return "code"
    is_acronym = plain.isupper() and plain.isalpha() and len(plain) <= _MOST_ACRONYM
    return "code" if is_acronym else None


def _free_type(plain: str) -> ValueType:
    return "name" if any(word[:1].isupper() for word in plain.split()) else "text"
