"""Turns of calls executed in fresh worlds: the expected ones once, played ones beside them."""

from collections.abc import Mapping, Sequence
from functools import partial

from dragoman.benchmarks.bfcl.apis.long_texts import LongTexts
from dragoman.benchmarks.bfcl.apis.world import (
    ApiWorld,
    States,
    function_owners,
    make_world,
    unknown_text,
)
from dragoman.benchmarks.bfcl.entries.turns import MultiTurnEntry
from dragoman.benchmarks.bfcl.turns.following import (
    ExpectedCalls,
    FollowedCalls,
    are_alike,
    expected_calls,
)
from dragoman.benchmarks.bfcl.turns.records import (
    NOT_EXECUTED,
    ExpectedTurn,
    PlayedTurn,
    StateDifference,
    TurnRecord,
)
from dragoman.core.episodes import Event, Move, executed_calls
from dragoman.core.errors import ReplayError
from dragoman.core.speech import Called
from dragoman.core.tools import NO_TOOLS, ToolCall, ToolResult, Toolset


def entry_world(
    entry: MultiTurnEntry, long: LongTexts | None, tools: Toolset = NO_TOOLS
) -> ApiWorld:
    """Return a fresh world of an entry; `long` counts where the entry is a long-context one."""
    texts = long if entry.is_long else None
    return make_world(tuple(entry.config), entry.config, texts, tools)


class Expectations:
    """What the entries of one loaded suite expect, executed at the first demand and kept."""

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
        """Return the turns that were played, each beside what was expected.

        Raises:
            ReplayError: Where a call does not return what it returned then.
        """
        expected = self.of(entry)
        if all(map(_calls_alike, entry.gold, played)):
            return [
                _record(turn, wanted, wanted.results, None)
                for turn, wanted in zip(played, expected, strict=False)
            ]
        owners = function_owners(tuple(entry.config))
        begin = partial(_world_of, entry, self._long)
        followed = {
            name: FollowedCalls(name, calls, begin)
            for name, calls in self._calls(entry, owners).items()
        }
        records = []
        for number, (turn, wanted) in enumerate(zip(played, expected, strict=False)):
            results = tuple(
                [
                    followed[owners[call.name]].result(call)
                    if call.name in owners
                    else unknown_text(call.name)
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


def turns_begun(events: Sequence[Event]) -> int:
    """Return how many turns of a conversation were begun.

    Raises:
        ReplayError: Where a turn has no number.
    """
    turns = [event.turn for event in events if isinstance(event, Move)]
    if any(turn < 0 for turn in turns):
        raise ReplayError("the conversation has turns without a number")
    return 1 + max(turns, default=-1)


def played_turns(events: Sequence[Event], count: int) -> tuple[PlayedTurn, ...]:
    """Return the turns of a conversation that were begun; calls that cannot be read are left out.

    Args:
        events: What happened.
        count: How many turns there are at most.

    Raises:
        ReplayError: Where calls and results do not go together, or there are other turns.
    """
    moves = [event for event in events if isinstance(event, Move)]
    begun = turns_begun(moves)
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
    """Whether a call was not executed, for what stood beside it."""
    return result.error and result.content == NOT_EXECUTED


def _calls(move: Move) -> tuple[ToolCall, ...]:
    return move.reply.calls if isinstance(move.reply, Called) else ()


def _world_of(entry: MultiTurnEntry, long: LongTexts | None, of_class: str) -> ApiWorld:
    """Return a fresh world of one of an entry's interfaces."""
    return make_world((of_class,), entry.config, long if entry.is_long else None)


def _expected_turns(entry: MultiTurnEntry, long: LongTexts | None) -> tuple[ExpectedTurn, ...]:
    world, turns = entry_world(entry, long), []
    for calls in entry.gold:
        results = world.contents(calls)
        turns.append(ExpectedTurn(results, world.state()))
    return tuple(turns)


def _calls_alike(wanted: Sequence[ToolCall], turn: PlayedTurn) -> bool:
    """Whether a turn calls what is expected and nothing else."""
    return len(wanted) == len(turn.calls) and all(map(are_alike, wanted, turn.calls))


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
    followed: Mapping[str, FollowedCalls], expected: States, turn: int
) -> StateDifference | None:
    for of_class, attributes in expected.items():
        reached = followed[of_class].state(turn, attributes)
        if reached is not attributes and reached != attributes:
            differing = sorted(name for name in attributes if reached[name] != attributes[name])
            return StateDifference(of_class, tuple(differing))
    return None
