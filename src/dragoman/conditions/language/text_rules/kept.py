"""Identifiers and numbers that a translation must repeat as they are."""

import re
from collections import Counter

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


def reformatted(number: str, translation: str) -> str | None:
    """Return how a translation writes a number with other separators, or None if it does not."""
    digits = number.translate(_SEPARATORS)
    written = (
        each for each in _NUMBER.findall(translation) if each.translate(_SEPARATORS) == digits
    )
    return next(written, None) if len(digits) > 1 else None


def is_identifier(text: str) -> bool:
    """Whether a text is an identifier: an e-mail address, an order, a user."""
    return _IDENTIFIER.fullmatch(text) is not None
