"""Failure attribution: the stage that is the root cause of a failure, by counterfactual replay.

A replay has one stage made perfect. That is exact where agents always do the same; elsewhere the
replay is another draw, and chance has a part in the result.
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
    """How a lost conversation went with a stage made perfect; None where there is no verdict.

    Attributes:
        understood: With the words that were meant, over the same line, or in text where errors were
            simulated; in text these were lost.
        clean: Over a clean line, with the same recognizer: asked where `understood` passes.
        canonical: With the words that were meant and the plan's arguments: asked where it fails.
        is_simulated: Whether nobody spoke and the errors were simulated: there is no line to clean.
        hears_itself: Whether the agent was given the audio: there is no recognizer to blame.
        values_lost: How many values that calls need were not in what was heard; None where nobody
            knows.
        word_errors: How many words were not heard as they were said; None where nobody knows.
    """

    understood: bool | None
    clean: bool | None = None
    canonical: bool | None = None
    is_simulated: bool = False
    hears_itself: bool = False
    values_lost: int | None = None
    word_errors: int | None = None


def failure_source(found: Counterfactuals) -> FailureSource:
    """Return the stage that lost a conversation.

    Neither the line nor voice or recognizer is named where every value arrived: then the agent
    failed on what it was told, or nobody can say which of the lost words mattered.
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
    """Return what lost a conversation as counts; None where nothing did any more."""
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
