"""Transcripts for the trainer, with the pronunciation that a voice used of each word."""

from collections.abc import Callable
from itertools import zip_longest

from dragoman.conditions.voice.pocketsphinx_data import SPELLED_WAYS, Pronunciations, ipa_to_arpabet
from dragoman.speech.embedded.language_model import tokenize_spoken_form


def transcript(
    text: str, known: Pronunciations, phonemes: Callable[[str], str]
) -> tuple[str, ...] | None:
    """Return the words of a text with the numbers of their pronunciation variants.

    Return None if a word is unknown.

    Args:
        text: Text that the voice reads; a capital `A` or `I` is the letter.
        known: All pronunciations of each word, including those of the voices' accents.
        phonemes: Function that returns the phonemes of the reading voice for a word.
    """
    rows = [(token, word) for token in text.split() for word in tokenize_spoken_form(token)]
    if any(word not in known for _, word in rows):
        return None
    return tuple(_variant(token, word, known, phonemes) for token, word in rows)


def _variant(token: str, word: str, known: Pronunciations, phonemes: Callable[[str], str]) -> str:
    if word in SPELLED_WAYS:
        return f"{word}({SPELLED_WAYS[word]})" if token[0].isupper() else word
    said = ipa_to_arpabet(phonemes(word)).split()
    distances = [_edits(said, phones.split()) for phones in known[word]]
    best = distances.index(min(distances))
    return f"{word}({best + 1})" if best else word


def _edits(one: list[str], other: list[str]) -> int:
    row = list(range(len(other) + 1))
    for left, phone in enumerate(one, 1):
        before = row
        row = [left]
        for (above, corner), against in zip(
            zip_longest(before[1:], before[:-1]), other, strict=True
        ):
            row.append(min(row[-1] + 1, above + 1, corner + (phone != against)))
    return row[-1]
