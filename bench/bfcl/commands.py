"""Time of BFCL commands: up to the first verdict, and to score non-live again."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench.recorded import folder_of

ROUNDS = 5
FIRST_VERDICT = ("run", "bfcl:simple_python", "--limit", "1", "--agent", "gold")
WHOLE_FILE = ("run", "bfcl:non_live", "--agent", "gold")
QUOTED = {"first verdict": "7 to 13 s", "1,390 entries again": "11.3 s"}
"""Figures of the published package, quoted from a measurement elsewhere.

There the package imports the SDK of every vendor.
"""


class Spent(NamedTuple):
    """Wall and CPU seconds of one command."""

    wall: float
    cpu: float


def print_commands() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
        source = str(folder_of("DRAGOMAN_DATA", "data"))
        _command(("data", "pull", "bfcl", "--from", source), environment)
        first = [
            _command((*FIRST_VERDICT, "--out", str(folder / f"first-{number}")), environment)
            for number in range(ROUNDS)
        ]
        _print("first verdict", first)
        run = str(folder / "whole")
        _command((*WHOLE_FILE, "--out", run), environment)
        again = [_command(("score", run, "--anew"), environment) for _ in range(ROUNDS)]
        _print("1,390 entries again", again)


def _print(what: str, spent: Sequence[Spent]) -> None:
    wall, cpu = median(each.wall for each in spent), median(each.cpu for each in spent)
    print(
        f"  {what:<21}{wall:.2f} s, {cpu:.2f} s CPU (median of {len(spent)}); "
        f"published package {QUOTED[what]} (quoted)"
    )


def _command(arguments: Sequence[str], environment: dict[str, str]) -> Spent:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        (sys.executable, "-m", "dragoman", *arguments),
        check=False,
        env=environment,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise RuntimeError(f"dragoman {' '.join(arguments)}: {done.stderr}")
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Spent(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
