"""Where a judge's tag and a failure mode of calls say the same thing: how far they agree."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from dragoman.analysis.cells import Outcome
from dragoman.analysis.errors.modes import agents_modes
from dragoman.analysis.errors.reviewed import tags_at
from dragoman.analysis.judges.agreement import (
    RaterAgreement,
    agreement,
    cohen_kappa,
    percent_agreement,
)
from dragoman.core.measures import ErrorReview

TWINS: dict[str, tuple[str, frozenset[str]]] = {
    "tool_call_argument_error": (
        "argument differs",
        frozenset({"missing", "added", "type", "format", "other language", "other value"}),
    ),
    "missed_required_action": ("not called", frozenset({"not called"})),
    "irrelevant_tool_call": ("not in the plan", frozenset({"not in the plan"})),
}
"""By the tag the failure modes that are the nearest to it, with a name. None is quite the same: a
required action may be something to say, and a call that nobody planned may do no harm."""


class TagAgreement(msgspec.Struct, frozen=True):
    """How far a judge's tag on the agent's errors goes with a failure mode, conversation by conversation.

    Attributes:
        tag: The judge's.
        mode: The one found without a judge.
        both: Conversations with both.
        tag_alone: Those with the tag alone.
        mode_alone: Those with the mode alone.
        neither: Those with neither.
        unscored: Those in which one of them is not known.
        percent: The share of conversations on which they agree.
        kappa: Cohen's.
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
    """A conversation with what a judge found in it; None where that is not known."""

    row: Outcome
    review: ErrorReview | None


def tag_agreement(cases: Sequence[ReviewedOutcome]) -> tuple[TagAgreement, ...]:
    """Return the agreement of every pair; none where no failure modes are known."""
    if all(agents_modes(case.row) is None for case in cases):
        return ()
    return tuple(_twin(tag, *modes, cases) for tag, modes in TWINS.items())


def _twin(
    tag: str, mode: str, meant: frozenset[str], cases: Sequence[ReviewedOutcome]
) -> TagAgreement:
    pairs: list[tuple[bool, bool]] = []
    for case in cases:
        modes = agents_modes(case.row)
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
