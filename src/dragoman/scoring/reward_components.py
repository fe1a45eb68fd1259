"""Reward components without a judge: final database (DB), ENV_ASSERTION, ACTION, COMMUNICATE.

Every function returns its component whether or not the task's reward basis counts it; its verdict
is None if the task gives it nothing to judge.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, cast

import msgspec

from dragoman.core.episodes import Event, Message
from dragoman.core.language.localized_values import ENGLISH_VALUES, LocalizedValues
from dragoman.core.protocols import Environment, SetupEnvironment, StateDelta
from dragoman.core.replies import TextReply, ToolCallReply
from dragoman.core.rules import Rules
from dragoman.core.scores import ComponentScore, Evidence, Scored, Unscored
from dragoman.core.tasks import Action, Component, Criteria
from dragoman.core.tools import ToolCall
from dragoman.scoring.required_phrases import contains_localized_phrase, contains_phrase

WRONG_WORDING = "right value, wrong language"
"""Why a call counts although it was not written as its tool's language words it."""

_ABSENT = object()
_MAX_DIFFERENCES = 20


class LocalizedCalls(NamedTuple):
    """Calls as they were written, and the plan by action id as the tools' languages word it."""

    calls: Sequence[ToolCall]
    plan: Mapping[str, Action]


def state_component(
    criteria: Criteria, reached: Environment, expected: StateDelta
) -> ComponentScore:
    """DB: the world ended in the state that the reference plan leads to."""
    in_basis = "DB" in criteria.reward_basis
    if criteria.actions is None and criteria.env_assertions is None:
        return ComponentScore("DB", in_basis, None)
    delta = reached.delta()
    evidence = () if delta == expected else tuple(_state_evidence(delta, expected))
    return ComponentScore("DB", in_basis, Scored(float(delta == expected)), evidence)


def _state_evidence(reached: StateDelta, expected: StateDelta) -> Iterator[Evidence]:
    paths = sorted({*reached, *expected})
    differing = [path for path in paths if reached.get(path) != expected.get(path)]
    for path in differing[:_MAX_DIFFERENCES]:
        if path not in reached:
            why = "the reference plan changes this record, the conversation did not"
        elif path not in expected:
            why = "the conversation changed this record, the reference plan does not"
        else:
            why = "changed otherwise than by the reference plan"
        yield Evidence("/".join(path), False, why)
    if len(differing) > _MAX_DIFFERENCES:
        yield Evidence(f"{len(differing) - _MAX_DIFFERENCES} more records", False, "differ too")


def assertion_component(criteria: Criteria, reached: Environment) -> ComponentScore:
    """ENV_ASSERTION: functions of the world return what the task expects."""
    in_basis = "ENV_ASSERTION" in criteria.reward_basis
    if not criteria.env_assertions:
        return ComponentScore("ENV_ASSERTION", in_basis, None)
    if not issubclass(type(reached), SetupEnvironment):
        return ComponentScore("ENV_ASSERTION", in_basis, Unscored("its world has no functions"))
    functions = cast("SetupEnvironment", reached)
    evidence = tuple(
        Evidence(
            assertion.call.name,
            functions.run_function(assertion.call) == assertion.expected,
            assertion.message or "",
        )
        for assertion in criteria.env_assertions
    )
    return _all_met("ENV_ASSERTION", in_basis, evidence)


def action_component(
    criteria: Criteria,
    calls: Sequence[ToolCall],
    environment: Environment,
    rules: Rules,
    written: LocalizedCalls | None = None,
) -> ComponentScore:
    """ACTION: every call of the reference plan was made at some point.

    Args:
        criteria: The criteria with the plan.
        calls: The calls, in the world's own values.
        environment: Environment that knows the side of each tool.
        rules: Rules on which arguments are compared, and whether the caller matters.
        written: The same calls as written, if tools are in another language.
    """
    in_basis = "ACTION" in criteria.reward_basis
    if not criteria.actions:
        return ComponentScore("ACTION", in_basis, None)
    made = _calls_by_name(calls)
    raw = None if written is None else _calls_by_name(written.calls)
    evidence = tuple(
        _add_wording_verdict(
            Evidence(
                f"{action.id} {action.name}",
                _is_made(action, made, environment, rules),
                kind=environment.kind(action.name) or "",
            ),
            None
            if raw is None or written is None
            else _is_made(written.plan[action.id], raw, environment, rules),
        )
        for action in criteria.actions
    )
    return _all_met("ACTION", in_basis, evidence)


def _calls_by_name(calls: Sequence[ToolCall]) -> dict[str, list[ToolCall]]:
    by_name: dict[str, list[ToolCall]] = {}
    for call in calls:
        by_name.setdefault(call.name, []).append(call)
    return by_name


def _is_made(
    action: Action, calls: Mapping[str, Sequence[ToolCall]], environment: Environment, rules: Rules
) -> bool:
    return any(
        arguments_match(action, call.arguments, rules)
        and (not rules.planned_side_must_call or environment.owner(call) == action.by)
        for call in calls.get(action.name, ())
    )


def _add_wording_verdict(entry: Evidence, raw: bool | None) -> Evidence:
    """Return evidence with a second verdict: on the arguments as they were written."""
    if raw is None:
        return entry
    why = WRONG_WORDING if entry.met and not raw else entry.why
    return msgspec.structs.replace(entry, raw=raw, why=why)


def arguments_match(action: Action, arguments: Mapping[str, object], rules: Rules) -> bool:
    """Return whether a call has the planned arguments, by the keys that the rules compare."""
    planned = action.arguments
    if action.compare is not None:
        keys: Sequence[str] = action.compare
    elif rules.absent_arguments_must_match:
        return planned == arguments
    else:
        keys = tuple(arguments)
    return all(planned.get(key, _ABSENT) == arguments.get(key, _ABSENT) for key in keys)


def communicate_component(
    criteria: Criteria,
    events: Sequence[Event],
    rules: Rules,
    wording: LocalizedValues = ENGLISH_VALUES,
) -> ComponentScore:
    """COMMUNICATE: the agent said what must be said, each thing within one message."""
    in_basis = "COMMUNICATE" in criteria.reward_basis
    if not criteria.communicate_info:
        return ComponentScore("COMMUNICATE", in_basis, None)
    said = agent_texts(events, only_delivered=rules.words_must_be_delivered)
    evidence = []
    for wanted in criteria.communicate_info:
        entry = Evidence(
            wanted, any(contains_localized_phrase(text, wanted, rules, wording) for text in said)
        )
        if not wording.is_english:
            raw = any(contains_phrase(text, wanted, rules) for text in said)
            entry = msgspec.structs.replace(entry, raw=raw)
        evidence.append(entry)
    return _all_met("COMMUNICATE", in_basis, tuple(evidence))


def agent_texts(events: Sequence[Event], *, only_delivered: bool = False) -> list[str]:
    """Return every text of the agent.

    Texts next to calls were written, but delivered to nobody.
    """
    texts = []
    for event in events:
        if isinstance(event, Message) and event.by == "agent":
            match event.reply:
                case TextReply(utterance=utterance):
                    texts.append(utterance.intended)
                case ToolCallReply(text=str() as text) if not only_delivered:
                    texts.append(text)
                case _:
                    pass
    return texts


def _all_met(
    component: Component, in_basis: bool, evidence: tuple[Evidence, ...]
) -> ComponentScore:
    met = all(entry.met for entry in evidence)
    return ComponentScore(component, in_basis, Scored(float(met)), evidence)
