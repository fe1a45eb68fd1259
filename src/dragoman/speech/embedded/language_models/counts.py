"""N-grams of counted sentences, by absolute discounting: what was seen lends to what was not."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import TypeVar

START, END = "<s>", "</s>"
DISCOUNT = 0.7
LEAST = 1e-9
"""The probability of what no model knows."""

_UNSEEN_SHARE = 0.03

_History = TypeVar("_History")

Pair = tuple[str, str]
Triple = tuple[str, str, str]


class CountedSentences:
    """Single words, pairs and triples of sentences, and their probabilities."""

    def __init__(self, sentences: Iterable[tuple[int, tuple[str, ...]]]) -> None:
        """Count sentences, each as often as it says."""
        self.single: Counter[str] = Counter()
        self.pairs: Counter[Pair] = Counter()
        self.triples: Counter[Triple] = Counter()
        for times, sentence in sentences:
            row = (START, *sentence, END)
            for word in row[1:]:
                self.single[word] += times
            for pair in pairwise(row):
                self.pairs[pair] += times
            for triple in zip(row, row[1:], row[2:], strict=False):
                self.triples[triple] += times
        self.words = frozenset(self.single) - {END}
        self._total = sum(self.single.values())
        self._after_one = _totals((first, n) for (first, _), n in self.pairs.items())
        self._after_two = _totals(((a, b), n) for (a, b, _), n in self.triples.items())

    def knows(self, first: str) -> bool:
        """Return whether any pair begins with a word."""
        return first in self._after_one

    def share_of(self, word: str) -> float:
        """Return how many of the words are this one."""
        return self.single[word] / self._total if self._total else 0.0

    def share_of_pair(self, first: str, second: str) -> float:
        """Return how many of the words are the second of these two."""
        return self.pairs[first, second] / self._total if self._total else 0.0

    def word(self, word: str) -> float:
        """Return the probability of a word; some of it is spread over those never seen."""
        return (1 - _UNSEEN_SHARE) * self.share_of(word) + _UNSEEN_SHARE / (len(self.words) + 1)

    def after(self, first: str, word: str) -> float:
        """Return the probability of a word after another."""
        total, kinds = self._after_one.get(first, (0, 0))
        if not total:
            return self.word(word)
        seen = max(self.pairs[first, word] - DISCOUNT, 0.0) / total
        return seen + DISCOUNT * kinds / total * self.word(word)

    def after_two(self, first: str, second: str, word: str) -> float:
        """Return the probability of a word after two others."""
        total, kinds = self._after_two.get((first, second), (0, 0))
        if not total:
            return self.after(second, word)
        seen = max(self.triples[first, second, word] - DISCOUNT, 0.0) / total
        return seen + DISCOUNT * kinds / total * self.after(second, word)


def _totals(
    counted: Iterable[tuple[_History, int]],
) -> Mapping[_History, tuple[int, int]]:
    """Return how often each history occurs, and with how many different words after it."""
    found: dict[_History, tuple[int, int]] = {}
    for history, times in counted:
        total, kinds = found.get(history, (0, 0))
        found[history] = (total + times, kinds + 1)
    return found
