"""N-gram models: absolute discounting of counted sentences, and the generic English model."""

import itertools
import math
import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from itertools import pairwise
from typing import TypeVar

import msgspec

from dragoman.conditions.voice.pocketsphinx_data import Bigrams

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


COMMON_WORDS = 40_000
COMMON_PAIRS = 250_000

_LEAST_GAIN = 0.15 * math.log(10)
_WORD = re.compile(r"[a-z']+")


class GenericNgrams(msgspec.Struct, frozen=True):
    """Used parts of the generic model: probabilities of words and pairs, and backoffs."""

    words: Mapping[str, float]
    backoffs: Mapping[str, float]
    pairs: Mapping[Pair, float]

    def after(self, first: str, word: str) -> float:
        """Return the probability of a word after another."""
        listed = self.pairs.get((first, word))
        if listed is not None:
            return listed
        return self.backoffs.get(first, 1.0) * self.words.get(word, LEAST)

    def share_of_pair(self, first: str, second: str) -> float:
        """Return how many of the words are the second of these two."""
        return self.words.get(first, 0.0) * self.after(first, second)


def common_words(bigrams: Bigrams, pronounced: Container[str]) -> tuple[str, ...]:
    """Return the most frequent words that have a pronunciation, the frequent ones first."""
    import numpy as np

    by_frequency = (bigrams.words[n] for n in np.argsort(-bigrams.single, kind="stable").tolist())
    usable = (word for word in by_frequency if word in pronounced and _WORD.fullmatch(word))
    return tuple(itertools.islice(usable, COMMON_WORDS))


def load_generic_ngrams(bigrams: Bigrams, wanted: frozenset[str]) -> GenericNgrams:
    """Return the generic model, cut to the words that are wanted."""
    import numpy as np

    kept = set(wanted.intersection(bigrams.words))
    numbers = np.array([word in kept or word in {START, END} for word in bigrams.words])
    probabilities = np.exp(bigrams.single) * numbers
    probabilities[bigrams.words.index(START)] = 0.0
    probabilities /= probabilities.sum()
    kept_numbers = np.flatnonzero(numbers).tolist()
    return GenericNgrams(
        words={
            bigrams.words[n]: float(probabilities[n])
            for n in kept_numbers
            if bigrams.words[n] != START
        },
        backoffs={bigrams.words[n]: float(np.exp(bigrams.backoff[n])) for n in kept_numbers},
        pairs=_informative_pairs(bigrams, kept | {START, END}),
    )


def _informative_pairs(bigrams: Bigrams, kept: set[str]) -> dict[Pair, float]:
    """Return the pairs of known words that matter most: how often, times what they add."""
    import numpy as np

    known = np.array([word in kept for word in bigrams.words])
    gain = bigrams.pair - bigrams.backoff[bigrams.first] - bigrams.single[bigrams.second]
    weight = np.exp(bigrams.single[bigrams.first] + bigrams.pair) * gain
    weight[bigrams.first == bigrams.words.index(START)] = 1.0
    weight[~(known[bigrams.first] & known[bigrams.second]) | (gain <= _LEAST_GAIN)] = 0.0
    best = np.argsort(-weight, kind="stable")[:COMMON_PAIRS]
    return {
        (bigrams.words[bigrams.first[n]], bigrams.words[bigrams.second[n]]): float(
            np.exp(bigrams.pair[n])
        )
        for n in best.tolist()
        if weight[n] > 0.0
    }
