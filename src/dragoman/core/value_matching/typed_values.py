"""Normalization of values (numbers, dates, money, codes, names) for comparison with a text."""

from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Literal

import msgspec

from dragoman.core.value_matching.folding import fold
from dragoman.core.value_matching.lexicon import lexicon_of
from dragoman.core.value_matching.numbers import is_within
from dragoman.core.value_matching.reader_state import ReadItem, Readout
from dragoman.core.value_matching.value_reader import read

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
    """A value that is searched for, after reading.

    Attributes:
        raw: The value without spaces around it.
        kind: Its type.
        typed: Its typed reading; None for a code, a name and similar values.
        joined: Its canonical units, joined.
        digits: Its digits only.
    """

    raw: str
    kind: ValueType
    typed: ReadItem | None
    joined: str
    digits: str


@lru_cache(maxsize=4096)
def targets_of(value: str, language: str) -> tuple[SoughtValue, ...]:
    """Return the readings of a value: in English, and in the text's language."""
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
    """Return the type of an item that states a value of its own.

    None for words, codes, and signs.
    """
    return _TYPED.get(item.kind)


def _typed_item(readout: Readout) -> ReadItem | None:
    """Return the typed reading of a whole value; None if it has none."""
    items = [item for item in readout.items if item.atoms]
    return items[0] if len(items) == 1 and items[0].kind in _TYPED else None


@lru_cache(maxsize=4096)
def value_type(value: str, language: str = "en") -> ValueType:
    """Return the type of a value from its spelling."""
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
    """Return the type of a figure.

    Leading zeros, or a plus before many digits, mean that it is not a number.
    """
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


_TEN = 10
_HUNDRED = 100
_ONE_O_CLOCK = 13 * 60
_HOURS, _MINUTES = range(13, 24), range(10, 60)
_PAIR, _GROUP = 2, 3
_HOUR = 60
_CONTINUING = frozenset({" ", "-", ""})
_FIGURE_LIKE_ORDINALS = frozenset({"en", "id"})
"""Languages in which an ordinal in words also states a number."""


def find_typed_items(wanted: ReadItem, readout: Readout) -> tuple[int, int] | None:
    """Return the first and last token of the first item, or row of items, with a value."""
    items = readout.items
    for at, item in enumerate(items):
        if _is_same(wanted, item) or _is_ordinal(wanted, item, readout):
            return item.first, item.end - 1
        if wanted.kind == "time" and _is_dotted_clock(wanted, item, readout):
            return item.first, item.end - 1
        if wanted.kind == "time" and _is_clock_pair(wanted, items, at, readout):
            return item.first, items[at + 1].end - 1
        if wanted.kind == "number" and item.kind == "number":
            joined = _joined_number(wanted, items, at, readout)
            if joined is not None:
                return joined
    return None


def _is_ordinal(wanted: ReadItem, item: ReadItem, readout: Readout) -> bool:
    """Return whether an ordinal states a number."""
    if item.kind != "ordinal" or wanted.kind != "number" or item.value != wanted.value:
        return False
    return not item.is_words or lexicon_of(readout.language).language in _FIGURE_LIKE_ORDINALS


def _is_same(wanted: ReadItem, item: ReadItem) -> bool:
    kind = typed_kind(item)
    if kind is None:
        return False
    match wanted.kind:
        case "number":
            return _number_of(item, wanted) == wanted.value
        case "date":
            return kind == "date" and _is_same_date(wanted.value, item.value)
        case "time":
            return kind == "time" and _is_same_time(wanted.value, item.value)
        case _:
            return kind == wanted.kind and item.value == wanted.value


def _number_of(item: ReadItem, wanted: ReadItem) -> object:
    """Return the number that an item states; a share may be stated as a percentage."""
    if item.kind == "money" and isinstance(item.value, tuple):
        return item.value[1]
    if item.kind == "percent" and isinstance(item.value, Decimal):
        share = wanted.value
        if isinstance(share, Decimal) and share % 1 != 0 and item.value == share * _HUNDRED:
            return share
        return item.value
    if item.kind != "number":
        return None
    is_code = len(item.digits) >= _GROUP and item.digits.startswith("0") and item.digits.isdigit()
    return None if is_code and item.digits != wanted.digits else item.value


def _is_same_date(wanted: object, found: object) -> bool:
    """Return whether a date states a value; parts that the value lacks may be anything."""
    if not isinstance(wanted, tuple) or not isinstance(found, tuple):
        return False
    return all(own is None or own == other for own, other in zip(wanted, found, strict=True))


def _is_same_time(wanted: object, found: object) -> bool:
    """Return whether a time states a value; without a half of the day both halves match."""
    if not isinstance(wanted, frozenset) or not isinstance(found, frozenset):
        return False
    if len(wanted) > 1:
        if max(wanted) < _ONE_O_CLOCK:  # `12:00` is noon; nobody writes `00:00` so
            return max(wanted) in found
        return bool(wanted & found)
    if len(found) == 1:
        return wanted == found
    # `05:30` is said without the half of the day; `5:30 PM` is not.
    return min(found) in wanted


def _is_clock_pair(wanted: ReadItem, items: Sequence[ReadItem], at: int, readout: Readout) -> bool:
    """Return whether two number words state a time on 24 hours: `seventeen thirty`."""
    if not _continues(items, at + 1, readout) or _continues(items, at + 2, readout):
        return False
    hour, minute = items[at], items[at + 1]
    if not (hour.is_words and minute.is_words) or _continues(items, at, readout):
        return False
    one, other = hour.value, minute.value
    if not isinstance(one, Decimal) or not isinstance(other, Decimal):
        return False
    is_clock = is_within(one, _HOURS) and is_within(other, _MINUTES)
    return is_clock and wanted.value == frozenset({int(one) * 60 + int(other)})


_DOTTED_CLOCKS = frozenset({"id", "th"})
"""Languages that write times of day with a dot."""


def _is_dotted_clock(wanted: ReadItem, item: ReadItem, readout: Readout) -> bool:
    """Return whether a figure with two decimals is a time of day: `19.30`."""
    if item.kind != "number" or lexicon_of(readout.language).language not in _DOTTED_CLOCKS:
        return False
    hour, dot, minute = item.digits.partition(".")
    is_clock = bool(dot) and len(minute) == _PAIR and hour.isdigit() and len(hour) <= _PAIR
    if not is_clock or int(minute) >= _HOUR or not isinstance(wanted.value, frozenset):
        return False
    return int(hour) * _HOUR + int(minute) in wanted.value


def _joined_number(
    wanted: ReadItem, items: Sequence[ReadItem], start: int, readout: Readout
) -> tuple[int, int] | None:
    """Find a number that is said digit by digit, in pairs, or in groups of three figures."""
    value = wanted.value
    if not isinstance(value, Decimal) or value < _TEN or value % 1:
        return None
    if not _continues(items, start + 1, readout) or _continues(items, start, readout):
        return None
    groups: list[str] = []
    at = start
    while at == start or _continues(items, at, readout):
        own = _digits_of_integer(items[at])
        if not own:
            return None
        groups.append(own)
        at += 1
    if "".join(groups) != f"{value:f}":
        return None
    is_words = all(item.is_words for item in items[start:at])
    if not _are_groups([len(group) for group in groups], is_words=is_words):
        return None
    return items[start].first, items[at - 1].end - 1


def _digits_of_integer(item: ReadItem) -> str:
    """Return the digits of an integer; "" for other numbers."""
    own = item.digits or (f"{item.value:f}" if isinstance(item.value, Decimal) else "")
    return own if own.isdigit() else ""


def _are_groups(sizes: Sequence[int], *, is_words: bool) -> bool:
    """Return whether one number can be said in groups with these numbers of digits."""
    is_digits = max(sizes) == 1
    is_pairs = is_words and set(sizes) <= {1, _PAIR} and sizes[0] == _PAIR
    is_pairs = is_pairs or (is_words and list(sizes) == [1, _PAIR])  # `one twenty three`
    is_thousands = sizes[0] <= _GROUP and set(sizes[1:]) == {_GROUP}
    return is_digits or is_pairs or is_thousands


def _continues(items: Sequence[ReadItem], at: int, readout: Readout) -> bool:
    """Return whether a number continues the number before it, without a comma."""
    if not 0 < at < len(items) or items[at].kind != "number" or items[at - 1].kind != "number":
        return False
    return readout.tokens[items[at].first].gap in _CONTINUING
