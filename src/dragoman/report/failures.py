"""What failed in a run, grouped by cause."""

from collections.abc import Iterable, Sequence

import msgspec

from dragoman.analysis.cells import Outcome
from dragoman.core.episodes import COMPLETE
from dragoman.report.view import Cause, Standing, causes
from dragoman.report.wording import ENDINGS

STANDINGS: dict[Standing, str] = {
    "code": "raised in code of one's own",
    "infrastructure": "ended by infrastructure",
    "fail": "failed",
    "unscored": "unscored",
    "missing": "not run",
}
"""How a conversation stands that is not a success, in words; what is to be mended first comes first."""

_ORDER = tuple(STANDINGS)


class PlaceInRun(msgspec.Struct, frozen=True, order=True):
    """Where a conversation stands in its run."""

    agent: str
    condition: str
    task: str
    trial: int


class FailureGroup(msgspec.Struct, frozen=True):
    """All conversations that are no success for the same reasons."""

    standing: Standing
    cause: str
    places: tuple[PlaceInRun, ...]


def failure_groups(outcomes: Iterable[Outcome]) -> tuple[FailureGroup, ...]:
    """Group the conversations that are no success by cause: by standing, then the most frequent first.

    A conversation that failed in several components is in one group, that of all of them.
    """
    groups: dict[tuple[Standing, str], list[PlaceInRun]] = {}
    for outcome in outcomes:
        found = causes(outcome)
        if found:
            key = (found[0].standing, _text(outcome, found))
            place = PlaceInRun(outcome.agent, outcome.condition.label, outcome.task, outcome.trial)
            groups.setdefault(key, []).append(place)
    return tuple(
        FailureGroup(standing, text, tuple(places))
        for (standing, text), places in sorted(
            groups.items(),
            key=lambda entry: (_ORDER.index(entry[0][0]), -len(entry[1]), entry[0][1]),
        )
    )


def _text(outcome: Outcome, found: Sequence[Cause]) -> str:
    text = " and ".join(cause.text for cause in found)
    ending = None if outcome.episode is None else outcome.episode.ending
    if found[0].standing != "fail" or ending is None or ending.reason in COMPLETE:
        return text
    return f"{text} ({ending.detail or ENDINGS[ending.reason]})"
