"""Cost of all intervals of a report: their CPU time and that of the whole report."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.reporting import write_run
from bench.scripted import Gold

from dragoman.analysis import intervals
from dragoman.cli.show import write_report
from dragoman.core.protocols import Suite

CONVERSATIONS = 6_000

DRAWING = ("_sums", "_counts", "_ends", "_in_order", "_places")
"""Functions in which the time of intervals is spent."""


def print_intervals(suite: Suite, gold: Gold) -> None:
    """Print the CPU time of a report on some thousand conversations, and of its intervals."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        write_run(out, suite, gold, CONVERSATIONS)
        spent = _timed()
        began = time.process_time()
        write_report([out], Path(folder) / "report.html")
        whole = time.process_time() - began
    print(
        f"report of {CONVERSATIONS:,} conversations: {whole:.1f} s of CPU, its intervals {sum(spent):.2f} s "
        f"in {len(spent):,} steps (method {intervals.INTERVAL_METHOD})"
    )


def _timed() -> list[float]:
    """Wrap the functions that draw, so that each outermost call records its CPU seconds."""
    spent: list[float] = []
    inside = [False]

    def timed(function: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            if inside[0]:
                return function(*arguments)
            inside[0] = True
            began = time.process_time()
            try:
                return function(*arguments)
            finally:
                inside[0] = False
                spent.append(time.process_time() - began)

        return call

    for name in DRAWING:
        setattr(intervals, name, timed(getattr(intervals, name)))
    return spent
