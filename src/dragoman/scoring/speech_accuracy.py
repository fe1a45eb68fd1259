"""Speech recognition accuracy: word and character error rate, and recall of values.

Everything is counted once into one record; rates are read from it. Uncountable results are Unscored
with a reason, never zero.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Literal

import msgspec
from msgspec import UNSET

from dragoman.core.replies import Utterance
from dragoman.core.scores import Evidence, Unscored
from dragoman.core.texts.alignment import MAX_UNITS, edit_counts
from dragoman.core.texts.entities import contains_entity, kind_of
from dragoman.core.value_matching.folding import primary_language
from dragoman.core.value_matching.matcher import states
from dragoman.core.value_matching.value_reader import read

Normalization = Literal["dragoman-speech-1", "dragoman-speech-2"]

NORMALIZATION: Normalization = "dragoman-speech-2"
"""The scoring normalization, which reduces both texts to canonical units.

The units are those of `dragoman.core.value_matching.value_reader`.

A unit is a word, one digit, one spelled letter, or the name of a sign. Numbers, money, dates,
times and units of measure are the same in figures and in words; letter case, punctuation and
fillers do not count; neither do spaces or hyphens that divide the same letters.
"""

EARLIER_NORMALIZATION: Normalization = "dragoman-speech-1"
"""The earlier normalization.

It unifies compatible characters and letter case, keeps marks, and removes punctuation, symbols and
apostrophes. Words are compared as they are written.
"""

UNSPACED = frozenset({"th", "zh", "yue", "ja", "km", "lo", "my"})
"""Languages written without spaces between words: characters are counted, words are not."""

_APOSTROPHES = "'\u2019"
_ASCII_WORDS = re.compile(r"[!-~]+(?: [!-~]+)*")
_ASCII_SPACES = re.compile(r"[^a-z0-9]+")
_WORD = re.compile(r"[^\W_]+")


class AlignmentCounts(msgspec.Struct, frozen=True):
    """Counts of an alignment, in units."""

    hits: int
    substitutions: int
    deletions: int
    insertions: int

    @property
    def said(self) -> int:
        """Number of units that were said."""
        return self.hits + self.substitutions + self.deletions

    @property
    def rate(self) -> float:
        """Errors for each unit said; above 1 where much was put in."""
        return (self.substitutions + self.deletions + self.insertions) / self.said


class SpeechAccuracy(msgspec.Struct, frozen=True):
    """Recognition accuracy of one utterance.

    Attributes:
        words: Edits over words: their rate is the WER.
        characters: Edits over characters (a letter with its marks is one): their rate is the CER.
        entities: For each value that a call needs, whether it arrived exactly.
        normalization: Normalization of the texts before words and characters were counted.
    """

    words: AlignmentCounts | Unscored
    characters: AlignmentCounts | Unscored
    entities: tuple[Evidence, ...]
    normalization: Normalization = NORMALIZATION


def speech_accuracy(
    utterance: Utterance,
    language: str,
    values: Sequence[str] = (),
    written: str | None = None,
    normalization: Normalization = NORMALIZATION,
) -> SpeechAccuracy:
    """Compare the recognized text of an utterance with the spoken text.

    Args:
        utterance: The utterance. The reference of words and characters is its verbalization, or its
            intended text if that is nearer: both are the same words.
        language: The tag of its language.
        values: Values of the utterance that calls need, as intended.
        written: The recognized text after inverse text normalization; without it, values are
            searched for in the raw transcript.
        normalization: Normalization of words and characters before they are counted.
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
    stated = heard if written is None else written
    is_earlier = normalization == EARLIER_NORMALIZATION
    references = (said,) if is_earlier else tuple(dict.fromkeys((said, utterance.intended)))
    return SpeechAccuracy(
        _nearest(word_edits(each, heard, language, normalization) for each in references),
        _nearest(character_edits(each, heard, language, normalization) for each in references),
        earlier_entity_evidence(values, stated)
        if is_earlier
        else entity_evidence(values, stated, language),
        normalization,
    )


def _nearest(counted: Iterable[AlignmentCounts | Unscored]) -> AlignmentCounts | Unscored:
    """Return the counts with the lowest rate, the first of equal ones.

    The result is Unscored if none has a rate.
    """
    found = list(counted)
    scored = [edits for edits in found if isinstance(edits, AlignmentCounts)]
    if isinstance(found[0], Unscored) or not scored:
        return found[0]
    return min(scored, key=lambda edits: edits.rate)


def word_edits(
    said: str, heard: str, language: str, normalization: Normalization = NORMALIZATION
) -> AlignmentCounts | Unscored:
    """Count the words that were deleted, inserted or substituted."""
    if primary_language(language) in UNSPACED:
        return Unscored(f"{language} is written without spaces between words")
    if normalization == EARLIER_NORMALIZATION:
        return _edits(
            earlier_normalize_for_scoring(said).split(),
            earlier_normalize_for_scoring(heard).split(),
            "word",
        )
    reference = scoring_units(said, language)
    return _edits(reference, regroup(reference, scoring_units(heard, language)), "word")


def character_edits(
    said: str, heard: str, language: str, normalization: Normalization = NORMALIZATION
) -> AlignmentCounts | Unscored:
    """Count the characters that were deleted, inserted or substituted; spaces do not count."""
    if normalization == EARLIER_NORMALIZATION:
        is_unspaced = _primary(language) in UNSPACED
        return _edits(
            _characters(earlier_normalize_for_scoring(said), is_unspaced=is_unspaced),
            _characters(earlier_normalize_for_scoring(heard), is_unspaced=is_unspaced),
            "character",
        )
    return _edits(
        _characters("".join(scoring_units(said, language)), is_unspaced=True),
        _characters("".join(scoring_units(heard, language)), is_unspaced=True),
        "character",
    )


def scoring_units(text: str, language: str) -> tuple[str, ...]:
    """Return a text as the units that are counted (`NORMALIZATION`); a dash is said or not."""
    items = read(text, language).items
    return tuple(atom for item in items for atom in item.atoms if atom != "dash")


def normalize_for_scoring(text: str, language: str = "en") -> str:
    """Return a text as it is counted, its units divided by spaces."""
    return " ".join(scoring_units(text, language))


def regroup(said: Sequence[str], heard: Sequence[str]) -> list[str]:
    """Return recognized units, divided as the spoken ones where both have the same letters.

    `jfk` becomes the three letters that were said, `zip code` the one word. The units said never
    change, so that a rate does not depend on how its text was divided.
    """
    first = next(
        (at for at, (one, other) in enumerate(zip(said, heard, strict=False)) if one != other),
        min(len(said), len(heard)),
    )
    last = 0
    most = min(len(said), len(heard)) - first
    while last < most and said[-1 - last] == heard[-1 - last]:
        last += 1
    middle_said, middle = said[first : len(said) - last], heard[first : len(heard) - last]
    if not middle_said or not middle or len(middle_said) * len(middle) > _MOST_CELLS:
        return list(heard)
    return [
        *heard[:first],
        *_align_word_boundaries(middle_said, middle),
        *heard[len(heard) - last :],
    ]


_MOST_CELLS = 250_000
"""Largest number of unit pairs that are aligned exactly.

Above it, units are compared as divided.
"""

_Step = tuple[int, int]


def _align_word_boundaries(said: Sequence[str], heard: Sequence[str]) -> list[str]:
    """Return the units of the cheapest alignment that equates rows with the same letters."""
    rows, columns = len(said), len(heard)
    jumps: dict[_Step, list[_Step]] = {}
    for row, one in enumerate(said):
        for column, other in enumerate(heard):
            if (
                one[:1] == other[:1]
                and one != other
                and (end := _same_letters(said, heard, row, column))
            ):
                jumps.setdefault(end, []).append((row, column))
    if not jumps:
        return list(heard)
    costs = [list(range(columns + 1))]
    for row in range(1, rows + 1):
        above, own = costs[-1], [row]
        one = said[row - 1]
        for column in range(1, columns + 1):
            best = min(
                above[column - 1] + (one != heard[column - 1]),
                above[column] + 1,
                own[column - 1] + 1,
            )
            for start in jumps.get((row, column), ()):
                best = min(best, costs[start[0]][start[1]])
            own.append(best)
        costs.append(own)
    return _trace_alignment(said, heard, costs, jumps)


def _trace_alignment(
    said: Sequence[str],
    heard: Sequence[str],
    costs: Sequence[Sequence[int]],
    jumps: Mapping[_Step, Sequence[_Step]],
) -> list[str]:
    units: list[str] = []
    row, column = len(said), len(heard)
    while column:
        here = costs[row][column]
        jump = next(
            (at for at in jumps.get((row, column), ()) if costs[at[0]][at[1]] == here), None
        )
        if jump is not None:
            units += reversed(said[jump[0] : row])
            row, column = jump
            continue
        is_pair = row and here == costs[row - 1][column - 1] + (said[row - 1] != heard[column - 1])
        if is_pair or here == costs[row][column - 1] + 1:
            units.append(heard[column - 1])
            row, column = row - bool(is_pair), column - 1
        else:
            row -= 1
    return units[::-1]


def _same_letters(said: Sequence[str], heard: Sequence[str], row: int, column: int) -> _Step | None:
    """Return the common end of two rows of units that have the same letters.

    The result is the first place at which both rows end, or None.
    """
    one, other = said[row], heard[column]
    row, column = row + 1, column + 1
    while len(one) != len(other):
        short, long = (one, other) if len(one) < len(other) else (other, one)
        if not long.startswith(short):
            return None
        if len(one) < len(other):
            if row == len(said):
                return None
            one, row = one + said[row], row + 1
        else:
            if column == len(heard):
                return None
            other, column = other + heard[column], column + 1
    return (row, column) if one == other else None


def entity_evidence(
    values: Iterable[str], heard: str, language: str = "en"
) -> tuple[Evidence, ...]:
    """Return for each value whether a text states it, in any notation."""
    return tuple(
        Evidence(value, is_heard, "" if is_heard else "not in what was heard", kind_of(value))
        for value in dict.fromkeys(values)
        for is_heard in (states(value, heard, language),)
    )


def earlier_entity_evidence(values: Iterable[str], heard: str) -> tuple[Evidence, ...]:
    """Return for each value whether the recognized text has it, by the earlier search.

    An id or a phone number may be spelled sign by sign, as in transcripts that do not join signs,
    with exactly the same signs.
    """
    apart = _join_spelled_signs(heard)
    return tuple(
        Evidence(value, is_heard, "" if is_heard else "not in what was heard", kind_of(value))
        for value in dict.fromkeys(values)
        for is_heard in (contains_entity(value, heard) or _is_apart(value, apart),)
    )


def separate_latin_words(text: str, language: str) -> str:
    """Return a text with spaces around its Latin words and figures, so that these are found.

    Nothing changes if the language has spaces between words.
    """
    if _primary(language) not in UNSPACED:
        return text
    return _ASCII_WORDS.sub(lambda match: f" {match.group()} ", text)


def _join_spelled_signs(heard: str) -> frozenset[str]:
    """Return the signs that were recognized one by one, each sequence joined."""
    words = _WORD.findall(heard.casefold())
    stretches = groupby(words, lambda word: len(word) == 1 and word.isascii())
    return frozenset("".join(signs) for is_apart, signs in stretches if is_apart)


def _is_apart(value: str, apart: frozenset[str]) -> bool:
    return kind_of(value) in {"code", "phone"} and "".join(_WORD.findall(value.casefold())) in apart


def earlier_normalize_for_scoring(text: str) -> str:
    """Return a text as it was counted before (`EARLIER_NORMALIZATION`)."""
    if text.isascii():
        return " ".join(_ASCII_SPACES.sub(" ", text.casefold().replace("'", "")).split())
    unified = unicodedata.normalize("NFKC", text).casefold()
    kept = (
        sign if unicodedata.category(sign)[0] in "LMN" else " "
        for sign in unified
        if sign not in _APOSTROPHES
    )
    return " ".join("".join(kept).split())


def _edits(said: Sequence[str], heard: Sequence[str], unit: str) -> AlignmentCounts | Unscored:
    if not said:
        return Unscored(f"no {unit} was said")
    if max(len(said), len(heard)) > MAX_UNITS:
        return Unscored(f"more than {MAX_UNITS} {unit}s")
    return AlignmentCounts(*edit_counts(said, heard))


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
