"""Interpolation of a suite's n-grams with generic English, written as an ARPA file.

The vocabulary is the suite's and the generic model's most frequent words. The generic model
contributes its words and the pairs that say more than their words do; the suite contributes words,
pairs and triples. A manifest of sizes and hashes detects damaged files: a truncated model is still
read without an error and recognizes something different.
"""

import fcntl
import hashlib
import math
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.conditions.voice.pocketsphinx_data import (
    Pronunciations,
    dictionary_lines,
    pocketsphinx_model_folder,
    read_bigrams,
    read_dictionary,
)
from dragoman.speech.embedded.espeak_library import SpeechLibrary, accents, pronunciations
from dragoman.speech.embedded.language_model import tokenize_spoken_form
from dragoman.speech.embedded.ngrams import (
    END,
    LEAST,
    START,
    CountedSentences,
    GenericNgrams,
    Pair,
    Triple,
    common_words,
    load_generic_ngrams,
)
from dragoman.speech.embedded.training_sentences import pattern_sentences
from dragoman.speech.embedded.worker_messages import MixJob
from dragoman.store.atomic_files import atomic_write


class _FileDigest(msgspec.Struct, frozen=True):
    size: int
    hash: str


def sign(files: Sequence[Path], beside: Path) -> None:
    """Write down what files are, after all of them were written."""
    atomic_write(beside, msgspec.json.encode({file.name: _file_digest(file) for file in files}))


def matches_manifest(files: Sequence[Path], beside: Path) -> bool:
    """Return whether files are there and are what was written down; each is read whole."""
    try:
        signed = msgspec.json.decode(beside.read_bytes(), type=dict[str, _FileDigest])
        return all(_matches_digest(file, signed.get(file.name)) for file in files)
    except (OSError, msgspec.DecodeError):
        return False


def _matches_digest(file: Path, signed: _FileDigest | None) -> bool:
    return (
        signed is not None and file.stat().st_size == signed.size and _file_digest(file) == signed
    )


def _file_digest(file: Path) -> _FileDigest:
    with file.open("rb") as content:
        return _FileDigest(
            os.fstat(content.fileno()).st_size, hashlib.file_digest(content, "blake2b").hexdigest()
        )


IN_ALL_ACCENTS = 12_000
"""So many frequent words have the ways of all accents; the others that of the first one."""

_MOST_OF_A_HISTORY = 0.98


class InterpolatedNgrams(msgspec.Struct, frozen=True):
    """Probabilities of words, and of listed pairs and triples.

    Unlisted pairs and triples have backoffs.
    """

    words: Mapping[str, float]
    pairs: Mapping[Pair, float]
    triples: Mapping[Triple, float]
    word_backoffs: Mapping[str, float]
    pair_backoffs: Mapping[Pair, float]


def write_interpolated_model(job: MixJob, library: SpeechLibrary) -> str:
    """Write the model and its dictionary once; return a line that describes them.

    Raises:
        UsageError: If the extra `voice` is not installed.
        DataError: If the generic model cannot be read.
    """
    model, lexicon = Path(job.language_model), Path(job.dictionary)
    files, beside = (model, lexicon), model.with_suffix(".sums")
    if matches_manifest(files, beside):
        return "made before"
    model.parent.mkdir(parents=True, exist_ok=True)
    with model.with_suffix(".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if matches_manifest(files, beside):
            return "made meanwhile by another process"
        reported = _write(job, model, lexicon, library)
        sign(files, beside)
        return reported


def _write(job: MixJob, model: Path, lexicon: Path, library: SpeechLibrary) -> str:
    known = read_dictionary(pocketsphinx_model_folder() / "cmudict-en-us.dict")
    bigrams = read_bigrams(pocketsphinx_model_folder() / "en-us.lm.bin")
    common = common_words(bigrams, known)
    said = ((1, tokenize_spoken_form(pattern)) for pattern in pattern_sentences(common))
    suite = CountedSentences((*job.sentences, *said))
    ways = _pronounce_words(suite.words, common, known, library)
    wanted = (suite.words | frozenset(common)) & frozenset(ways)
    mixture = interpolate_models(suite, load_generic_ngrams(bigrams, wanted), job.share, wanted)
    atomic_write(lexicon, map(str.encode, dictionary_lines(ways)))
    atomic_write(model, map(str.encode, _arpa_lines(mixture)))
    guessed = sum(word not in known for word in wanted)
    return f"{len(wanted)} words, {guessed} of them pronounced by espeak-ng's rules"


def _pronounce_words(
    suite_words: frozenset[str],
    common: Sequence[str],
    known: Pronunciations,
    library: SpeechLibrary,
) -> Pronunciations:
    """Return the pronunciations of words, without words that have no phones."""
    spoken = accents()
    in_all = suite_words.union(common[:IN_ALL_ACCENTS])
    own = {
        **pronunciations(common[IN_ALL_ACCENTS:], library, spoken[:1]),
        **pronunciations(sorted(in_all), library, spoken),
    }
    found = {word: dict.fromkeys((*known.get(word, ()), *own[word])) for word in own}
    return {word: tuple(ways) for word, ways in found.items() if ways}


def interpolate_models(
    suite: CountedSentences, generic: GenericNgrams, share: float, words: frozenset[str]
) -> InterpolatedNgrams:
    """Interpolate, and give every history what is left for words that are not listed after it."""
    raw = {
        word: share * suite.word(word) + (1 - share) * generic.words.get(word, 0.0) + LEAST
        for word in (*sorted(words), END)
    }
    total = sum(raw.values())
    single = {word: value / total for word, value in raw.items()}
    listed = {
        (first, word): _pair(suite, generic, share, first, word)
        for first, word in sorted({*suite.pairs, *generic.pairs})
        if word in single and (first in single or first == START)
    }
    pairs, word_backoffs = _scale_probabilities(
        (((first,), word, value, single[word]) for (first, word), value in listed.items())
    )
    two = {(history[0], word): value for (history, word), value in pairs.items()}
    one_left = {history[0]: value for history, value in word_backoffs.items()}

    def after(first: str, word: str) -> float:
        value = two.get((first, word))
        return value if value is not None else one_left.get(first, 1.0) * single[word]

    trust = {
        (first, second): share
        if first == START
        else _suite_weight(
            share, suite.share_of_pair(first, second), generic.share_of_pair(first, second)
        )
        for first, second in suite.pairs
    }

    triples, pair_backoffs = _scale_probabilities(
        (
            (a, b),
            word,
            _between(trust[a, b], suite.after_two(a, b, word), after(b, word)),
            after(b, word),
        )
        for a, b, word in sorted(suite.triples)
        if word in single and (a, b) in two
    )
    return InterpolatedNgrams(
        words=single,
        pairs=two,
        triples={(h[0], h[1], word): value for (h, word), value in triples.items()},
        word_backoffs=one_left,
        pair_backoffs={(h[0], h[1]): value for h, value in pair_backoffs.items()},
    )


def _pair(
    suite: CountedSentences, generic: GenericNgrams, share: float, first: str, word: str
) -> float:
    if not suite.knows(first):
        return generic.after(first, word)
    if first not in generic.backoffs:
        return suite.after(first, word)
    trust = _suite_weight(share, suite.share_of(first), generic.words.get(first, 0.0))
    return _between(trust, suite.after(first, word), generic.after(first, word))


def _suite_weight(share: float, in_suite: float, in_generic: float) -> float:
    """Return the weight of the suite after a history, given how often the history is in either.

    It is the probability that the suite is what speaks (Bayes' rule, with its share before): after
    a spelled letter, which is rare in the generic texts, hardly anything else does.
    """
    own, other = share * in_suite, (1 - share) * in_generic
    return own / (own + other) if own + other else share


def _between(weight: float, one: float, other: float) -> float:
    return weight * one + (1 - weight) * other


History = tuple[str, ...]


def _scale_probabilities(
    listed: Iterable[tuple[History, str, float, float]],
) -> tuple[dict[tuple[History, str], float], dict[History, float]]:
    """Scale each history's probabilities below one, and return them with its backoff.

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


def _arpa_lines(mixture: InterpolatedNgrams) -> Iterator[str]:
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
    return f"{math.log10(max(value, LEAST)):.4f}"
