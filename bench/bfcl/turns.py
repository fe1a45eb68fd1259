"""BFCL's several turns: gold conversations judged per second, beside the published package.

With `PEER_BFCL=PYTHON`, an interpreter that has the package, it does the same there in between.
"""

import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from dragoman.benchmarks.bfcl.entries.turns import MULTI_TURN
from dragoman.benchmarks.bfcl.rules import BFCL_V4
from dragoman.benchmarks.bfcl.turns.checks import Course, check_turns
from dragoman.benchmarks.bfcl.turns.records import PlayedTurn
from dragoman.benchmarks.bfcl.turns.running import Expectations
from dragoman.benchmarks.bfcl.turns.suite import MultiTurnSuite
from dragoman.benchmarks.bfcl.verdicts import Judged
from dragoman.core.errors import DataError
from dragoman.wiring.suites import load_suite

ROUNDS = 5
PEER = Path(__file__).with_name("turns_peer.py")
QUOTED = dict(zip(MULTI_TURN, (945, 900, 910, 540), strict=True))
"""Of the published package, conversations per second: quoted from a measurement elsewhere."""


def print_bfcl_turns() -> None:
    print(f"BFCL, several turns: gold conversations judged, medians of {ROUNDS} rounds")
    for category in MULTI_TURN:
        try:
            suite = load_suite(f"bfcl:{category}")
        except DataError as error:
            print(f"  not measured: {error}", file=sys.stderr)
            return
        assert isinstance(suite, MultiTurnSuite)
        known = Expectations(suite.long)
        anew = median(_spent(suite, Expectations(suite.long)) for _ in range(ROUNDS))
        again = median(_spent(suite, known) for _ in range(ROUNDS))
        theirs = _peers_rate(category)
        beside = f"{theirs:,.0f}/s" if theirs else f"{QUOTED[category]}/s (quoted)"
        print(f"  {category:<24} published package {beside}")
        for name, seconds in (("answers executed too", anew), ("answers known", again)):
            ours = len(suite.entries) / seconds
            ratio = ours / (theirs or QUOTED[category])
            print(f"    {name:<22} {ours:>9,.0f}/s: {ratio:.1f} times")


def _spent(suite: MultiTurnSuite, expected: Expectations) -> float:
    """Return the seconds of CPU that judging takes."""
    start = time.process_time()
    for entry in suite.entries:
        played = [PlayedTurn(calls) for calls in entry.gold]
        records = expected.compare(entry, played)
        course = Course(len(played), len(entry.gold))
        verdict = check_turns(course, records, BFCL_V4)
        assert isinstance(verdict, Judged)
        assert verdict.valid
    return time.process_time() - start


def _peers_rate(category: str) -> float | None:
    interpreter = os.environ.get("PEER_BFCL")
    if not interpreter:
        return None
    done = subprocess.run(
        (interpreter, str(PEER), category), capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(f"  PEER_BFCL: {done.stderr.splitlines()[-1:]}", file=sys.stderr)
        return None
    return float(done.stdout.split()[-1])


if __name__ == "__main__":
    print_bfcl_turns()
