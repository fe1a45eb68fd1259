"""Which stage lost a spoken conversation, by playing it again with one stage made perfect.

Exact where agents always do the same; otherwise another draw decides along.
"""

from collections.abc import Iterable
from typing import Literal

import msgspec

Culprit = Literal["line", "speech", "agent", "unknown"]

CULPRITS: dict[Culprit, str] = {
    "line": "passes when the line is clean: noise, band, codec or loss",
    "speech": "fails on a clean line, passes with the words that were meant: voice or recognizer",
    "agent": "fails with the words that were meant, too: agent, user or benchmark",
    "unknown": "a counterfactual has no verdict",
}


class Counterfactuals(msgspec.Struct, frozen=True):
    """How a lost conversation went with a stage made perfect; None where there is no verdict.

    Attributes:
        understood: With the words that were meant, over the same line.
        clean: Over a clean line, with the same recognizer.
    """

    understood: bool | None
    clean: bool | None


def blamed(found: Counterfactuals) -> Culprit:
    """Return the stage that lost a conversation."""
    if found.understood is None:
        return "unknown"
    if not found.understood:
        return "agent"
    if found.clean is None:
        return "unknown"
    return "line" if found.clean else "speech"


class Blame(msgspec.Struct, frozen=True):
    """One lost conversation and what lost it."""

    condition: str
    agent: str
    task: str
    trial: int
    culprit: Culprit


def blame_counts(rows: Iterable[Blame]) -> dict[tuple[str, str], dict[Culprit, int]]:
    """Return by condition and agent how many conversations each stage lost."""
    counts: dict[tuple[str, str], dict[Culprit, int]] = {}
    for row in rows:
        own = counts.setdefault((row.condition, row.agent), dict.fromkeys(CULPRITS, 0))
        own[row.culprit] += 1
    return counts
