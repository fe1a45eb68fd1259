"""Grading of API calls against gold calls: correct, wrong, missing and extra.

Calls and arguments are matched one to one at the lowest total cost (Hungarian algorithm on
integers), so that their order never changes a number.
"""

import unicodedata
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from dragoman.core.tasks import Action
from dragoman.core.tools import ToolCall

_UNKNOWN = 1 << 256
"""A number above the cost of any path."""


def cheapest_assignment(costs: Sequence[Sequence[int]]) -> int:
    """Return the lowest total cost of an assignment of the shorter side to the longer one.

    Each row of the shorter side gets a place of its own. Integers of any size keep several figures
    apart in one cost. Time grows with the shorter side squared times the longer one.

    Args:
        costs: Costs by row and column, at least one of each.
    """
    if len(costs) == 1:
        return min(costs[0])
    if len(costs) > len(costs[0]):
        return cheapest_assignment(list(zip(*costs, strict=True)))
    table = _Table(costs)
    for row in range(len(costs)):
        table.place(row)
    return table.cost()


class _Table:
    """Rows with an assigned column, and the potentials for the cheapest next assignment."""

    def __init__(self, costs: Sequence[Sequence[int]]) -> None:
        self._costs = costs
        self._free = len(costs[0])
        """The column from which a new row sets out: one behind the last."""
        self._of_row = [0] * len(costs)
        self._of_column = [0] * (self._free + 1)
        self._row_at: list[int | None] = [None] * (self._free + 1)

    def cost(self) -> int:
        """Return the total cost of the assigned pairs."""
        pairs = enumerate(self._row_at[: self._free])
        return sum(self._costs[row][column] for column, row in pairs if row is not None)

    def place(self, row: int) -> None:
        """Assign a column to a row; other rows move along the cheapest path to a free one."""
        self._row_at[self._free] = row
        least = [_UNKNOWN] * self._free
        before = [self._free] * self._free
        seen = [self._free]
        column = self._free
        while (at := self._row_at[column]) is not None:
            open_ones = [each for each in range(self._free) if each not in seen]
            for other in open_ones:
                reduced = self._costs[at][other] - self._of_row[at] - self._of_column[other]
                if reduced < least[other]:
                    least[other], before[other] = reduced, column
            column = min(open_ones, key=least.__getitem__)
            step = least[column]
            self._shift(seen, step)
            for other in open_ones:
                least[other] -= step
            seen.append(column)
        while column != self._free:
            self._row_at[column] = self._row_at[before[column]]
            column = before[column]

    def _shift(self, seen: Sequence[int], step: int) -> None:
        for each in seen:
            row = self._row_at[each]
            if row is not None:
                self._of_row[row] += step
            self._of_column[each] -= step


_WORDS = {"True": "true", "False": "false", "None": "null"}


def canonical_value(value: object) -> Hashable:
    """Return the canonical form of a value, equal for all ways to write it.

    A number is its shortest text, so that 5, 5.0 and "5" are equal and "05" is different. `True` is
    "true". Texts are compared in Unicode's composed form, without spaces around them. The keys of
    an object have no order.
    """
    match value:
        case str():
            text = unicodedata.normalize("NFC", value).strip()
            return _WORDS.get(text, text)
        case list() | tuple():
            return tuple(canonical_value(each) for each in value)
        case dict():
            return frozenset(
                (canonical_value(key), canonical_value(each)) for key, each in value.items()
            )
        case float() if value.is_integer():
            return str(int(value))
        case _:
            return _WORDS.get(str(value), str(value))


_BASE = 1 << 20
"""A number above the total number of arguments in any two sets of calls."""


class GoldCall(NamedTuple):
    """A gold call; `arguments` has every right value, by name."""

    tool: str
    arguments: dict[str, frozenset[Hashable]]


class ComparedCall(NamedTuple):
    """A call that was made, with canonical values."""

    tool: str
    arguments: dict[str, Hashable]


class CallGrades(msgspec.Struct, frozen=True):
    """Counts from the comparison of made calls with gold calls.

    Attributes:
        gold_tools: Gold calls.
        made_tools: Calls that were made.
        right_tools: Calls of a gold call's tool; each gold call counts once.
        hallucinated_tools: Further calls, of tools that were not offered.
        missing_tools: Gold calls without such a call.
        extra_tools: Further calls, of tools that were offered.
        gold_arguments: Triples of tool, argument and value in gold calls.
        made_arguments: Triples in calls that were made, with right or wrong tools.
        right_arguments: Triples that are in both; each gold triple counts once.
        wrong_values: In calls of right tools, arguments with another value.
        missing_arguments: In calls of right tools, gold arguments that are missing.
        extra_arguments: In calls of right tools, arguments that gold does not have.
        exact: 1 if the made calls are exactly the gold calls, otherwise 0.
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
    """Return a gold call in comparable form; `also` has other right values."""
    return GoldCall(
        tool,
        {
            name: frozenset(map(canonical_value, (value, *also.get(name, ()))))
            for name, value in arguments.items()
        },
    )


def compared_call(tool: str, arguments: dict[str, object]) -> ComparedCall:
    """Return a made call in comparable form."""
    return ComparedCall(tool, {name: canonical_value(value) for name, value in arguments.items()})


def grade_by_plans(
    plans: Sequence[Sequence[Action]], made: Sequence[ToolCall], offered: Collection[str]
) -> tuple[int, CallGrades]:
    """Return the number, from 0, of the plan that matches the calls, and its grades.

    If no plan matches, it is the first plan.

    An argument equal to the default that its tool declares counts as absent.

    Args:
        plans: The gold calls, and alternatives that are equally right.
        made: The calls that were made.
        offered: The names of the tools that may be called.
    """
    graded = [
        grade_calls(
            [_gold_without_defaults(each) for each in plan],
            [_call_without_defaults(each, plan) for each in made],
            offered,
        )
        for plan in plans
    ]
    number = next((number for number, each in enumerate(graded) if each.exact), 0)
    return number, graded[number]


def _gold_without_defaults(action: Action) -> GoldCall:
    given = {
        name: value
        for name, value in action.arguments.items()
        if name in action.also or not _is_default(name, value, action.defaults)
    }
    return gold_call(action.name, given, action.also)


def _call_without_defaults(call: ToolCall, plan: Sequence[Action]) -> ComparedCall:
    same = [each for each in plan if each.name == call.name]
    defaults = same[0].defaults if same else {}
    needed = {name for each in same for name in each.also if name in defaults}
    given = {
        name: value
        for name, value in call.arguments.items()
        if name in needed or not _is_default(name, value, defaults)
    }
    return compared_call(call.name, {**{name: defaults[name] for name in needed}, **given})


def _is_default(name: str, value: object, defaults: Mapping[str, object]) -> bool:
    return name in defaults and canonical_value(value) == canonical_value(defaults[name])


def grade_calls(
    gold: Sequence[GoldCall], made: Sequence[ComparedCall], offered: Collection[str]
) -> CallGrades:
    """Return the grades of made calls against gold calls.

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


def _right_triples(gold: Sequence[GoldCall], made: Sequence[ComparedCall]) -> int:
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
    """Return how many values can be matched to sets that hold them, one value to each set."""
    if len(wanted) == 1:
        return int(any(value in wanted[0] for value in found))
    costs = [[-int(value in values) for value in found] for values in wanted]
    return -cheapest_assignment(costs)


def _argument_errors(gold: Sequence[GoldCall], made: Sequence[ComparedCall]) -> _Errors:
    """Return the argument errors in calls of correct tools.

    Gold calls and made calls are paired at the lowest cost.
    """
    cost = 0
    for tool in {call.tool for call in gold}:
        own = [call for call in gold if call.tool == tool]
        calls = [call for call in made if call.tool == tool]
        if calls:
            cost += cheapest_assignment([[_cost(each, call) for call in calls] for each in own])
    # The number of right ones stands above these digits and is not needed here.
    wrong_and_missing, extra = divmod(cost % _BASE**3, _BASE)
    return _Errors(*divmod(wrong_and_missing, _BASE), extra)


def _cost(gold: GoldCall, made: ComparedCall) -> int:
    """Return the cost of pairing two calls.

    The order is: most correct, then fewest wrong, missing, and extra arguments.
    """
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
