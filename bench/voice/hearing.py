"""Cost of inverse text normalization, scoring normalization and value matching.

Usage: `python -m bench.run hearing`. The cost is that of one utterance. The same run also measures
the earlier rules of each step. Caches of texts and values are empty before every utterance; caches
of tables are filled.
"""

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from dragoman.conditions.voice.inverse_text_normalization.normalizer import (
    EARLIER_NORMALIZER,
    NORMALIZER,
    normalized_transcript,
)
from dragoman.core.texts.entities import contains_entity
from dragoman.core.value_matching.matcher import find_value, rows_of
from dragoman.core.value_matching.typed_values import targets_of, value_type
from dragoman.core.value_matching.value_reader import read
from dragoman.registry.suites import load_suite
from dragoman.scoring.speech_accuracy import (
    EARLIER_NORMALIZATION,
    NORMALIZATION,
    character_edits,
    word_edits,
)

TABLE = Path(__file__).parents[2] / "tests" / "core" / "values" / "stated_values.jsonl"
VALUES = 5
"""Number of values that a call needs of an utterance."""
REPEATS = 3

_Work = Callable[["Sample"], object]


class Sample(NamedTuple):
    """The spoken text, the heard text, and the values that calls need."""

    said: str
    heard: str
    values: tuple[str, ...]
    language: str


def print_recognition() -> None:
    """Print the CPU microseconds per utterance, for each step and in each language."""
    for name, samples in (("courier", _courier()), *_table().items()):
        if not samples:
            continue
        words = sum(len(sample.said.split()) for sample in samples) / len(samples)
        total = _spent(samples, _everything)
        print(
            f"hearing, {name}: {len(samples)} utterances of {words:.0f} words, {total:.0f} us each"
        )
        for step, (now, before) in _STEPS.items():
            print(
                f"  {step}: {_spent(samples, now):.0f} us, before {_spent(samples, before):.0f} us"
            )


def _spent(samples: Sequence[Sample], work: _Work) -> float:
    best = float("inf")
    for _ in range(REPEATS):
        spent = 0.0
        for sample in samples:
            for cached in (read, targets_of, value_type, rows_of):
                cached.cache_clear()
            began = time.process_time()
            work(sample)
            spent += time.process_time() - began
        best = min(best, spent)
    return best / len(samples) * 1e6


def _normalized(sample: Sample) -> object:
    return normalized_transcript(sample.heard, sample.language, NORMALIZER)


def _normalized_before(sample: Sample) -> object:
    return normalized_transcript(sample.heard, sample.language, EARLIER_NORMALIZER)


def _counted(sample: Sample) -> object:
    texts = sample.said, sample.heard, sample.language
    return word_edits(*texts, NORMALIZATION), character_edits(*texts, NORMALIZATION)


def _counted_before(sample: Sample) -> object:
    texts = sample.said, sample.heard, sample.language
    return word_edits(*texts, EARLIER_NORMALIZATION), character_edits(*texts, EARLIER_NORMALIZATION)


def _matched(sample: Sample) -> object:
    return [find_value(value, sample.heard, sample.language) for value in sample.values]


def _matched_before(sample: Sample) -> object:
    return [contains_entity(value, sample.heard) for value in sample.values]


def _everything(sample: Sample) -> object:
    return _normalized(sample), _counted(sample), _matched(sample)


_STEPS: dict[str, tuple[_Work, _Work]] = {
    "inverse text normalization": (_normalized, _normalized_before),
    "scoring normalization and edits": (_counted, _counted_before),
    "matching of five values": (_matched, _matched_before),
}


def _courier() -> list[Sample]:
    """Return the first messages of courier's users, and values of the calls."""
    tasks = load_suite("courier").tasks
    said = [(task.scenario.opening, [fact.value for fact in task.scenario.facts]) for task in tasks]
    return _samples([pair for pair in said if pair[0]], "en")


def _table() -> dict[str, list[Sample]]:
    rows = [json.loads(line) for line in TABLE.read_text("utf-8").splitlines()]
    return {
        f"table, {language}": _samples(
            [(row["text"], [row["value"]]) for row in rows if row["language"] == language], language
        )
        for language in dict.fromkeys(row["language"] for row in rows)
    }


def _samples(said: Sequence[tuple[str, Sequence[str]]], language: str) -> list[Sample]:
    """Return each text with its own values, filled up with those of the texts after it."""
    samples = []
    for number, (text, own) in enumerate(said):
        others = (value for _, values in said[number + 1 :] for value in values)
        values = tuple(value for value, _ in zip((*own, *others), range(VALUES), strict=False))
        samples.append(Sample(text, text.casefold().rstrip("."), values, language))
    return samples


if __name__ == "__main__":
    print_recognition()
