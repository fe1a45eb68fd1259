"""Results of several turns become conversations whose calls were executed."""

import json
from collections.abc import Callable

import pytest

from dragoman.benchmarks.bfcl.entries.turns import MultiTurnEntry
from dragoman.benchmarks.bfcl.rules import BFCL_V4, DEFAULT_RULES
from dragoman.benchmarks.bfcl.stored_replies import TurnReplies
from dragoman.benchmarks.bfcl.turns.conductor import MAX_STEPS
from dragoman.benchmarks.bfcl.turns.judging import judge_conversation
from dragoman.benchmarks.bfcl.turns.running import Expectations
from dragoman.benchmarks.bfcl.verdicts import CallFault, Judged
from dragoman.core.episodes import Ending, Episode, Move
from dragoman.core.speech import Said
from dragoman.core.tools import ToolResult

MakeEntry = Callable[..., MultiTurnEntry]

FILES = {"GorillaFileSystem": {"root": {"home": {"type": "directory", "contents": {}}}}}
TEXT = [["[touch(file_name='a')]", "Made."], ["[ls()]", "It is there."]]
ITEMS = [[[{"touch": '{"file_name": "a"}'}], "Made."], [[{"ls": "{}"}], "It is there."]]
TAGGED = [
    [
        '<tool_call>{"name": "touch", "arguments": {"file_name": "a"}}</tool_call>',
        "Made.",
    ],
    ['<tool_call>{"name": "ls", "arguments": {}}</tool_call>', "It is there."],
]


@pytest.fixture
def entry(make_entry: MakeEntry) -> MultiTurnEntry:
    return make_entry(
        ["Make a.", "List."],
        [["touch(file_name='a')"], ["ls()"]],
        initial_config=FILES,
        involved_classes=["GorillaFileSystem"],
    )


def played(entry: MultiTurnEntry, result: object, form: str) -> Episode:
    return TurnReplies([entry], None).episode(entry.task.id, result, form)


def fault(entry: MultiTurnEntry, result: object, form: str = "python") -> CallFault | None:
    """What upstream's rules find wrong with a result."""
    judged = judge_conversation(entry, Expectations(None), played(entry, result, form), BFCL_V4)
    assert isinstance(judged.outcome, Judged)
    return judged.outcome.fault


@pytest.mark.parametrize(
    ("result", "form"), [(TEXT, "python"), (ITEMS, "items"), (TAGGED, "tool_call")]
)
def test_turns_are_said_replies_taken_and_calls_executed(
    entry: MultiTurnEntry, result: list[object], form: str
) -> None:
    episode = played(entry, result, form)
    assert episode.ending == Ending("turns_done")
    moves = [event for event in episode.events if isinstance(event, Move)]
    assert [(move.by, move.turn) for move in moves] == [
        *[("user", 0), ("agent", 0), ("agent", 0)],
        *[("user", 1), ("agent", 1), ("agent", 1)],
    ]
    results = [event.content for event in episode.events if isinstance(event, ToolResult)]
    assert results == ["None", json.dumps({"current_directory_content": ["a"]})]
    assert (episode.steps, episode.errors) == (8, 0)
    assert fault(entry, result, form) is None


def test_a_reply_is_read_as_upstream_executed_it(entry: MultiTurnEntry) -> None:
    positional = [["[touch('a')]", "Made."], TEXT[1]]
    found = fault(entry, positional)
    assert found is not None
    assert (found.error_type, found.turn) == ("multi_turn:instance_state_mismatch", 0)


def test_a_reply_with_a_call_that_cannot_be_read_executes_none_of_its_calls(
    entry: MultiTurnEntry,
) -> None:
    broken = [[[{"touch": '{"file_name": "a"}'}, {"ls": "{"}]], ITEMS[1]]
    episode = played(entry, broken, "items")
    assert [event.name for event in episode.events if isinstance(event, ToolResult)] == ["ls"]
    found = fault(entry, broken, "items")
    assert found is not None
    assert found.error_type == "multi_turn:empty_turn_model_response"


def test_a_conversation_that_was_cut_off_did_not_end_by_itself(entry: MultiTurnEntry) -> None:
    assert played(entry, TEXT[:1], "python").ending == Ending("max_steps", "in turn 0")
    cut = fault(entry, TEXT[:1])
    assert cut is not None
    assert cut.error_type == "multi_turn:force_terminated"
    forced = [TEXT[0], ["[ls()]"] * (MAX_STEPS + 1)]
    assert played(entry, forced, "python").ending == Ending("max_steps", "in turn 1")
    assert fault(entry, forced) is None
    ours = judge_conversation(
        entry, Expectations(None), played(entry, forced, "python"), DEFAULT_RULES
    )
    assert isinstance(ours.outcome, Judged)
    assert ours.outcome.fault is not None


def test_a_model_that_was_not_reached_is_infrastructure(entry: MultiTurnEntry) -> None:
    for result in ("Error during inference: no quota", "words", None):
        ending = played(entry, result, "python").ending
        assert ending.reason == "infrastructure_error"
        assert ending.detail == (
            result if str(result).startswith("Error") else "the result holds no turns"
        )


def test_every_reply_is_asked_for_its_form(entry: MultiTurnEntry) -> None:
    found = list(TurnReplies([entry], None).answered(entry.task.id, TEXT))
    assert [each.result for each in found] == [reply for turn in TEXT for reply in turn]
    assert "touch" in {each.name for each in found[0].question.functions}
    assert list(TurnReplies([entry], None).answered(entry.task.id, "Error")) == []


def test_words_stay_words(entry: MultiTurnEntry) -> None:
    last = played(entry, TEXT, "python").events[-1]
    assert isinstance(last, Move)
    assert isinstance(last.reply, Said)
