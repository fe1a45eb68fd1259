"""Failure modes of calls by tool and argument, in conversations written by hand."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.language.localized_values import LocalizedValues
from dragoman.core.measures import MeasureResult, ScoringContext
from dragoman.core.protocols import Environment
from dragoman.core.replies import ToolCallReply
from dragoman.core.tasks import Action, Criteria, RiskProfile, Scenario, Task
from dragoman.core.texts.expected_values import ExpectedValue
from dragoman.core.tools import Role, ToolCall, ToolKind, ToolResult
from dragoman.scoring.measures.call_failure_modes import (
    EARLIER_MODES,
    argument_difference,
    failure_modes_measure,
)

FIND = Action("find", "find", {"name": "Liam"})
PAY = Action("pay", "pay", {"order": "KL-5", "cents": 300})
SEND = Action("send", "send", {"order": "KL-5", "town": "Lee"}, compare=("town",))
TAP = Action("tap", "tap", {"app": "maps"}, by="user")
KINDS: dict[str, ToolKind] = {"find": "read", "pay": "write", "send": "write", "tap": "write"}

MODES = failure_modes_measure(RiskProfile(escalation_tool="hand_over"))


class Kinds:
    """An environment of which only the kinds of tools are used."""

    def kind(self, name: str) -> ToolKind | None:
        return KINDS.get(name)


def call(
    tool: str, /, *, error: bool = False, by: Role = "agent", **arguments: object
) -> tuple[Event, Event]:
    return executed(ToolCall("1", tool, dict(arguments), by), error=error)


def executed(made: ToolCall, *, error: bool = False) -> tuple[Event, Event]:
    return Message(made.by, ToolCallReply((made,))), ToolResult(
        "1", made.name, "", made.by, error=error
    )


def case(
    plan: Sequence[Action] | None,
    *events: Event,
    wording: LocalizedValues | None = None,
    expected: Sequence[ExpectedValue] = (),
) -> ScoringContext:
    criteria = Criteria(reward_basis=("DB",), actions=None if plan is None else tuple(plan))
    task = Task("7", "suite", "digest", Scenario("Ask."), criteria=criteria)
    episode = Episode(events, Termination("user_stop"), len(events), 0)
    return ScoringContext(
        task,
        episode,
        lambda _: cast("Environment", Kinds()),
        wording or LocalizedValues(),
        expected=expected,
    )


def measured(
    plan: Sequence[Action], *events: Event, wording: LocalizedValues | None = None
) -> MeasureResult:
    return asyncio.run(MODES.measure(case(plan, *events, wording=wording)))


def found(plan: Sequence[Action], *events: Event) -> list[tuple[str, str]]:
    """Return the failure modes, with their tools or arguments."""
    entries = measured(plan, *events).evidence
    return [(entry.subject, entry.why) for entry in entries if entry.why]


def test_a_plan_that_was_followed_has_no_failure_mode() -> None:
    done = (*call("find", name="Liam"), *call("pay", order="KL-5", cents=300))
    assert measured((FIND, PAY), *done).counts == {"planned": 2, "compared arguments": 3}


def test_a_planned_call_that_was_not_made_has_no_arguments_to_compare() -> None:
    result = measured((PAY,))
    assert result.counts == {"planned": 1, "not called": 1}
    assert found((PAY,)) == [("pay", "not called")]


def test_a_wrong_argument_is_told_with_both_values_and_where_it_was_given() -> None:
    result = measured((PAY,), *call("find", name="x"), *call("pay", order="KL-9", cents=300))
    assert result.counts == {
        "planned": 1,
        "wrong arguments": 1,
        "compared arguments": 2,
        "other value": 1,
    }
    assert [(each.position, each.subject, each.why) for each in result.evidence if each.why] == [
        (2, "pay", "wrong arguments: order"),
        (2, "pay.order", 'other value: "KL-9" for "KL-5"'),
    ]


def test_only_compared_arguments_count_and_without_a_choice_all_that_the_call_has() -> None:
    assert found((SEND,), *call("send", order="no", town="Lee", note="hi")) == []
    assert found((FIND,), *call("find", name="Liam", limit=3, page=None)) == [
        ("find", "wrong arguments: limit"),
        ("find.limit", "added: 3 for null"),
    ]
    assert found((SEND,), *call("send", order="KL-5")) == [
        ("send", "wrong arguments: town"),
        ("send.town", 'missing: nothing for "Lee"'),
    ]


def test_no_call_stands_for_two_actions_and_the_nearest_stands_for_each() -> None:
    other = Action("again", "pay", {"order": "KL-6", "cents": 1})
    events = (*call("pay", order="KL-6", cents=2), *call("pay", order="KL-5", cents=300))
    assert found((PAY, other), *events) == [
        ("pay", "wrong arguments: cents"),
        ("pay.cents", "other value: 2 for 1"),
    ]
    assert found((PAY, PAY), *call("pay", order="KL-5", cents=300)) == [("pay", "not called")]


def test_a_refused_call_stands_for_an_action_only_where_none_succeeded() -> None:
    refused = call("pay", order="KL-5", cents=300, error=True)
    assert found((PAY,), *refused) == [("pay", "failed")]
    assert found((PAY,), *refused, *call("pay", order="KL-5", cents=300)) == [
        ("pay", 'failed: {"order":"KL-5","cents":300}')
    ]


def test_changes_that_nobody_planned_count_and_further_reading_does_not() -> None:
    events = (*call("find", name="Noor"), *call("send", town="Lee"))
    assert found((), *events) == [("send", 'not in the plan: {"town":"Lee"}')]


def test_what_the_user_was_to_do_stands_apart_from_the_agents_calls() -> None:
    assert found((TAP,), *call("tap", app="maps")) == [
        ("tap (user)", "not called"),
        ("tap", 'not in the plan: {"app":"maps"}'),
    ]
    assert found((TAP,), *call("tap", app="maps", by="user")) == []


def test_an_argument_in_the_tools_language_is_right_and_the_wrong_language_is_named() -> None:
    label = "ลีดส์"
    localized = Action("send", "send", {"order": "KL-5", "town": label}, compare=("town",))
    in_thai = LocalizedValues("th", labels={"Lee": (label,)}, plan={"send": localized})
    assert measured((SEND,), *call("send", town=label), wording=in_thai).counts == {
        "planned": 1,
        "compared arguments": 1,
    }
    spoken_only = LocalizedValues("th", labels={"Lee": (label,)})
    counts = measured((SEND,), *call("send", town=label), wording=spoken_only).counts
    assert counts["other language"] == 1


@pytest.mark.parametrize(
    ("wanted", "given", "kind"),
    [
        ("KL-5", "kl 5", "format"),
        ("2024-05-01", "2024/05/01", "format"),
        ("5", 5, "type"),
        (5, 5.0, None),
        (True, 1, "type"),
        (5, None, "type"),
        ("credit card", "บัตรเครดิต", "other language"),
        ("Lee", "Leeds", "other value"),
        ("-", "--", "other value"),
        (["a", "b"], ["a", "B"], "format"),
        (["a", "b"], ["a"], "other value"),
        (["a", "b"], ["A", "c"], "other value"),
        ({"id": "7", "n": 1}, {"id": 7, "n": 1}, "type"),
        ({"id": "7"}, {"no": "7"}, "other value"),
    ],
)
def test_each_difference_has_a_kind(wanted: object, given: object, kind: str | None) -> None:
    assert argument_difference(wanted, given, {}) == kind


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["5", "a", ""]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.just("id"), inner),
    max_leaves=5,
)


@given(VALUES)
def test_nothing_differs_from_itself(value: object) -> None:
    assert argument_difference(value, value, {}) is None


@given(st.lists(st.sampled_from([FIND, PAY, SEND]), max_size=4), st.data())
def test_each_planned_action_is_in_one_place(plan: list[Action], data: st.DataObject) -> None:
    made: list[Mapping[str, object]] = data.draw(
        st.lists(st.sampled_from([FIND.arguments, PAY.arguments, {"order": "x"}]), max_size=4)
    )
    tools = data.draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=4, max_size=4))
    events = [
        event
        for tool, arguments in zip(tools, made, strict=False)
        for event in executed(ToolCall("1", tool, dict(arguments)))
    ]
    entries = measured(plan, *events).evidence
    planned = [entry for entry in entries if "planned" in entry.counts]
    assert len(planned) == len(plan)
    assert all(len(entry.counts) <= 2 for entry in planned)


def test_without_a_plan_or_with_more_than_one_value_that_would_do_there_is_no_mode() -> None:
    expected = (ExpectedValue(0, "name", (("Liam",), ("William",))),)
    assert asyncio.run(MODES.measure(case(None))).unscored == (
        "the task has no plan that calls could be set against"
    )
    assert asyncio.run(MODES.measure(case((FIND,), expected=expected))).unscored.startswith(
        "more than one value would do"
    )


@pytest.mark.parametrize(("kind", "before"), [("write", 1), ("generic", 0)])
def test_a_hand_over_that_the_plan_has_not_is_named_whatever_the_tool_is(
    monkeypatch: pytest.MonkeyPatch, kind: ToolKind, before: int
) -> None:
    monkeypatch.setitem(KINDS, "hand_over", kind)
    played = case((), *call("hand_over", reason="threat"))
    assert asyncio.run(MODES.measure(played)).counts == {"not in the plan": 1}
    earlier = asyncio.run(EARLIER_MODES.measure(played))
    assert earlier.counts.get("not in the plan", 0) == before
