"""Errors of the agent's calls and their corrections, in hand-written conversations."""

import asyncio
from collections.abc import Sequence
from typing import cast

import msgspec
import pytest

from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.measures import MeasureResult, MeasureSetting, ScoringContext
from dragoman.core.protocols import Environment
from dragoman.core.replies import TextReply, ToolCallReply, Utterance, text_reply
from dragoman.core.tasks import Action, Criteria, RiskProfile, Scenario, Task
from dragoman.core.texts.expected_values import ExpectedValue
from dragoman.core.tools import ToolCall, ToolKind, ToolResult
from dragoman.scoring.measures.recovery import EARLIER_RECOVERY, recovery_measure

PLAN = (
    Action("find", "find", {"name": "Holt"}),
    Action("pay", "pay", {"order": "KL-4830", "cents": 300}),
)
KINDS: dict[str, ToolKind] = {"find": "read", "look": "read", "pay": "write", "undo": "write"}
KINDS["hand_over"] = "write"

RECOVERY = recovery_measure(RiskProfile(escalation_tool="hand_over"))


class Kinds:
    """An environment of which only the kinds of tools are used."""

    def kind(self, name: str) -> ToolKind | None:
        return KINDS.get(name)


def call(tool: str, /, *, error: bool = False, **arguments: object) -> tuple[Event, Event]:
    made = ToolCall("1", tool, dict(arguments))
    return Message("agent", ToolCallReply((made,))), ToolResult("1", tool, "", "agent", error=error)


def aloud(intended: str, heard: str) -> Message:
    return Message("user", TextReply(Utterance(intended, spoken=intended, heard=heard)))


def case(events: Sequence[Event], plan: tuple[Action, ...] | None = PLAN) -> ScoringContext:
    criteria = Criteria(reward_basis=("DB",), actions=plan)
    task = Task("7", "suite", "digest", Scenario("Ask."), criteria=criteria)
    episode = Episode(tuple(events), Termination("user_stop"), len(events), 0)
    return ScoringContext(task, episode, lambda _: cast("Environment", Kinds()))


def measured(*events: Event) -> MeasureResult:
    return asyncio.run(RECOVERY.measure(case(events)))


def test_a_conversation_without_errors_counts_nothing() -> None:
    done = (*call("find", name="Holt"), *call("look"), *call("pay", order="KL-4830", cents=300))
    assert measured(*done).counts == {}


def test_a_call_that_failed_is_recovered_where_its_tool_succeeds_later() -> None:
    found = measured(
        *call("look", error=True), Message("agent", text_reply("One moment.")), *call("look")
    )
    assert found.counts == {"errors": 1, "tool errors": 1, "recovered": 1, "recovery turns": 2}
    assert (found.evidence[0].position, found.evidence[0].subject) == (0, "look")
    assert found.evidence[0].why == "tool errors: recovered by event 3"


def test_two_failed_attempts_before_one_that_succeeds_are_two_recovered_errors() -> None:
    found = measured(*call("look", error=True), *call("look", error=True), *call("look"))
    assert found.counts == {"errors": 2, "tool errors": 2, "recovered": 2, "recovery turns": 3}


def test_what_only_another_tool_does_later_is_not_recovered() -> None:
    found = measured(*call("look", error=True), *call("find", name="Holt"))
    assert found.counts == {"errors": 1, "tool errors": 1, "recovered": 0}


def test_a_lookup_that_failed_is_recovered_by_another_way_of_the_same_lookup() -> None:
    found = measured(*call("find_user_by_email", error=True), *call("find_users_by_name"))
    assert found.counts == {"errors": 1, "tool errors": 1, "recovered": 1, "recovery turns": 1}
    assert [entry.position for entry in found.evidence] == [0, 2]
    other = measured(*call("find_user_by_email", error=True), *call("find_order_by_email"))
    assert other.counts["recovered"] == 0


def test_a_change_that_failed_is_recovered_by_the_plans_values_alone() -> None:
    failed = call("pay", error=True, order="KL-4830", cents=300)
    wrong = measured(*failed, *call("pay", order="KL-4830", cents=3))
    assert wrong.counts == {"errors": 2, "tool errors": 1, "recovered": 0, "wrong actions": 1}
    right = measured(*failed, *call("pay", order="KL-4830", cents=300))
    assert right.counts == {"errors": 1, "tool errors": 1, "recovered": 1, "recovery turns": 1}


def test_a_wrong_action_is_recovered_where_the_planned_one_is_made_later() -> None:
    found = measured(
        *call("pay", order="KL-4830", cents=3), *call("pay", order="KL-4830", cents=300)
    )
    assert found.counts == {"errors": 1, "wrong actions": 1, "recovered": 1, "recovery turns": 1}


def test_a_change_that_the_plan_has_not_is_a_wrong_action() -> None:
    assert measured(*call("undo")).counts == {"errors": 1, "wrong actions": 1, "recovered": 0}


def test_a_value_that_was_misrecognized_and_called_with_is_an_error_even_in_a_reading_call() -> (
    None
):
    found = measured(
        aloud("My name is Holt.", "My name is Holtz."),
        *call("find", name="Holtz"),
        Message("agent", text_reply("I cannot find you. Please spell your name?")),
        aloud("Holt.", "Holt."),
        *call("find", name="Holt"),
    )
    assert found.counts == {"errors": 1, "misheard values": 1, "recovered": 1, "recovery turns": 2}
    assert found.evidence[0].why == "misheard values: recovered by event 5"


def test_a_value_that_was_heard_and_called_wrongly_is_not_misrecognized() -> None:
    said = aloud("My order is KL-4830.", "My order is KL-4830.")
    found = measured(said, *call("pay", order="KL-4831", cents=300))
    assert found.counts == {"errors": 1, "wrong actions": 1, "recovered": 0}


def test_what_the_user_calls_is_none_of_the_agents_errors() -> None:
    made = ToolCall("1", "look", {}, "user")
    failed = (
        Message("user", ToolCallReply((made,))),
        ToolResult("1", "look", "", "user", error=True),
    )
    assert measured(*failed).counts == {}


def test_where_the_log_cannot_decide_nothing_is_counted() -> None:
    without = asyncio.run(RECOVERY.measure(case((), plan=None)))
    assert without.unscored == "the task has no plan by which wrong actions could be told"
    several = msgspec.structs.replace(case(()), expected=(ExpectedValue(0, "name", (("a",),)),))
    assert "more than one value" in asyncio.run(RECOVERY.measure(several)).unscored
    broken = Episode((), Termination("infrastructure_error", "529"), 0, 0)
    fault = msgspec.structs.replace(case(()), episode=broken, setting=MeasureSetting())
    assert asyncio.run(RECOVERY.measure(fault)).unscored == "infrastructure: 529"


@pytest.mark.parametrize(("kind", "before"), [("write", 1), ("generic", 0)])
def test_a_hand_over_that_the_plan_has_not_is_no_error_whatever_the_tool_is(
    monkeypatch: pytest.MonkeyPatch, kind: ToolKind, before: int
) -> None:
    monkeypatch.setitem(KINDS, "hand_over", kind)
    events = call("hand_over", reason="threat")
    assert measured(*events).counts == {}
    earlier = asyncio.run(EARLIER_RECOVERY.measure(case(events)))
    assert earlier.counts.get("errors", 0) == before


def test_a_planned_hand_over_for_another_reason_is_a_wrong_action() -> None:
    plan = (Action("over", "hand_over", {"reason": "minor"}),)
    found = asyncio.run(RECOVERY.measure(case(call("hand_over", reason="threat"), plan)))
    assert found.counts == {"errors": 1, "wrong actions": 1, "recovered": 0}


def test_a_hand_over_that_was_refused_is_an_error_of_a_tool() -> None:
    found = measured(*call("hand_over", error=True))
    assert found.counts == {"errors": 1, "tool errors": 1, "recovered": 0}
