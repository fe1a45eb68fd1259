from collections.abc import Callable

import pytest

from dragoman.benchmarks.bfcl.multi_turn_check import judge_conversation
from dragoman.benchmarks.bfcl.multi_turn_entries import MultiTurnEntry
from dragoman.benchmarks.bfcl.multi_turn_execution import Expectations
from dragoman.benchmarks.bfcl.rules import BFCL_V4, DEFAULT_RULES, BfclRules
from dragoman.benchmarks.bfcl.verdicts import Judged
from dragoman.core.episodes import Episode, Event, Message, Termination, TerminationReason
from dragoman.core.errors import ReplayError
from dragoman.core.replies import ToolCallReply, text_reply
from dragoman.core.tools import ToolCall, ToolResult

ADD = ToolCall("1", "add", {"a": 5, "b": 3})
SUM = '{"result": 8}'


@pytest.fixture
def entry(make_entry: Callable[..., MultiTurnEntry]) -> MultiTurnEntry:
    """Two turns, each with a sum."""
    return make_entry(("Add.", "Again."), (("add(5, 3)",), ("add(a=5, b=3)",)))


def turn(number: int, call: ToolCall = ADD, content: str = SUM) -> list[Event]:
    return [
        Message("user", text_reply("Add."), True, number),
        Message("agent", ToolCallReply((call,)), turn=number),
        ToolResult(call.id, call.name, content),
        Message("agent", text_reply("Done."), turn=number),
    ]


def faults(
    entry: MultiTurnEntry, events: list[Event], reason: TerminationReason = "turns_done"
) -> list[str]:
    """Return the error types under the reference's rules and under ours."""
    return [error(entry, events, reason, rules) for rules in (BFCL_V4, DEFAULT_RULES)]


def error(
    entry: MultiTurnEntry, events: list[Event], reason: TerminationReason, rules: BfclRules
) -> str:
    episode = Episode(tuple(events), Termination(reason), 4, 0)
    outcome = judge_conversation(entry, Expectations(None), episode, rules).outcome
    assert isinstance(outcome, Judged)
    return "" if outcome.fault is None else outcome.fault.error_type


def test_a_conversation_that_does_what_is_expected_is_valid(entry: MultiTurnEntry) -> None:
    assert faults(entry, [*turn(0), *turn(1)]) == ["", ""]


def test_a_conversation_that_ended_early_was_ended_by_force(entry: MultiTurnEntry) -> None:
    forced = "multi_turn:force_terminated"
    assert faults(entry, turn(0), "max_steps") == [forced, forced]
    assert faults(entry, [*turn(0), *turn(1)], "max_steps") == ["", forced]


def test_a_verdict_beside_the_references_names_the_rule(entry: MultiTurnEntry) -> None:
    floats = ToolCall("2", "add", {"a": 5.0, "b": 3})
    events = [*turn(0, floats, '{"result": 8.0}'), *turn(1)]
    assert faults(entry, events) == ["multi_turn:execution_response_mismatch", ""]
    episode = Episode(tuple(events), Termination("turns_done"), 4, 0)
    judgement = judge_conversation(entry, Expectations(None), episode, DEFAULT_RULES)
    assert judgement.decided_by == "results_match_by_value"


def test_a_conversation_with_other_results_than_its_calls_have_is_not_judged(
    entry: MultiTurnEntry,
) -> None:
    with pytest.raises(ReplayError, match="add does not return what it returned then"):
        faults(entry, [*turn(0), *turn(1, content='{"result": 9}')])
