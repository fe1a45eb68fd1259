"""How much of what was said was heard: words, characters, and the values that calls need.

Everything is counted once into one record; rates are read from it. What cannot be counted is
Unscored with its reason, never zero.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import groupby

import msgspec
from msgspec import UNSET

from dragoman.core.scores import Evidence, Unscored
from dragoman.core.speech import Utterance
from dragoman.core.texts.alignment import MAX_UNITS, edit_counts
from dragoman.core.texts.entities import kind_of, occurs

NORMALIZATION = "dragoman-speech-1"
"""The treatment of texts before counting: compatible characters unified, small letters, marks kept,
punctuation and symbols taken out, apostrophes too, white space as one space."""

UNSPACED = frozenset({"th", "zh", "yue", "ja", "km", "lo", "my"})
"""Languages written without spaces between words: characters are counted, words are not."""

_APOSTROPHES = "'\u2019"
_ASCII_WORDS = re.compile(r"[!-~]+(?: [!-~]+)*")
_ASCII_SPACES = re.compile(r"[^a-z0-9]+")
_WORD = re.compile(r"[^\W_]+")


class Edits(msgspec.Struct, frozen=True):
    """What an alignment counts; all are numbers of units."""

    hits: int
    substitutions: int
    deletions: int
    insertions: int

    @property
    def said(self) -> int:
        """How many units were said."""
        return self.hits + self.substitutions + self.deletions

    @property
    def rate(self) -> float:
        """Errors for each unit said; above 1 where much was put in."""
        return (self.substitutions + self.deletions + self.insertions) / self.said


class SpeechAccuracy(msgspec.Struct, frozen=True):
    """What was heard of one utterance.

    Attributes:
        words: Edits over words: their rate is the WER.
        characters: Edits over characters (a letter with its marks is one): their rate is the CER.
        entities: For each value that a call needs, whether it arrived exactly.
        normalization: How texts were treated before words and characters were counted.
    """

    words: Edits | Unscored
    characters: Edits | Unscored
    entities: tuple[Evidence, ...]
    normalization: str = NORMALIZATION


def speech_accuracy(
    utterance: Utterance, language: str, values: Sequence[str] = (), written: str | None = None
) -> SpeechAccuracy:
    """Compare what was heard of an utterance with what was said.

    Args:
        utterance: What was said; its spoken form is the reference of words and characters.
        language: The tag of its language.
        values: What calls need of it, as it is meant.
        written: What was heard after its values were written as people type them; without it values
            are looked for in what was heard.
    """
    said = utterance.intended if utterance.spoken is UNSET else utterance.spoken
    if utterance.heard is UNSET or utterance.heard is None:
        why = (
            "the listener was given the text"
            if utterance.heard is UNSET
            else ("the listener was given the audio itself")
        )
        unscored = Unscored(why)
        undecided = tuple(Evidence(value, None, why, kind_of(value)) for value in values)
        return SpeechAccuracy(unscored, unscored, undecided)
    heard = utterance.heard
    return SpeechAccuracy(
        word_edits(said, heard, language),
        character_edits(said, heard, language),
        entity_evidence(values, heard if written is None else written),
    )


def word_edits(said: str, heard: str, language: str) -> Edits | Unscored:
    """Count the words that were lost, put in or taken for others."""
    if _primary(language) in UNSPACED:
        return Unscored(f"{language} is written without spaces between words")
    return _edits(normalized(said).split(), normalized(heard).split(), "word")


def character_edits(said: str, heard: str, language: str) -> Edits | Unscored:
    """Count the characters that were lost, put in or taken for others."""
    is_unspaced = _primary(language) in UNSPACED
    return _edits(
        _characters(normalized(said), is_unspaced=is_unspaced),
        _characters(normalized(heard), is_unspaced=is_unspaced),
        "character",
    )


def entity_evidence(values: Iterable[str], heard: str) -> tuple[Evidence, ...]:
    """Return for each value whether it stands exactly in what was heard, in any of its writings.

    An id or a phone number may stand there sign by sign, as it is where nothing writes signs together:
    with neither a sign more nor less.
    """
    apart = _said_apart(heard)
    return tuple(
        Evidence(value, is_heard, "" if is_heard else "not in what was heard", kind_of(value))
        for value in dict.fromkeys(values)
        for is_heard in (occurs(value, heard) or _is_apart(value, apart),)
    )


def spaced(text: str, language: str) -> str:
    """Return a text with spaces around its Latin words and figures, so that these are found.

    Nothing changes where the language has spaces between words.
    """
    if _primary(language) not in UNSPACED:
        return text
    return _ASCII_WORDS.sub(lambda match: f" {match.group()} ", text)


def _said_apart(heard: str) -> frozenset[str]:
    """Return what was heard sign by sign, each stretch written together."""
    words = _WORD.findall(heard.casefold())
    stretches = groupby(words, lambda word: len(word) == 1 and word.isascii())
    return frozenset("".join(signs) for is_apart, signs in stretches if is_apart)


def _is_apart(value: str, apart: frozenset[str]) -> bool:
    return kind_of(value) in {"code", "phone"} and "".join(_WORD.findall(value.casefold())) in apart


def normalized(text: str) -> str:
    """Return a text as it is counted (`NORMALIZATION`)."""
    if text.isascii():
        return " ".join(_ASCII_SPACES.sub(" ", text.casefold().replace("'", "")).split())
    unified = unicodedata.normalize("NFKC", text).casefold()
    kept = (
        sign if unicodedata.category(sign)[0] in "LMN" else " "
        for sign in unified
        if sign not in _APOSTROPHES
    )
    return " ".join("".join(kept).split())


def _edits(said: Sequence[str], heard: Sequence[str], unit: str) -> Edits | Unscored:
    if not said:
        return Unscored(f"no {unit} was said")
    if max(len(said), len(heard)) > MAX_UNITS:
        return Unscored(f"more than {MAX_UNITS} {unit}s")
    return Edits(*edit_counts(said, heard))


def _characters(text: str, *, is_unspaced: bool) -> list[str]:
    """Return the characters of a text, each with the marks that it carries."""
    if text.isascii():
        return list(text.replace(" ", "") if is_unspaced else text)
    characters: list[str] = []
    for sign in text.replace(" ", "") if is_unspaced else text:
        if characters and unicodedata.category(sign)[0] == "M":
            characters[-1] += sign
        else:
            characters.append(sign)
    return characters


def _primary(language: str) -> str:
    return language.replace("_", "-").split("-")[0].casefold()
