import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.analysis.error_counts import (
    SeverityCounts,
    TagCounts,
    gravest,
    severity_counts,
    tag_counts,
    unscored_tags,
)
from dragoman.core.judged_errors import ErrorReview, JudgedError, Severity

MINOR = JudgedError("agent", "minor", ("hallucination",))
CRITICAL = JudgedError("agent", "critical", ("hallucination", "wrong_sequence"))
UNKNOWN = JudgedError("agent", None, ("other",))
USERS = JudgedError("user", "critical_helped", ("other",))
SEVERITIES: tuple[Severity | None, ...] = (
    "minor",
    "critical",
    "critical_helped",
    "critical_hindered",
    None,
)


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ((), "correct"),
        ((USERS,), "correct"),
        ((MINOR,), "minor"),
        ((MINOR, CRITICAL), "critical"),
        ((CRITICAL, UNKNOWN), "critical"),
        ((MINOR, UNKNOWN), None),
        ((UNKNOWN,), None),
    ],
)
def test_the_gravest_error_of_a_side_counts(
    errors: tuple[JudgedError, ...], expected: str | None
) -> None:
    assert gravest(ErrorReview(errors), "agent") == expected


@pytest.mark.parametrize("severity", ["critical_helped", "critical_hindered"])
def test_both_critical_severities_of_the_user_are_critical(severity: Severity) -> None:
    assert gravest(ErrorReview((JudgedError("user", severity),)), "user") == "critical"


def test_conversations_are_counted_once_each_and_unreviewed_ones_apart() -> None:
    reviews = [
        ErrorReview((MINOR, MINOR, CRITICAL)),
        ErrorReview((MINOR,)),
        ErrorReview((USERS,)),
        ErrorReview((UNKNOWN,)),
        None,
    ]
    assert severity_counts(reviews, "agent") == SeverityCounts(1, 1, 1, 2)
    assert severity_counts(reviews, "user") == SeverityCounts(1, 0, 3, 1)


def test_a_tag_counts_once_per_conversation_and_level() -> None:
    reviews = [ErrorReview((MINOR, MINOR, CRITICAL, USERS)), ErrorReview((MINOR, UNKNOWN))]
    tags = ("hallucination", "other", "wrong_sequence")
    assert tag_counts(reviews, "agent", tags) == (
        TagCounts("hallucination", critical=1, minor=2),
        TagCounts("other", critical=0, minor=0),
        TagCounts("wrong_sequence", critical=1, minor=0),
    )
    assert tag_counts(reviews, "user", ("other",)) == (TagCounts("other", critical=1, minor=0),)


def test_conversations_with_tags_that_could_not_be_read_are_counted() -> None:
    unread = JudgedError("agent", "minor", unscored_tags=2)
    reviews = [ErrorReview((unread, unread)), ErrorReview((MINOR,)), ErrorReview((USERS,))]
    assert unscored_tags(reviews, "agent") == 1
    assert unscored_tags(reviews, "user") == 0


@given(
    st.lists(
        st.none()
        | st.builds(
            ErrorReview,
            st.lists(
                st.builds(
                    JudgedError, st.sampled_from(("agent", "user")), st.sampled_from(SEVERITIES)
                ),
                max_size=4,
            ).map(tuple),
        )
    )
)
def test_every_conversation_is_in_one_place(reviews: list[ErrorReview | None]) -> None:
    counts = severity_counts(reviews, "agent")
    assert counts.critical + counts.minor + counts.correct + counts.unscored == len(reviews)
