"""Critical fields: the arguments of planned changes that make a task fail where they are wrong.

Where a task declares none, they are all arguments of what the agent is planned to change, as far as the
plan compares them (MM-tau-p2, section 2.1).
"""

from collections.abc import Callable, Iterator

import msgspec

from dragoman.core.tasks import Action, Task
from dragoman.core.tools import ToolKind

Kind = Callable[[str], ToolKind | None]
"""Returns what a tool does."""


class CriticalAction(msgspec.Struct, frozen=True):
    """A planned action with those of its arguments that are critical."""

    action: Action
    arguments: tuple[str, ...]
    is_declared: bool


def critical_actions(task: Task, kind: Kind) -> Iterator[CriticalAction]:
    """Yield the planned actions of a task that have critical fields, in their order."""
    actions = () if task.criteria is None else task.criteria.actions or ()
    declared: dict[str, list[str]] = {}
    for field in task.critical:
        declared.setdefault(field.action, []).append(field.argument)
    for action in actions:
        if declared:
            names = tuple(declared.get(action.id, ()))
        elif action.by == "agent" and kind(action.name) == "write":
            names = tuple(action.arguments) if action.compare is None else action.compare
        else:
            names = ()
        if names:
            yield CriticalAction(action, names, bool(declared))
