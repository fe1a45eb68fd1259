"""Wall and CPU time, resident memory."""

import gc
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

Spent = Callable[[], tuple[float, float]]
"""Returns wall and CPU seconds since the start."""


@contextmanager
def measured() -> Iterator[Spent]:
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    yield lambda: (time.perf_counter() - wall, time.process_time() - cpu)


def resident() -> int:
    """Return how many bytes of memory this process occupies."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def peak() -> int:
    """Return the most bytes that this program ever occupied; getrusage would count its parent's."""
    status = Path("/proc/self/status").read_text().splitlines()
    (line,) = (line for line in status if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024
