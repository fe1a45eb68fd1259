"""What may be heard for a string of phones: words that sound like it, the near and frequent ones first."""

import importlib.resources
from collections.abc import Mapping
from functools import cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from dragoman.conditions.voice.mishearing.lexicons import Lexicon
from dragoman.conditions.voice.mishearing.phones import Phones, phone_table
from dragoman.conditions.voice.mishearing.spelling import digit_words, sign_sounds

MOST_OPTIONS = 24
REMEMBERED = 20_000

_SHORT = 3
_FREQUENT = 60


class HearingSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How words compete for being heard; see the table."""

    nearness: float
    slack: float
    frequency: float
    farthest: float
    sign_count: float
    burst: float


class ErrorSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What goes wrong how often: the table beside this module."""

    hearing: HearingSettings
    difficulty: dict[str, float]
    kinds: dict[str, dict[str, float]]


class HeardCandidate(msgspec.Struct, frozen=True):
    """A word that may be heard: its weight in the draw, and its distance per phone."""

    text: str
    weight: float
    distance: float


class Hearing:
    """Looks up what may be heard, and remembers it."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._settings = error_settings().hearing
        self._shares = lexicon.counts / lexicon.counts.sum()
        self._found: dict[Phones, tuple[HeardCandidate, ...]] = {}

    def words(self, phones: Phones) -> tuple[HeardCandidate, ...]:
        """Return listed words that sound like a string of phones; none where nothing is near."""
        found = self._found.get(phones)
        if found is None:
            if len(self._found) >= REMEMBERED:
                self._found.clear()
            found = self._found[phones] = self._look_up(phones)
        return found

    def signs(self, phones: Phones) -> tuple[HeardCandidate, ...]:
        """Return letters and digits that sound like a string of phones."""
        return tuple(
            option
            for text, sound in sign_sounds(self.lexicon.language).items()
            if (option := self._option(text, sound, phones)) is not None
        )

    def digits(self, phones: Phones) -> tuple[HeardCandidate, ...]:
        """Return digits by how much they sound like a string of phones, however little."""
        sounds = sign_sounds(self.lexicon.language)
        return tuple(
            HeardCandidate(text, self._weight(distance, self._settings.sign_count), distance)
            for text in digit_words(self.lexicon.language)
            for distance in (phone_table().per_phone(phones, sounds[text]),)
        )

    def short_words(self) -> tuple[HeardCandidate, ...]:
        """Return the short frequent words, which are heard where nothing was said."""
        order = np.argsort(-self._shares, kind="stable")
        words = [self.lexicon.words[place] for place in order.tolist()]
        short = [word for word in words if 0 < len(self.lexicon.phones[word]) <= _SHORT]
        return tuple(
            HeardCandidate(word, 1.0 / rank, 1.0)
            for rank, word in enumerate(short[:_FREQUENT], start=1)
        )

    def _look_up(self, phones: Phones) -> tuple[HeardCandidate, ...]:
        if not phones:
            return ()
        table, found = phone_table(), []
        coded = table.coded(phones)
        reach = max(2, len(phones) // 3)
        for length in range(max(len(phones) - reach, 1), len(phones) + reach + 1):
            words = self.lexicon.lengths.get(length)
            if words is None:
                continue
            total = table.distances(coded, words.phones)
            longer = max(length, len(phones))
            apart = total / (longer + self._settings.slack)
            weights = self._weights(apart, self._shares[words.places])
            for at in np.argsort(-weights, kind="stable")[:MOST_OPTIONS].tolist():
                if apart[at] <= self._settings.farthest:
                    word = self.lexicon.words[int(words.places[at])]
                    found.append(
                        HeardCandidate(word, float(weights[at]), float(total[at]) / longer)
                    )
        return tuple(sorted(found, key=lambda option: -option.weight)[:MOST_OPTIONS])

    def _option(self, text: str, sound: Phones, phones: Phones) -> HeardCandidate | None:
        distance = phone_table().per_phone(phones, sound)
        if distance > self._settings.farthest:
            return None
        return HeardCandidate(text, self._weight(distance, self._settings.sign_count), distance)

    def _weight(self, distance: float, share: float) -> float:
        return float(self._weights(np.array(distance), np.array(share)))

    def _weights(
        self, distances: NDArray[np.float64], shares: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        settings = self._settings
        result: NDArray[np.float64] = (
            np.exp(-distances / settings.nearness) * shares**settings.frequency
        )
        return result


@cache
def error_settings() -> ErrorSettings:
    """Return the shipped settings."""
    content = importlib.resources.files(__package__).joinpath("settings.toml").read_bytes()
    return msgspec.toml.decode(content, type=ErrorSettings)


def kinds_of(language: str) -> Mapping[str, float]:
    """Return how often each kind of error happens in a language."""
    return error_settings().kinds[language]
