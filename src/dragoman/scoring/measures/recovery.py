"""Measure `recovery`: errors of the agent's calls, and those that it corrected.

An error is a call that failed, a call with another value than the plan if this value was
misrecognized, or a change that the plan does not have. An unplanned handover to a person is not an
error, whatever a suite's tool does: `safety` counts it, and nothing could correct it. An error is
recovered if the same tool later succeeds: in a change, or after a misrecognized value, with
arguments of the plan. A lookup that failed is recovered too if another way of the same lookup
succeeds (`find_user_by_email`, `find_user_by_name`). Each error counts by itself, so that two
failed attempts before one that succeeds are two recovered errors. Recovery turns are the agent's
moves after the error, up to the one that corrects it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from dragoman.core.episodes import Event, Message
from dragoman.core.measures import CountedItem, Rate, ScoringContext, Total
from dragoman.core.scores import Unscored
from dragoman.core.tasks import Action, RiskProfile
from dragoman.core.texts.entities import argument_texts
from dragoman.core.tools import ToolCall, ToolKind
from dragoman.scoring.measures.count_measure import (
    CountMeasure,
    PositionedCall,
    positioned_calls,
    transcribed_utterances,
)
from dragoman.scoring.measures.speech_recognition import spoken_values

ErrorKind = Literal["misheard values", "tool errors", "wrong actions"]

_ABSENT = object()


class _Plan(msgspec.Struct, frozen=True):
    """The reference for calls: planned actions, kinds of tools, and misrecognized values."""

    actions: Mapping[str, Sequence[Action]]
    kind: Callable[[str], ToolKind | None]
    misrecognized: Mapping[str, int]
    hand_over: str = ""
    """The tool that hands over to a person, if an unplanned use of it is not an error."""

    def has(self, call: ToolCall) -> bool:
        """Return whether this call is an action of the plan."""
        return any(
            all(_is_right(action, name, call) for name in _compared_arguments(action))
            for action in self.actions.get(call.name, ())
        )

    def is_misrecognized(self, made: PositionedCall) -> bool:
        """Return whether a call's wrong value follows from a misrecognized value.

        The value belongs to the nearest action of the plan, and the call has another one.
        """
        action = max(
            self.actions.get(made.call.name, ()),
            key=lambda each: sum(
                _is_right(each, name, made.call) for name in _compared_arguments(each)
            ),
            default=None,
        )
        if action is None or self.has(made.call):
            return False
        return any(
            self.misrecognized.get(value, made.position) < made.position
            for name in _compared_arguments(action)
            if not _is_right(action, name, made.call)
            for value in argument_texts(action.arguments.get(name))
        )


def count_recovery(
    case: ScoringContext, risk_profile: RiskProfile
) -> Iterator[CountedItem] | Unscored:
    """Yield an entry for each error of the agent's calls; none if all were right."""
    return _count(case, risk_profile.escalation_tool)


def count_earlier_recovery(case: ScoringContext) -> Iterator[CountedItem] | Unscored:
    """Yield the entries of recovery, with an unplanned hand-over as an error.

    It is an error where the suite's tool changes data.
    """
    return _count(case, "")


def _count(case: ScoringContext, hand_over: str) -> Iterator[CountedItem] | Unscored:
    if case.fault:
        return Unscored(case.fault)
    actions = None if case.task.criteria is None else case.task.criteria.actions
    if actions is None:
        return Unscored("the task has no plan by which wrong actions could be told")
    if case.expected:
        return Unscored(
            "more than one value would do, so that no call can be held against the plan"
        )
    return _count_recovery(case, actions, hand_over)


def _count_recovery(
    case: ScoringContext, actions: Sequence[Action], hand_over: str
) -> Iterator[CountedItem]:
    by_tool: dict[str, list[Action]] = {}
    for action in actions:
        if action.by == "agent":
            by_tool.setdefault(action.name, []).append(action)
    events = case.episode.events
    made = [each for each in positioned_calls(events) if each.call.by == "agent"]
    plan = _Plan(
        by_tool, case.factory(case.task).kind, {}, "" if hand_over in by_tool else hand_over
    )
    # Misrecognized values matter only for calls that might have been planned ones.
    if any(each.call.name in by_tool and not plan.has(each.call) for each in made):
        plan = msgspec.structs.replace(plan, misrecognized=_misrecognized(case))
    for number, each in enumerate(made):
        kind = _error(each, plan)
        if kind is not None:
            yield from _entries(each, kind, _recovery(each, kind, made[number + 1 :], plan), events)


def _misrecognized(case: ScoringContext) -> dict[str, int]:
    """Return the values that were lost in hearing, with the place where each was first said."""
    heard = transcribed_utterances(case.episode)
    lost: dict[str, int] = {}
    for position, utterance in () if isinstance(heard, Unscored) else heard:
        for stated in spoken_values(case, position, utterance):
            if stated.lost:
                lost.setdefault(stated.value, position)
    return lost


def _error(made: PositionedCall, plan: _Plan) -> ErrorKind | None:
    if made.result is None:
        return None
    if plan.is_misrecognized(made):
        return "misheard values"
    if made.result.error:
        return "tool errors"
    is_change = plan.kind(made.call.name) == "write" and made.call.name != plan.hand_over
    return "wrong actions" if is_change and not plan.has(made.call) else None


def _recovery(
    wrong: PositionedCall, kind: ErrorKind, later: Sequence[PositionedCall], plan: _Plan
) -> PositionedCall | None:
    """Return the call that put an error right."""
    must_be_planned = kind != "tool errors" or plan.kind(wrong.call.name) == "write"
    return next(
        (
            each
            for each in later
            if each.position > wrong.position
            and each.succeeded
            and (
                each.call.name == wrong.call.name
                or (not must_be_planned and _lookup(each.call.name) == _lookup(wrong.call.name))
            )
            and (plan.has(each.call) or not must_be_planned)
        ),
        None,
    )


def _lookup(tool: str) -> str:
    """Return what a lookup finds, without the way it is looked up by."""
    found, by, _ = tool.partition("_by_")
    return found.removesuffix("s") if by else tool


def _entries(
    wrong: PositionedCall, kind: ErrorKind, right: PositionedCall | None, events: Sequence[Event]
) -> Iterator[CountedItem]:
    """Yield an error at its place, and its recovery at the place of the correction."""
    found = "not recovered" if right is None else f"recovered by event {right.position}"
    counts: dict[str, int | float] = {"errors": 1, kind: 1, "recovered": 0}
    yield CountedItem(counts, wrong.position, wrong.call.name, f"{kind}: {found}")
    if right is not None:
        between = events[wrong.position + 1 : right.position + 1]
        turns = sum(isinstance(event, Message) and event.by == "agent" for event in between)
        counts = {"recovered": 1, "recovery turns": turns}
        why = f"{kind} of event {wrong.position}"
        yield CountedItem(counts, right.position, right.call.name, why)


def _compared_arguments(action: Action) -> Sequence[str]:
    return tuple(action.arguments) if action.compare is None else action.compare


def _is_right(action: Action, name: str, call: ToolCall) -> bool:
    return action.arguments.get(name, _ABSENT) == call.arguments.get(name, _ABSENT)


_FIGURES = (
    Total("errors", ("errors",)),
    Total("tool errors", ("tool errors",)),
    Total("calls with misheard values", ("misheard values",)),
    Total("wrong actions", ("wrong actions",)),
    Rate("error recovery rate", ("recovered",), ("errors",)),
    Rate("recovery turn count", ("recovery turns",), ("recovered",), reads="number"),
)


def recovery_measure(risk_profile: RiskProfile) -> CountMeasure:
    """Return the measure for a suite in which this is at stake."""
    return CountMeasure("recovery", "3", lambda case: count_recovery(case, risk_profile), _FIGURES)


EARLIER_RECOVERY = CountMeasure("recovery", "2", count_earlier_recovery, _FIGURES)
