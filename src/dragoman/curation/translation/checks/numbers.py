"""Checks of numbers: each of the source stands in the translation, as its language writes it."""

import re
from collections.abc import Iterator
from decimal import Decimal

from dragoman.conditions.language.text_invariants import number_of, numbers_as_written, numbers_in
from dragoman.core.language.localized_values import ENGLISH_NUMBERS
from dragoman.curation.translation.checks.anomalies import Anomaly
from dragoman.curation.translation.checks.translated import Translated

_AFTERNOON = re.compile(r"(\d{1,2})(?::\d\d){0,2}\s?[Pp]\.?\s?[Mm]\b")
_NOON = 12
_USUAL_WORDS = 10


def numbers(text: Translated) -> Iterator[Anomaly]:
    """Find numbers of the source that the translation has not, and those that it writes otherwise.

    Signs may be those of the language or of English, digits of any script, small numbers words;
    hours may be of 24, years of the language's calendars.
    """
    lost = [
        written
        for written in dict.fromkeys(numbers_as_written(text.source_words))
        if not re.search(rf"(?<!\d)(?<!\d[.,]){re.escape(written)}(?![.,]?\d)", text.target)
    ]
    if not lost:
        return
    there = _written(text)
    hours = {Decimal(found) for found in _AFTERNOON.findall(text.source)}
    for written in lost:
        number = number_of(written, ENGLISH_NUMBERS)
        others = {number, *(number + ahead for ahead in text.language.dates.years_ahead)}
        if number in hours:
            others.add(number + _NOON)
        if not others.isdisjoint(there):
            yield text.anomaly("number-rewritten", f"{written} is written with other signs")
        elif _may_be_word(text, number):
            yield text.anomaly("number-rewritten", f"{written} is written as a word")
        else:
            yield text.anomaly("number-lost", f"{written} is not repeated")


def _written(text: Translated) -> set[Decimal]:
    """Return the numbers of a translation in every reading of it."""
    target = text.target
    own, english = (
        numbers_in(target, habits) for habits in (text.language.numbers, ENGLISH_NUMBERS)
    )
    found = {*own, *english}
    for word, scale in text.expected.scales.items():
        for number in re.findall(rf"(?<!\d)(\d{{1,12}}(?:[.,]\d{{1,12}})?)\s?{word}", target):
            found.add(Decimal(number.replace(",", ".")) * scale)
    return found


def _may_be_word(text: Translated, number: Decimal) -> bool:
    """Whether a small number stands there as a word; true where the language's words are not known."""
    words = text.expected.number_words
    if not words:
        return number <= _USUAL_WORDS
    target = text.target.casefold()
    return number in range(len(words)) and any(word in target for word in words[int(number)])
