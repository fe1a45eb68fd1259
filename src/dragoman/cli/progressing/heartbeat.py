"""Says that a long command is at work, and at what, wherever no progress is counted."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dragoman.cli.progressing.bars import LINE_PACE, LineTimes, is_progress_shown, repeated
from dragoman.cli.progressing.modes import mode
from dragoman.core.texts.visible import visible
from dragoman.core.waiting.under_way import UNDER_WAY, LongSteps


@contextmanager
def heartbeat(title: str, clock: Callable[[], float] = time.monotonic) -> Iterator[None]:
    """Print a line soon, and then now and then, as long as nothing else shows progress.

    The line names the long steps that are under way (`core.waiting.under_way`).

    Args:
        title: What is at work, such as the command.
        clock: Seconds.
    """
    if mode() == "quiet":
        yield
        return
    steps = UNDER_WAY.get() or LongSteps()
    noted = UNDER_WAY.set(steps)
    times, began = LineTimes(), clock()

    def look() -> None:
        seconds = clock() - began
        if is_progress_shown():
            times.put_off(seconds)
        elif times.is_due(seconds):
            what = ", ".join(steps.names) or "at work"
            print(visible(f"{title}: {what}, {seconds:,.0f} s so far"), file=sys.stderr, flush=True)

    try:
        with repeated(look, LINE_PACE.get().look):
            yield
    finally:
        UNDER_WAY.reset(noted)
