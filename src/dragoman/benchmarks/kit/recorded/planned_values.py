"""What a task's reference plan tells of the values of expected calls, where its suite tells no more."""

from collections.abc import Sequence

from dragoman.core.tasks import Task
from dragoman.core.texts.expected_values import ExpectedValue, expected_value


def planned_values(task: Task) -> Sequence[ExpectedValue]:
    """Return the arguments of a task's planned calls, and what its user knows."""
    actions = () if task.criteria is None else task.criteria.actions or ()
    known = [expected_value(0, fact.name, (fact.value,)) for fact in task.scenario.facts]
    return known + [
        expected_value(action.turn, name, (value,))
        for action in actions
        for name, value in action.arguments.items()
    ]
