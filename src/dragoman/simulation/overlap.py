"""How much two texts have to do with each other by their words (Okapi BM25)."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise

from dragoman.core.language.phrasebook import Phrasebook
from dragoman.simulation.texts import HANGING, clusters, longest_first

SATURATION = 1.2
LENGTH_WEIGHT = 0.75
"""The usual constants of BM25: how fast repetition stops counting, and how much length does."""

_TOKEN = re.compile(r"[^\W_]+")
_RUN = re.compile(rf"[0-9A-Za-z]+|(?:[^\W_0-9A-Za-z]|[{HANGING}])+")
_STEM = 3

MAX_REMEMBERED = 4096
"""Texts without spaces whose pairs are remembered: tools' descriptions are compared at every turn."""


def words(text: str, phrases: Phrasebook) -> list[str]:
    """Return the stems of a text's words, without those that say nothing.

    Where words have no spaces between them it is pairs of signs, between words that say nothing.
    """
    if not phrases.writing.spaced:
        return list(_pairs(text.casefold(), phrases.words.stop))
    tokens = (token.casefold() for token in _TOKEN.findall(text))
    return [_stem(token, phrases) for token in tokens if token not in phrases.words.stop]


def ranked(
    query: str, documents: Mapping[str, str], phrases: Phrasebook
) -> list[tuple[str, float]]:
    """Return all documents by name, best match first, with their scores (0: no word in common)."""
    contents = {name: Counter(words(text, phrases)) for name, text in documents.items()}
    spread = Counter(word for content in contents.values() for word in content)
    mean = sum(content.total() for content in contents.values()) / max(len(contents), 1)
    asked = set(words(query, phrases))
    scores = {
        name: sum(
            _weight(spread[word], len(contents)) * _presence(content[word], content.total() / mean)
            for word in sorted(asked & content.keys())
        )
        for name, content in contents.items()
    }
    return sorted(scores.items(), key=lambda entry: -entry[1])


def shared(one: str, other: str, phrases: Phrasebook) -> int:
    """Return how many different words two texts have in common."""
    return len(set(words(one, phrases)) & set(words(other, phrases)))


def _weight(documents_with: int, documents: int) -> float:
    return math.log(1 + (documents - documents_with + 0.5) / (documents_with + 0.5))


def _presence(times: int, length: float) -> float:
    return (
        times
        * (SATURATION + 1)
        / (times + SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * length))
    )


@lru_cache(maxsize=MAX_REMEMBERED)
def _pairs(text: str, stop: frozenset[str]) -> tuple[str, ...]:
    return tuple(_read_pairs(text, stop))


def _read_pairs(text: str, stop: Collection[str]) -> Iterator[str]:
    for word in longest_first(stop):
        text = text.replace(word, " ")
    for run in _RUN.findall(text):
        signs = clusters(run)
        if run.isascii() or len(signs) == 1:
            yield run
        else:
            yield from map("".join, pairwise(signs))


def _stem(word: str, phrases: Phrasebook) -> str:
    for ending in phrases.words.endings:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM:
            return word.removesuffix(ending)
    return word
