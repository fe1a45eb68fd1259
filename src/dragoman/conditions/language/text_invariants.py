"""Text that a translation must keep: identifiers, numbers, Markdown structure, values, script."""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from dragoman.conditions.language.value_sets import fold_spelling
from dragoman.core.language.localized_values import NumberFormat

_LETTER = re.compile(r"[A-Za-z]")
_HAN = re.compile(r"[\u3400-\u9fff]+")


def has_letters(text: str) -> bool:
    """Return whether a text has a Latin letter: others need no translation."""
    return _LETTER.search(text) is not None


def latin_share(text: str) -> float | None:
    """Return the share of Latin letters among letters and their marks.

    None if the text has no letters.
    """
    latin = sum(letter.isascii() and letter.isalpha() for letter in text)
    other = sum(not letter.isascii() and not letter.isspace() for letter in text)
    return latin / (latin + other) if latin + other else None


def is_latin(text: str) -> bool:
    """Return whether all letters of a text are Latin, so that spaces separate its words."""
    return all(unicodedata.name(each, "").startswith("LATIN") for each in text if each.isalpha())


def is_han(text: str) -> bool:
    """Return whether a text consists of Chinese characters; the empty text does not."""
    return _HAN.fullmatch(text) is not None


_HEADING = re.compile(r"#{1,6}\s")
_LIST_ITEM = re.compile(r"\s*([-*+]|\d+[.)])\s")
CODE_SPAN = re.compile(r"`([^`\n]+)`")
LITERAL = re.compile(r"(?<![A-Za-z0-9])'([^'\n]{1,80})'(?![A-Za-z0-9])")
BOLD = re.compile(r"\*\*([^*\n]+)\*\*")
QUOTED = re.compile(r'["\u201c\u300c]([^"\u201c\u201d\u300c\u300d\n]+)["\u201d\u300d]')


def lines_of(text: str) -> list[str]:
    """Return the lines of a text that are not blank."""
    return [line for line in text.splitlines() if line.strip()]


def headings_of(text: str) -> list[str]:
    """Return the headings of a text."""
    return [line for line in lines_of(text) if _HEADING.match(line)]


def list_items_of(text: str) -> list[str]:
    """Return the list items of a text."""
    return [line for line in lines_of(text) if _LIST_ITEM.match(line)]


def code_spans_of(text: str) -> list[str]:
    """Return what stands between backticks in a text."""
    return CODE_SPAN.findall(text)


def quoted_in(text: str) -> list[str]:
    """Return what stands in double quotes in a text, straight or as the script has them."""
    return QUOTED.findall(text)


def without_code(text: str) -> str:
    """Return a text without its code spans."""
    return CODE_SPAN.sub("", text)


_IDENTIFIER = re.compile(
    r"\b[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}"  # an e-mail address
    r"|#W\d+"  # an order
    r"|\b[A-Za-z][A-Za-z0-9]{0,40}(?:_[A-Za-z0-9]{1,40}){0,8}_\d{1,40}"  # a user, a payment method
    r"|\b(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[A-Z0-9]{5,}\b"  # a reservation, a flight
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SEPARATORS = str.maketrans("", "", ".,\u00a0\u202f ")


def lost_identifiers(original: str, translation: str) -> Counter[str]:
    """Return the identifiers of a text that its translation does not repeat, with how often."""
    found = Counter(_IDENTIFIER.findall(original))
    lost = {name: count - translation.count(name) for name, count in found.items()}
    return Counter({name: count for name, count in lost.items() if count > 0})


def lost_numbers(original: str, translation: str) -> list[str]:
    """Return the numbers of a text that its translation does not write in the same way."""
    return [number for number in numbers_as_written(original) if number not in translation]


def numbers_as_written(text: str) -> list[str]:
    """Return the numbers of a text with their signs, in order."""
    return _NUMBER.findall(text)


def find_reformatted_number(number: str, translation: str) -> str | None:
    """Return how a translation writes a number with other separators, or None if it does not."""
    digits = number.translate(_SEPARATORS)
    written = (
        each for each in _NUMBER.findall(translation) if each.translate(_SEPARATORS) == digits
    )
    return next(written, None) if len(digits) > 1 else None


def is_identifier(text: str) -> bool:
    """Return whether a text is an identifier: an e-mail address, an order, a user."""
    return _IDENTIFIER.fullmatch(text) is not None


def numbers_in(text: str, habits: NumberFormat) -> dict[Decimal, None]:
    """Return the numbers of a text in their order, each once; digits may be of any script."""
    return dict.fromkeys(
        number_of(found.group(), habits) for found in _pattern(habits).finditer(text)
    )


def number_of(written: str, habits: NumberFormat) -> Decimal:
    """Return the value of a number as it is written."""
    return Decimal(written.replace(habits.thousands, "").replace(habits.decimal, "."))


@cache
def _pattern(habits: NumberFormat) -> re.Pattern[str]:
    decimal, thousands = re.escape(habits.decimal), re.escape(habits.thousands)
    return re.compile(
        rf"(?:\d{{1,3}}(?:{thousands}\d{{3}}){{1,9}}(?!\d)|\d{{1,40}})(?:{decimal}\d{{1,30}})?"
    )


class SwappedValues(NamedTuple):
    """Values that a translation names less often than the source, and those that it adds."""

    fewer: list[str]
    added: list[str]


def find_swapped_values(
    labels: Mapping[str, str], original: str, translation: str
) -> SwappedValues | None:
    """Return the values of a field that a translation names in place of others.

    The result is None if there are none.

    Args:
        labels: Labels of the field's values, by value.
        original: The English text, folded.
        translation: Its translation, folded.
    """
    named = {value: _mentions(value, original) for value in labels}
    if not any(named.values()):
        return None
    shown = {value: _mentions(label, translation) for value, label in labels.items()}
    fewer = [value for value in named if named[value] > shown[value]]
    added = [value for value in shown if shown[value] and not named[value]]
    return SwappedValues(fewer, added) if fewer and added else None


def _mentions(text: str, within: str) -> int:
    """Return how often a folded text stands in another; in Latin script, as whole words."""
    folded = fold_spelling(text)
    if folded not in within or not is_latin(text):
        return within.count(folded)
    return len(re.findall(rf"(?<![^\W\d_]){re.escape(folded)}(?![^\W\d_])", within))
