"""At which stage a failed conversation was lost: by what was found when it was played again.

What a replay found comes first. The checks of the simulated user speak where no stage before the
agent did it, and the wrong arguments say whether all of them are a matter of language.
"""

from collections.abc import Mapping
from typing import get_args

from dragoman.analysis.blame import BLAME, Culprit
from dragoman.analysis.cells import Outcome
from dragoman.analysis.losses.records import Stage
from dragoman.analysis.measure_figures import newest

_BEHIND_THE_USER = frozenset({"agent", "unknown", "not looked for"})
_OTHER_LANGUAGE = "other language"
_FURTHER_DIFFERENCES = ("missing", "added", "type", "format", "other value", "not called")


def stage_of(row: Outcome) -> Stage:
    """Return the stage that lost a conversation, which failed."""
    found: Stage = _culprit(row) or "not looked for"
    if found == "arguments" and _is_of_language(counts_of(row, "modes")):
        return "language"
    if found in _BEHIND_THE_USER and row.score is not None and row.score.invalid:
        return "user"
    return found


def counts_of(row: Outcome, measure: str) -> Mapping[str, int | float]:
    """Return what the newest version of a measure counted in a conversation; nothing where it did not."""
    return next((entry.counts for entry in newest(row.measures) if entry.measure == measure), {})


def _culprit(row: Outcome) -> Culprit | None:
    counts = counts_of(row, BLAME)
    return next((name for name in get_args(Culprit) if counts.get(name)), None)


def _is_of_language(counts: Mapping[str, int | float]) -> bool:
    """Whether all that is wrong with a conversation's calls is the language of values."""
    return bool(counts.get(_OTHER_LANGUAGE)) and not any(map(counts.get, _FURTHER_DIFFERENCES))
