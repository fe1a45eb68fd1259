import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.analysis.judged_errors import Reviewed, SideFigures, gravest, side_figures
from dragoman.core.measures import ErrorReview, JudgedError, Severity
from dragoman.core.tools import Role

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


def figures(*reviews: ErrorReview | None, side: Role = "agent") -> SideFigures:
    rows = [Reviewed(str(task), review) for task, review in enumerate(reviews)]
    return side_figures(rows, side, ("hallucination", "other", "wrong_sequence"))


def test_conversations_are_counted_once_each_and_unreviewed_ones_apart() -> None:
    reviews = (
        ErrorReview((MINOR, MINOR, CRITICAL)),
        ErrorReview((MINOR,)),
        ErrorReview((USERS,)),
        ErrorReview((UNKNOWN,)),
        None,
    )
    agents, users = figures(*reviews), figures(*reviews, side="user")
    assert [each.count for each in (agents.critical, agents.minor, agents.correct)] == [1, 1, 1]
    assert (agents.conversations, agents.unscored, agents.critical.n) == (5, 2, 3)
    assert [each.count for each in (users.critical, users.minor, users.correct)] == [1, 0, 3]
    assert users.unscored == 1


def test_a_tag_counts_once_per_conversation_and_level() -> None:
    found = figures(ErrorReview((MINOR, MINOR, CRITICAL, USERS)), ErrorReview((MINOR,)))
    counts = [(tag.tag, tag.critical.count, tag.minor.count) for tag in found.tags]
    assert counts == [("hallucination", 1, 2), ("other", 0, 0), ("wrong_sequence", 1, 0)]
    assert {tag.critical.n for tag in found.tags} == {2}


def test_a_conversation_with_a_tag_that_could_not_be_read_is_in_no_figure_of_tags() -> None:
    unread = JudgedError("agent", "minor", unscored_tags=2)
    found = figures(ErrorReview((unread, CRITICAL)), ErrorReview((MINOR,)), ErrorReview((USERS,)))
    assert found.tags_unscored == 1
    assert {(tag.minor.count, tag.minor.n) for tag in found.tags} == {(1, 2), (0, 2)}
    assert (found.critical.count, found.critical.n) == (1, 3), "its severity is known"
    assert figures(ErrorReview((unread,)), side="user").tags_unscored == 0


def test_intervals_are_over_tasks_and_there_is_none_of_nothing() -> None:
    rows = [Reviewed("1", ErrorReview((CRITICAL,))) for _ in range(20)]
    interval = side_figures(rows, "agent", ()).critical.interval
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((0.025, 1.0))
    assert figures(None).critical.interval is None
    assert figures(None).critical.value is None


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
        ),
        max_size=6,
    )
)
def test_every_conversation_is_in_one_place(reviews: list[ErrorReview | None]) -> None:
    found = figures(*reviews)
    counted = found.critical.count + found.minor.count + found.correct.count
    assert counted + found.unscored == len(reviews) == found.conversations
