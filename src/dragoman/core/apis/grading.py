"""Calls that were made against gold calls: what is right, and what is wrong with the rest.

Everything is matched one to one, and as well as can be: no order of calls or arguments changes a
number.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from dragoman.core.apis.assignment import cheapest_assignment
from dragoman.core.apis.same_values import canonical
from dragoman.core.tasks import Action
from dragoman.core.tools import ToolCall

_BASE = 1 << 20
"""More arguments than any two sets of calls have together."""


class GoldCall(NamedTuple):
    """A gold call; `arguments` has every value that will do, by name."""

    tool: str
    arguments: dict[str, frozenset[Hashable]]


class AnswerCall(NamedTuple):
    """A call that was made, with canonical values."""

    tool: str
    arguments: dict[str, Hashable]


class CallGrades(msgspec.Struct, frozen=True):
    """What calls are beside gold calls, in numbers.

    Attributes:
        gold_tools: Gold calls.
        made_tools: Calls that were made.
        right_tools: Calls of a gold call's tool, each gold call counting once.
        hallucinated_tools: Calls beyond these, of tools that were not offered.
        missing_tools: Gold calls beyond these.
        extra_tools: Calls beyond these, of tools that were offered.
        gold_arguments: Triples of tool, argument and value in gold calls.
        made_arguments: Triples in calls that were made, right tool or not.
        right_arguments: Triples that are in both, each gold triple counting once.
        wrong_values: In calls of right tools, arguments with another value.
        missing_arguments: In the same, gold arguments that are not there.
        extra_arguments: In the same, arguments that gold does not have.
        exact: 1 where every gold call was made as it is and nothing else, else 0.
    """

    gold_tools: int
    made_tools: int
    right_tools: int
    hallucinated_tools: int
    missing_tools: int
    extra_tools: int
    gold_arguments: int
    made_arguments: int
    right_arguments: int
    wrong_values: int
    missing_arguments: int
    extra_arguments: int
    exact: int


class _Errors(NamedTuple):
    wrong: int
    missing: int
    extra: int


def gold_call(
    tool: str, arguments: dict[str, object], also: dict[str, tuple[object, ...]]
) -> GoldCall:
    """Return a gold call as it is compared; `also` has other values that are as right."""
    return GoldCall(
        tool,
        {
            name: frozenset(map(canonical, (value, *also.get(name, ()))))
            for name, value in arguments.items()
        },
    )


def made_call(tool: str, arguments: dict[str, object]) -> AnswerCall:
    """Return a call that was made as it is compared."""
    return AnswerCall(tool, {name: canonical(value) for name, value in arguments.items()})


def graded_by_plans(
    plans: Sequence[Sequence[Action]], made: Sequence[ToolCall], offered: Collection[str]
) -> tuple[int, CallGrades]:
    """Return the numbers beside the plan that calls make, or else the first, and which it is, from 0.

    An argument that is the default that its tool declares is as good as none.

    Args:
        plans: The gold calls, and others that are as right.
        made: The calls that were made.
        offered: The names of the tools that may be called.
    """
    graded = [
        grade_calls(
            [_gold_beside_defaults(each) for each in plan],
            [_made_beside_defaults(each, plan) for each in made],
            offered,
        )
        for plan in plans
    ]
    number = next((number for number, each in enumerate(graded) if each.exact), 0)
    return number, graded[number]


def _gold_beside_defaults(action: Action) -> GoldCall:
    given = {
        name: value
        for name, value in action.arguments.items()
        if name in action.also or not _is_default(name, value, action.defaults)
    }
    return gold_call(action.name, given, action.also)


def _made_beside_defaults(call: ToolCall, plan: Sequence[Action]) -> AnswerCall:
    same = [each for each in plan if each.name == call.name]
    defaults = same[0].defaults if same else {}
    needed = {name for each in same for name in each.also if name in defaults}
    given = {
        name: value
        for name, value in call.arguments.items()
        if name in needed or not _is_default(name, value, defaults)
    }
    return made_call(call.name, {**{name: defaults[name] for name in needed}, **given})


def _is_default(name: str, value: object, defaults: Mapping[str, object]) -> bool:
    return name in defaults and canonical(value) == canonical(defaults[name])


def grade_calls(
    gold: Sequence[GoldCall], made: Sequence[AnswerCall], offered: Collection[str]
) -> CallGrades:
    """Return the numbers.

    Args:
        gold: The gold calls.
        made: The calls that were made.
        offered: The names of the tools that may be called.
    """
    wanted, called = Counter(call.tool for call in gold), Counter(call.tool for call in made)
    right, beyond = wanted & called, called - wanted
    hallucinated = sum(count for tool, count in beyond.items() if tool not in offered)
    missing, extra = (wanted - called).total(), beyond.total() - hallucinated
    errors = _argument_errors(gold, made)
    return CallGrades(
        gold_tools=len(gold),
        made_tools=len(made),
        right_tools=right.total(),
        hallucinated_tools=hallucinated,
        missing_tools=missing,
        extra_tools=extra,
        gold_arguments=sum(len(call.arguments) for call in gold),
        made_arguments=sum(len(call.arguments) for call in made),
        right_arguments=_right_triples(gold, made),
        wrong_values=errors.wrong,
        missing_arguments=errors.missing,
        extra_arguments=errors.extra,
        exact=int(not (missing or beyond or any(errors))),
    )


def _right_triples(gold: Sequence[GoldCall], made: Sequence[AnswerCall]) -> int:
    wanted: dict[tuple[str, str], list[frozenset[Hashable]]] = {}
    for call in gold:
        for name, values in call.arguments.items():
            wanted.setdefault((call.tool, name), []).append(values)
    found: dict[tuple[str, str], list[Hashable]] = {}
    for made_one in made:
        for name, value in made_one.arguments.items():
            if (made_one.tool, name) in wanted:
                found.setdefault((made_one.tool, name), []).append(value)
    return sum(_most(wanted[key], values) for key, values in found.items())


def _most(wanted: Sequence[frozenset[Hashable]], found: Sequence[Hashable]) -> int:
    """Return how many values can each be given a set of their own that holds them."""
    if len(wanted) == 1:
        return int(any(value in wanted[0] for value in found))
    costs = [[-int(value in values) for value in found] for values in wanted]
    return -cheapest_assignment(costs)


def _argument_errors(gold: Sequence[GoldCall], made: Sequence[AnswerCall]) -> _Errors:
    """Return what is wrong in calls of right tools, gold calls and made ones paired as well as can be."""
    cost = 0
    for tool in {call.tool for call in gold}:
        own = [call for call in gold if call.tool == tool]
        calls = [call for call in made if call.tool == tool]
        if calls:
            cost += cheapest_assignment([[_cost(each, call) for call in calls] for each in own])
    # The number of right ones stands above these digits and is not wanted here.
    wrong_and_missing, extra = divmod(cost % _BASE**3, _BASE)
    return _Errors(*divmod(wrong_and_missing, _BASE), extra)


def _cost(gold: GoldCall, made: AnswerCall) -> int:
    """Return what pairing two calls costs: most right first, then least wrong, missing and extra."""
    shared = gold.arguments.keys() & made.arguments.keys()
    right = sum(made.arguments[name] in gold.arguments[name] for name in shared)
    digits: Iterable[int] = (
        len(shared) - right,
        len(gold.arguments) - len(shared),
        len(made.arguments) - len(shared),
    )
    cost = -right
    for digit in digits:
        cost = cost * _BASE + digit
    return cost
