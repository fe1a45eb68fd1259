"""Failure attribution: the stage that is the root cause of a failure, by counterfactual replay.

A replay makes one stage perfect. The result is exact for deterministic agents; for all others the
replay is another random draw, and chance affects the result.
"""

from collections.abc import Iterable
from typing import Literal

import msgspec

from dragoman.core.measures import CountedItem, DeclaredMetrics, MeasureResult, Rate, Total

FailureSource = Literal["line", "speech", "hearing", "mishearing", "arguments", "agent", "unknown"]

FAILURE_SOURCES: dict[FailureSource, str] = {
    "line": "passes when the line is clean: noise, band, codec or loss",
    "speech": "fails on a clean line, passes with the words that were meant: voice or recognizer",
    "hearing": "fails on a clean line, passes with the words that were meant: an agent that hears "
    "the "
    "audio itself, or the voice",
    "mishearing": "passes with the words that were meant: errors that were simulated",
    "arguments": "fails with the words that were meant, passes when its calls also carry the "
    "plan's "
    "arguments: values filled or mapped wrongly",
    "agent": "fails even so, or with every word heard: agent, user or benchmark",
    "unknown": "a counterfactual has no verdict or cannot be played, or words but no value were "
    "lost",
}


class Counterfactuals(msgspec.Struct, frozen=True):
    """Outcomes of replays of a failed conversation, each with a stage made perfect.

    An outcome is None without a verdict.

    Attributes:
        understood: Outcome with the intended words, over the same channel, or in text if errors
            were simulated; these errors are then gone.
        clean: Outcome over a clean channel with the same recognizer; replayed only if `understood`
            passes.
        canonical: Outcome with the intended words and the plan's arguments; replayed only if
            `understood` fails.
        is_simulated: Whether nobody spoke and the errors were simulated, so that the channel has
            nothing to clean.
        hears_itself: Whether the agent received the audio itself, so that no recognizer can have
            failed.
        values_lost: Number of values that calls need and that were not recognized; None if unknown.
        word_errors: Number of words that were not recognized as they were said; None if unknown.
    """

    understood: bool | None
    clean: bool | None = None
    canonical: bool | None = None
    is_simulated: bool = False
    hears_itself: bool = False
    values_lost: int | None = None
    word_errors: int | None = None


def failure_source(found: Counterfactuals) -> FailureSource:
    """Return the stage that made a conversation fail.

    If every value arrived, neither the channel nor the voice or recognizer is named: then the agent
    failed with the right values, or the lost words that mattered cannot be determined.
    """
    match found:
        case Counterfactuals(understood=True, values_lost=0):
            return "agent" if found.word_errors == 0 else "unknown"
        case Counterfactuals(understood=True, is_simulated=True):
            return "mishearing"
        case Counterfactuals(understood=True, clean=True):
            return "line"
        case Counterfactuals(understood=True, clean=False):
            return "hearing" if found.hears_itself else "speech"
        case Counterfactuals(understood=False, canonical=bool(passes)):
            return "arguments" if passes else "agent"
        case _:
            return "unknown"


class FailureAttribution(msgspec.Struct, frozen=True):
    """One lost conversation and what lost it."""

    condition: str
    agent: str
    task: str
    trial: int
    failure_source: FailureSource = msgspec.field(name="culprit")


ATTRIBUTION = "blame"
"""The measure that holds what was found; conversations that were not lost have none."""

ATTRIBUTION_METRICS = DeclaredMetrics(
    ATTRIBUTION,
    "4",
    (Total("lost", ("lost",)), *(Rate(name, (name,), ("lost",)) for name in FAILURE_SOURCES)),
)


def attribution_result(failure_source: FailureSource | None) -> MeasureResult:
    """Return what lost a conversation as counts; None if nothing did any more."""
    if failure_source is None:
        return MeasureResult(ATTRIBUTION, ATTRIBUTION_METRICS.version)
    counts: dict[str, int | float] = {"lost": 1, failure_source: 1}
    found = CountedItem(counts, subject=failure_source, why=FAILURE_SOURCES[failure_source])
    return MeasureResult(ATTRIBUTION, ATTRIBUTION_METRICS.version, counts=counts, evidence=(found,))


def attribution_counts(
    rows: Iterable[FailureAttribution],
) -> dict[tuple[str, str], dict[FailureSource, int]]:
    """Return by condition and agent how many conversations each stage lost."""
    counts: dict[tuple[str, str], dict[FailureSource, int]] = {}
    for row in rows:
        own = counts.setdefault((row.condition, row.agent), dict.fromkeys(FAILURE_SOURCES, 0))
        own[row.failure_source] += 1
    return counts
