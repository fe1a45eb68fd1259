"""Says which conversations wait for what, where nothing has moved for a while."""

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from dragoman.cli.output import print_line
from dragoman.report import wording
from dragoman.runs.watch import Waiting, Watch

SILENCE_S = 30.0
"""Seconds without any reply after which people are told; then after twice as many, and so on."""

CHECK_EVERY_S = 1.0
MAX_NAMED = 3


@contextmanager
def stall_notices(
    watch: Watch, *, is_on: bool, silence: float = SILENCE_S, every: float = CHECK_EVERY_S
) -> Iterator[None]:
    """Print a line on standard error wherever a run has stood still for too long.

    A thread looks after it, since an agent may hold the event loop up.
    """
    if not is_on:
        yield
        return
    is_over = threading.Event()

    def look() -> None:
        told = silence
        while not is_over.wait(every):
            waiting = watch.stalled(silence)
            if not waiting:
                told = silence
            elif waiting[-1].seconds >= told:
                told = 2 * waiting[-1].seconds
                print_line(notice(waiting), to_stderr=True)
                sys.stderr.flush()

    thread = threading.Thread(target=look, name="stall notices", daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def notice(waiting: Sequence[Waiting]) -> str:
    """Return a line that names the conversations that have waited longest."""
    named = "; ".join(
        f"task {entry.cell.task.id} for {entry.what} "
        f"({entry.cell.agent.name}, {wording.duration(entry.seconds)})"
        for entry in waiting[:MAX_NAMED]
    )
    more = f"; and {len(waiting) - MAX_NAMED} more" if len(waiting) > MAX_NAMED else ""
    least = wording.duration(waiting[-1].seconds)
    count = wording.counted(len(waiting), "conversation")
    return f"no reply for {least}: {count} under way, waiting: {named}{more} (see --timeout)"
