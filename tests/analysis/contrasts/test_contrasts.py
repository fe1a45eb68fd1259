"""Two agents on the same tasks: each figure, its difference, and reasons against one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.significance import sign_flip_p
from dragoman.analysis.training_contrasts import (
    ALL,
    APIS,
    BEFORE,
    NOT_ENGLISH,
    ContrastSide,
    correct_p_values,
    paired_contrasts,
    paired_rate,
    summarize_training,
)
from dragoman.core.apis.metrics import EXACT_RATE, SELECTION, scores
from dragoman.core.conditions import PLAIN
from dragoman.core.episodes import Episode, Termination
from dragoman.core.measures import MeasureResult
from dragoman.core.scores import Score, Scored, Unscored, Verdict

PRECISION, _, F1 = scores(SELECTION, "macro")
PLAYED = Episode((), Termination("turns_done"), steps=1, errors=0, seconds=1.0)


def tools(right: int, made: int, gold: int) -> dict[str, int | float]:
    return {"right tools": right, "made tools": made, "gold tools": gold}


def test_a_figure_is_the_mean_over_tasks_of_the_means_over_their_conversations() -> None:
    a = {"t1": [tools(0, 0, 2)], "t2": [tools(1, 2, 2), tools(2, 2, 2)]}
    b = {"t1": [tools(1, 1, 2)], "t2": [tools(2, 2, 2), tools(2, 2, 2)]}

    found = paired_rate(F1, a, b, tested=True)

    # A: t1 0, t2 (0.5 + 1) / 2. B: t1 2 * 1 / (1 + 2), t2 1.
    assert found.a.value == pytest.approx((0 + 0.75) / 2)
    assert found.b.value == pytest.approx((2 / 3 + 1) / 2)
    assert found.difference == pytest.approx((2 / 3 + 0.25) / 2)
    assert (found.a.tasks, found.b.tasks, found.tasks) == (2, 2, 2)
    assert found.p == 0.5


def test_a_task_without_the_figure_on_one_side_is_in_that_of_the_other_alone() -> None:
    a = {"t1": [tools(0, 0, 1)], "t2": [tools(1, 2, 1)]}
    b = {"t1": [tools(1, 1, 1)], "t2": [tools(1, 1, 1)]}

    found = paired_rate(PRECISION, a, b, tested=False)

    assert (found.a.value, found.a.tasks) == (0.5, 1)
    assert (found.b.value, found.b.tasks) == (1.0, 2)
    assert (found.difference, found.in_a, found.in_b, found.tasks) == (0.5, 0.5, 1.0, 1)
    assert found.p is None


def test_no_task_on_both_sides_is_no_difference() -> None:
    found = paired_rate(PRECISION, {"t": [tools(0, 0, 1)]}, {"t": [tools(1, 1, 1)]}, tested=True)

    assert (found.difference, found.interval, found.p, found.tasks) == (None, None, None, 0)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_the_test_of_yes_and_no_is_that_of_whole_comparisons(
    pairs: list[tuple[bool, bool]],
) -> None:
    a, b = (
        {str(at): [{"exact": int(pair[side]), "compared": 1}] for at, pair in enumerate(pairs)}
        for side in (0, 1)
    )

    found = paired_rate(EXACT_RATE, a, b, tested=True)

    assert found.p == sign_flip_p([int(y) - int(x) for x, y in pairs])
    assert found.interval is not None
    assert found.difference is not None
    assert -1 <= found.interval.low <= found.difference <= found.interval.high <= 1


def test_p_values_are_corrected_for_those_that_were_tested_alone() -> None:
    strong = {str(at): [{"exact": 0, "compared": 1}] for at in range(8)}
    better = {str(at): [{"exact": 1, "compared": 1}] for at in range(8)}
    tested, untested = (
        paired_rate(EXACT_RATE, strong, better, tested=is_tested) for is_tested in (True, False)
    )

    found = correct_p_values([tested, untested, tested])

    assert [each.adjusted_p for each in found] == [2 * 2**-7, None, 2 * 2**-7]


def outcome(
    agent: str, task: str, reward: Verdict, counts: dict[str, int | float]
) -> ConversationResult:
    measured = MeasureResult("calls", "1", counts=counts, unscored="" if counts else "broken off")
    score = Score("dragoman-1", "none", reward, ())
    return ConversationResult("itc:x", PLAIN, agent, task, 0, PLAYED, score, measures=(measured,))


def player(name: str, exact: dict[str, int | None], digest: str = "d") -> ContrastSide:
    rows = tuple(
        outcome(name, task, Unscored("no"), {})
        if value is None
        else outcome(name, task, Scored(float(value)), {"exact": value, "compared": 1})
        for task, value in exact.items()
    )
    return ContrastSide(name, rows, {("itc:x", task): digest for task in exact})


LABELS = {
    ("itc:x", "de1"): {"language": "de"},
    ("itc:x", "de2"): {"language": "de"},
    ("itc:x", "en1"): {"language": "en-GB"},
}


def test_tasks_are_taken_apart_by_language_and_by_whether_their_apis_were_seen() -> None:
    before = player("before", {"de1": 0, "de2": 1, "en1": 0})
    after = player("after", {"de1": 1, "de2": 1, "en1": 0})
    seen = {"after": {("itc:x", "de1"): "unseen", ("itc:x", "en1"): "seen"}}

    found = {
        (each.axis, each.group): each.rate("exact")
        for each in paired_contrasts([(before, after)], LABELS, seen)
    }

    differences = {place: rate.difference for place, rate in found.items()}
    assert differences == {
        (ALL, ""): pytest.approx(1 / 3),
        ("language", "de"): 0.5,
        ("language", "en-GB"): 0.0,
        (NOT_ENGLISH, ""): 0.5,
        (APIS, "unseen"): 1.0,
        (APIS, "seen"): 0.0,
    }


def test_what_is_not_whole_on_both_sides_is_left_out_and_counted() -> None:
    before = player("before", {"t1": 0, "t2": None, "t3": 1, "t4": 0})
    after = player("after", {"t1": 1, "t2": 1, "t3": None, "t5": 1})

    (found,) = paired_contrasts([(before, after)], {}, {})

    assert found.rate("exact").tasks == found.rate("pass^1").tasks == 1
    assert found.left_out == {
        "not played or not counted in A": 1,
        "not played or not counted in B": 1,
        "only in A": 1,
        "only in B": 1,
    }


def test_another_version_of_a_task_is_not_compared() -> None:
    (found,) = paired_contrasts([(player("a", {"t": 0}), player("b", {"t": 1}, "other"))], {}, {})

    assert found.rate("exact").difference is None
    assert found.left_out == {"another version of the task": 1}


def test_trainings_are_set_against_the_model_before_and_against_each_other() -> None:
    arms = (player("ALL", {"de1": 1}), player("EN", {"de1": 0}))
    summary = summarize_training(player(BEFORE, {"de1": 0}), arms, LABELS, {}, (("itc:x",), ()))

    assert [(each.a, each.b) for each in summary.of(ALL)] == [("before", "ALL"), ("before", "EN")]
    (against,) = summary.of(ALL, arms=True)
    assert (against.a, against.b) == ("EN", "ALL")
    assert against.rate("exact").difference == 1.0
