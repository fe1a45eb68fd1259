"""Measurement of wall and CPU time, resident memory, and the speed of this machine."""

import gc
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

Spent = Callable[[], tuple[float, float]]
"""Function that returns wall and CPU seconds since the start."""

_ROUNDS = 50_000


@contextmanager
def measured() -> Iterator[Spent]:
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    yield lambda: (time.perf_counter() - wall, time.process_time() - cpu)


def pace() -> float:
    """Return the CPU nanoseconds of a round of plain Python on this machine right now.

    Figures of two machines, or of one machine at two times, are compared by it. A round consists of
    calls, attributes, a dict and a text, as most of the measured code does.
    """
    return min(_rounds() for _ in range(3)) / _ROUNDS * 1e9


def _rounds() -> float:
    began, counts = time.process_time(), {0: 0}
    for number in range(_ROUNDS):
        one = _One(number)
        counts[number & 1023] = counts.get(number & 511, 0) + one.more(1)
        if str(number).startswith("x"):
            break
    return time.process_time() - began


class _One:
    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number

    def more(self, by: int) -> int:
        return self.number + by


def print_module(name: str) -> None:
    """Run a module in a process of its own and print its lines as they come.

    They are printed here, because the record of the benchmark holds the prints of this process.
    """
    command = [sys.executable, "-m", name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
    if process.returncode:
        raise SystemExit(f"{name}: status {process.returncode}")


def resident() -> int:
    """Return the resident memory of this process in bytes."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def peak() -> int:
    """Return the peak memory of this program in bytes; getrusage would count its parent's."""
    status = Path("/proc/self/status").read_text().splitlines()
    (line,) = (line for line in status if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024
