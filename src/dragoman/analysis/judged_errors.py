"""Errors that a judge named: severity, tags, and agreement with the failure modes of calls."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.failure_modes import (
    ConversationShare,
    FailureModeSummary,
    agent_failure_modes,
    conversation_share,
)
from dragoman.analysis.rater_agreement import (
    RaterAgreement,
    agreement,
    cohen_kappa,
    percent_agreement,
)
from dragoman.core.measures import ErrorReview, Level
from dragoman.core.tools import Role

Gravest = Literal["critical", "minor", "correct"]
"""The level of the gravest error, or that there is none."""


class Reviewed(msgspec.Struct, frozen=True):
    """One conversation with its review; None if there is none to be counted."""

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
        side: The side.
        conversations: Number of conversations to review.
        critical: Share of conversations whose gravest error is critical.
        minor: Share of conversations whose gravest error is minor.
        correct: Share of conversations without an error.
        unscored: Number of conversations without a review, or whose gravest error is not known.
        tags: Figures by tag, over the conversations in which every error of the side has readable
            tags: an unreadable tag might be any tag.
        tags_unscored: Number of the other conversations.
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
    """Return the level of a side's gravest error; None if one of unknown severity decides."""
    levels = {error.level for error in review.errors_of(side)}
    if "critical" in levels:
        return "critical"
    if None in levels:
        return None
    return "minor" if levels else "correct"


def tags_at(review: ErrorReview, side: Role) -> frozenset[tuple[str, Level]] | None:
    """Return the tags of a side's errors with their levels; None if one could not be read."""
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


TAG_MODE_PAIRS: dict[str, tuple[str, frozenset[str]]] = {
    "tool_call_argument_error": (
        "argument differs",
        frozenset({"missing", "added", "type", "format", "other language", "other value"}),
    ),
    "missed_required_action": ("not called", frozenset({"not called"})),
    "irrelevant_tool_call": ("not in the plan", frozenset({"not in the plan"})),
}
"""The nearest failure modes of a tag, with a name, by tag.

They are not quite the same: a required action may be something to say, and an unplanned call may do
no harm.
"""


class TagAgreement(msgspec.Struct, frozen=True):
    """The agreement of a judge's error tag on the agent with a failure mode, by conversation.

    Attributes:
        tag: The judge's tag.
        mode: The failure mode that was found without a judge.
        both: Number of conversations with both.
        tag_alone: Number of conversations with only the tag.
        mode_alone: Number of conversations with only the mode.
        neither: Number of conversations with neither.
        unscored: Number of conversations in which one of them is not known.
        percent: The share of conversations on which they agree.
        kappa: Cohen's kappa.
    """

    tag: str
    mode: str
    both: int
    tag_alone: int
    mode_alone: int
    neither: int
    unscored: int
    percent: RaterAgreement
    kappa: RaterAgreement


class ReviewedOutcome(NamedTuple):
    """A conversation with what a judge found in it; None if that is not known."""

    row: ConversationResult
    review: ErrorReview | None


def tag_agreement(cases: Sequence[ReviewedOutcome]) -> tuple[TagAgreement, ...]:
    """Return the agreement of every pair; none if no failure modes are known."""
    if all(agent_failure_modes(case.row) is None for case in cases):
        return ()
    return tuple(_tag_mode_agreement(tag, *modes, cases) for tag, modes in TAG_MODE_PAIRS.items())


def _tag_mode_agreement(
    tag: str, mode: str, meant: frozenset[str], cases: Sequence[ReviewedOutcome]
) -> TagAgreement:
    pairs: list[tuple[bool, bool]] = []
    for case in cases:
        modes = agent_failure_modes(case.row)
        tags = None if case.review is None else tags_at(case.review, "agent")
        if modes is not None and tags is not None:
            pairs.append((any(name == tag for name, _ in tags), not modes.isdisjoint(meant)))
    return TagAgreement(
        tag,
        mode,
        pairs.count((True, True)),
        pairs.count((True, False)),
        pairs.count((False, True)),
        pairs.count((False, False)),
        len(cases) - len(pairs),
        agreement(percent_agreement, pairs),
        agreement(cohen_kappa, pairs),
    )


class JudgedGroup(msgspec.Struct, frozen=True):
    """The errors that one judge named in the conversations of one group.

    Attributes:
        suite: The suite.
        values: The shared values by axis.
        judge: The judge and the version of its rubric.
        sides: The figures of agent and user.
        tag_agreements: Agreement of the judge with the failure modes of calls.
        unscored: Number of conversations without a review, by reason.
    """

    suite: str
    values: Mapping[str, str]
    judge: str
    sides: tuple[SideFigures, ...]
    tag_agreements: tuple[TagAgreement, ...] = msgspec.field(name="twins")
    unscored: Mapping[str, int]

    @property
    def label(self) -> str:
        """The name of the group."""
        return ", ".join(self.values.values())


class ModeGroup(msgspec.Struct, frozen=True):
    """The failure modes of the conversations of one group; `runs` has each example's folder."""

    suite: str
    values: Mapping[str, str]
    summary: FailureModeSummary = msgspec.field(name="board")
    runs: tuple[str, ...]

    @property
    def label(self) -> str:
        """The name of the group."""
        return ", ".join(self.values.values())


class AuditRow(msgspec.Struct, frozen=True):
    """One word that a judge wrote as a tag, and its interpretation.

    Attributes:
        judge: The judge that wrote the word.
        side: The side whose errors have the tag.
        written: The word.
        errors: Number of errors with the word.
        read_as: The tag under the requested rules; if it is not a tag, the way it was handled.
        lenient: The same as `read_as`, under the lenient rules.
        is_own: Whether the word is literally a tag of the taxonomy.
    """

    judge: str
    side: Role
    written: str
    errors: int
    read_as: str
    lenient: str
    is_own: bool


class ErrorSummary(msgspec.Struct, frozen=True):
    """The errors in runs, with labels and values that describe the input."""

    judged: tuple[JudgedGroup, ...]
    modes: tuple[ModeGroup, ...]
    audit: tuple[AuditRow, ...]
    facts: tuple[tuple[str, str], ...]
