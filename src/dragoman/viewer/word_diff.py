"""A word diff of one utterance: what was meant, what was spoken and what was recognized."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import Literal

import msgspec
from msgspec import UNSET

from dragoman.core.replies import WORDS, Utterance
from dragoman.core.stop_tokens import MARKER
from dragoman.core.texts.alignment import MAX_UNITS
from dragoman.scoring.speech_accuracy import UNSPACED, earlier_normalize_for_scoring, scoring_units

Mark = Literal["same", "reworded", "changed", "lost", "added", "sign"]
"""The fate of a piece of text.

`reworded`: worded differently for speech. `changed`: misrecognized. `lost`: not recognized.
`added`: recognized but not spoken. `sign`: a control token for the harness, which is not spoken.
"""

MAX_SHOWN = 4_000
"""Longest shown part of one text unless the whole is requested, in characters."""

_SPACED = re.compile(rf"({MARKER.pattern}|\s+)")
_UNSPACED = re.compile(rf"{MARKER.pattern}|\s+|[!-~]+|.", re.DOTALL)


class MarkedText(msgspec.Struct, frozen=True):
    """A stretch of text and its mark."""

    text: str
    mark: Mark


class ThreeTexts(msgspec.Struct, frozen=True):
    """One utterance between mouth and ear.

    Attributes:
        intended: The text that the speaker meant.
        spoken: The spoken text; None where it is what was meant.
        heard: The text that reached the listener; None where that is the text itself, or the audio.
        recognized: The recognized words, if inverse text normalization changed them.
        is_audio: Whether the listener was given the audio itself.
        is_compared: Whether words could be compared; very long texts are not.
        cut: The number of omitted characters.
        longest: Length of the longest text before cutting, in characters.
    """

    intended: tuple[MarkedText, ...]
    spoken: tuple[MarkedText, ...] | None = None
    heard: tuple[MarkedText, ...] | None = None
    recognized: str = ""
    is_audio: bool = False
    is_compared: bool = True
    cut: int = 0
    longest: int = 0

    @property
    def marks(self) -> frozenset[Mark]:
        """The marks that occur, for a legend."""
        every = (*self.intended, *(self.spoken or ()), *(self.heard or ()))
        return frozenset(span.mark for span in every)

    @property
    def is_alike(self) -> bool:
        """Whether the spoken and heard texts exist and equal the intended text word for word."""
        texts = [text for text in (self.intended, self.spoken, self.heard) if text is not None]
        return (
            len(texts) > 1
            and self.is_compared
            and not self.recognized
            and self.marks <= {"same", "sign"}
            and not (self.heard is None and self.is_audio)
        )

    @property
    def is_plain(self) -> bool:
        """Whether there is one text only."""
        return self.spoken is None and self.heard is None and not self.is_audio


def three_texts(utterance: Utterance, language: str, most: int = MAX_SHOWN) -> ThreeTexts:
    """Return the texts of an utterance, compared word by word.

    Args:
        utterance: The utterance.
        language: The tag of its language.
        most: Longest shown part of a text, in characters.
    """
    said = None if utterance.spoken is UNSET else utterance.spoken
    arrived = utterance.heard if isinstance(utterance.heard, str) else None
    given = [text for text in (utterance.intended, said, arrived) if text is not None]
    cut = sum(max(0, len(text) - most) for text in given)
    recognized = _differing_recognized_words(utterance)[:most]
    texts = _Given(
        _Text(utterance.intended[:most], language),
        None if said is None else _Text(said[:most], language),
        None if arrived is None else _Text(arrived[:most], language),
        _Text(recognized, language) if recognized else None,
    )
    is_alone = len(given) == 1
    is_compared = not is_alone and not cut and _longest(texts) <= MAX_UNITS
    marks = _marks(texts) if is_compared else _Marks()
    return ThreeTexts(
        texts.intended.spans(marks.intended),
        None if texts.spoken is None else texts.spoken.spans(marks.spoken),
        None if texts.heard is None else texts.heard.spans(marks.heard),
        recognized,
        is_audio=utterance.heard is None,
        is_compared=is_compared or is_alone,
        cut=cut,
        longest=max(map(len, given)),
    )


def _differing_recognized_words(utterance: Utterance) -> str:
    """Return the recognized words if the listener read different ones."""
    for stage in utterance.stages:
        words = stage.settings.get(WORDS)
        if isinstance(words, str):
            return "" if words == utterance.heard else words
    return ""


class _Text:
    """A text in pieces; `units` are compared, each with the place of its piece."""

    def __init__(self, text: str, language: str) -> None:
        is_unspaced = language.replace("_", "-").split("-")[0].casefold() in UNSPACED
        self.language = language
        self.pieces = tuple(_with_marks(_UNSPACED.findall(text)) if is_unspaced else _words(text))
        self.units = tuple(
            (unit, place)
            for place, piece in enumerate(self.pieces)
            if not MARKER.fullmatch(piece)
            for unit in earlier_normalize_for_scoring(piece).split()
        )
        self.keys = tuple(unit for unit, _ in self.units)
        places = [place for _, place in self.units]
        self.starts = {
            unit for unit, place in enumerate(places) if not unit or places[unit - 1] != place
        } | {len(places)}

    def part(self, units: range) -> str:
        """Return the text of a stretch of units."""
        if not units:
            return ""
        first, last = self.units[units[0]][1], self.units[units[-1]][1]
        return "".join(self.pieces[first : last + 1])

    def spans(self, marks: dict[int, Mark]) -> tuple[MarkedText, ...]:
        """Return the pieces with marks; a piece gets the most severe mark of its units."""
        graver: dict[int, Mark] = {}
        for unit, mark in marks.items():
            place = self.units[unit][1]
            if _GRAVITY[mark] > _GRAVITY[graver.get(place, "same")]:
                graver[place] = mark
        marked = (
            MarkedText(piece, "sign" if MARKER.fullmatch(piece) else graver.get(place, "same"))
            for place, piece in enumerate(self.pieces)
        )
        return tuple(_join_same_marks(marked))


_GRAVITY: dict[Mark, int] = {
    "same": 0,
    "sign": 0,
    "reworded": 1,
    "added": 2,
    "changed": 3,
    "lost": 4,
}


def _words(text: str) -> Iterator[str]:
    return (piece for piece in _SPACED.split(text) if piece)


def _with_marks(pieces: Iterable[str]) -> list[str]:
    """Return characters with their combining marks."""
    joined: list[str] = []
    for piece in pieces:
        if joined and unicodedata.category(piece[0])[0] == "M":
            joined[-1] += piece
        else:
            joined.append(piece)
    return joined


def _join_same_marks(spans: Iterable[MarkedText]) -> Iterator[MarkedText]:
    """Yield spans, with neighbours of the same mark joined."""
    for mark, group in groupby(spans, lambda span: span.mark):
        yield MarkedText("".join(span.text for span in group), mark)


class _Chunk(msgspec.Struct, frozen=True):
    """Units of one text and their counterparts in another; either may be empty."""

    own: range
    theirs: range
    is_same: bool
    is_reworded: bool = False


def _chunks(one: _Text, other: _Text) -> Iterator[_Chunk]:
    """Yield stretches of one text with their counterparts in another.

    Word errors are counted by one of many cheapest alignments, which may skip words that arrived.
    This alignment matches as many words as possible.
    """
    found = SequenceMatcher(None, one.keys, other.keys, autojunk=False).get_opcodes()
    cuts = _common_cuts(one, other, found)
    for kind, begin, end, their_begin, their_end in found:
        own, theirs = range(begin, end), range(their_begin, their_end)
        is_equal = kind == "equal"
        is_same = (
            is_equal
            or _are_same_words(one.part(own), other.part(theirs), one.language)
            or _is_same_around(one, other, _Chunk(own, theirs, is_same=False), cuts)
        )
        yield _Chunk(own, theirs, is_same, is_reworded=is_same and not is_equal)


_WIDENINGS = ((0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2))
"""Numbers of cuts by which a stretch is widened to the left and right, in trial order."""

_MAX_WIDENED = 24
"""Longest widened stretch, in units."""

_VALUE_SIGN = re.compile(r"[0-9@#$%\u20ac\u00a3/_+&-]")
"""A character of a value whose normalized text may differ from its verbalization."""


def _common_cuts(
    one: _Text, other: _Text, found: Sequence[tuple[str, int, int, int, int]]
) -> list[tuple[int, int]]:
    """Return the places at which a piece begins in both texts, or both texts end."""
    starts_own, starts_their = one.starts, other.starts
    cuts = {(0, 0), (len(one.units), len(other.units))}
    for kind, begin, end, their_begin, _ in found:
        for step in range(end - begin if kind == "equal" else 1):
            if begin + step in starts_own and their_begin + step in starts_their:
                cuts.add((begin + step, their_begin + step))
    return sorted(cuts)


def _is_same_around(
    one: _Text, other: _Text, chunk: _Chunk, cuts: Sequence[tuple[int, int]]
) -> bool:
    """Return whether a value around a stretch is the same value, written in another way.

    An address is one piece, and its verbalization many; a day reads as one only next to its month.
    """
    first = bisect_right(cuts, (chunk.own.start, chunk.theirs.start)) - 1
    last = bisect_left(cuts, (chunk.own.stop, chunk.theirs.stop))
    for left, right in _WIDENINGS:
        if first - left < 0 or last + right >= len(cuts):
            continue
        (begin, their_begin), (end, their_end) = cuts[first - left], cuts[last + right]
        if max(end - begin, their_end - their_begin) > _MAX_WIDENED:
            continue
        own = one.part(range(begin, end))
        theirs = other.part(range(their_begin, their_end))
        has_value = _VALUE_SIGN.search(own) or _VALUE_SIGN.search(theirs)
        if has_value and _are_same_words(own, theirs, one.language):
            return True
    return False


def _are_same_words(one: str, other: str, language: str) -> bool:
    """Return whether two texts are the same words after normalization.

    `$20` and `twenty dollars` are an example.
    """
    if not (one and other):
        return False
    return "".join(scoring_units(one, language)) == "".join(scoring_units(other, language))


def _fates(one: _Text, other: _Text) -> dict[int, Mark]:
    """Return the fate of each unit of one text in another."""
    fates: dict[int, Mark] = {}
    for chunk in _chunks(one, other):
        mark: Mark = "same" if chunk.is_same else ("changed" if chunk.theirs else "lost")
        fates |= dict.fromkeys(chunk.own, mark)
    return fates


class _Given(msgspec.Struct, frozen=True):
    """The compared texts."""

    intended: _Text
    spoken: _Text | None
    heard: _Text | None
    recognized: _Text | None


class _Marks(msgspec.Struct, frozen=True):
    """The marks of the units of each text."""

    intended: dict[int, Mark] = {}
    spoken: dict[int, Mark] = {}
    heard: dict[int, Mark] = {}


def _longest(given: _Given) -> int:
    texts = (given.intended, given.spoken, given.heard, given.recognized)
    return max(len(text.units) for text in texts if text is not None)


def _marks(given: _Given) -> _Marks:
    intended, spoken, heard = given.intended, given.spoken, given.heard
    if heard is None:
        return (
            _Marks()
            if spoken is None
            else _Marks(spoken=_mark_reworded_words(intended, spoken, {}, {}))
        )
    meant_there = _or_recognized(_fates(intended, heard), intended, given.recognized)
    right = _against(heard, intended) | _mark_written_forms(given)
    if spoken is None:
        return _Marks(meant_there, {}, right)
    said_there = _fates(spoken, heard)
    arrived = _mark_arrived_words(intended, spoken, meant_there, said_there)
    said = _or_recognized(said_there, spoken, given.recognized)
    return _Marks(
        arrived,
        _mark_reworded_words(intended, spoken, meant_there, said),
        _right(right, _against(heard, spoken)),
    )


def _or_recognized(
    fates: dict[int, Mark], text: _Text, recognized: _Text | None
) -> dict[int, Mark]:
    """Return fates in which each recognized word has arrived, in any normalized form."""
    there = {} if recognized is None else _fates(text, recognized)
    return fates | {unit: mark for unit, mark in there.items() if mark == "same"}


def _mark_written_forms(given: _Given) -> dict[int, Mark]:
    """Return the heard words that normalize correctly recognized words, as 50 for fifty."""
    if given.recognized is None or given.heard is None:
        return {}
    right = _fates(given.recognized, given.intended)
    return {
        unit: "reworded"
        for chunk in _chunks(given.heard, given.recognized)
        if not chunk.is_same and chunk.theirs
        if all(right[place] == "same" for place in chunk.theirs)
        for unit in chunk.own
    }


def _mark_arrived_words(
    intended: _Text, spoken: _Text, meant_there: dict[int, Mark], said_there: dict[int, Mark]
) -> dict[int, Mark]:
    """Return the fates of intended words; a word also arrived if all its spoken words did."""
    fates = dict(meant_there)
    for chunk in _chunks(intended, spoken):
        if chunk.theirs and all(said_there[place] == "same" for place in chunk.theirs):
            fates |= dict.fromkeys(chunk.own, "same")
    return fates


def _mark_reworded_words(
    intended: _Text, spoken: _Text, meant_there: dict[int, Mark], said_there: dict[int, Mark]
) -> dict[int, Mark]:
    """Return the fates of spoken words, with other wordings of intended words marked."""
    fates = dict(said_there)
    for chunk in _chunks(spoken, intended):
        # A word that was heard as it was meant is not lost, however it was spoken.
        has_arrived = bool(chunk.theirs) and all(
            meant_there.get(place) == "same" for place in chunk.theirs
        )
        for unit in () if chunk.is_same else chunk.own:
            if has_arrived or fates.get(unit, "same") == "same":
                fates[unit] = "reworded"
    return fates


def _right(meant: dict[int, Mark], said: dict[int, Mark]) -> dict[int, Mark]:
    """Return the fates of heard words; words that match the intended text are right."""
    return {
        unit: meant[unit] if meant[unit] in {"same", "reworded"} else mark
        for unit, mark in said.items()
    }


def _against(heard: _Text, said: _Text) -> dict[int, Mark]:
    fates: dict[int, Mark] = {
        unit: "added" if mark == "lost" else mark for unit, mark in _fates(heard, said).items()
    }
    for chunk in _chunks(heard, said):
        if chunk.is_reworded:
            fates |= dict.fromkeys(chunk.own, "reworded")
    return fates


def mark_legend(marks: Iterable[Mark]) -> Sequence[tuple[Mark, str]]:
    """Return the meanings of the marks that occur, in a fixed order."""
    found = frozenset(marks)
    return [(mark, words) for mark, words in MEANINGS.items() if mark in found]


MEANINGS: dict[Mark, str] = {
    "lost": "not recognized",
    "changed": "misrecognized",
    "added": "recognized, but not spoken",
    "reworded": "right, in another format",
    "sign": "stop token, not spoken",
}
"""The meaning of each mark, in the words of the page's legend."""
