"""Whether two writings may be one value misheard: the same letters, nearly so, or the same sound."""

import re
from difflib import SequenceMatcher

from dragoman.core.texts.unaccented import unaccented

LIKENESS = 0.75
"""Of the letters of two writings, in order, that are the same in near matches."""
SHORTEST = 3
"""Signs of a value that anything else can be near to."""
MOST_SIGNS = 200
"""Longer writings are only ever equal."""

_SOUNDS = (
    (re.compile(r"ph"), "f"),
    (re.compile(r"ck|[cq]"), "k"),
    (re.compile(r"z"), "s"),
    (re.compile(r"[aeiouyhw]"), ""),
    (re.compile(r"(.)\1+"), r"\1"),
)


def folded(text: str) -> str:
    """Return the letters and digits of a text, without accents, letter case and signs between them."""
    return "".join(filter(str.isalnum, unaccented(text)))


def alike(said: str, value: str) -> float:
    """Return how alike a folded writing and a folded value are, 0 where one cannot stand for the other.

    1 are the same letters; a homophone is as good as the least near match.
    """
    if said == value:
        return float(bool(value))
    shorter, longer = sorted((len(said), len(value)))
    is_too_short = 2 * shorter < LIKENESS * (shorter + longer)
    if is_too_short or shorter < SHORTEST or longer > MOST_SIGNS:
        return 0.0
    matcher = SequenceMatcher(None, said, value, autojunk=False)
    if matcher.quick_ratio() >= LIKENESS and (ratio := matcher.ratio()) >= LIKENESS:
        return ratio
    sound = _sound(value)
    is_homophone = said[0] == value[0] and len(sound) > 1 and _sound(said) == sound
    return LIKENESS if is_homophone else 0.0


def _sound(text: str) -> str:
    for pattern, kept in _SOUNDS:
        text = pattern.sub(kept, text)
    return text
