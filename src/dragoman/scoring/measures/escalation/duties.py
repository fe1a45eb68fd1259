"""Which tasks a person must take over: by their plan, or by a duty of the suite's policy."""

from collections.abc import Sequence

from dragoman.core.tasks import Action, Escalation, Stakes, Task

REASON = "reason"
"""The argument by which a hand-over names its duty, in suites whose tool has one."""


def planned_hand_over(task: Task, stakes: Stakes) -> Action | None:
    """Return the action of a task's plan that hands over, None where it has none."""
    actions = () if task.criteria is None else task.criteria.actions or ()
    handing = (each for each in actions if each.by == "agent")
    return next((each for each in handing if each.name == stakes.escalation_tool), None)


def duties_of(task: Task, stakes: Stakes) -> Sequence[Escalation]:
    """Return the suite's duties to hand over that apply in a task."""
    planned = planned_hand_over(task, stakes)
    reason = None if planned is None else planned.arguments.get(REASON)
    return tuple(
        each for each in stakes.escalations if each.reason == reason or each.concerns(task.id)
    )
