"""Heard text as words with their places, and what readers take a stretch of them for."""

import re
from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from dragoman.core.texts.entities import EntityKind

MAX_CHARACTERS = 20_000
"""What is longer stays as it was heard."""

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_CROSSED = re.compile(r"[\s,-]*")
_AFTER_LETTER = re.compile(r"\.?[\s,-]*")


class Word(msgspec.Struct, frozen=True):
    """A word in small letters, where it stands, and whether what follows it starts anew."""

    text: str
    start: int
    end: int
    stops: bool
    is_capital: bool


Heard = Sequence[Word]


class Reading(msgspec.Struct, frozen=True):
    """What a stretch of words is taken for: its text, its kind, and the word after it."""

    text: str
    end: int
    kind: EntityKind | Literal["spelling"]


Reader = Callable[[Heard, int], Reading | None]
"""Reads a value that begins at a word; None where none does."""


def heard_words(text: str) -> tuple[Word, ...]:
    """Return the words of a text; commas, hyphens and dots after letters do not end a stretch."""
    matches = list(_WORD.finditer(text))
    starts = [match.start() for match in matches]
    return tuple(
        Word(
            match.group().casefold(),
            match.start(),
            match.end(),
            _stops(match.group(), text[match.end() : after]),
            match.group()[0].isupper(),
        )
        for match, after in zip(matches, (*starts[1:], len(text)), strict=False)
    )


def text_at(words: Heard, at: int) -> str:
    """Return the word at a place; "" beyond the last one and where a new stretch begins before it."""
    return words[at].text if goes_on(words, at) else ""


def goes_on(words: Heard, at: int) -> bool:
    """Whether there is a word at a place and nothing before it ends the stretch."""
    return at < len(words) and (at == 0 or not words[at - 1].stops)


def _stops(word: str, gap: str) -> bool:
    crossed = _AFTER_LETTER if len(word) == 1 and word.isalpha() else _CROSSED
    return crossed.fullmatch(gap) is None
