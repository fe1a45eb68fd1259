"""Failure modes over conversations: how many have them, of how many, and one to look at."""

import msgspec

from dragoman.analysis import failure_modes
from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.failure_modes import agent_failure_modes, summarize_failure_modes
from dragoman.analysis.judged_errors import TAG_MODE_PAIRS, ReviewedOutcome, tag_agreement
from dragoman.core.conditions import Condition
from dragoman.core.measures import CountedItem, ErrorReview, JudgedError, MeasureResult
from dragoman.core.scores import ComponentScore, Evidence, Score, Scored
from dragoman.core.tasks import RiskProfile
from dragoman.scoring.measures.call_failure_modes import (
    CALL_MODES,
    DIFFERENCES,
    failure_modes_measure,
)

RIGHT = CountedItem({"planned": 1}, 2, "pay")
MISSED = CountedItem({"planned": 1, "not called": 1}, None, "pay", "not called")
WRONG = CountedItem({"planned": 1, "wrong arguments": 1}, 4, "pay", "wrong arguments: cents")
CENTS = CountedItem(
    {"compared arguments": 1, "other value": 1}, 4, "pay.cents", "other value: 2 for 1"
)
STRAY = CountedItem({"not in the plan": 1}, 6, "send", "not in the plan: {}")
USERS = CountedItem({"planned": 1, "not called": 1}, None, "tap (user)", "not called")


def row(
    task: str, *entries: CountedItem, reward: float = 1, unscored: str = "", measure: str = "modes"
) -> ConversationResult:
    measured = MeasureResult(
        measure, failure_modes_measure(RiskProfile()).version, evidence=entries, unscored=unscored
    )
    score = Score("rules", "none", Scored(reward), ())
    return ConversationResult(
        "shop", Condition(), "gold", task, 0, None, score, measures=(measured,)
    )


ROWS = (
    row("1", RIGHT),
    row("2", WRONG, CENTS, reward=0),
    row("3", MISSED, reward=0),
    row("4", STRAY, STRAY),
    row("5", unscored="the task has no plan that calls could be set against"),
    row("6", measure="effort"),
)


def test_the_measures_name_and_words_are_those_of_the_scoring_side() -> None:
    assert failure_modes_measure(RiskProfile()).name == failure_modes.MEASURE
    meant = {mode for _, modes_meant in TAG_MODE_PAIRS.values() for mode in modes_meant}
    assert meant <= {*CALL_MODES, *DIFFERENCES}


def test_a_mode_is_counted_over_the_conversations_in_which_it_could_occur() -> None:
    summary = summarize_failure_modes(ROWS)
    found = {
        (each.subject, each.mode): (each.times, each.conversations.count, each.conversations.n)
        for each in summary.modes
    }
    assert found == {
        ("pay", "wrong arguments"): (1, 1, 3),
        ("pay", "not called"): (1, 1, 3),
        ("pay.cents", "other value"): (1, 1, 1),
        ("send", "not in the plan"): (2, 1, 4),
    }
    assert {each.mode: each.lost for each in summary.modes if each.lost} == {
        "wrong arguments": 1,
        "not called": 1,
        "other value": 1,
    }
    assert summary.conversations == 6
    assert summary.unscored == {
        "the task has no plan that calls could be set against": 1,
        "not measured": 1,
    }


def checked(task: str, *evidence: Evidence, reward: float) -> ConversationResult:
    """Return a conversation that a suite's own check of calls decided, and no plan could."""
    part = ComponentScore("CALLS", True, Scored(reward), evidence)
    score = Score("rules", "none", Scored(reward), (part,))
    found = row(task, unscored="more than one value would do")
    return msgspec.structs.replace(found, score=score)


def test_what_a_suites_own_check_of_calls_found_is_a_mode_where_a_plan_cannot_tell() -> None:
    fault = Evidence("value_error:string", False, "town: 'Leeds' is not expected")
    reference = Evidence("bfcl-v4", False, "as expected", "reference")
    rows = (
        checked("1", Evidence("as expected", True), reward=1),
        checked("2", fault, reference, reward=0),
    )
    summary = summarize_failure_modes(rows)
    (mode,) = summary.modes
    assert (mode.subject, mode.mode, mode.why) == ("calls", "value_error:string", fault.why)
    assert (mode.conversations.count, mode.conversations.n, mode.lost) == (1, 2, 1)
    assert summary.unscored == {}
    assert agent_failure_modes(rows[1]) is None


def test_each_mode_has_an_example() -> None:
    (cents,) = (each for each in summarize_failure_modes(ROWS).modes if each.subject == "pay.cents")
    assert cents.why == "other value: 2 for 1"
    assert (cents.example.task, cents.example.trial, cents.example.position) == ("2", 0, 4)


def test_what_the_user_did_not_do_is_no_mode_of_the_agent() -> None:
    assert agent_failure_modes(row("1", USERS)) == frozenset()
    assert agent_failure_modes(row("1", USERS, MISSED)) == frozenset({"not called"})
    assert agent_failure_modes(ROWS[4]) is None


def test_a_judges_tags_are_set_beside_the_modes_they_mean() -> None:
    tagged = ErrorReview((JudgedError("agent", "critical", ("missed_required_action",)),))
    unread = ErrorReview((JudgedError("agent", "minor", (), 1),))
    nothing = ErrorReview(())
    cases = [
        ReviewedOutcome(ROWS[2], tagged),
        ReviewedOutcome(ROWS[2], nothing),
        ReviewedOutcome(ROWS[0], tagged),
        ReviewedOutcome(ROWS[0], nothing),
        ReviewedOutcome(ROWS[0], nothing),
        ReviewedOutcome(ROWS[0], unread),
        ReviewedOutcome(ROWS[0], None),
        ReviewedOutcome(ROWS[5], nothing),
    ]
    (found,) = (each for each in tag_agreement(cases) if each.tag == "missed_required_action")
    assert (found.both, found.tag_alone, found.mode_alone, found.neither) == (1, 1, 1, 2)
    assert found.unscored == 3
    assert found.percent.value == 0.6
    assert found.kappa.value is not None
    assert abs(found.kappa.value - 1 / 6) < 1e-9


def test_without_failure_modes_there_is_nothing_to_agree_with() -> None:
    assert tag_agreement([ReviewedOutcome(ROWS[5], ErrorReview(()))]) == ()
