"""The components of a reward that need no judge, each with its evidence.

Every function returns the component whether or not the task's basis counts it; its verdict is None
where the task gives it nothing to judge.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from dragoman.core.episodes import Event, Move
from dragoman.core.protocols import StateDelta, World
from dragoman.core.rules import Rules
from dragoman.core.scores import ComponentScore, Evidence, Scored
from dragoman.core.speech import Called, Said
from dragoman.core.tasks import Action, Component, Criteria
from dragoman.core.tools import ToolCall

# Thousands may be set off by commas. A code with a leading zero is not a number.
_DIGITS = r"(?:\d{1,3}(?:,\d{3}){1,9}(?!\d)|\d{1,40})(?:\.\d{1,30})?|\.\d{1,30}"
_NUMBER = re.compile(rf"(?<![\w.])-?(?:{_DIGITS})(?![\w]*_)")
_CODE = re.compile(r"-?0[\d,]")
_ABSENT = object()
_MAX_DIFFERENCES = 20


def state_component(criteria: Criteria, reached: World, expected: StateDelta) -> ComponentScore:
    """DB: the world ended in the state that the reference plan leads to."""
    in_basis = "DB" in criteria.basis
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


def assertion_component(criteria: Criteria, reached: World) -> ComponentScore:
    """ENV_ASSERTION: functions of the world return what the task expects."""
    in_basis = "ENV_ASSERTION" in criteria.basis
    if not criteria.env_assertions:
        return ComponentScore("ENV_ASSERTION", in_basis, None)
    evidence = tuple(
        Evidence(
            assertion.call.name,
            reached.run_function(assertion.call) == assertion.expected,
            assertion.message or "",
        )
        for assertion in criteria.env_assertions
    )
    return _all_met("ENV_ASSERTION", in_basis, evidence)


def action_component(
    criteria: Criteria, calls: Sequence[ToolCall], world: World, rules: Rules
) -> ComponentScore:
    """ACTION: every call of the reference plan was made at some point."""
    in_basis = "ACTION" in criteria.basis
    if not criteria.actions:
        return ComponentScore("ACTION", in_basis, None)
    by_name: dict[str, list[ToolCall]] = {}
    for call in calls:
        by_name.setdefault(call.name, []).append(call)
    evidence = tuple(
        Evidence(
            f"{action.id} {action.name}",
            any(
                matches(action, call.arguments, rules)
                and (not rules.planned_side_must_call or world.owner(call) == action.by)
                for call in by_name.get(action.name, ())
            ),
            kind=world.kind(action.name) or "",
        )
        for action in criteria.actions
    )
    return _all_met("ACTION", in_basis, evidence)


def matches(action: Action, arguments: Mapping[str, object], rules: Rules) -> bool:
    """Whether a call's arguments are the planned ones, by the keys that the rules compare."""
    planned = action.arguments
    if action.compare is not None:
        keys: Sequence[str] = action.compare
    elif rules.absent_arguments_must_match:
        return planned == arguments
    else:
        keys = tuple(arguments)
    return all(planned.get(key, _ABSENT) == arguments.get(key, _ABSENT) for key in keys)


def communicate_component(
    criteria: Criteria, events: Sequence[Event], rules: Rules
) -> ComponentScore:
    """COMMUNICATE: the agent said what must be said, each thing within one message."""
    in_basis = "COMMUNICATE" in criteria.basis
    if not criteria.must_say:
        return ComponentScore("COMMUNICATE", in_basis, None)
    said = agent_texts(events, only_delivered=rules.words_must_be_delivered)
    evidence = tuple(
        Evidence(wanted, any(says(text, wanted, rules) for text in said))
        for wanted in criteria.must_say
    )
    return _all_met("COMMUNICATE", in_basis, evidence)


def agent_texts(events: Sequence[Event], *, only_delivered: bool = False) -> list[str]:
    """Return every text of the agent; those beside calls were written, but delivered to nobody."""
    texts = []
    for event in events:
        if isinstance(event, Move) and event.by == "agent":
            match event.reply:
                case Said(utterance=utterance):
                    texts.append(utterance.intended)
                case Called(text=str() as text) if not only_delivered:
                    texts.append(text)
                case _:
                    pass
    return texts


def says(text: str, wanted: str, rules: Rules) -> bool:
    """Whether a message contains what must be said.

    The reference looks for the characters in the message without its commas. Where numbers are
    compared whole, 327 is not found in 1327, and 1,327.50 is found for 1327.5.
    """
    number = number_in(wanted) if rules.numbers_match_whole else None
    if number is not None:
        return number in numbers_in(text)
    if rules.numbers_match_whole:
        wanted = wanted.replace(",", "")
    return wanted.lower() in text.lower().replace(",", "")


def numbers_in(text: str) -> set[Decimal]:
    """Return the numbers that stand in a text as wholes."""
    found = (match.group() for match in _NUMBER.finditer(text))
    return {Decimal(number.replace(",", "")) for number in found if not _CODE.match(number)}


def number_in(text: str) -> Decimal | None:
    """Return the number that a text consists of, or None."""
    match = _NUMBER.fullmatch(text.strip())
    if match is None or _CODE.match(match.group()):
        return None
    return Decimal(match.group().replace(",", ""))


def _all_met(
    component: Component, in_basis: bool, evidence: tuple[Evidence, ...]
) -> ComponentScore:
    met = all(entry.met for entry in evidence)
    return ComponentScore(component, in_basis, Scored(float(met)), evidence)
