"""The letters of a text: of which script they are, and how many."""

import re
import unicodedata

_LETTER = re.compile(r"[A-Za-z]")
_HAN = re.compile(r"[\u3400-\u9fff]+")


def has_letters(text: str) -> bool:
    """Whether a text has a Latin letter: others need no translation."""
    return _LETTER.search(text) is not None


def latin_share(text: str) -> float | None:
    """Return the share of Latin letters among letters and their marks; None where there are none."""
    latin = sum(letter.isascii() and letter.isalpha() for letter in text)
    other = sum(not letter.isascii() and not letter.isspace() for letter in text)
    return latin / (latin + other) if latin + other else None


def is_latin(text: str) -> bool:
    """Whether all letters of a text are of the Latin script, which separates words by spaces."""
    return all(unicodedata.name(each, "").startswith("LATIN") for each in text if each.isalpha())


def is_han(text: str) -> bool:
    """Whether a text consists of Chinese characters; the empty text does not."""
    return _HAN.fullmatch(text) is not None
