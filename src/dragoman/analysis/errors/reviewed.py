"""Figures of judged errors: conversations by their gravest error, and by the tags that occur."""

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from dragoman.analysis.errors.shares import ConversationShare, conversation_share
from dragoman.core.measures import ErrorReview, Level
from dragoman.core.tools import Role

Gravest = Literal["critical", "minor", "correct"]
"""The level of the gravest error, or that there is none."""


class Reviewed(msgspec.Struct, frozen=True):
    """One conversation with its review; None where there is none to be counted."""

    task: str
    review: ErrorReview | None


class TagFigures(msgspec.Struct, frozen=True):
    """The conversations in which a tag occurs at least once, at each level."""

    tag: str
    critical: ConversationShare
    minor: ConversationShare


class SideFigures(msgspec.Struct, frozen=True):
    """The errors of one side.

    Attributes:
        side: Whose they are.
        conversations: All that were to be reviewed.
        critical: Those whose gravest error is critical.
        minor: Those whose gravest error is minor.
        correct: Those without an error.
        unscored: Those without a review, or whose gravest error is not known.
        tags: By tag, of the conversations in which every error of the side has tags that could be
            read: an unread one might be any.
        tags_unscored: The others.
    """

    side: Role
    conversations: int
    critical: ConversationShare
    minor: ConversationShare
    correct: ConversationShare
    unscored: int
    tags: tuple[TagFigures, ...]
    tags_unscored: int


def gravest(review: ErrorReview, side: Role) -> Gravest | None:
    """Return the level of a side's gravest error; None where one of unknown severity decides."""
    levels = {error.level for error in review.errors_of(side)}
    if "critical" in levels:
        return "critical"
    if None in levels:
        return None
    return "minor" if levels else "correct"


def tags_at(review: ErrorReview, side: Role) -> frozenset[tuple[str, Level]] | None:
    """Return the tags of a side's errors with their levels; None where one could not be read."""
    errors = review.errors_of(side)
    if any(error.level is None or error.unscored_tags for error in errors):
        return None
    return frozenset(
        (tag, error.level) for error in errors if error.level is not None for tag in error.tags
    )


def side_figures(rows: Sequence[Reviewed], side: Role, tags: Iterable[str]) -> SideFigures:
    """Return the figures of one side's errors.

    Args:
        rows: Conversations.
        side: Whose errors.
        tags: The tags to count, in the order of the table.
    """
    graded = [
        (row.task, grade)
        for row in rows
        if row.review is not None and (grade := gravest(row.review, side)) is not None
    ]
    tagged = [
        (row.task, found)
        for row in rows
        if row.review is not None and (found := tags_at(row.review, side)) is not None
    ]

    def graded_as(level: Gravest) -> ConversationShare:
        found = ((task, grade == level) for task, grade in graded)
        return conversation_share(found)

    def tagged_as(tag: str, level: Level) -> ConversationShare:
        found = ((task, (tag, level) in own) for task, own in tagged)
        return conversation_share(found)

    return SideFigures(
        side,
        len(rows),
        graded_as("critical"),
        graded_as("minor"),
        graded_as("correct"),
        len(rows) - len(graded),
        tuple(TagFigures(tag, tagged_as(tag, "critical"), tagged_as(tag, "minor")) for tag in tags),
        len(rows) - len(tagged),
    )
