import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.tau2.messages import decode_messages, encode_messages
from dragoman.core.episodes import Event, Message
from dragoman.core.errors import DataError
from dragoman.core.replies import ToolCallReply, UnparsedReply, text_reply
from dragoman.core.tools import Change, Role, ToolCall, ToolResult


def raws(*messages: object) -> list[msgspec.Raw]:
    return [msgspec.Raw(json.dumps(message).encode()) for message in messages]


def read_back(events: tuple[Event, ...]) -> tuple[Event, ...]:
    written = msgspec.json.encode(encode_messages(events))
    return decode_messages(msgspec.json.decode(written, type=list[msgspec.Raw]), "here")


words = st.text(min_size=1).filter(str.strip)
values: st.SearchStrategy[object] = st.none() | st.booleans() | st.integers(-9, 9) | st.text()
arguments = st.dictionaries(st.text(), values)
SIDES: tuple[Role, ...] = ("agent", "user")
sides = st.sampled_from(SIDES)


@st.composite
def rounds(draw: st.DrawFn) -> tuple[Event, ...]:
    """A move: words, or calls with their results."""
    side = draw(sides)
    if draw(st.booleans()):
        return (Message(side, text_reply(draw(words))),)
    calls = tuple(
        ToolCall(f"c{index}", draw(words), draw(arguments), side)
        for index in range(draw(st.integers(1, 3)))
    )
    results = (
        ToolResult(call.id, call.name, draw(st.text()), side, draw(st.booleans())) for call in calls
    )
    return (Message(side, ToolCallReply(calls, draw(st.none() | words))), *results)


@given(st.lists(rounds(), max_size=5))
def test_events_survive_being_written_and_read(parts: list[tuple[Event, ...]]) -> None:
    events = tuple(event for part in parts for event in part)
    assert read_back(events) == events


def test_a_conversation_is_read_as_it_happened() -> None:
    events = decode_messages(
        raws(
            {"role": "assistant", "content": "Hi!", "turn_idx": 0, "novel": [1]},
            {"role": "user", "content": "Cancel it.", "tool_calls": None},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "a", "name": "cancel", "arguments": {"id": "7"}}],
            },
            {"role": "tool", "id": "a", "content": "Error: no", "error": True},
        ),
        "here",
    )

    assert events == (
        Message("agent", text_reply("Hi!")),
        Message("user", text_reply("Cancel it.")),
        Message("agent", ToolCallReply((ToolCall("a", "cancel", {"id": "7"}),))),
        ToolResult("a", "cancel", "Error: no", "agent", True),
    )


def test_calls_and_results_of_the_user_are_the_users() -> None:
    call = {"id": "a", "name": "reboot", "arguments": {}, "requestor": "user"}
    events = decode_messages(
        raws(
            {"role": "user", "content": None, "tool_calls": [call]},
            {"role": "tool", "id": "a", "content": "ok", "requestor": "user"},
        ),
        "here",
    )

    assert events == (
        Message("user", ToolCallReply((ToolCall("a", "reboot", {}, "user"),))),
        ToolResult("a", "reboot", "ok", "user"),
    )


def test_results_of_calls_with_one_id_take_their_names_in_order() -> None:
    calls: list[object] = [
        {"id": "", "name": name, "arguments": {}} for name in ("first", "second")
    ]
    events = decode_messages(
        raws(
            {"role": "assistant", "tool_calls": calls},
            {"role": "tool", "id": "", "content": "1"},
            {"role": "tool", "id": "", "content": "2"},
        ),
        "here",
    )

    assert [event.name for event in events if isinstance(event, ToolResult)] == ["first", "second"]


def test_a_result_that_answers_no_call_has_no_name() -> None:
    assert decode_messages(raws({"role": "tool", "id": "x", "content": "?"}), "here") == (
        ToolResult("x", "", "?"),
    )


@pytest.mark.parametrize("content", [None, "", " \n"])
@pytest.mark.parametrize("calls", [None, []])
def test_a_message_without_words_or_calls_is_neither(content: str | None, calls: object) -> None:
    message = {"role": "assistant", "content": content, "tool_calls": calls}

    (event,) = decode_messages(raws(message), "here")

    assert isinstance(event, Message)
    assert isinstance(event.reply, UnparsedReply)


def test_a_models_raw_reply_is_kept_with_its_message() -> None:
    message = {"role": "assistant", "content": "Hi!", "raw_data": {"id": "r1"}}

    events = decode_messages(raws(message), "here")

    assert events == (Message("agent", text_reply("Hi!"), raw=msgspec.Raw(b'{"id": "r1"}')),)
    assert read_back(events) == events


def test_a_call_whose_arguments_could_not_be_read_stays_one() -> None:
    call = ToolCall("a", "cancel", {}, raw='{"id', malformed="truncated")
    events = (
        Message("agent", ToolCallReply((call,))),
        ToolResult("a", "cancel", "Error: truncated", "agent", True),
    )

    assert read_back(events) == events


def test_calls_are_written_as_they_were_executed() -> None:
    events = (
        Message("agent", ToolCallReply((ToolCall("a", "find", {"name": "ann"}),))),
        ToolResult("a", "find", "found", executed={"name": "Ann"}),
    )

    (move, _) = encode_messages(events)

    assert json.loads(msgspec.json.encode(move))["tool_calls"][0]["arguments"] == {"name": "Ann"}


def test_what_a_call_changed_has_no_place_in_the_format() -> None:
    change = Change(("orders", "1"), "set", "cancelled")
    events = (
        Message("agent", ToolCallReply((ToolCall("a", "cancel", {}),))),
        ToolResult("a", "cancel", "ok", changes=(change,)),
    )

    assert read_back(events)[1] == ToolResult("a", "cancel", "ok")


@pytest.mark.parametrize(
    "message",
    [
        {"content": "nobody"},
        {"role": "system", "content": "x"},
        {"role": "assistant", "content": 7},
        {"role": "assistant", "tool_calls": [{"name": "x", "arguments": "{}"}]},
        {"role": "tool", "content": "no id"},
        {"role": "tool", "id": "1", "requestor": "somebody"},
        [],
    ],
)
def test_a_damaged_message_is_named(message: object) -> None:
    with pytest.raises(DataError, match=r"^here: message 2 is damaged \("):
        decode_messages(raws({"role": "user", "content": "Hi"}, message), "here")


def test_a_message_nested_without_end_is_named() -> None:
    deep = b'{"role": "user", "novel": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    with pytest.raises(DataError, match="message 1 is damaged"):
        decode_messages([msgspec.Raw(deep)], "here")
