"""Execution of multi-turn calls in fresh environments, for expected and for played turns.

Expected calls run once per entry; an API whose calls equal the expected ones is not run again.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import msgspec

from dragoman.benchmarks.bfcl.apis.environment import (
    ApiEnvironment,
    Attributes,
    States,
    function_owners,
    is_read_only,
    make_environment,
    unknown_function_text,
)
from dragoman.benchmarks.bfcl.apis.results import LongTexts
from dragoman.benchmarks.bfcl.multi_turn_entries import Gold, MultiTurnEntry
from dragoman.core.episodes import Event, Message, executed_calls
from dragoman.core.errors import ReplayError
from dragoman.core.replies import ToolCallReply
from dragoman.core.tools import NO_TOOLS, ToolCall, ToolResult, Toolset

NOT_EXECUTED = "Error during execution: another call of the same reply cannot be read"
"""The answer to a call that was not executed because another call cannot be read.

See `malformed_calls_are_answered`.
"""


class ExpectedTurn(msgspec.Struct, frozen=True):
    """The outcome of the expected calls of one turn.

    `states` are every class's attributes at the end of the turn; for reading only.
    """

    results: tuple[str, ...]
    states: States


class PlayedTurn(msgspec.Struct, frozen=True):
    """The calls of one turn as they were executed, and what they returned where that is known."""

    calls: tuple[ToolCall, ...]
    contents: tuple[str, ...] | None = None


class StateDifference(msgspec.Struct, frozen=True):
    """The first class whose attributes are not the expected ones, and which they are."""

    of_class: str
    attributes: tuple[str, ...]


class TurnRecord(msgspec.Struct, frozen=True):
    """The outcome of a played turn, with the expected outcome."""

    expected: ExpectedTurn
    results: tuple[str, ...]
    difference: StateDifference | None


class ExpectedCalls(msgspec.Struct, frozen=True):
    """The expected calls of one API in their order, and the result of each.

    `ends` counts the calls that were made by the end of each turn.
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


class ObservedCalls:
    """The calls that one API receives in one conversation.

    Args:
        of_class: The API's class.
        expected: The expected calls of the API.
        begin: Function that makes a fresh environment of this API alone.
    """

    __slots__ = (
        "_begin",
        "_class",
        "_environment",
        "_executed",
        "_expected",
        "_is_as_expected",
        "_made",
    )

    def __init__(
        self, of_class: str, expected: ExpectedCalls, begin: Callable[[str], ApiEnvironment]
    ) -> None:
        self._class = of_class
        self._expected = expected
        self._begin = begin
        self._environment: ApiEnvironment | None = None
        self._is_as_expected = True
        # Number of expected calls that were made, and number of these that ran in an environment of
        # our own.
        self._made = self._executed = 0

    def result(self, call: ToolCall) -> str:
        """Return the result of the next call."""
        if self._is_as_expected:
            made, expected = self._made, self._expected
            if made < len(expected.calls) and are_equivalent(expected.calls[made], call):
                self._made += 1
                return expected.results[made]
            self._is_as_expected = is_read_only(self._class, call.name)
        return self._here().content(call)

    def state(self, turn: int, expected: Attributes) -> Attributes:
        """Return the attributes at the end of a turn.

        These are the expected attributes if they are known to hold.
        """
        if self._is_as_expected and self._made == self._expected.ends[turn]:
            return expected
        return self._here().state()[self._class]

    def _here(self) -> ApiEnvironment:
        """Return an environment in which all calls so far have been executed."""
        environment = self._environment
        if environment is None:
            environment = self._environment = self._begin(self._class)
        if self._executed < self._made:
            environment.execute(self._expected.calls[self._executed : self._made])
            self._executed = self._made
        return environment


def are_equivalent(one: ToolCall, other: ToolCall) -> bool:
    """Return whether two calls execute alike, including number types and the order of keys."""
    given, taken = one.arguments, other.arguments
    if one.name != other.name or given != taken or one.positionals != other.positionals:
        return False
    if (one.by, one.malformed) != (other.by, other.malformed):
        return False
    if not one.positionals and _TEXTS.issuperset(map(type, given.values())):
        # Equal texts are alike in every respect, so their JSON need not be compared.
        return list(given) == list(taken)
    return repr((given, one.positionals)) == repr((taken, other.positionals))


_TEXTS = frozenset({str})


def entry_environment(
    entry: MultiTurnEntry, long: LongTexts | None, tools: Toolset = NO_TOOLS
) -> ApiEnvironment:
    """Return a fresh environment of an entry; `long` applies to long-context entries."""
    texts = long if entry.is_long else None
    return make_environment(tuple(entry.config), entry.config, texts, tools)


class Expectations:
    """The expected outcomes of a suite's entries, computed on first demand and kept."""

    def __init__(self, long: LongTexts | None) -> None:
        self._long = long
        self._known: dict[str, tuple[ExpectedTurn, ...]] = {}
        self._by_class: dict[str, Mapping[str, ExpectedCalls]] = {}

    def of(self, entry: MultiTurnEntry) -> tuple[ExpectedTurn, ...]:
        """Return what each turn of an entry leads to."""
        known = self._known.get(entry.task.digest)
        if known is None:
            known = self._known[entry.task.digest] = _expected_turns(entry, self._long)
        return known

    def compare(self, entry: MultiTurnEntry, played: Sequence[PlayedTurn]) -> list[TurnRecord]:
        """Return the played turns, each with its expected outcome.

        Raises:
            ReplayError: If a call does not return the result that the conversation recorded.
        """
        expected = self.of(entry)
        if all(map(_calls_alike, entry.gold, played)):
            return [
                _record(turn, wanted, wanted.results, None)
                for turn, wanted in zip(played, expected, strict=False)
            ]
        owners = function_owners(tuple(entry.config))
        begin = partial(_environment_of, entry, self._long)
        followed = {
            name: ObservedCalls(name, calls, begin)
            for name, calls in self._calls(entry, owners).items()
        }
        records = []
        for number, (turn, wanted) in enumerate(zip(played, expected, strict=False)):
            results = tuple(
                [
                    followed[owners[call.name]].result(call)
                    if call.name in owners
                    else unknown_function_text(call.name)
                    for call in turn.calls
                ]
            )
            difference = _difference(followed, wanted.states, number)
            records.append(_record(turn, wanted, results, difference))
        return records

    def _calls(
        self, entry: MultiTurnEntry, owners: Mapping[str, str]
    ) -> Mapping[str, ExpectedCalls]:
        """Return what an entry expects of each interface."""
        known = self._by_class.get(entry.task.digest)
        if known is None:
            known = expected_calls(entry.gold, self.of(entry), owners)
            self._by_class[entry.task.digest] = known
        return known


def count_turns_begun(events: Sequence[Event]) -> int:
    """Return the number of turns of a conversation that were begun.

    Raises:
        ReplayError: If a turn has no number.
    """
    turns = [event.turn for event in events if isinstance(event, Message)]
    if any(turn < 0 for turn in turns):
        raise ReplayError("the conversation has turns without a number")
    return 1 + max(turns, default=-1)


def played_turns(events: Sequence[Event], count: int) -> tuple[PlayedTurn, ...]:
    """Return the turns of a conversation that were begun, without unreadable calls.

    Args:
        events: The events of the conversation.
        count: The largest number of turns that is possible.

    Raises:
        ReplayError: If calls and results do not match, or the turns differ from the entry's.
    """
    moves = [event for event in events if isinstance(event, Message)]
    begun = count_turns_begun(moves)
    if begun > count:
        raise ReplayError(f"the conversation has {begun} turns, the entry {count}")
    turns: list[list[tuple[ToolCall, str]]] = [[] for _ in range(begun)]
    places = [move.turn for move in moves for _ in _calls(move)]
    for place, (call, result) in zip(places, executed_calls(events), strict=True):
        if result is not None and not call.malformed and not _was_refused(result):
            turns[place].append((call, result.content))
    return tuple(
        PlayedTurn(tuple(call for call, _ in turn), tuple(content for _, content in turn))
        for turn in turns
    )


def _was_refused(result: ToolResult) -> bool:
    """Return whether a call was not executed because of another call in its reply."""
    return result.error and result.content == NOT_EXECUTED


def _calls(move: Message) -> tuple[ToolCall, ...]:
    return move.reply.calls if isinstance(move.reply, ToolCallReply) else ()


def _environment_of(entry: MultiTurnEntry, long: LongTexts | None, of_class: str) -> ApiEnvironment:
    """Return a fresh world of one of an entry's interfaces."""
    return make_environment((of_class,), entry.config, long if entry.is_long else None)


def _expected_turns(entry: MultiTurnEntry, long: LongTexts | None) -> tuple[ExpectedTurn, ...]:
    environment, turns = entry_environment(entry, long), []
    for calls in entry.gold:
        results = environment.contents(calls)
        turns.append(ExpectedTurn(results, environment.state()))
    return tuple(turns)


def _calls_alike(wanted: Sequence[ToolCall], turn: PlayedTurn) -> bool:
    """Return whether a turn makes exactly the expected calls."""
    return len(wanted) == len(turn.calls) and all(map(are_equivalent, wanted, turn.calls))


def _record(
    turn: PlayedTurn,
    expected: ExpectedTurn,
    results: tuple[str, ...],
    difference: StateDifference | None,
) -> TurnRecord:
    """Return what a turn led to, or raise ReplayError where its calls returned something else."""
    if turn.contents is not None and turn.contents != results:
        number = next(
            n
            for n, pair in enumerate(zip(turn.contents, results, strict=True))
            if pair[0] != pair[1]
        )
        raise ReplayError(f"{turn.calls[number].name} does not return what it returned then")
    return TurnRecord(expected, results, difference)


def _difference(
    followed: Mapping[str, ObservedCalls], expected: States, turn: int
) -> StateDifference | None:
    for of_class, attributes in expected.items():
        reached = followed[of_class].state(turn, attributes)
        if reached is not attributes and reached != attributes:
            differing = sorted(name for name in attributes if reached[name] != attributes[name])
            return StateDifference(of_class, tuple(differing))
    return None
