"""Cost of commands that read a run of 20,000 conversations in 40 cells."""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from bench.viewing import AGENTS, LANGUAGES, TRIALS, VOICES, write_run

CELLS = len(AGENTS) * len(LANGUAGES) * len(VOICES)
TASKS = 125
CONVERSATIONS = CELLS * TASKS * TRIALS


class _Look(NamedTuple):
    """A command, its cost in November 2026 before it was made faster, and its limit."""

    name: str
    words: tuple[str, ...]
    before: str
    most: str


def print_looking() -> None:
    """Print the CPU seconds and the memory of commands that read a large run."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run = folder / "run"
        write_run(run, TASKS)
        environment = os.environ | {"XDG_CACHE_HOME": str(folder / "cache")}
        print(f"looking at {CONVERSATIONS:,} conversations in {CELLS} cells, CPU of whole commands")
        for look in _looks(run, folder):
            cpu, memory = _command(look.words, environment)
            print(
                f"  {look.name}: {cpu:.2f} s, {cpu / CONVERSATIONS * 1e3:.2f} ms a conversation, "
                f"{memory:.0f} MB (before: {look.before}; at most: {look.most})"
            )


def _looks(run: Path, folder: Path) -> tuple[_Look, ...]:
    out = str(folder / "out")
    return (
        _Look("show, the first time", ("show", str(run)), "13.8 s, 213 MB", "no limit"),
        _Look("show, later", ("show", str(run)), "13.8 s, 213 MB", "1 s"),
        _Look("report", ("report", str(run)), "118 s, 1,557 MB", "30 s, 300 MB"),
        _Look(
            "export to Inspect",
            ("export", str(run), "--to", "inspect", "--out", f"{out}.eval"),
            "3 ms a conversation",
            "1 ms",
        ),
        _Look(
            "export to CSV",
            ("export", str(run), "--to", "csv", "--out", out),
            "9 ms a conversation",
            "1 ms",
        ),
    )


def _command(words: tuple[str, ...], environment: dict[str, str]) -> tuple[float, float]:
    """Run a command in a separate process; return its CPU seconds and its peak in MB."""
    process = subprocess.Popen(
        [sys.executable, "-m", "dragoman", *words],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"dragoman {' '.join(words)}: status {process.returncode}")
    return _cpu(used), used.ru_maxrss * 1024 / 1e6


def _cpu(used: resource.struct_rusage) -> float:
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    print_looking()
