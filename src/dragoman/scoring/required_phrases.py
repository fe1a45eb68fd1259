"""Required phrases: search of texts, numbers and dates in a message of any language."""

import re
import unicodedata
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from functools import cache

from dragoman.core.language.localized_values import (
    ENGLISH_NUMBERS,
    DateFormat,
    LocalizedValues,
    NumberFormat,
)
from dragoman.core.rules import Rules

_LEADING_ZERO = re.compile(r"-?0[\d,]")
_ISO_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")


def contains_phrase(text: str, wanted: str, rules: Rules) -> bool:
    """Return whether a message contains a required phrase.

    The reference looks for the characters in the message without its commas. If the rules compare
    numbers whole, 327 is not found in 1327, and 1,327.50 is found for 1327.5.
    """
    number = parse_number_text(wanted) if rules.numbers_match_whole else None
    if number is not None:
        return number in whole_numbers(text)
    if rules.numbers_match_whole:
        wanted = wanted.replace(",", "")
    return wanted.lower() in text.lower().replace(",", "")


def contains_localized_phrase(
    text: str, wanted: str, rules: Rules, wording: LocalizedValues
) -> bool:
    """Return whether a message contains a required phrase as its language writes it.

    Numbers may have the signs of the language, dates its forms, and a label may stand for a value.
    A phrase that `contains_phrase` finds also counts. If the rules do not compare numbers whole,
    only that counts, because the reference knows no language.
    """
    if contains_phrase(text, wanted, rules):
        return True
    if not rules.numbers_match_whole or wording.is_english:
        return False
    number = parse_number_text(wanted)
    if number is not None:
        return number in whole_numbers(text, wording.numbers)
    message = _fold_case(text)
    labels = map(_fold_case, wording.labels.get(wanted, ()))
    return any(label in message for label in labels) or any(
        re.search(rf"(?<!\d){re.escape(_fold_case(form))}(?!\d)", message)
        for form in date_forms(wanted, wording.dates)
    )


def whole_numbers(text: str, habits: NumberFormat = ENGLISH_NUMBERS) -> set[Decimal]:
    """Return the numbers that stand in a text as wholes."""
    found = (_in_english(match.group(), habits) for match in _pattern(habits).finditer(text))
    return {Decimal(number.replace(",", "")) for number in found if not _LEADING_ZERO.match(number)}


def _in_english(number: str, habits: NumberFormat) -> str:
    parts = number.split(habits.thousands)
    return ",".join(part.replace(habits.decimal, ".") for part in parts)


def parse_number_text(text: str) -> Decimal | None:
    """Return the number that a text consists of, or None."""
    match = _pattern(ENGLISH_NUMBERS).fullmatch(text.strip())
    if match is None or _LEADING_ZERO.match(match.group()):
        return None
    return Decimal(match.group().replace(",", ""))


def date_forms(wanted: str, habits: DateFormat | None) -> Iterator[str]:
    """Yield the ways to write an ISO date; nothing for a text that is none."""
    found = _ISO_DATE.fullmatch(wanted.strip())
    if habits is None or found is None:
        return
    try:
        day = date(*map(int, found.groups()))
    except ValueError:
        return
    name = habits.months[day.month - 1]
    for form in habits.forms:
        for ahead in habits.years_ahead:
            year = day.year + ahead
            yield form.format(day=day.day, month=day.month, month_name=name, year=year)
            yield form.format(
                day=f"{day.day:02}", month=f"{day.month:02}", month_name=name, year=year
            )


@cache
def _pattern(habits: NumberFormat) -> re.Pattern[str]:
    """Return what finds numbers. A code with a leading zero is not one; see `whole_numbers`."""
    decimal, thousands = re.escape(habits.decimal), re.escape(habits.thousands)
    digits = (
        rf"(?:\d{{1,3}}(?:{thousands}\d{{3}}){{1,9}}(?!\d)|\d{{1,40}})(?:{decimal}\d{{1,30}})?"
        rf"|{decimal}\d{{1,30}}"
    )
    return re.compile(rf"(?<![\w{decimal}])-?(?:{digits})(?![\w]*_)")


def _fold_case(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()
