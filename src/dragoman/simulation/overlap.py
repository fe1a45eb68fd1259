"""How much two texts have to do with each other by their words (Okapi BM25)."""

import math
import re
from collections import Counter
from collections.abc import Mapping

SATURATION = 1.2
LENGTH_WEIGHT = 0.75
"""The usual constants of BM25: how fast repetition stops counting, and how much length does."""

_TOKEN = re.compile(r"[^\W_]+")
_STOP = frozenset(
    {
        *("a", "am", "an", "and", "are", "as", "at", "be", "been", "by", "can", "do", "does"),
        *("for", "from", "has", "have", "i", "if", "in", "is", "it", "its", "me", "my", "no"),
        *("not", "of", "on", "or", "our", "so", "that", "the", "their", "them", "then", "they"),
        *("this", "to", "want", "was", "we", "were", "what", "when", "where", "which", "who"),
        *("will", "with", "would", "you", "your"),
    }
)
_ENDINGS = ("ing", "ed", "es", "s", "e")
_STEM = 3


def words(text: str) -> list[str]:
    """Return the stems of a text's words, without those that say nothing."""
    tokens = (token.casefold() for token in _TOKEN.findall(text))
    return [_stem(token) for token in tokens if token not in _STOP]


def ranked(query: str, documents: Mapping[str, str]) -> list[tuple[str, float]]:
    """Return all documents by name, best match first, with their scores (0: no word in common)."""
    contents = {name: Counter(words(text)) for name, text in documents.items()}
    spread = Counter(word for content in contents.values() for word in content)
    mean = sum(content.total() for content in contents.values()) / max(len(contents), 1)
    asked = set(words(query))
    scores = {
        name: sum(
            _weight(spread[word], len(contents)) * _presence(content[word], content.total() / mean)
            for word in sorted(asked & content.keys())
        )
        for name, content in contents.items()
    }
    return sorted(scores.items(), key=lambda entry: -entry[1])


def shared(one: str, other: str) -> int:
    """Return how many different words two texts have in common."""
    return len(set(words(one)) & set(words(other)))


def _weight(documents_with: int, documents: int) -> float:
    return math.log(1 + (documents - documents_with + 0.5) / (documents_with + 0.5))


def _presence(times: int, length: float) -> float:
    return (
        times
        * (SATURATION + 1)
        / (times + SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * length))
    )


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM:
            return word.removesuffix(ending)
    return word
