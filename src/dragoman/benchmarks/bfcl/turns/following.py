"""The calls of a conversation that one interface gets, followed beside those that are expected of it.

Interfaces share nothing, and the same calls lead one from the same start to the same results and
state. So what is expected of an interface is not executed again as long as it gets what is expected
and, between that, calls that leave it as it is; these alone are executed.
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from dragoman.benchmarks.bfcl.apis.catalogue import is_look
from dragoman.benchmarks.bfcl.apis.world import ApiWorld, Attributes
from dragoman.benchmarks.bfcl.entries.turns import Gold
from dragoman.benchmarks.bfcl.turns.records import ExpectedTurn
from dragoman.core.tools import ToolCall


class ExpectedCalls(msgspec.Struct, frozen=True):
    """What is expected of one interface: its calls in their order, and what each returns.

    `ends` says how many of them were made at the end of each turn.
    """

    calls: list[ToolCall] = []
    results: list[str] = []
    ends: list[int] = []


def expected_calls(
    gold: Gold, turns: Sequence[ExpectedTurn], owners: Mapping[str, str]
) -> Mapping[str, ExpectedCalls]:
    """Return what is expected of each interface; `owners` are the functions' interfaces."""
    by_class = {name: ExpectedCalls() for name in turns[0].states}
    for calls, turn in zip(gold, turns, strict=True):
        for call, result in zip(calls, turn.results, strict=True):
            owner = owners.get(call.name)
            if owner is not None:
                of_class = by_class[owner]
                of_class.calls.append(call)
                of_class.results.append(result)
        for of_class in by_class.values():
            of_class.ends.append(len(of_class.calls))
    return by_class


class FollowedCalls:
    """The calls that one interface gets in one conversation.

    Args:
        of_class: The interface.
        expected: What is expected of it.
        begin: Makes a fresh world of this interface alone.
    """

    __slots__ = ("_begin", "_class", "_executed", "_expected", "_is_as_expected", "_made", "_world")

    def __init__(
        self, of_class: str, expected: ExpectedCalls, begin: Callable[[str], ApiWorld]
    ) -> None:
        self._class = of_class
        self._expected = expected
        self._begin = begin
        self._world: ApiWorld | None = None
        self._is_as_expected = True
        # How many of the expected calls were made, and how many of these in a world of our own.
        self._made = self._executed = 0

    def result(self, call: ToolCall) -> str:
        """Return what the next call returns."""
        if self._is_as_expected:
            made, expected = self._made, self._expected
            if made < len(expected.calls) and are_alike(expected.calls[made], call):
                self._made += 1
                return expected.results[made]
            self._is_as_expected = is_look(self._class, call.name)
        return self._here().content(call)

    def state(self, turn: int, expected: Attributes) -> Attributes:
        """Return the attributes at the end of a turn: the expected ones where they are known to be."""
        if self._is_as_expected and self._made == self._expected.ends[turn]:
            return expected
        return self._here().state()[self._class]

    def _here(self) -> ApiWorld:
        """Return a world in which all that was made so far is executed."""
        world = self._world
        if world is None:
            world = self._world = self._begin(self._class)
        if self._executed < self._made:
            world.execute(self._expected.calls[self._executed : self._made])
            self._executed = self._made
        return world


def are_alike(one: ToolCall, other: ToolCall) -> bool:
    """Whether two calls execute the same, to the type of every number and the order of keys."""
    given, taken = one.arguments, other.arguments
    if one.name != other.name or given != taken or one.positionals != other.positionals:
        return False
    if (one.by, one.malformed) != (other.by, other.malformed):
        return False
    if not one.positionals and _TEXTS.issuperset(map(type, given.values())):
        # Equal texts are one text, which needs not be written to be compared.
        return list(given) == list(taken)
    return repr((given, one.positionals)) == repr((taken, other.positionals))


_TEXTS = frozenset({str})
