"""BFCL's multi-turn checks: conversations judged per second, ours and the package's.

With `PEER_BFCL=PYTHON`, an interpreter that has the published package, the package does the same
work, in rounds that alternate with ours. A conversation is the calls of the gold agent, or these
with one more call before each turn. The additional call names a function that does not exist, or it
is a read-only call to the first API of the entry.

The time is that of judging all conversations of a category; every world is created again. Both
sides load entries, modules and tables before, and the garbage collector skips them. The package
gets calls as text, which is the form of its decoded replies, and evaluates them. Our side gets
calls in the form of a record.
"""

import gc
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median

import msgspec
from bench.bfcl.beside import Peer, beside
from bench.bfcl.looks import LOOKS

from dragoman.benchmarks.bfcl.multi_turn_check import TurnProgress, check_turns
from dragoman.benchmarks.bfcl.multi_turn_entries import MULTI_TURN, MultiTurnEntry
from dragoman.benchmarks.bfcl.multi_turn_execution import Expectations, PlayedTurn
from dragoman.benchmarks.bfcl.multi_turn_suite import MultiTurnSuite
from dragoman.benchmarks.bfcl.rules import BFCL_V4
from dragoman.benchmarks.bfcl.verdicts import Judged
from dragoman.core.errors import DataError
from dragoman.core.tools import ToolCall
from dragoman.registry.suites import load_suite

ROUNDS = 9
QUOTED = dict(zip(MULTI_TURN, (945, 900, 910, 540), strict=True))
"""Conversations per second of the published package, quoted from elsewhere."""

Played = list[list[PlayedTurn]]
"""The turns of each conversation of a category."""

Judge = Callable[[], float]
"""Function that judges the conversations of a category and returns the CPU seconds."""


def print_bfcl_turns() -> None:
    try:
        suites = [_suite(category) for category in MULTI_TURN]
    except DataError as error:
        print(f"BFCL's several turns are not measured: {error}", file=sys.stderr)
        return
    print(f"BFCL, several turns: conversations judged, medians of {ROUNDS} rounds")
    with (
        tempfile.TemporaryDirectory() as folder,
        beside("turns_peer.py", MULTI_TURN, Path(folder)) as peer,
    ):
        for category, suite in zip(MULTI_TURN, suites, strict=True):
            print(f"  {category}")
            for measure, name, judge in _measures(category, suite):
                _print(measure, name, len(suite.entries), judge, peer)


def _measures(category: str, suite: MultiTurnSuite) -> Iterator[tuple[str, str, Judge]]:
    """Yield for each measure the package's name, the printed name, and our function."""
    gold, more, look = (_played(suite, kind) for kind in ("", "more", "look"))
    known = Expectations(suite.long)
    yield category, "as expected", lambda: _spent(suite, gold, Expectations(suite.long))
    more_calls = f"{category} more"
    yield more_calls, "with more calls", lambda: _spent(suite, more, Expectations(suite.long))
    yield more_calls, "  answers known", lambda: _spent(suite, more, known)
    looks = f"{category} look"
    yield looks, "with looks", lambda: _spent(suite, look, Expectations(suite.long))
    yield looks, "  answers known", lambda: _spent(suite, look, known)


def _suite(category: str) -> MultiTurnSuite:
    suite = load_suite(f"bfcl:{category}")
    assert isinstance(suite, MultiTurnSuite)
    return suite


def _played(suite: MultiTurnSuite, kind: str) -> Played:
    """Return gold's calls as they are after decoding from a record."""
    wire = msgspec.json.encode(
        [
            [PlayedTurn((*_first(e, kind), *calls) if calls else ()) for calls in e.gold]
            for e in suite.entries
        ]
    )
    return msgspec.json.decode(wire, type=Played)


def _first(entry: MultiTurnEntry, kind: str) -> tuple[ToolCall, ...]:
    """Return the additional calls at the start of each turn."""
    names = {"": (), "more": ("nothing",), "look": (LOOKS[next(iter(entry.config))],)}
    return tuple(ToolCall("0", name, {}) for name in names[kind])


def _print(measure: str, name: str, count: int, judge: Judge, peer: Peer | None) -> None:
    gc.collect()
    gc.freeze()
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(ROUNDS):
        ours.append(judge())
        if peer is not None:
            seconds, passed = peer.spent(measure)
            assert passed == count
            theirs.append(seconds)
    line = f"    {name:<16} {count / median(ours):>9,.0f}/s"
    if peer is None:
        quoted = QUOTED[measure.partition(" ")[0]]
        print(f"{line}; published package {quoted}/s (quoted)")
        return
    ratio = median(their / our for their, our in zip(theirs, ours, strict=True))
    print(f"{line}; published package {count / median(theirs):,.0f}/s: {ratio:.1f} times")


def _spent(
    suite: MultiTurnSuite, conversations: Sequence[Sequence[PlayedTurn]], expected: Expectations
) -> float:
    """Return the CPU seconds of judging the conversations."""
    start = time.process_time()
    for entry, played in zip(suite.entries, conversations, strict=True):
        records = expected.compare(entry, played)
        course = TurnProgress(len(played), len(entry.gold))
        verdict = check_turns(course, records, BFCL_V4)
        assert isinstance(verdict, Judged)
        assert verdict.valid
    return time.process_time() - start


if __name__ == "__main__":
    print_bfcl_turns()
