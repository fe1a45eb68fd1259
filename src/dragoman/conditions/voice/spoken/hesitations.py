"""Pauses and fillers in what is said aloud, as a persona has them; what is meant stays as it is."""

import random
import re

import msgspec

from dragoman.conditions.voice.spoken.words import english_words
from dragoman.core.personas import Share

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_FIRST = re.compile(r"[A-Z][a-z]*(?:['\u2019][a-z]+)?(?![\w'\u2019])")
_MARKS = ".,;:!?"


class Hesitation(msgspec.Struct, frozen=True):
    """How somebody hesitates.

    Attributes:
        pauses: After how many words is paused.
        fillers: Before how many sentences something is said that says nothing.
        words: What that is.
    """

    pauses: Share
    fillers: Share
    words: tuple[str, ...]


def hesitant(spoken: str, hesitation: Hesitation, seed: int) -> str:
    """Return what is said with its pauses, as commas, and its fillers.

    Args:
        spoken: Words in spoken form.
        hesitation: How they are said.
        seed: What is drawn follows from it alone.
    """
    draw = random.Random(seed)  # noqa: S311 - which word is no secret
    said = []
    for sentence in filter(None, _SENTENCE.split(spoken)):
        paused = _paused(sentence, hesitation.pauses, draw)
        has_filler = hesitation.words and draw.random() < hesitation.fillers
        said.append(
            f"{draw.choice(hesitation.words)}, {_going_on(paused)}" if has_filler else paused
        )
    return " ".join(said)


def _going_on(sentence: str) -> str:
    """Return a sentence that something was said before: known words lose their capital."""
    word = _FIRST.match(sentence)
    is_known = word is not None and word.group().casefold() in english_words().openers
    return f"{sentence[0].lower()}{sentence[1:]}" if is_known else sentence


def _paused(sentence: str, share: float, draw: random.Random) -> str:
    *words, last = sentence.split(" ")
    paused = [
        f"{word}," if word and word[-1] not in _MARKS and draw.random() < share else word
        for word in words
    ]
    return " ".join((*paused, last))
