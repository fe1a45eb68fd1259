"""Results of several turns become conversations whose calls were executed."""

import json
from collections.abc import Callable

import msgspec
import pytest

from dragoman.benchmarks.bfcl.multi_turn_check import judge_conversation
from dragoman.benchmarks.bfcl.multi_turn_entries import MultiTurnEntry
from dragoman.benchmarks.bfcl.multi_turn_execution import Expectations
from dragoman.benchmarks.bfcl.multi_turn_suite import MAX_STEPS
from dragoman.benchmarks.bfcl.rules import BFCL_V4, DEFAULT_RULES, BfclRules
from dragoman.benchmarks.bfcl.stored_replies import TurnReplies
from dragoman.benchmarks.bfcl.verdicts import CallFault, Judged
from dragoman.core.episodes import Episode, Message, Termination
from dragoman.core.replies import TextReply
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
    """Return the fault that upstream's rules find in a result."""
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
    assert episode.ending == Termination("turns_done")
    moves = [event for event in episode.events if isinstance(event, Message)]
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
    assert played(entry, TEXT[:1], "python").ending == Termination("max_steps", "in turn 0")
    cut = fault(entry, TEXT[:1])
    assert cut is not None
    assert cut.error_type == "multi_turn:force_terminated"
    forced = [TEXT[0], ["[ls()]"] * (MAX_STEPS + 1)]
    assert played(entry, forced, "python").ending == Termination("max_steps", "in turn 1")
    assert fault(entry, forced) is None
    ours = judge_conversation(
        entry, Expectations(None), played(entry, forced, "python"), DEFAULT_RULES
    )
    assert isinstance(ours.outcome, Judged)
    assert ours.outcome.fault is not None


def test_a_model_that_was_not_reached_is_infrastructure(entry: MultiTurnEntry) -> None:
    said = "Error during inference: no quota"
    assert played(entry, said, "python").ending == Termination("infrastructure_error", said)


@pytest.mark.parametrize("result", ["words", None, {}, []])
def test_a_result_without_turns_fails_as_in_the_reference(
    entry: MultiTurnEntry, result: object
) -> None:
    assert not played(entry, result, "python").is_fault
    found = fault(entry, result)
    assert found is not None
    assert found.error_type == "multi_turn:force_terminated"


def test_more_turns_than_the_entry_has_fail_as_in_the_reference(entry: MultiTurnEntry) -> None:
    found = fault(entry, [*TEXT, ["Anything else?"]])
    assert found is not None
    assert found.error_type == "multi_turn:force_terminated"


def imported(entry: MultiTurnEntry, result: object, form: str = "python") -> Episode:
    """A result as an imported run holds it: stored, and read again."""
    episode = msgspec.structs.replace(
        played(entry, result, form), source=msgspec.Raw(json.dumps(result).encode())
    )
    return msgspec.json.decode(msgspec.json.encode(episode), type=Episode)


ODD = [
    "(1, 2)",
    "1e400",
    "-1e400",
    "b'x'",
    "2j",
    "{1: 2}",
    "{None: 1}",
    "{(1, 2): 3}",
    "{'a': (1,)}",
    "[(1, 2), (3, 4)]",
    "{}",
    "{'a': {'b': 1}}",
    "'\\ud800'",
    "[1e400]",
    "10**30",
]
"""Values of Python text, of which JSON carries some as others and some not at all."""


@pytest.mark.parametrize("value", ODD)
@pytest.mark.parametrize("rules", [BFCL_V4, DEFAULT_RULES])
def test_a_value_that_json_cannot_carry_leaves_no_stored_result_without_a_verdict(
    entry: MultiTurnEntry, value: str, rules: BfclRules
) -> None:
    odd = f"[touch(file_name={value}), cat(file_name={value})]"
    with_more = [["[touch(file_name='a')]", odd, "Made."], TEXT[1]]

    judged = judge_conversation(entry, Expectations(None), imported(entry, with_more), rules)

    assert isinstance(judged.outcome, Judged)


@pytest.mark.parametrize(
    ("value", "is_valid"), [("('x',)", False), ("['x']", True), ("1e400", False), ("{}", False)]
)
def test_what_an_interface_keeps_is_the_value_as_it_was_written(
    make_entry: MakeEntry, value: str, is_valid: bool
) -> None:
    entry = make_entry(
        ["Post."],
        [
            [
                "authenticate_twitter(username='j', password='p')",
                "post_tweet(content='c', tags=['x'])",
            ]
        ],
        initial_config={"TwitterAPI": {"username": "j", "password": "p"}},
        involved_classes=["TwitterAPI"],
    )
    calls = [
        "[authenticate_twitter(username='j', password='p')]",
        f"[post_tweet(content='c', tags={value})]",
    ]

    judged = judge_conversation(
        entry, Expectations(None), imported(entry, [[*calls, "Done."]]), BFCL_V4
    )

    assert isinstance(judged.outcome, Judged)
    assert judged.outcome.valid == is_valid


def test_a_reply_that_cannot_be_written_as_python_again_is_dropped(entry: MultiTurnEntry) -> None:
    twice = [["[touch(file_name='a')]", "[rm(file_name='a'), cd(folder={})]", "Made."], TEXT[1]]
    assert (
        judge_conversation(entry, Expectations(None), imported(entry, twice), BFCL_V4).outcome
        == Judged()
    )


def test_every_reply_is_asked_for_its_form(entry: MultiTurnEntry) -> None:
    found = list(TurnReplies([entry], None).answered(entry.task.id, TEXT))
    assert [each.result for each in found] == [reply for turn in TEXT for reply in turn]
    assert "touch" in {each.name for each in found[0].question.functions}
    assert list(TurnReplies([entry], None).answered(entry.task.id, "Error")) == []


def test_words_stay_words(entry: MultiTurnEntry) -> None:
    last = played(entry, TEXT, "python").events[-1]
    assert isinstance(last, Message)
    assert isinstance(last.reply, TextReply)
