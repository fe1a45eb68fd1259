"""Turns of calls executed in fresh worlds: the expected ones once, played ones beside them."""

from collections.abc import Sequence

from dragoman.benchmarks.bfcl.apis.long_texts import LongTexts
from dragoman.benchmarks.bfcl.apis.world import ApiWorld, States, make_world
from dragoman.benchmarks.bfcl.entries.turns import Gold, MultiTurnEntry
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

    def of(self, entry: MultiTurnEntry) -> tuple[ExpectedTurn, ...]:
        """Return what each turn of an entry leads to."""
        known = self._known.get(entry.task.digest)
        if known is None:
            known = self._known[entry.task.digest] = _expected_turns(entry, self._long)
        return known

    def compare(self, entry: MultiTurnEntry, played: Sequence[PlayedTurn]) -> list[TurnRecord]:
        """Return the turns that were played, each beside what was expected.

        Calls lead where the same calls lead: turns are executed from the first on that calls
        anything else.

        Raises:
            ReplayError: Where a call does not return what it returned then.
        """
        expected = self.of(entry)
        alike = _turns_alike(entry.gold, played)
        records = [
            _record(turn, wanted, wanted.results, None)
            for turn, wanted in zip(played[:alike], expected, strict=False)
        ]
        if alike == len(played):
            return records
        world = entry_world(entry, self._long)
        for turn in played[:alike]:
            world.contents(turn.calls)
        for turn, wanted in zip(played[alike:], expected[alike:], strict=False):
            results = world.contents(turn.calls)
            difference = _difference(world.state(), wanted.states)
            records.append(_record(turn, wanted, results, difference))
        return records


def played_turns(events: Sequence[Event], count: int) -> tuple[PlayedTurn, ...]:
    """Return the turns of a conversation that were begun; calls that cannot be read are left out.

    Args:
        events: What happened.
        count: How many turns there are at most.

    Raises:
        ReplayError: Where calls and results do not go together, or there are other turns.
    """
    moves = [event for event in events if isinstance(event, Move)]
    begun = 1 + max((move.turn for move in moves), default=-1)
    if begun > count or any(move.turn < 0 for move in moves):
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


def _expected_turns(entry: MultiTurnEntry, long: LongTexts | None) -> tuple[ExpectedTurn, ...]:
    world, turns = entry_world(entry, long), []
    for calls in entry.gold:
        results = world.contents(calls)
        turns.append(ExpectedTurn(results, world.state()))
    return tuple(turns)


def _turns_alike(gold: Gold, played: Sequence[PlayedTurn]) -> int:
    """Return how many turns, from the first on, call what is expected and nothing else."""
    for number, (wanted, turn) in enumerate(zip(gold, played, strict=False)):
        if len(wanted) != len(turn.calls) or not all(map(_are_alike, wanted, turn.calls)):
            return number
    return min(len(gold), len(played))


def _are_alike(one: ToolCall, other: ToolCall) -> bool:
    """Whether two calls execute the same, to the type of every number and the order of keys."""
    given, taken = (one.arguments, one.positionals), (other.arguments, other.positionals)
    return (
        (one.name, one.by, one.malformed) == (other.name, other.by, other.malformed)
        and given == taken
        and repr(given) == repr(taken)
    )


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


def _difference(found: States, expected: States) -> StateDifference | None:
    for of_class, attributes in expected.items():
        reached = found[of_class]
        if reached != attributes:
            differing = sorted(name for name in attributes if reached[name] != attributes[name])
            return StateDifference(of_class, tuple(differing))
    return None
