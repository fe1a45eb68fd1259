"""Critical fields: declared or derived, each set against the nearest call that was made."""

import asyncio
from typing import cast

from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.measures import MeasureResult, ScoringContext
from dragoman.core.protocols import Environment
from dragoman.core.replies import ToolCallReply
from dragoman.core.tasks import Action, Criteria, CriticalField, Scenario, Task
from dragoman.core.tools import ToolCall, ToolKind, ToolResult
from dragoman.scoring.measures.critical_fields import CRITICAL, critical_actions

PLAN = (
    Action("find", "find", {"name": "Liam"}),
    Action("pay", "pay", {"order": "5", "cents": 300}),
    Action("send", "send", {"order": "5", "town": "Lee"}, compare=("town",)),
    Action("tap", "pay", {"order": "6", "cents": 1}, by="user"),
)
KINDS: dict[str, ToolKind] = {"find": "read", "pay": "write", "send": "write"}


class Kinds:
    """An environment of which only the kinds of tools are used."""

    def kind(self, name: str) -> ToolKind | None:
        return KINDS.get(name)


def task(*critical: CriticalField, plan: tuple[Action, ...] = PLAN) -> Task:
    criteria = Criteria(reward_basis=("DB",), actions=plan)
    return Task("7", "suite", "digest", Scenario("Ask."), criteria=criteria, critical=critical)


def measured(
    reported: Task, *calls: ToolCall, failed: frozenset[str] = frozenset()
) -> MeasureResult:
    events: list[Event] = []
    for call in calls:
        error = call.id in failed
        events += [Message("agent", ToolCallReply((call,)))]
        events += [ToolResult(call.id, call.name, "", call.by, error=error)]
    episode = Episode(tuple(events), Termination("user_stop"), len(events), 0)
    case = ScoringContext(reported, episode, lambda _: cast("Environment", Kinds()))
    return asyncio.run(CRITICAL.measure(case))


def pay(call_id: str, order: str, cents: int) -> ToolCall:
    return ToolCall(call_id, "pay", {"order": order, "cents": cents})


def test_without_a_declaration_they_are_what_the_agents_changes_are_compared_by() -> None:
    found = [(each.action.id, each.arguments) for each in critical_actions(task(), Kinds().kind)]
    assert found == [("pay", ("order", "cents")), ("send", ("town",))]


def test_what_a_task_declares_goes_before() -> None:
    (found,) = critical_actions(task(CriticalField("find", "name")), Kinds().kind)
    assert (found.action.id, found.arguments, found.is_declared) == ("find", ("name",), True)


def test_each_action_is_set_against_the_nearest_call() -> None:
    found = measured(task(), pay("1", "9", 1), pay("2", "5", 30))
    assert found.counts == {"fields": 3, "right": 1}
    assert [(entry.subject, entry.why) for entry in found.evidence] == [
        ("pay.order", ""),
        ("pay.cents", "30 for 300"),
        ("send.town", "the action was not made"),
    ]


def test_no_call_stands_for_two_actions_and_none_that_failed_for_any() -> None:
    twice = task(plan=(PLAN[1], PLAN[1]))
    assert measured(twice, pay("1", "5", 300)).counts == {"fields": 4, "right": 2}
    assert measured(twice, pay("1", "5", 300), failed=frozenset({"1"})).counts["right"] == 0


def test_where_nothing_is_to_be_changed_there_is_no_rate() -> None:
    assert measured(task(plan=(PLAN[0],))).counts == {}
