"""What is taken from the generic English model: its frequent words, and the pairs that say more than they do."""

import itertools
import math
import re
from collections.abc import Container, Mapping

import msgspec

from dragoman.conditions.voice.pocketsphinx_data import Bigrams
from dragoman.speech.embedded.language_models.counts import END, LEAST, START, Pair

COMMON_WORDS = 40_000
COMMON_PAIRS = 250_000

_LEAST_GAIN = 0.15 * math.log(10)
_WORD = re.compile(r"[a-z']+")


class Generic(msgspec.Struct, frozen=True):
    """What is taken from the generic model: probabilities of words and of pairs, and backoffs."""

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


def generic_model(bigrams: Bigrams, wanted: frozenset[str]) -> Generic:
    """Return the generic model, cut to the words that are wanted."""
    import numpy as np

    kept = set(wanted.intersection(bigrams.words))
    numbers = np.array([word in kept or word in {START, END} for word in bigrams.words])
    probabilities = np.exp(bigrams.single) * numbers
    probabilities[bigrams.words.index(START)] = 0.0
    probabilities /= probabilities.sum()
    kept_numbers = np.flatnonzero(numbers).tolist()
    return Generic(
        words={
            bigrams.words[n]: float(probabilities[n])
            for n in kept_numbers
            if bigrams.words[n] != START
        },
        backoffs={bigrams.words[n]: float(np.exp(bigrams.backoff[n])) for n in kept_numbers},
        pairs=_telling_pairs(bigrams, kept | {START, END}),
    )


def _telling_pairs(bigrams: Bigrams, kept: set[str]) -> dict[Pair, float]:
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
