"""Snapping: a spelled name becomes the nearest one of a closed list, or stays.

Snapping is a separate stage and off by default: it knows the list, and a recognizer does not. Only
spelled names are snapped, never e-mail addresses or ids. A name is not snapped if it is far from
every name of the list, or nearly as near to a second one.
"""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from dragoman.conditions.voice.inverse_text_normalization.numbers import Heard, heard_words, text_at
from dragoman.conditions.voice.inverse_text_normalization.spelling import is_spelling, sign_at
from dragoman.core.replies import Stage
from dragoman.core.texts.alignment import distance

_ALIKE = ("bcdegptvz", "ahjk", "mn", "fsx", "iy", "qu")
"""Letters whose names sound alike."""
_HALF = 0.5
_MIN_LETTERS = 2
_MAX_LETTERS = 40


class SnapRule(msgspec.Struct, frozen=True):
    """The rule by which a heard name becomes a name of the list.

    Attributes:
        name: Name of the rule in results; a changed rule has a new name.
        furthest: The largest distance, as a share of the longer name's letters.
        margin: Minimum by which the second-nearest name must be further away.
    """

    name: str
    furthest: float
    margin: float


DEFAULT_SNAP_RULE = SnapRule("dragoman-snap-1", furthest=0.34, margin=0.2)


class Snap(msgspec.Struct, frozen=True):
    """The heard form of a name, the chosen name, and their distance (0 to 1)."""

    heard: str
    name: str
    distance: float


class Snapped(msgspec.Struct, frozen=True):
    """A text after snapping, and every name that was replaced."""

    text: str
    snaps: tuple[Snap, ...]
    rule: SnapRule

    @property
    def stage(self) -> Stage:
        """The stage of records, with the rule's name and settings."""
        return Stage("snapping", self.rule.name, settings=msgspec.to_builtins(self.rule))


def snap_names(heard: str, names: Iterable[str], rule: SnapRule = DEFAULT_SNAP_RULE) -> Snapped:
    """Replace spelled names in heard words by the nearest of a closed list.

    It works on the words of the recognizer, before normalization: a letter that was recognized as a
    word is still in its place.
    """
    known = tuple(dict.fromkeys(names))
    words = heard_words(heard)
    parts, snaps, end = [], [], 0
    for at, place, letters in _spelled_names(words):
        snap = nearest(letters, known, rule)
        if snap is not None:
            parts += [heard[end : words[at].start], snap.name]
            end = words[place - 1].end
            snaps.append(snap)
    return Snapped("".join((*parts, heard[end:])), tuple(snaps), rule)


def nearest(letters: str, names: Sequence[str], rule: SnapRule) -> Snap | None:
    """Return the name of a list that letters stand for.

    Return None if no name is near enough, or if two are.
    """
    ranked = sorted((_distance(letters, name), name) for name in names)
    if not ranked or ranked[0][0] > rule.furthest:
        return None
    if len(ranked) > 1 and ranked[1][0] - ranked[0][0] < rule.margin:
        return None
    return Snap(letters, ranked[0][1], ranked[0][0])


def _distance(letters: str, name: str) -> float:
    said = "".join(sign for sign in name.casefold() if sign.isalnum())
    heard = letters.casefold()[:_MAX_LETTERS]
    return distance(said[:_MAX_LETTERS], heard, _sound_cost) / max(len(said), len(heard), 1)


def _sound_cost(said: str, heard: str) -> float:
    if said == heard:
        return 0.0
    return _HALF if any(said in group and heard in group for group in _ALIKE) else 1.0


def _spelled_names(words: Heard) -> Iterator[tuple[int, int, str]]:
    """Yield each spelled name: its first word, the word after it, and its letters.

    A single word among the letters counts with its own letters.
    """
    at = 0
    while at < len(words):
        begins = is_spelling(words, at) and sign_at(words, at) is not None
        letters, place = _letters_from(words, at) if begins else ("", at)
        if len(letters) >= _MIN_LETTERS:
            yield at, place, letters
        at = max(place, at + 1)


def _letters_from(words: Heard, at: int) -> tuple[str, int]:
    letters, place = "", at
    while True:
        sign = sign_at(words, place)
        if sign is not None:
            letters, place = letters + sign.text.replace("8", "a"), sign.end
        elif text_at(words, place) and sign_at(words, place + 1) is not None:
            letters, place = letters + words[place].text, place + 1
        else:
            return letters, place
