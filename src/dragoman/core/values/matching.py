"""The value matcher: whether a text states a value, in which form, and where.

A number, an amount, a date, a time or a percentage is stated by any reading with the same value.
Everything else (codes, telephone numbers, addresses, file names, names, free text) is stated by a row of
whole tokens with the same canonical units, however they are grouped. Nothing is found inside a token.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Literal, NamedTuple

from dragoman.core.values.items import ReadItem, Readout
from dragoman.core.values.lexicon import lexicon_of
from dragoman.core.values.reading import read
from dragoman.core.values.rows import find_row
from dragoman.core.values.targets import SoughtValue, ValueType, targets_of, value_type
from dragoman.core.values.typed import find_typed

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
"""The name of the rules by which values are found; changed rules have another name."""

Form = Literal["exact", "reformatted", "grouped", "spelled", "words"]
"""As the value is written; in another written form; in other groups; sign by sign; in number words."""

_MIN_JOINED = 4
_MIN_SPELLED = 3
_AMOUNTS = frozenset({"number", "money", "percent"})
_GROUPED = frozenset({"code", "phone", "number"})


class ValueStatement(NamedTuple):
    """Where and how a text states a value; `start` and `end` are places in the text."""

    form: Form
    start: int
    end: int


def find_value(value: str, text: str, language: str) -> ValueStatement | None:
    """Return where a text states a value; None where it does not.

    Args:
        value: As a call needs it; texts and numbers alike as text.
        text: What was said, typed or heard.
        language: The tag of the text's language.
    """
    if not text or not value.strip():
        return None
    readout = read(text, language)
    for target in targets_of(value, language):
        found = _find(target, readout)
        if found is not None:
            return _stated(readout, target, *found)
    return None


def states(value: str, text: str, language: str) -> bool:
    """Whether a text states a value."""
    return find_value(value, text, language) is not None


def statements(
    values: Iterable[str], text: str, language: str
) -> Mapping[str, ValueStatement | None]:
    """Return for each value, once, where a text states it."""
    return {value: find_value(value, text, language) for value in dict.fromkeys(values)}


def typed_values(value: str, text: str, language: str) -> tuple[str, ...]:
    """Return the values in a text that are of the type of another one, written plainly.

    Numbers are plain decimals, amounts the number alone, dates `2026-05-05`, times `17:30`. There are none
    for a value without a type of its own, such as a name or a code.
    """
    wanted = targets_of(value, language)[0].typed
    if wanted is None:
        return ()
    kinds = _AMOUNTS if wanted.kind in {"number", "money"} else {wanted.kind}
    items = [item for item in read(text, language).items if item.kind in kinds]
    written = (_written(item, wanted) for item in items)
    return tuple(dict.fromkeys(each for each in written if each))


def _written(item: ReadItem, wanted: ReadItem) -> str:
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
        found = find_typed(target.typed, readout)
        if found is not None:
            return found
        if target.typed.kind != "number" or not _may_be_grouped(target):
            return None
    return find_row(target, readout)


def _is_padded(target: SoughtValue) -> bool:
    """Whether zeros before its digits make a value a code: `0002` is not 2."""
    return target.kind == "code" and target.raw.isdigit()


def _may_be_grouped(target: SoughtValue) -> bool:
    """Whether the digits of a number may also be those of a code: there are enough of them."""
    return len(target.digits) >= _MIN_JOINED or target.raw.startswith("0")


def _stated(readout: Readout, target: SoughtValue, first: int, last: int) -> ValueStatement:
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
