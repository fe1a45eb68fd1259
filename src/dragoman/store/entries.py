"""What is given to a run to be stored."""

import msgspec

from dragoman.core.episodes import Episode
from dragoman.core.measures import Measured
from dragoman.core.scores import Score


class StoredEpisode(msgspec.Struct, frozen=True):
    """One conversation to be stored: its cell, which attempt it is, and its score if it has one."""

    cell: str
    attempt: int
    episode: Episode
    score: Score | None = None


class StoredMeasure(msgspec.Struct, frozen=True):
    """What a measure counted in an episode that is there."""

    cell: str
    attempt: int
    measured: Measured


Entry = StoredEpisode | StoredMeasure
