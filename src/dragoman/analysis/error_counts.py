"""Tables of judged errors: conversations by their gravest error, and by the tags that occur."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from dragoman.core.judged_errors import ErrorReview
from dragoman.core.tools import Role

Gravest = Literal["critical", "minor", "correct"]
"""The level of the gravest error, or that there is none."""


class SeverityCounts(msgspec.Struct, frozen=True):
    """Conversations by the gravest error of one side.

    `unscored` counts those without a review, and those whose gravest error is not known because
    the judge's word for a severity could not be read.
    """

    critical: int
    minor: int
    correct: int
    unscored: int


class TagCounts(msgspec.Struct, frozen=True):
    """In how many conversations a tag occurs at least once, at each level."""

    tag: str
    critical: int
    minor: int


def severity_counts(reviews: Iterable[ErrorReview | None], side: Role) -> SeverityCounts:
    """Count conversations by the gravest error of a side; None stands for an unreviewed one."""
    counts = Counter(None if review is None else gravest(review, side) for review in reviews)
    return SeverityCounts(counts["critical"], counts["minor"], counts["correct"], counts[None])


def gravest(review: ErrorReview, side: Role) -> Gravest | None:
    """Return the level of a side's gravest error; None where one of unknown severity decides."""
    levels = {error.level for error in review.errors_of(side)}
    if "critical" in levels:
        return "critical"
    if None in levels:
        return None
    return "minor" if levels else "correct"


def tag_counts(
    reviews: Sequence[ErrorReview], side: Role, tags: Iterable[str]
) -> tuple[TagCounts, ...]:
    """Count, for each tag, the conversations in which a side's errors have it.

    A conversation with a tag at both levels counts at both. Errors of unknown severity count at
    none.
    """
    occurring = Counter(
        pair
        for review in reviews
        for pair in {(tag, error.level) for error in review.errors_of(side) for tag in error.tags}
    )
    return tuple(
        TagCounts(tag, occurring[tag, "critical"], occurring[tag, "minor"]) for tag in tags
    )


def unscored_tags(reviews: Iterable[ErrorReview], side: Role) -> int:
    """Count the conversations in which a tag of a side's errors could not be read."""
    return sum(any(error.unscored_tags for error in review.errors_of(side)) for review in reviews)
