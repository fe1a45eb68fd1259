"""What failed in a run, grouped by cause, and by the stage that lost it where that is known."""

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from dragoman.analysis.cells import Outcome
from dragoman.analysis.losses.records import Stage
from dragoman.analysis.losses.stages import stage_of
from dragoman.analysis.places import PlaceInRun, place_in_run
from dragoman.core.episodes import COMPLETE
from dragoman.core.scores import STANDINGS, Standing
from dragoman.report.view import Cause, causes
from dragoman.report.wording import ENDINGS

_ORDER = tuple(STANDINGS)

_Group = tuple[Standing, str, Stage | None]


class FailureGroup(msgspec.Struct, frozen=True):
    """All conversations that are no success for the same reasons; `stage` is None where none failed."""

    standing: Standing
    cause: str
    places: tuple[PlaceInRun, ...]
    stage: Stage | None = None


def failure_groups(outcomes: Iterable[Outcome]) -> tuple[FailureGroup, ...]:
    """Group the conversations that are no success: by standing, by cause, then by stage.

    The most frequent cause comes first, and of each the stage that lost most. A conversation that
    failed in several components is in one group, that of all of them.
    """
    groups: dict[_Group, list[PlaceInRun]] = {}
    of_cause: Counter[tuple[Standing, str]] = Counter()
    for outcome in outcomes:
        found = causes(outcome)
        if found:
            standing, text = found[0].standing, _text(outcome, found)
            stage = stage_of(outcome) if standing == "fail" else None
            groups.setdefault((standing, text, stage), []).append(place_in_run(outcome))
            of_cause[standing, text] += 1

    def rank(group: _Group) -> tuple[int, int, str, int]:
        standing, text, _ = group
        return (_ORDER.index(standing), -of_cause[standing, text], text, -len(groups[group]))

    return tuple(
        FailureGroup(group[0], group[1], tuple(groups[group]), group[2])
        for group in sorted(groups, key=rank)
    )


def _text(outcome: Outcome, found: Sequence[Cause]) -> str:
    text = " and ".join(cause.text for cause in found)
    ending = None if outcome.episode is None else outcome.episode.ending
    if found[0].standing != "fail" or ending is None or ending.reason in COMPLETE:
        return text
    return f"{text} ({ending.detail or ENDINGS[ending.reason]})"
