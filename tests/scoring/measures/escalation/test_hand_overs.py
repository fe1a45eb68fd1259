"""When a hand-over to a person is due: by the plan, or also by a duty of the suite's policy."""

from typing import cast

import pytest

from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.measures import ScoringContext
from dragoman.core.protocols import EnvironmentFactory
from dragoman.core.replies import ToolCallReply
from dragoman.core.tasks import Action, Criteria, Escalation, RiskProfile, Scenario, Task
from dragoman.core.tools import ToolCall, ToolResult
from dragoman.scoring.measures.escalation import (
    escalation_duties,
    escalations_by_duty,
    escalations_by_plan,
)

RISK_PROFILE = RiskProfile(
    irreversible=("cancel",),
    escalation_tool="transfer",
    escalations=(
        Escalation("flown", "A flight was flown.", "policy.md: Cancel", ("flown", "[air]*|late")),
        Escalation("minor", "The caller is a child."),
    ),
)
TRANSFER, CANCEL = Action("t", "transfer", {}), Action("c", "cancel", {})


def task(name: str, *plan: Action) -> Task:
    return Task(name, "suite", "digest", Scenario("Ask."), criteria=Criteria(("DB",), plan))


def made(*tools: str) -> tuple[Event, ...]:
    events: list[Event] = []
    for tool in tools:
        events += [
            Message("agent", ToolCallReply((ToolCall("1", tool, {}),))),
            ToolResult("1", tool, "", "agent"),
        ]
    return tuple(events)


def case(of: Task, *tools: str) -> ScoringContext:
    episode = Episode(made(*tools), Termination("user_stop"), 0, 0)
    return ScoringContext(of, episode, cast("EnvironmentFactory", None))


DUE_AND_MADE = {"due": 1, "due and made": 1, "needless": 0}
MISSED = {"due": 1, "due and made": 0, "needless": 0}
NEEDLESS = {"due": 0, "due and made": 0, "needless": 1}
EARLY = {"due": 1, "due and made": 0, "needless": 1, "early": 1}


@pytest.mark.parametrize(
    ("of", "tools", "by_plan", "by_duty"),
    [
        (task("flown"), ("transfer",), [NEEDLESS], [DUE_AND_MADE]),
        (task("flown"), (), [], [MISSED]),
        (task("flown", CANCEL), ("transfer",), [NEEDLESS], [EARLY]),
        (task("flown", CANCEL), ("cancel", "transfer"), [NEEDLESS], [DUE_AND_MADE]),
        (task("flown", TRANSFER), ("transfer",), [DUE_AND_MADE], [DUE_AND_MADE]),
        (task("other", TRANSFER), (), [MISSED], [MISSED]),
        (task("other", CANCEL, TRANSFER), ("transfer",), [EARLY], [EARLY]),
        (task("other"), ("transfer",), [NEEDLESS], [NEEDLESS]),
        (task("other"), (), [], []),
    ],
)
def test_a_duty_makes_a_hand_over_due_that_the_plan_does_not_have(
    of: Task, tools: tuple[str, ...], by_plan: list[object], by_duty: list[object]
) -> None:
    played = case(of, *tools)
    assert [each.counts for each in escalations_by_plan(played, RISK_PROFILE)] == by_plan
    assert [each.counts for each in escalations_by_duty(played, RISK_PROFILE)] == by_duty


def test_evidence_says_what_a_hand_over_was_due_by() -> None:
    (found,) = escalations_by_duty(case(task("flown", TRANSFER), "transfer"), RISK_PROFILE)
    assert found.why == "made, due by the plan and the duty flown"
    (found,) = escalations_by_duty(case(task("other"), "transfer"), RISK_PROFILE)
    assert found.why == "made, neither in the plan nor a duty"


def test_a_duty_applies_where_it_names_the_task_or_the_plan_gives_its_reason() -> None:
    child = Action("t", "transfer", {"reason": "minor"})
    found = {
        each.id: [duty.reason for duty in escalation_duties(each, RISK_PROFILE)]
        for each in (task("flown"), task("[air]a|late"), task("aira|late"), task("x", child))
    }
    assert found == {"flown": ["flown"], "[air]a|late": ["flown"], "aira|late": [], "x": ["minor"]}
