from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.bfcl.multi_turn_entries import MultiTurnEntry
from dragoman.benchmarks.bfcl.multi_turn_execution import (
    Expectations,
    PlayedTurn,
    StateDifference,
    entry_environment,
    played_turns,
)
from dragoman.core.episodes import Event, Message
from dragoman.core.errors import ReplayError
from dragoman.core.replies import ToolCallReply, text_reply
from dragoman.core.tasks import Scenario, Task
from dragoman.core.tools import ToolCall, ToolResult

MakeEntry = Callable[..., MultiTurnEntry]

CONFIG = {
    "GorillaFileSystem": {"root": {"home": {"type": "directory", "contents": {}}}},
    "TwitterAPI": {"authenticated": True},
}
CLASSES = ["TwitterAPI", "GorillaFileSystem"]
GOLD = (
    ("mkdir(dir_name='a')", "ls()"),
    ("post_tweet(content='hi', mentions=['@ann'])", "mention(0, ['@bob'])"),
)


@pytest.fixture
def entry(make_entry: MakeEntry) -> MultiTurnEntry:
    """Two turns on two classes."""
    return make_entry(("Go.", "On."), GOLD, initial_config=CONFIG, involved_classes=CLASSES)


def expected_calls(entry: MultiTurnEntry) -> list[PlayedTurn]:
    return [PlayedTurn(calls) for calls in entry.gold]


def with_more_calls(entry: MultiTurnEntry) -> list[PlayedTurn]:
    """The same, beginning with a call that changes nothing: all are executed."""
    return [PlayedTurn((ToolCall("0", "ls", {}), *calls)) for calls in entry.gold]


def touch(name: str, number: str = "1") -> ToolCall:
    return ToolCall(number, "touch", {"file_name": name})


def test_the_expected_calls_are_not_executed_again_and_their_results_are_compared(
    entry: MultiTurnEntry,
) -> None:
    known = Expectations(None)
    first, second = known.of(entry)
    then = [
        PlayedTurn(calls, turn.results)
        for calls, turn in zip(entry.gold, (first, second), strict=True)
    ]
    assert [record.results for record in known.compare(entry, then)] == [
        first.results,
        second.results,
    ]
    with pytest.raises(ReplayError, match="mkdir does not return what it returned then"):
        known.compare(entry, [PlayedTurn(entry.gold[0], ("done", first.results[1]))])


def test_each_turn_has_its_results_and_the_state_it_ends_in(entry: MultiTurnEntry) -> None:
    first, second = Expectations(None).of(entry)
    assert first.results == ("None", '{"current_directory_content": ["a"]}')
    assert len(second.results) == 2
    assert first.states["TwitterAPI"]["tweets"] == {}
    assert second.states["TwitterAPI"]["tweet_counter"] == 1


def test_what_is_expected_is_executed_once(entry: MultiTurnEntry) -> None:
    known = Expectations(None)
    assert known.of(entry) is known.of(entry)


def test_the_expected_calls_lead_where_they_are_expected_to(entry: MultiTurnEntry) -> None:
    records = Expectations(None).compare(entry, expected_calls(entry))
    assert [(record.difference, record.results) for record in records] == [
        (None, record.expected.results) for record in records
    ]


NUMBERS = (0, 0.0, 1, True, "0")
PLAYABLE = st.one_of(
    st.builds(lambda text: ToolCall("", "post_tweet", {"content": text}), st.sampled_from("ab")),
    st.builds(
        lambda number, name: ToolCall("", "mention", {}, positionals=(number, [name])),
        *(st.sampled_from(NUMBERS), st.sampled_from("xy")),
    ),
    st.builds(
        lambda number: ToolCall("", "get_tweet", {"tweet_id": number}), st.sampled_from(NUMBERS)
    ),
    st.builds(lambda name: ToolCall("", "mkdir", {"dir_name": name}), st.sampled_from("ab")),
    st.builds(lambda name: ToolCall("", "cd", {"folder": name}), st.sampled_from(["a", ".."])),
    st.builds(
        lambda keys: ToolCall("", "echo", dict.fromkeys(keys, "a")),
        st.sampled_from([("content", "file_name"), ("file_name", "content")]),
    ),
    st.sampled_from([ToolCall("", "ls", {}), ToolCall("", "nothing", {}, malformed="no JSON")]),
)
TURNS = st.lists(st.lists(PLAYABLE, max_size=2).map(tuple), min_size=1, max_size=3)


OTHERS = st.lists(PLAYABLE, max_size=2)


@given(st.data(), TURNS)
def test_turns_lead_where_executing_all_of_them_leads(
    data: st.DataObject, gold: list[tuple[ToolCall, ...]]
) -> None:
    begun = data.draw(st.integers(0, len(gold)))
    other = data.draw(st.lists(OTHERS.map(tuple), max_size=len(gold)))
    check_as_executed(gold, [*gold[:begun], *other][: len(gold)])


@given(st.data(), TURNS)
def test_expected_calls_among_others_lead_where_executing_all_of_them_leads(
    data: st.DataObject, gold: list[tuple[ToolCall, ...]]
) -> None:
    played = [
        tuple(each for call in calls for each in (*data.draw(OTHERS), call)) for calls in gold
    ]
    check_as_executed(gold, played)


def check_as_executed(gold: list[tuple[ToolCall, ...]], played: list[tuple[ToolCall, ...]]) -> None:
    """Compare played turns twice; the second comparison uses the results of the first."""
    config: dict[str, dict[str, object]] = {
        "TwitterAPI": {"authenticated": True},
        "GorillaFileSystem": {},
    }
    task = Task("a", "bfcl:multi_turn_base", "a", Scenario(""))
    entry = MultiTurnEntry(task, config, (), tuple(gold))
    known = Expectations(None)
    for _ in range(2):
        records = known.compare(entry, [PlayedTurn(calls) for calls in played])
        expected_environment, environment = (
            entry_environment(entry, None),
            entry_environment(entry, None),
        )
        for number, record in enumerate(records):
            assert record.expected.results == expected_environment.contents(gold[number])
            assert record.results == environment.contents(played[number])
            assert (record.difference is None) == (
                environment.state() == expected_environment.state()
            )
        assert len(records) == len(played)


def test_execution_leaves_calls_and_configuration_as_they_are(entry: MultiTurnEntry) -> None:
    before = repr((entry.gold, entry.config))
    for _ in range(2):
        Expectations(None).compare(entry, with_more_calls(entry))
    assert repr((entry.gold, entry.config)) == before


def test_worlds_of_one_entry_share_nothing_in_any_number_of_threads(entry: MultiTurnEntry) -> None:
    known = Expectations(None)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: known.compare(entry, with_more_calls(entry)), range(50)))
    assert all(record.difference is None for records in found for record in records)


def test_a_difference_names_the_first_class_and_all_its_attributes(entry: MultiTurnEntry) -> None:
    first, _ = expected_calls(entry)
    tweet = ToolCall("1", "post_tweet", {"content": "no"})
    (record,) = Expectations(None).compare(entry, [PlayedTurn((*first.calls, tweet, touch("b")))])
    assert record.difference == StateDifference("TwitterAPI", ("tweet_counter", "tweets"))


def test_where_the_agent_stands_is_no_difference(entry: MultiTurnEntry) -> None:
    first, _ = expected_calls(entry)
    there = ToolCall("1", "cd", {"folder": "a"})
    (record,) = Expectations(None).compare(entry, [PlayedTurn((*first.calls, there))])
    assert record.difference is None


def test_a_call_that_does_not_return_what_it_returned_then_is_no_replay(
    entry: MultiTurnEntry,
) -> None:
    known = Expectations(None)
    assert known.compare(entry, [PlayedTurn((touch("b"),), ("None",))])[0].results == ("None",)
    with pytest.raises(ReplayError, match="touch does not return what it returned then"):
        known.compare(entry, [PlayedTurn((touch("b"),), ("done",))])


def conversation(*turns: tuple[ToolCall, ...]) -> list[Event]:
    events: list[Event] = []
    for number, calls in enumerate(turns):
        events.append(Message("user", text_reply("Go."), True, number))
        if calls:
            events.append(Message("agent", ToolCallReply(calls), turn=number))
        events += [ToolResult(call.id, call.name, f"of {call.id}") for call in calls]
        events.append(Message("agent", text_reply("Done."), turn=number))
    return events


def test_turns_are_read_from_a_conversation_with_what_their_calls_returned() -> None:
    one, two, three = (touch("f", number) for number in "123")
    assert played_turns(conversation((one, two), (), (three,)), 3) == (
        PlayedTurn((one, two), ("of 1", "of 2")),
        PlayedTurn((), ()),
        PlayedTurn((three,), ("of 3",)),
    )


def test_a_turn_that_was_begun_is_a_turn() -> None:
    assert played_turns([Message("user", text_reply("Go."), True, 0)], 2) == (PlayedTurn((), ()),)
    assert played_turns([], 2) == ()


def test_a_call_without_result_or_with_unreadable_arguments_did_nothing() -> None:
    broken = ToolCall("1", "touch", {}, malformed="no JSON")
    events = [*conversation((broken,)), Message("agent", ToolCallReply((touch("a"),)), turn=1)]
    assert played_turns(events, 2) == (PlayedTurn((), ()), PlayedTurn((), ()))


@pytest.mark.parametrize("turn", [-1, 2, 10**9])
def test_turns_that_the_entry_has_not_are_refused(turn: int) -> None:
    with pytest.raises(ReplayError, match=r"turns, the entry 2|turns without a number"):
        played_turns(
            [Message("user", text_reply("Go.")), Message("agent", text_reply("Done."), turn=turn)],
            2,
        )


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=4), max_size=5))
def test_any_conversation_gives_its_turns_back(names: list[list[str]]) -> None:
    turns = [
        tuple(touch(name, f"{number}.{n}") for n, name in enumerate(turn))
        for number, turn in enumerate(names)
    ]
    read = played_turns(conversation(*turns), len(turns))
    assert [turn.calls for turn in read] == turns


def test_a_world_shows_the_tools_it_is_given(entry: MultiTurnEntry) -> None:
    assert len(entry_environment(entry, None).tools("agent")) == 0
    assert entry_environment(entry, None).kind("mkdir") == "write"
