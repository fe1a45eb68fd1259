"""Ranks the keys of a memory by how well they answer a query."""

from collections import Counter
from collections.abc import Sequence
from math import log

_SATURATION, _LENGTH_WEIGHT, _FLOOR = 1.5, 0.75, 1
"""BM25+ with its customary k1, b and delta."""


def ranked_keys(query: str, keys: Sequence[str]) -> list[tuple[float, str]]:
    """Return all keys with their scores, the best first, equals in the order given.

    A key is a document of the words between its underscores; a word of the query that stands in
    any key raises every key's score, and most of all that of the keys that hold it.

    Raises:
        ZeroDivisionError: Where there are no words to rank.
    """
    documents = [Counter(_words(key)) for key in keys]
    weights = _weights(documents)
    scores = [0.0] * len(keys)
    for word in _words(query):
        for index, weight in enumerate(weights.get(word, ())):
            scores[index] += weight
    return sorted(zip(scores, keys, strict=True), key=lambda ranked: -ranked[0])


def _words(text: str) -> list[str]:
    return text.replace("_", " ").lower().split()


def _weights(documents: Sequence[Counter[str]]) -> dict[str, list[float]]:
    """Return what each word that is anywhere adds to each document's score."""
    mean = sum(document.total() for document in documents) / len(documents)
    held_by = Counter(word for document in documents for word in document)
    lengths = [
        _SATURATION * (1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * document.total() / mean)
        for document in documents
    ]
    return {
        word: [
            log((len(documents) + 1) / count)
            * (_FLOOR + document[word] * (_SATURATION + 1) / (length + document[word]))
            for document, length in zip(documents, lengths, strict=True)
        ]
        for word, count in held_by.items()
    }
