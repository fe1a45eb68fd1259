"""What is stored in place of a record that cannot be written: what it was, and why it is not there.

One record that JSON cannot carry must not take those with it that were to be written beside it.
"""

import msgspec

from dragoman.core.episodes import Ending, Episode
from dragoman.core.measures import Measured
from dragoman.core.scores import Score, Unscored
from dragoman.core.texts.carried import carried, why_not_carried


def fault_for(episode: Episode, error: Exception) -> Episode:
    """Return the episode that stands for one that cannot be written: a fault of infrastructure."""
    return Episode(
        (),
        Ending("infrastructure_error", _why("conversation", error)),
        episode.steps,
        episode.errors,
        usage=() if why_not_carried(episode.usage) else episode.usage,
        started=episode.started,
        seconds=episode.seconds,
    )


def unscored_for(score: Score, error: Exception) -> Score:
    """Return the score that stands for one that cannot be written, or whose conversation cannot."""
    return msgspec.structs.replace(
        score,
        reward=Unscored(_why("record", error)),
        components=(),
        note="",
        simulator=(),
    )


def unmeasured_for(entry: Measured, error: Exception) -> Measured:
    """Return what stands for counts that cannot be written."""
    return msgspec.structs.replace(entry, counts={}, evidence=(), unscored=_why("record", error))


def _why(what: str, error: Exception) -> str:
    return carried(f"the {what} cannot be stored: {error}"[:500])
