"""An id that was said twice, read once: what the two hearings agree on, and the likelier of the rest."""

import re

from dragoman.conditions.voice.written.signs import MIN_SIGNS, PREFIXES, is_spelling, sign_at
from dragoman.conditions.voice.written.words import Heard, Reading, text_at
from dragoman.core.texts.alignment import Pair, aligned

AGAIN = "again"
UNKNOWN = "?"
"""Stands for one word that was no letter or digit."""

_IN_THE_POST = re.compile(r"[a-z]{2}[0-9]{9}[a-z]{2}")
_LIKELIER = frozenset({("a", "8"), ("k", "e"), ("b", "p"), ("w", "u"), ("2", "u"), ("4", "f")})
"""Of the two signs the first is oftener heard as the second than the other way round."""


def twice_at(words: Heard, at: int) -> Reading | None:
    """Return the id that is said from a word on and again after `again`."""
    prefix = PREFIXES.get(text_at(words, at), "")
    first, place = _loose_run(words, at + bool(prefix))
    if text_at(words, place) != AGAIN or len(first) < MIN_SIGNS:
        return None
    place += 1
    second, end = _loose_run(words, place + (text_at(words, place) in PREFIXES))
    if len(second) < MIN_SIGNS:
        return None
    text = reconciled(first, second)
    if is_spelling(words, at) and text.replace("8", "").isalpha():
        return Reading(text.replace("8", "a").capitalize(), end, "spelling")
    return Reading(prefix + text.upper(), end, "code")


def reconciled(first: str, second: str) -> str:
    """Return what was meant by two hearings of one id.

    A sign that only one of them has was lost by the other, but at an end it was put in: breath and
    the word before sound like letters. A known sign stands against an unknown one; of two that differ
    the likelier counts, or else the first. But where one hearing is a parcel's number in the post
    (UPU S10: two letters, nine digits, a country) and what comes of both is not, that one was meant.
    """
    both = _agreed(first, second)
    return next((text for text in (both, second, first) if _IN_THE_POST.fullmatch(text)), both)


def _agreed(first: str, second: str) -> str:
    pairs = list(aligned(first, second))
    while pairs and _is_lone(pairs[0]):
        pairs.pop(0)
    while pairs and _is_lone(pairs[-1]):
        pairs.pop()
    return "".join(map(_meant, pairs))


def _is_lone(pair: Pair) -> bool:
    return pair.said is None or pair.heard is None


def _meant(pair: Pair) -> str:
    first, second = pair.said, pair.heard
    if first is None or second is None:
        kept = first or second or UNKNOWN
        return "" if kept == UNKNOWN else kept
    if first == UNKNOWN or (second, first) in _LIKELIER:
        return second
    return first


def _loose_run(words: Heard, at: int) -> tuple[str, int]:
    """Return the signs from a word on, with lone unknown words among them, and the word after."""
    sign = sign_at(words, at)
    if sign is None or sign_at(words, sign.end) is None:
        return "", at
    text, place = "", at
    while True:
        sign = sign_at(words, place)
        if sign is not None:
            text, place = text + sign.text, sign.end
        elif _is_gap(words, place):
            text, place = text + UNKNOWN, place + 1
        else:
            return text, place


def _is_gap(words: Heard, at: int) -> bool:
    word = text_at(words, at)
    is_inside = sign_at(words, at + 1) is not None or text_at(words, at + 1) == AGAIN
    return bool(word) and word != AGAIN and is_inside
