from collections.abc import Callable, Sequence

import pytest

from dragoman.benchmarks.bfcl.call_parsers.python_calls import read_python_calls
from dragoman.benchmarks.bfcl.multi_turn_check import TurnProgress, check_turns
from dragoman.benchmarks.bfcl.multi_turn_entries import MultiTurnEntry
from dragoman.benchmarks.bfcl.multi_turn_execution import (
    Expectations,
    ExpectedTurn,
    PlayedTurn,
    StateDifference,
    TurnRecord,
)
from dragoman.benchmarks.bfcl.rules import BFCL_V4, DEFAULT_RULES, BfclRules
from dragoman.benchmarks.bfcl.verdicts import CallFault, Judged, compare_with_reference

MakeEntry = Callable[..., MultiTurnEntry]

ROOT = {"root": {"home": {"type": "directory", "contents": {}}}}
OTHER = StateDifference("GorillaFileSystem", ("root",))
FORCED = "multi_turn:force_terminated"
EMPTY = "multi_turn:empty_turn_model_response"
STATE = "multi_turn:instance_state_mismatch"
RESULT = "multi_turn:execution_response_mismatch"


def record(
    expected: Sequence[str], results: Sequence[str], difference: StateDifference | None = None
) -> TurnRecord:
    return TurnRecord(ExpectedTurn(tuple(expected), {}), tuple(results), difference)


def judged(rules: BfclRules, *records: TurnRecord, course: TurnProgress | None = None) -> Judged:
    return check_turns(course or TurnProgress(len(records), len(records)), records, rules)


def error(result: Judged) -> tuple[str, int | None] | None:
    return None if result.fault is None else (result.fault.error_type, result.fault.turn)


def both(*records: TurnRecord) -> list[tuple[str, int | None] | None]:
    """Return the errors under the reference's rules and under ours."""
    return [error(judged(rules, *records)) for rules in (BFCL_V4, DEFAULT_RULES)]


def test_states_and_results_as_expected_are_valid() -> None:
    assert both(record(["1", "2"], ["2", "0", "1"]), record(["3"], ["3"])) == [None, None]


def test_another_state_is_a_fault_of_its_turn_class_and_attributes() -> None:
    result = judged(BFCL_V4, record(["1"], ["1"]), record(["2"], ["2"], OTHER))
    assert result.fault == CallFault(
        STATE,
        "GorillaFileSystem: not the expected root",
        turn=1,
        of_class="GorillaFileSystem",
        attributes=("root",),
    )


def test_a_missing_result_is_a_fault_that_shows_the_first_of_them_shortened() -> None:
    wanted = ["a" * 200, "b", "c", "d", "e"]
    fault = judged(BFCL_V4, record(wanted, ["b"])).fault
    assert fault is not None
    assert (fault.error_type, fault.turn) == (RESULT, 0)
    assert fault.missing == ("a" * 160, "c", "d", "e")


def test_states_are_looked_at_before_results() -> None:
    assert both(record(["1"], ["2"], OTHER)) == [(STATE, 0)] * 2


def test_a_turn_without_calls_where_some_are_expected_is_a_fault() -> None:
    assert both(record(["1"], ["1"]), record(["1"], [])) == [(EMPTY, 1)] * 2


def test_the_first_turn_with_a_fault_decides() -> None:
    assert both(record(["1"], []), record(["1"], ["2"], OTHER)) == [(EMPTY, 0)] * 2


def test_each_expected_result_needs_one_of_its_own() -> None:
    assert both(record(["1", "1"], ["1"])) == [(RESULT, 0)] * 2
    assert both(record(["1", "1"], ["1", "1", "1"])) == [None, None]


def test_what_was_read_in_an_earlier_turn_need_not_be_read_again() -> None:
    assert both(record([], ["7"]), record(["7"], ["0"])) == [None, None]
    assert both(record([], ["0"]), record(["7"], ["0"])) == [(RESULT, 1)] * 2


def test_too_few_turns_were_ended_by_force() -> None:
    for rules in (BFCL_V4, DEFAULT_RULES):
        assert error(judged(rules, course=TurnProgress(1, 2))) == (FORCED, None)


def test_an_end_by_force_counts_and_not_in_the_last_turn_of_the_reference() -> None:
    course, last = TurnProgress(1, 1, is_complete=False), record(["1"], ["1"])
    assert error(judged(DEFAULT_RULES, last, course=course)) == (FORCED, None)
    assert error(judged(BFCL_V4, last, course=course)) is None


def test_a_turn_that_asks_for_nothing_possible_must_change_nothing_except_in_the_reference() -> (
    None
):
    assert both(record([], ["None"], OTHER), record(["1"], ["1"])) == [None, (STATE, 0)]
    assert both(record([], ["read"]), record(["1"], ["1"])) == [None, None]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ('{"result": 8}', '{"result": 8.0}'),
        ('{"a": 1, "b": [2]}', '{"b": [2.0], "a": 1}'),
        ("[1, 2]", "[1, 2.0]"),
    ],
)
def test_results_match_by_value_and_in_the_reference_by_text(wanted: str, found: str) -> None:
    assert both(record([wanted], [found])) == [(RESULT, 0), None]
    assert both(record([wanted, wanted], [found])) == [(RESULT, 0)] * 2


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ('{"result": 1}', '{"result": true}'),
        ('{"result": 8}', '{"result": "8"}'),
        ("8", "8.0"),
        ("[1, 2]", "[2, 1]"),
        ("{'a': mpf('1')}", "{'a': mpf('1.0')}"),
        ("[" * 5_000, "[" * 5_001),
        ("[" * 900 + "8" + "]" * 900, "[" * 900 + "8.0" + "]" * 900),
    ],
)
def test_other_values_do_not_match_under_any_rules(wanted: str, found: str) -> None:
    assert both(record([wanted], [found])) == [(RESULT, 0)] * 2


def test_a_verdict_that_is_not_the_references_names_the_rule_that_decided() -> None:
    records = [record([], ["None"], OTHER), record(["1"], ["2"])]
    judgement = compare_with_reference(lambda rules: judged(rules, *records), DEFAULT_RULES)
    assert isinstance(judgement.outcome, Judged)
    assert isinstance(judgement.reference, Judged)
    assert error(judgement.outcome) == (STATE, 0)
    assert error(judgement.reference) == (RESULT, 1)
    assert judgement.decided_by == "idle_turns_are_checked"


def test_the_same_verdict_names_no_rule() -> None:
    judgement = compare_with_reference(
        lambda rules: judged(rules, record(["1"], [])), DEFAULT_RULES
    )
    assert (judgement.rules, judgement.reference, judgement.decided_by) == ("dragoman-2", None, "")


def test_standing_elsewhere_is_no_fault_under_any_rules(make_entry: MakeEntry) -> None:
    entry = make_entry(
        ("Make it.",),
        (("mkdir('a')",),),
        initial_config={"GorillaFileSystem": ROOT},
        involved_classes=["GorillaFileSystem"],
    )
    played = [PlayedTurn(read_python_calls("[mkdir('a'), cd('a')]", DEFAULT_RULES))]
    assert both(*Expectations(None).compare(entry, played)) == [None, None]
