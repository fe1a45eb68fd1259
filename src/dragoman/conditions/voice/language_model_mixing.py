"""A suite's n-grams interpolated with those of the generic English model, written as an ARPA file.

The vocabulary is the suite's and the generic model's most frequent words. The generic model gives its
words and the pairs that say more than their words do; the suite gives words, pairs and triples.
"""

import math
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from dragoman.conditions.voice.espeak_library import SpeechLibrary
from dragoman.conditions.voice.language_model_counts import (
    END,
    START,
    CountedSentences,
    Pair,
    Triple,
)
from dragoman.conditions.voice.language_model_lexicon import dictionary_text, read_dictionary
from dragoman.conditions.voice.language_model_trie import Bigrams, read_bigrams
from dragoman.conditions.voice.pocketsphinx_decoder import stock_folder
from dragoman.conditions.voice.speech_jobs import MixJob

COMMON_WORDS = 40_000
COMMON_PAIRS = 250_000
LEXICON_VOICE = ("en-us", 160)

_LEAST_GAIN = 0.15 * math.log(10)
_MOST_OF_A_HISTORY = 0.98
_LEAST = 1e-9
_WORD = re.compile(r"[a-z']+")


class Mixture(msgspec.Struct, frozen=True):
    """Probabilities of words, and of pairs and triples that are listed; backoffs for those that are not."""

    words: Mapping[str, float]
    pairs: Mapping[Pair, float]
    triples: Mapping[Triple, float]
    word_backoffs: Mapping[str, float]
    pair_backoffs: Mapping[Pair, float]


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
        return self.backoffs.get(first, 1.0) * self.words.get(word, _LEAST)


def write_mixed_model(job: MixJob, library: SpeechLibrary) -> str:
    """Write the model and its dictionary; return in a line what was made.

    Raises:
        UsageError: Where the extra `voice` is not installed.
        DataError: Where the generic model cannot be read.
    """
    model, lexicon = Path(job.language_model), Path(job.dictionary)
    if model.is_file() and lexicon.is_file():
        return "made before"
    known = read_dictionary(stock_folder() / "cmudict-en-us.dict")
    suite = CountedSentences(job.sentences)
    library.select(*LEXICON_VOICE)
    dictionary = dictionary_text(suite.words, known, library.phonemes)
    sayable = frozenset(re.sub(r"\(.*", "", line.split(" ")[0]) for line in dictionary.splitlines())
    generic = generic_model(suite.words & sayable, frozenset(known))
    words = (suite.words & sayable) | frozenset(generic.words) - {END}
    mixture = mixed(suite, generic, job.share, words)
    rest = dictionary_text(words - sayable, known, library.phonemes)
    _write_whole(lexicon, (dictionary, rest))
    _write_whole(model, _arpa_lines(mixture))
    guessed = sum(word not in known for word in words)
    return f"{len(words)} words, {guessed} of them pronounced by espeak-ng's rules"


def generic_model(suite_words: frozenset[str], pronounced: frozenset[str]) -> Generic:
    """Return the generic model, cut to its frequent words and to those of a suite."""
    import numpy as np

    bigrams = read_bigrams(stock_folder() / "en-us.lm.bin")
    by_frequency = np.argsort(-bigrams.single, kind="stable")
    usable = [
        number
        for number in by_frequency.tolist()
        if bigrams.words[number] in pronounced and _WORD.fullmatch(bigrams.words[number])
    ]
    kept = {bigrams.words[number] for number in usable[:COMMON_WORDS]}
    kept |= suite_words.intersection(bigrams.words)
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


def mixed(
    suite: CountedSentences, generic: Generic, share: float, words: frozenset[str]
) -> Mixture:
    """Interpolate, and give every history what is left for words that are not listed after it."""
    raw = {
        word: share * suite.word(word) + (1 - share) * generic.words.get(word, 0.0) + _LEAST
        for word in (*sorted(words), END)
    }
    total = sum(raw.values())
    single = {word: value / total for word, value in raw.items()}
    listed = {
        (first, word): _pair(suite, generic, share, first, word)
        for first, word in sorted({*suite.pairs, *generic.pairs})
        if word in single and (first in single or first == START)
    }
    pairs, word_backoffs = _capped(
        (((first,), word, value, single[word]) for (first, word), value in listed.items())
    )
    two = {(history[0], word): value for (history, word), value in pairs.items()}
    one_left = {history[0]: value for history, value in word_backoffs.items()}

    def after(first: str, word: str) -> float:
        value = two.get((first, word))
        return value if value is not None else one_left.get(first, 1.0) * single[word]

    triples, pair_backoffs = _capped(
        (
            (a, b),
            word,
            share * suite.after_two(a, b, word) + (1 - share) * after(b, word),
            after(b, word),
        )
        for a, b, word in sorted(suite.triples)
        if word in single and (a, b) in two
    )
    return Mixture(
        words=single,
        pairs=two,
        triples={(h[0], h[1], word): value for (h, word), value in triples.items()},
        word_backoffs=one_left,
        pair_backoffs={(h[0], h[1]): value for h, value in pair_backoffs.items()},
    )


def _pair(suite: CountedSentences, generic: Generic, share: float, first: str, word: str) -> float:
    if not suite.knows(first):
        return generic.after(first, word)
    if first not in generic.backoffs:
        return suite.after(first, word)
    return share * suite.after(first, word) + (1 - share) * generic.after(first, word)


History = tuple[str, ...]


def _capped(
    listed: Iterable[tuple[History, str, float, float]],
) -> tuple[dict[tuple[History, str], float], dict[History, float]]:
    """Scale each history's probabilities below one, and return its backoff beside them.

    Every row is a history, a word, its probability, and its probability by the lower order.
    """
    rows = list(listed)
    given: defaultdict[History, float] = defaultdict(float)
    lower: defaultdict[History, float] = defaultdict(float)
    for history, _, value, below in rows:
        given[history] += value
        lower[history] += below
    scale = {history: min(1.0, _MOST_OF_A_HISTORY / total) for history, total in given.items()}
    values = {(history, word): value * scale[history] for history, word, value, _ in rows}
    backoffs = {
        history: (1 - total * scale[history]) / max(1e-6, 1 - min(lower[history], 0.999))
        for history, total in given.items()
    }
    return values, backoffs


def _write_whole(path: Path, lines: Iterable[str]) -> None:
    """Write a file under another name first, so that whoever finds it finds all of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    with draft.open("w", encoding="utf-8") as target:
        target.writelines(lines)
    draft.replace(path)


def _arpa_lines(mixture: Mixture) -> Iterator[str]:
    yield f"\\data\\\nngram 1={len(mixture.words) + 1}\nngram 2={len(mixture.pairs)}\n"
    yield f"ngram 3={len(mixture.triples)}\n\n\\1-grams:\n"
    yield f"-99 {START} {_log(mixture.word_backoffs.get(START, 1.0))}\n"
    for word, value in sorted(mixture.words.items()):
        yield f"{_log(value)} {word} {_log(mixture.word_backoffs.get(word, 1.0))}\n"
    yield "\n\\2-grams:\n"
    for (first, word), value in sorted(mixture.pairs.items()):
        left = mixture.pair_backoffs.get((first, word), 1.0)
        yield f"{_log(value)} {first} {word} {_log(left)}\n"
    yield "\n\\3-grams:\n"
    for triple, value in sorted(mixture.triples.items()):
        yield f"{_log(value)} {' '.join(triple)}\n"
    yield "\n\\end\\\n"


def _log(value: float) -> str:
    return f"{math.log10(max(value, _LEAST)):.4f}"
