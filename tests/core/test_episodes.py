from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.episodes import COMPLETE, Episode, Event, Message, Termination, TerminationReason
from dragoman.core.replies import (
    AudioRef,
    Reply,
    TextReply,
    ToolCallReply,
    UnparsedReply,
    Utterance,
    text_reply,
)
from dragoman.core.tools import Change, Role, ToolCall, ToolResult
from dragoman.core.usage import Usage

TEXT = st.text(max_size=12)
ROLES: st.SearchStrategy[Role] = st.sampled_from(get_args(Role))
REASONS: st.SearchStrategy[TerminationReason] = st.sampled_from(get_args(TerminationReason))
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
OBJECTS = st.dictionaries(TEXT, VALUES, max_size=3)
SECONDS = st.floats(0, 1e6)
AUDIO = st.builds(AudioRef, sha256=TEXT, seconds=SECONDS, rate_hz=st.integers(1, 96_000))
UTTERANCES = st.builds(
    Utterance,
    intended=TEXT,
    spoken=st.just(msgspec.UNSET) | TEXT,
    heard=st.just(msgspec.UNSET) | st.none() | TEXT,
    audio=st.none() | AUDIO,
)
CALLS = st.builds(
    ToolCall,
    id=TEXT,
    name=TEXT,
    arguments=OBJECTS,
    by=ROLES,
    positionals=st.lists(VALUES, max_size=2).map(tuple),
    raw=TEXT,
    malformed=TEXT,
)
REPLIES: st.SearchStrategy[Reply] = st.one_of(
    st.builds(TextReply, UTTERANCES),
    st.builds(ToolCallReply, st.lists(CALLS, max_size=3).map(tuple), st.none() | TEXT),
    st.builds(UnparsedReply, raw=TEXT, error=TEXT),
)
CHANGES = st.builds(
    Change,
    path=st.lists(TEXT | st.integers(0, 99), max_size=4).map(tuple),
    op=st.sampled_from(["set", "add", "del"]),
    value=VALUES,
    side=ROLES,
)
RESULTS = st.builds(
    ToolResult,
    call_id=TEXT,
    name=TEXT,
    content=TEXT,
    by=ROLES,
    error=st.booleans(),
    changes=st.lists(CHANGES, max_size=3).map(tuple),
    shown=st.none() | TEXT,
    executed=st.none() | OBJECTS,
)
MOVES = st.builds(Message, by=ROLES, reply=REPLIES, scripted=st.booleans(), turn=st.integers(0, 99))
EVENTS: st.SearchStrategy[Event] = st.one_of(MOVES, RESULTS)
TOKENS = st.none() | st.integers(0, 10**9)
USAGE = st.builds(Usage, TEXT, TEXT, st.integers(0, 99), input_tokens=TOKENS, output_tokens=TOKENS)
EPISODES = st.builds(
    Episode,
    events=st.lists(EVENTS, max_size=5).map(tuple),
    ending=st.builds(Termination, REASONS, TEXT),
    steps=st.integers(0, 999),
    errors=st.integers(0, 99),
    usage=st.lists(USAGE, max_size=2).map(tuple),
    started=SECONDS,
    seconds=SECONDS,
)


def through_json(value: object, kind: Any) -> Any:  # noqa: ANN401 - whatever kind names
    return msgspec.json.decode(msgspec.json.encode(value), type=kind)


def same_types(one: object, other: object) -> bool:
    """Return whether two JSON values agree in type too: True is not 1, and 1 is not 1.0."""
    return repr(one) == repr(other)


@given(EPISODES)
def test_an_episode_survives_a_trip_through_json(episode: Episode) -> None:
    again = through_json(episode, Episode)
    assert again == episode
    assert same_types(again, episode)


def test_what_was_never_set_is_not_what_was_set_to_nothing() -> None:
    by_audio = through_json(Utterance("yes", heard=None), Utterance)
    by_text = through_json(Utterance("yes"), Utterance)
    assert by_audio.heard is None
    assert by_text.heard is msgspec.UNSET


@pytest.mark.parametrize("body", [b'{"a": 1}', b'"words"', b"[1, 2.50]", b"null"])
def test_raw_replies_are_kept_to_the_byte(body: bytes) -> None:
    move = through_json(Message("agent", text_reply("hi"), raw=msgspec.Raw(body)), Message)
    assert bytes(move.raw) == body


def test_a_move_without_a_raw_reply_stays_without() -> None:
    assert through_json(Message("user", text_reply("hi")), Message).raw is msgspec.UNSET


def test_a_reply_that_is_no_reply_keeps_its_text_and_what_is_wrong() -> None:
    move = Message("agent", UnparsedReply("<<<", "neither words nor calls"))
    assert through_json(move, Message).reply == UnparsedReply("<<<", "neither words nor calls")


def test_a_malformed_call_keeps_its_argument_text() -> None:
    call = ToolCall("1", "calculate", {}, raw='{"a":', malformed="cut off")
    assert through_json(ToolCallReply((call,)), ToolCallReply).calls == (call,)


def test_events_of_both_kinds_are_told_apart() -> None:
    events = (Message("agent", text_reply("hi")), ToolResult("1", "calculate", "4.0"))
    episode = through_json(Episode(events, Termination("user_stop"), 1, 0), Episode)
    assert [type(event) for event in episode.events] == [Message, ToolResult]


def test_an_unknown_ending_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(
            b'{"events": [], "ending": {"reason": "bored"}, "steps": 0, "errors": 0}', type=Episode
        )


@pytest.mark.parametrize("reason", get_args(TerminationReason))
def test_what_broke_is_a_fault_and_nothing_else_is(reason: TerminationReason) -> None:
    fault = Episode((), Termination(reason), 0, 0).is_fault
    assert fault == (reason in {"infrastructure_error", "code_error"})


def test_three_endings_are_judged() -> None:
    assert {"user_stop", "agent_stop", "turns_done"} == COMPLETE
