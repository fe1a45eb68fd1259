from collections.abc import Callable

import msgspec
import pytest

from dragoman.benchmarks.bfcl.agentic_suite import answer_fault
from dragoman.benchmarks.bfcl.multi_turn_check import TurnProgress, check_turns
from dragoman.benchmarks.bfcl.multi_turn_execution import ExpectedTurn, StateDifference, TurnRecord
from dragoman.benchmarks.bfcl.rules import BFCL_V4, DEFAULT_RULES, BfclRules
from dragoman.benchmarks.bfcl.verdicts import CallFault, Judged, Outcome, compare_with_reference
from dragoman.core.scores import Unscored

JudgeBy = Callable[[BfclRules], Outcome]

IDLE = TurnRecord(ExpectedTurn((), {}), (), StateDifference("TravelAPI", ("budget_limit",)))
NUMBER = TurnRecord(ExpectedTurn(('{"result": 8}',), {}), ('{"result": 8.0}',), None)


def conversation(*records: TurnRecord, is_complete: bool = True) -> JudgeBy:
    course = TurnProgress(len(records), len(records), is_complete)
    return lambda rules: check_turns(course, records, rules)


def reply(message: str, answer: str) -> JudgeBy:
    return lambda rules: Judged(answer_fault(message, [answer], rules))


DECIDED = {
    "forced_ends_always_count": conversation(is_complete=False),
    "idle_turns_are_checked": conversation(IDLE),
    "results_match_by_value": conversation(NUMBER),
    "answers_are_judged_alone": reply("{'answer': '1', 'context': '2'}", "2"),
    "answers_end_where_words_do": reply("5%", "5%"),
    "answers_keep_their_numbers": reply("3.5", "35"),
}


@pytest.mark.parametrize("name", DECIDED)
def test_every_rule_of_conversations_can_decide(name: str) -> None:
    assert compare_with_reference(DECIDED[name], DEFAULT_RULES).decided_by == name
    one = msgspec.structs.replace(BFCL_V4, **{name: True})
    assert compare_with_reference(DECIDED[name], one).decided_by == name


def test_the_last_rule_that_changes_the_verdict_decided_it() -> None:
    judge_by = conversation(NUMBER, IDLE)
    judgement = compare_with_reference(judge_by, DEFAULT_RULES)
    assert isinstance(judgement.outcome, Judged)
    assert judgement.outcome.fault is not None
    assert judgement.outcome.fault.turn == 1
    assert judgement.decided_by == "results_match_by_value"


def test_the_same_fault_in_the_same_turn_is_the_same_verdict() -> None:
    judgement = compare_with_reference(
        lambda rules: Judged(CallFault("e", rules.name, 1)), DEFAULT_RULES
    )
    assert judgement.reference is None
    assert judgement.outcome == Judged(CallFault("e", "dragoman-2", 1))


def test_no_verdict_is_another_than_any() -> None:
    def judge_by(rules: BfclRules) -> Outcome:
        return Judged() if rules.results_match_by_value else Unscored("the reference breaks")

    judgement = compare_with_reference(judge_by, DEFAULT_RULES)
    assert judgement.reference == Unscored("the reference breaks")
    assert judgement.decided_by == "results_match_by_value"
