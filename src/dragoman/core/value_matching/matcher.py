"""Value matcher: whether a text states a value, in which form, and where.

A text becomes rows of canonical units. A row states a value if its units and its borders match.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

import msgspec

from dragoman.core.value_matching.lexicon import ValueLexicon, common_table, lexicon_of
from dragoman.core.value_matching.reader_state import ReadItem, Readout
from dragoman.core.value_matching.tokenizer import TokenGap
from dragoman.core.value_matching.typed_values import (
    SoughtValue,
    ValueType,
    find_typed_items,
    targets_of,
    value_type,
)
from dragoman.core.value_matching.value_reader import read

_MIN_ACROSS_COMMAS = 4
_MOST_LABEL = 4
_MOST_PREFIX = 3
"""Length of the longest word of letters before the digits of a code: `US`, `DHL`."""
_SIGN_NAMES = frozenset({"dot", "underscore", "dash", "slash", "at", "plus"})
_IN_ADDRESS = frozenset({"dot", "underscore"})
_BEFORE_ADDRESS = frozenset({"dot", "underscore", "dash"})
_NO_PART_OF_CODES = _SIGN_NAMES | {"percent", "and", "minus", "equals"}
_CODES = frozenset({"code", "phone", "number"})
_ADDRESSES = frozenset({"email", "file"})
_FREE = frozenset({"name", "text"})
_STOPS: frozenset[TokenGap] = frozenset({",", "."})
_BESIDE: frozenset[TokenGap] = frozenset({"", " "})
_GROUPING: frozenset[TokenGap] = frozenset({" ", "-"})


class RowUnit(msgspec.Struct, frozen=True, gc=False):
    """One canonical unit of a text, and its position among tokens.

    Attributes:
        text: The unit.
        item: The number of its item.
        token: The first token of its part.
        last: The last token of its part.
        opens: Whether a row may begin with it: it is the first unit of a token.
        closes: Whether a row may end with it.
    """

    text: str
    item: int
    token: int
    last: int
    opens: bool
    closes: bool


class UnitRow(msgspec.Struct, frozen=True):
    """The units of a text, joined, and the index of the unit that begins at each position.

    `is_linked` says that words between the parts of a code were omitted.
    """

    units: Sequence[RowUnit]
    joined: str
    places: dict[int, int]
    is_linked: bool = False


def find_row(target: SoughtValue, readout: Readout) -> tuple[int, int] | None:
    """Return the first and last token of the row that states a value."""
    wanted = target.joined
    if not wanted:
        return None
    for row in rows_of(readout.text, readout.language):
        if row.is_linked and target.kind == "number":
            continue
        start = row.joined.find(wanted)
        while start >= 0:
            first = row.places.get(start)
            end = row.places.get(start + len(wanted))
            if first is not None and end is not None:
                last = end - 1
                is_whole = row.units[first].opens and row.units[last].closes
                if is_whole and _stands_alone(target, row.units, first, last, readout):
                    return row.units[first].token, row.units[last].last
            start = row.joined.find(wanted, start + 1)
    return None


@lru_cache(maxsize=1024)
def rows_of(text: str, language: str) -> tuple[UnitRow, ...]:
    """Return the unit rows of a text: as read, and in further variants.

    The variants have named letters, no links, or fillers. Each occurs once, and only if the text
    has such words.
    """
    readout, lexicon = read(text, language), lexicon_of(language)
    units = list(units_of(readout))
    texts = [unit.text for unit in units]
    variants = [(units, False)]
    if any(word in lexicon.letter or word in lexicon.spelled_by for word in texts):
        spelled = _with_named_letters(units, texts, lexicon)
        if spelled != units:
            variants.append((spelled, False))
    if "dash" in texts or any(word in lexicon.code_link for word in texts):
        plain = _without_links(units, lexicon)
        if plain != units:
            variants.append((plain, True))
    whole = list(units_of(readout, with_fillers=True))
    if len(whole) > len(units):
        variants.append((whole, False))  # somebody's name may be Um
    return tuple(_row(found, is_linked=is_linked) for found, is_linked in variants)


def _row(units: Sequence[RowUnit], *, is_linked: bool) -> UnitRow:
    places: dict[int, int] = {}
    length = 0
    for number, unit in enumerate(units):
        places[length] = number
        length += len(unit.text)
    places[length] = len(units)
    return UnitRow(units, "".join([unit.text for unit in units]), places, is_linked)


def units_of(readout: Readout, *, with_fillers: bool = False) -> Iterator[RowUnit]:
    """Yield the canonical units of a text with their tokens."""
    for number, item in enumerate(readout.items):
        atoms, first, last = item.atoms, item.first, item.end - 1
        if with_fillers and not atoms and item.kind == "word":
            atoms = (readout.tokens[first].text,)
        if item.kind == "code":
            for token, own in _by_token(item, readout):
                yield from _units_of(own, number, token, token)
        elif item.kind == "money" and last > first:
            yield from _units_of(atoms[:-1], number, first, last)
            yield RowUnit(atoms[-1], number, first, last, opens=True, closes=True)
        elif len(atoms) == 1:
            yield RowUnit(atoms[0], number, first, last, opens=True, closes=True)
        else:
            yield from _units_of(atoms, number, first, last)


def _units_of(atoms: Sequence[str], item: int, first: int, last: int) -> Iterator[RowUnit]:
    end = len(atoms) - 1
    for at, atom in enumerate(atoms):
        is_owner = at == end - 1 and atoms[end] == "s" and len(atom) > 1
        yield RowUnit(atom, item, first, last, at == 0, at == end or is_owner)


def _by_token(item: ReadItem, readout: Readout) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield the units of each token of a code."""
    at = 0
    for token in range(item.first, item.end):
        start, length = at, 0
        while at < len(item.atoms) and length < len(readout.tokens[token].text):
            length += 1 if item.atoms[at] == "point" else len(item.atoms[at])
            at += 1
        yield token, item.atoms[start:at]


def _with_named_letters(
    units: Sequence[RowUnit], texts: Sequence[str], lexicon: ValueLexicon
) -> list[RowUnit]:
    """Replace names of letters by the letters: `bê`, `alfa`, `B as in boy`, `double u`."""
    found: list[RowUnit] = []
    at = 0
    while at < len(units):
        unit = units[at]
        word = lexicon.spelled_by.after(texts, at + 1) if len(unit.text) == 1 else at + 1
        if word > at + 1:
            letter, end = unit.text, min(word + 1, len(units))
        else:
            letter, end = lexicon.letter.at(texts, at) or ("", at + 1)
        if letter:
            last = units[end - 1].last
            found.append(RowUnit(letter, unit.item, unit.token, last, opens=True, closes=True))
        else:
            found.append(unit)
        at = end
    return found


def _without_links(units: Sequence[RowUnit], lexicon: ValueLexicon) -> list[RowUnit]:
    """Remove words that link a code's parts: `US, numbered 9148817941`, `dash`, `hyphen`."""
    links = lexicon.code_link
    found: list[RowUnit] = []
    for at, unit in enumerate(units):
        is_link = (unit.text in links or unit.text == "dash") and unit.opens and unit.closes
        is_between = (
            0 < at < len(units) - 1 and _is_sign(units[at + 1]) and _is_codelike(units[at - 1])
        )
        if not (is_link and is_between):
            found.append(unit)
    return found


def _is_sign(unit: RowUnit) -> bool:
    return len(unit.text) == 1 and unit.text.isalnum()


def _is_codelike(unit: RowUnit) -> bool:
    is_prefix = unit.text.isascii() and unit.text.isalpha() and len(unit.text) <= _MOST_PREFIX
    return _is_sign(unit) or is_prefix


def _stands_alone(
    target: SoughtValue, units: Sequence[RowUnit], start: int, end: int, readout: Readout
) -> bool:
    """Return whether a row is a whole value: not part of a longer one, and connected."""
    row, tokens = units[start : end + 1], readout.tokens
    gaps = [tokens[right.token].gap for left, right in pairwise(row) if right.token != left.token]
    if not _may_cross(target, gaps, row):
        return False
    is_spaced = lexicon_of(readout.language).is_spaced
    if start:
        gap = tokens[row[0].token].gap
        pair = (units[start - 1], row[0])
        is_apart = _is_country_code(units, start) or _is_label(units, start)
        is_free = is_apart and target.kind in _CODES and gap != ""
        if not is_free and _is_joined_before(target, pair, gap, is_spaced=is_spaced):
            return False
    if end + 1 == len(units):
        return True
    after = units[end + 1]
    gap = tokens[after.token].gap
    if not gaps and gap == " " and target.kind in _CODES and row[-1].token != after.token:
        return True  # a code that is written as one ends where a space is
    return not _is_joined_after(target, (row[-1], after), gap, is_spaced=is_spaced)


def _is_country_code(units: Sequence[RowUnit], start: int) -> bool:
    """Return whether the digits before a row are a country code behind a plus sign."""
    at = start
    while at and start - at < _MOST_PREFIX and units[at - 1].text.isdigit():
        at -= 1
    return 0 < at < start and units[at - 1].text == "plus"


def _is_label(units: Sequence[RowUnit], start: int) -> bool:
    """Return whether an acronym before a row labels it: `ID XYZ123`, `I D one two three`."""
    labels = common_table().code_labels.names
    letters = ""
    at = start
    while at and len(letters) < _MOST_LABEL and len(units[at - 1].text) == 1:
        at -= 1
        letters = units[at].text + letters
        if letters in labels:
            return True
    return start > 0 and units[start - 1].text in labels


def _may_cross(target: SoughtValue, gaps: Iterable[TokenGap], row: Sequence[RowUnit]) -> bool:
    """Return whether the gaps inside a row may belong to the value; all may in free text."""
    found = set(gaps)
    # A list has a comma behind each of its parts; a speaker who spells pauses between groups.
    is_list = found == {","} and all(unit.opens and unit.closes for unit in row)
    if target.kind == "code":
        return "," not in found or (len(target.joined) >= _MIN_ACROSS_COMMAS and not is_list)
    if target.kind == "number":
        is_digits = all(len(unit.text) == 1 for unit in row)
        is_long = len(row) >= _MIN_ACROSS_COMMAS and not is_list
        return is_digits and (is_long or not _STOPS & found)
    return True


_Pair = tuple[RowUnit, RowUnit]
"""The last unit before the edge of a row and the first unit behind it."""


def _is_joined_before(target: SoughtValue, pair: _Pair, gap: TokenGap, *, is_spaced: bool) -> bool:
    """Return whether the unit before a row belongs to its first unit."""
    before, first = pair
    if _is_same_token(pair):
        return True
    if target.kind in _ADDRESSES:
        # Without spaces the beginning of a name is unknown.
        is_run = not (is_spaced or before.text.isascii() or first.text.isascii())
        return not is_run and _goes_on_before_address(before, first, gap)
    if gap == "":
        # A spoken sign, such as the currency of an amount or the hash of an id.
        return is_spaced and before.text not in _NO_PART_OF_CODES
    if target.kind in _CODES:
        if gap == " " and before.text in _IN_ADDRESS:
            return before.text == "underscore"
        return _is_grouped(before, first, gap, at_start=True)
    return _is_double_name(target, before, gap) or (
        target.kind in _FREE and before.text == "underscore"
    )


def _is_joined_after(target: SoughtValue, pair: _Pair, gap: TokenGap, *, is_spaced: bool) -> bool:
    """Return whether the unit behind a row belongs to its last unit."""
    last, after = pair
    if _is_same_token(pair):
        return after.text != "s"
    if target.kind in _ADDRESSES:
        # Without spaces the end of a name is unknown.
        is_run = not (is_spaced or after.text.isascii())
        is_part = gap == "" and after.text not in _NO_PART_OF_CODES and not is_run
        return is_part or (gap in _BESIDE and after.text in _IN_ADDRESS)
    if gap == "":
        return is_spaced and after.text not in _NO_PART_OF_CODES
    if target.kind in _CODES:
        return _is_grouped(last, after, gap, at_start=False)
    return _is_double_name(target, after, gap) or (
        target.kind in _FREE and after.text == "underscore"
    )


def _is_same_token(pair: _Pair) -> bool:
    is_one = pair[0].token == pair[1].token and pair[0].item == pair[1].item
    return is_one and not (pair[0].closes and pair[1].opens)


def _goes_on_before_address(before: RowUnit, first: RowUnit, gap: TokenGap) -> bool:
    if gap == "":
        return before.text != "slash"
    is_spelled = len(before.text) == len(first.text) == 1 and first.opens and first.closes
    return gap in _GROUPING and (is_spelled or (gap == " " and before.text in _BEFORE_ADDRESS))


def _is_double_name(target: SoughtValue, beside: RowUnit, gap: TokenGap) -> bool:
    """Return whether a hyphen joins a name to another word."""
    return target.kind == "name" and gap == "-" and beside.text.isalpha() and len(beside.text) > 1


def _is_grouped(left: RowUnit, right: RowUnit, gap: TokenGap, *, at_start: bool) -> bool:
    """Return whether two units at the edge of a row belong to one code.

    They do if they are digits or spelled letters.
    """
    if gap not in _GROUPING:
        return False
    outer, inner = (left, right) if at_start else (right, left)
    if outer.text.isdigit() and inner.text.isdigit():
        return True
    is_letter = len(outer.text) == 1 and outer.text.isalpha() and outer.text.isascii()
    if gap == "-":
        return outer.text.isdigit() or is_letter
    is_spelled = is_letter and outer.text not in common_table().lone_words.names
    return is_spelled and (at_start or inner.text.isdigit())


__all__ = [
    "MATCHER",
    "Form",
    "ValueStatement",
    "ValueType",
    "find_value",
    "statements",
    "states",
    "typed_values",
    "value_type",
]

MATCHER = "dragoman-values-1"
"""The name of the rules that find values; changed rules get another name."""

Form = Literal["exact", "reformatted", "grouped", "spelled", "words"]
"""The form in which a value appears.

`exact`: as written. `reformatted`: in another format. `grouped`: in other groups. `spelled`: sign
by sign. `words`: in number words.
"""

_MIN_JOINED = 4
_MIN_SPELLED = 3
_AMOUNTS = frozenset({"number", "money", "percent"})
_GROUPED = frozenset({"code", "phone", "number"})


class ValueStatement(NamedTuple):
    """A statement of a value in a text: its form, and its start and end in the text."""

    form: Form
    start: int
    end: int


def find_value(value: str, text: str, language: str) -> ValueStatement | None:
    """Return the statement of a value in a text; None if the text does not state it.

    Args:
        value: The value as a call needs it; both texts and numbers are given as text.
        text: The text that was said, typed or heard.
        language: The tag of the text's language.
    """
    if not text or not value.strip():
        return None
    readout = read(text, language)
    for target in targets_of(value, language):
        found = _find(target, readout)
        if found is not None:
            return _make_statement(readout, target, *found)
    return None


def states(value: str, text: str, language: str) -> bool:
    """Return whether a text states a value."""
    return find_value(value, text, language) is not None


def statements(
    values: Iterable[str], text: str, language: str
) -> Mapping[str, ValueStatement | None]:
    """Return the statement of each value in a text, once for each value."""
    return {value: find_value(value, text, language) for value in dict.fromkeys(values)}


def typed_values(value: str, text: str, language: str) -> tuple[str, ...]:
    """Return the values in a text that have the type of another value, in plain form.

    Numbers are plain decimals, amounts are numbers without a currency, dates have the form
    `2026-05-05`, times the form `17:30`. The result is empty for a value without such a type, such
    as a name or a code.
    """
    wanted = targets_of(value, language)[0].typed
    if wanted is None:
        return ()
    kinds = _AMOUNTS if wanted.kind in {"number", "money"} else {wanted.kind}
    items = [item for item in read(text, language).items if item.kind in kinds]
    written = (_canonical_text(item, wanted) for item in items)
    return tuple(dict.fromkeys(each for each in written if each))


def _canonical_text(item: ReadItem, wanted: ReadItem) -> str:
    match item.value:
        case (str(), Decimal() as amount):
            return f"{amount.normalize():f}"
        case Decimal() as number:
            is_share = item.kind == "percent" and isinstance(wanted.value, Decimal)
            if is_share and isinstance(wanted.value, Decimal) and wanted.value % 1:
                number /= 100
            return f"{number.normalize():f}"
        case (None, int() as month, int() as day):
            return f"{month:02}-{day:02}"
        case (int() as year, int() as month, int() as day):
            return f"{year}-{month:02}-{day:02}"
        case frozenset() as minutes:
            first = min(minutes)
            return f"{first // 60:02}:{first % 60:02}"
        case _:
            return ""


def _find(target: SoughtValue, readout: Readout) -> tuple[int, int] | None:
    """Return the first and last token that state a value."""
    if target.typed is not None and not _is_padded(target):
        found = find_typed_items(target.typed, readout)
        if found is not None:
            return found
        if target.typed.kind != "number" or not _may_be_grouped(target):
            return None
    return find_row(target, readout)


def _is_padded(target: SoughtValue) -> bool:
    """Return whether leading zeros make a value a code: `0002` is not 2."""
    return target.kind == "code" and target.raw.isdigit()


def _may_be_grouped(target: SoughtValue) -> bool:
    """Return whether a number has enough digits to be said as a code."""
    return len(target.digits) >= _MIN_JOINED or target.raw.startswith("0")


def _make_statement(readout: Readout, target: SoughtValue, first: int, last: int) -> ValueStatement:
    start, end = readout.tokens[first].start, readout.tokens[last].end
    sign = target.raw[:1]
    if sign in {"#", "+"} and readout.text[start - 1 : start] == sign:
        start -= 1
    is_exact = readout.text[start:end].casefold() == target.raw.casefold()
    return ValueStatement("exact" if is_exact else _form(target, first, last, readout), start, end)


def _form(target: SoughtValue, first: int, last: int, readout: Readout) -> Form:
    tokens = readout.tokens[first : last + 1]
    units = lexicon_of(readout.language).numbers.unit
    if any(token.kind == "word" and token.text in units for token in tokens):
        return "words"
    is_apart = all(len(token.text) == 1 for token in tokens if token.kind != "sign")
    if is_apart and len(tokens) >= _MIN_SPELLED:
        return "spelled"
    return "grouped" if target.kind in _GROUPED and len(tokens) > 1 else "reformatted"
