"""What is lost from one condition to another; every number names the conversations behind it."""

from typing import Literal

import msgspec

from dragoman.analysis.blame import CULPRITS, Culprit
from dragoman.analysis.comparison import Comparison
from dragoman.analysis.intervals import Interval
from dragoman.analysis.places import PlaceInRun

Stage = Culprit | Literal["language", "user", "not looked for"]

STAGES: dict[Stage, str] = {
    "line": CULPRITS["line"],
    "speech": CULPRITS["speech"],
    "hearing": CULPRITS["hearing"],
    "mishearing": CULPRITS["mishearing"],
    "language": "as arguments; each value that is wrong is one in another language",
    "arguments": CULPRITS["arguments"],
    "user": "the simulated user failed a check of its part, and nothing before it lost the conversation",
    "agent": CULPRITS["agent"],
    "unknown": CULPRITS["unknown"],
    "not looked for": "was not played again, so that nobody knows",
}
"""The stages at which a conversation is lost, as it goes; each that failed is of one."""


class LossPart(msgspec.Struct, frozen=True):
    """What one stage lost, as a share of trials: failures there in B less those in A; negative is a gain.

    Attributes:
        stage: The stage.
        value: Its part of the loss; the parts of a loss add up to it.
        interval: 95 %, paired over tasks.
        behind: The conversations that failed there in B.
        in_base: Those that failed there in A.
    """

    stage: Stage
    value: float
    interval: Interval
    behind: tuple[PlaceInRun, ...]
    in_base: tuple[PlaceInRun, ...]


class CountedShare(msgspec.Struct, frozen=True):
    """How much of something it was, over the compared tasks of one cell.

    Attributes:
        name: What was counted.
        count: How much of it.
        of: Out of how much; None where that was not counted.
        interval: 95 % of the share, over tasks; None where there is none.
        behind: The conversations in which it was.
    """

    name: str
    count: float
    of: float | None
    interval: Interval | None
    behind: tuple[PlaceInRun, ...]

    @property
    def value(self) -> float | None:
        """The share; None where nothing is known of the whole."""
        return self.count / self.of if self.of else None


class Sides(msgspec.Struct, frozen=True):
    """The same share in A and in B; None where it was not counted."""

    base: CountedShare | None
    other: CountedShare | None


class Loss(msgspec.Struct, frozen=True):
    """What is lost from A, the base, to B, over the tasks that both finished.

    Attributes:
        comparison: The two cells and how they differ; p is corrected over all losses of a run.
        parts: What each stage lost, stages without a failure left out.
        misheard: The conversations that failed in B in which a value that calls need was not heard.
        values: The kinds of such values that were not heard in B, of those said; commonest first.
        word_errors: To the words that users said.
        other_language: Turns of the agent that were not in its language.
    """

    comparison: Comparison
    parts: tuple[LossPart, ...]
    misheard: tuple[PlaceInRun, ...]
    values: tuple[CountedShare, ...]
    word_errors: Sides
    other_language: Sides

    @property
    def value(self) -> float | None:
        """pass^1 of A less that of B; None where no task was compared."""
        return 0.0 - self.comparison.gaps[0].difference if self.comparison.gaps else None

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of the loss."""
        if not self.comparison.gaps:
            return None
        found = self.comparison.gaps[0].interval
        return Interval(0.0 - found.high, 0.0 - found.low)

    @property
    def failed(self) -> tuple[PlaceInRun, ...]:
        """The conversations that failed in B."""
        return tuple(place for part in self.parts for place in part.behind)

    @property
    def is_looked_for(self) -> bool:
        """Whether it is known of every conversation that failed which stage lost it."""
        return all(part.stage != "not looked for" for part in self.parts)
