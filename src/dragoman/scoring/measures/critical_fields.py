"""Measure `critical`: accuracy of critical fields, the arguments that decide about a task.

If a task declares none, they are all arguments of what the agent is planned to change, as far as
the plan compares them (MM-tau-p2, section 2.1). Each planned action is paired with the call of
its tool that succeeded and has most of them right; no call stands for two actions. An action that
was not made has none right.
"""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from dragoman.core.episodes import executed_calls
from dragoman.core.measures import CountedItem, Rate, ScoringContext, Total
from dragoman.core.scores import Unscored
from dragoman.core.tasks import Action, Task
from dragoman.core.tools import ToolCall, ToolKind
from dragoman.scoring.measures.count_measure import CountMeasure

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


_ABSENT = object()


def count_critical(case: ScoringContext) -> Iterator[CountedItem] | Unscored:
    """Yield an entry for each critical field; none if nothing is planned to be changed."""
    if case.fault:
        return Unscored(case.fault)
    return _count_critical_fields(case)


def _count_critical_fields(case: ScoringContext) -> Iterator[CountedItem]:
    made = [
        call
        for call, result in executed_calls(case.episode.events)
        if result is not None and not result.error
    ]
    for planned in critical_actions(case.task, case.factory(case.task).kind):
        call = _nearest(planned, made)
        if call is not None:
            made.remove(call)
        for name in planned.arguments:
            yield _field(planned, name, call)


def _nearest(planned: CriticalAction, made: Sequence[ToolCall]) -> ToolCall | None:
    own = [
        call for call in made if call.name == planned.action.name and call.by == planned.action.by
    ]
    return max(own, key=lambda call: _right(planned, call), default=None)


def _right(planned: CriticalAction, call: ToolCall) -> int:
    return sum(_is_right(planned, name, call) for name in planned.arguments)


def _is_right(planned: CriticalAction, name: str, call: ToolCall) -> bool:
    return planned.action.arguments.get(name, _ABSENT) == call.arguments.get(name, _ABSENT)


def _field(planned: CriticalAction, name: str, call: ToolCall | None) -> CountedItem:
    is_right = call is not None and _is_right(planned, name, call)
    why = ""
    if call is None:
        why = "the action was not made"
    elif not is_right:
        wanted, found = planned.action.arguments.get(name), call.arguments.get(name)
        why = f"{found!r:.80} for {wanted!r:.80}"
    return CountedItem(
        {"fields": 1, "right": int(is_right)}, subject=f"{planned.action.name}.{name}", why=why
    )


CRITICAL = CountMeasure(
    "critical",
    "1",
    count_critical,
    (
        Total("critical fields", ("fields",)),
        Rate("critical field accuracy", ("right",), ("fields",)),
    ),
)
