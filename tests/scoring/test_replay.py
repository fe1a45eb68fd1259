from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.core.episodes import Event, Message, executed_calls
from dragoman.core.errors import ReplayError
from dragoman.core.protocols import Environment
from dragoman.core.replies import ToolCallReply, text_reply
from dragoman.core.rules import DEFAULT_RULES
from dragoman.core.tools import ToolCall, ToolResult
from dragoman.scoring.replay import replay, same_content

LOOK = ToolCall("1", "get_order_details", {"order_id": "#S1000006"})
CANCEL = ToolCall(
    "2", "cancel_pending_order", {"order_id": "#S1000006", "reason": "no longer needed"}
)


def fresh(shop: DomainSuite) -> Environment:
    return shop.factory(DEFAULT_RULES)(shop.tasks[0])


def answered(call: ToolCall, content: str = "ok") -> ToolResult:
    return ToolResult(call.id, call.name, content)


def moved(*calls: ToolCall) -> Message:
    return Message("agent", ToolCallReply(calls))


def test_calls_come_with_their_results() -> None:
    events: list[Event] = [
        Message("agent", text_reply("Hi!")),
        moved(LOOK, CANCEL),
        answered(LOOK),
        answered(CANCEL),
        moved(LOOK),
        answered(LOOK),
    ]
    assert list(executed_calls(events)) == [
        (LOOK, answered(LOOK)),
        (CANCEL, answered(CANCEL)),
        (LOOK, answered(LOOK)),
    ]


def test_a_call_comes_with_the_arguments_that_were_executed() -> None:
    result = msgspec.structs.replace(answered(LOOK), executed={"order_id": "#S1000001"})
    ((call, _),) = executed_calls([moved(LOOK), result])
    assert call.arguments == {"order_id": "#S1000001"}


def test_calls_at_the_very_end_may_have_no_result() -> None:
    events: list[Event] = [moved(LOOK, CANCEL), answered(LOOK)]
    assert list(executed_calls(events)) == [(LOOK, answered(LOOK)), (CANCEL, None)]


@pytest.mark.parametrize(
    ("events", "named"),
    [
        ([answered(LOOK)], r"the result of get_order_details \(1\) follows no call"),
        ([moved(LOOK), answered(LOOK), answered(LOOK)], "follows no call"),
        ([moved(LOOK), answered(CANCEL)], r"get_order_details \(1\) is not followed"),
        ([moved(LOOK, CANCEL), answered(CANCEL), answered(LOOK)], "is not followed"),
        ([moved(LOOK), Message("user", text_reply("Hello?"))], "is not followed"),
    ],
)
def test_results_that_do_not_follow_their_calls_are_refused(
    events: Sequence[Event], named: str
) -> None:
    with pytest.raises(ReplayError, match=named):
        list(executed_calls(events))


def test_a_replay_reaches_the_state_of_the_conversation(shop: DomainSuite) -> None:
    live, again = fresh(shop), fresh(shop)
    recorded = [(call, live.call(call)) for call in (LOOK, CANCEL)]
    assert replay(recorded, again) == ()
    assert again.delta() == live.delta() != {}


def test_only_writes_are_replayed(shop: DomainSuite) -> None:
    environment = fresh(shop)
    unknown = ToolCall("3", "fly", {})
    assert (
        replay([(LOOK, answered(LOOK, "other")), (unknown, answered(unknown))], environment) == ()
    )
    assert environment.delta() == {}


def test_a_write_without_a_result_is_not_replayed(shop: DomainSuite) -> None:
    environment = fresh(shop)
    assert replay([(CANCEL, None)], environment) == ()
    assert environment.delta() == {}


def test_a_failing_write_must_fail_again_with_the_same_text(shop: DomainSuite) -> None:
    bad = ToolCall("2", "cancel_pending_order", {"order_id": "#S9", "reason": "x"})
    assert replay([(bad, answered(bad, "Error: Order not found"))], fresh(shop)) == ()
    (line,) = replay([(bad, answered(bad, "Error: Order lost"))], fresh(shop))
    assert "cancel_pending_order (2)" in line
    assert "Order lost" in line
    assert "Order not found" in line


def test_a_result_that_differs_is_told_in_one_short_line(shop: DomainSuite) -> None:
    recorded = fresh(shop).call(CANCEL).content.replace("cancelled", "shipped")
    (line,) = replay([(CANCEL, answered(CANCEL, recorded))], fresh(shop))
    assert "\n" not in line
    assert len(line) < 300


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("plain", "plain"),
        ("25", "25.0"),
        ('{"a": 1, "b": 2}', '{"b":2,"a":1}'),
        ('{"a": [1.0]}', '{"a": [1]}'),
        ('"\\u00e9"', '"é"'),
    ],
)
def test_results_that_say_the_same(one: str, other: str) -> None:
    assert same_content(one, other)
    assert same_content(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("plain", "Plain"),
        ("plain", "plain "),
        ("[1, 2]", "[2, 1]"),
        ("25", '"25"'),
        ("null", "0"),
        ('{"a": 1}', '{"a": 1, "b": null}'),
        ("[" * 9_999, "[" * 9_998),
        ("", "null"),
    ],
)
def test_results_that_do_not(one: str, other: str) -> None:
    assert not same_content(one, other)
    assert not same_content(other, one)


@given(st.text(max_size=20), st.text(max_size=20))
def test_any_texts_can_be_compared(one: str, other: str) -> None:
    assert same_content(one, one)
    assert same_content(one, other) == same_content(other, one)


def test_amounts_are_the_same_to_the_cent_where_that_is_asked_for() -> None:
    noisy = '{"amount": 114.7299999999999, "items": [{"price": "41.91999999999999"}], "count": 2}'
    whole = '{"items": [{"price": "41.92"}], "count": 2, "amount": 114.73}'
    assert same_content(noisy, whole, in_cents=True)
    assert not same_content(noisy, whole)
    for other in (
        whole.replace("114.73", "114.74"),
        whole.replace("41.92", "41.93"),
        whole.replace("2,", "3,"),
        whole.replace("count", "number"),
        whole.replace("[{", "[{}, {"),
        "114.73",
    ):
        assert not same_content(noisy, other, in_cents=True)


@given(st.integers(-(10**9), 10**9), st.floats(-0.0049, 0.0049))
def test_noise_below_half_a_cent_never_decides(cents: int, noise: float) -> None:
    amount = cents / 100
    assert same_content(f"[{amount + noise!r}]", f"[{amount!r}]", in_cents=True)
    assert not same_content(f"[{amount + 0.01!r}]", f"[{amount!r}]", in_cents=True)


def test_the_version_of_a_library_in_an_error_is_no_part_of_the_result() -> None:
    def error(version: str, kind: str = "missing") -> str:
        return f"1 error\n    For more see https://errors.example.dev/{version}/v/{kind}"

    assert same_content(error("2.11"), error("2.14"))
    assert not same_content(error("2.11"), error("2.14", "int_type"))
    assert not same_content("2.11/v/missing", "2.14/v/missing")
