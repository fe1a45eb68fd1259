"""A small file that unpacks to a large one costs little, and one line reports it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import msgspec
import pytest
import zstandard
from tests.safety.hostile import change_episodes

MOST_MB = 200
"""Memory limit of a command, for any input."""

Cli = Callable[..., CompletedProcess[str]]


class Ended(msgspec.Struct, frozen=True):
    """End of a command: its status, its first line, and its peak memory in MB."""

    status: int
    said: str
    memory: float


_SMALL_PARENT = """
import os, sys
child = os.posix_spawn(sys.executable, [sys.executable, "-m", "dragoman", *sys.argv[1:]], os.environ)
_, status, used = os.wait4(child, 0)
print(used.ru_maxrss / 1024)
sys.exit(os.waitstatus_to_exitcode(status))
"""
"""Program that starts the command.

The memory of a process includes that of the process that forked it, so a small parent is needed.
"""


def measured(folder: Path, *words: object) -> Ended:
    """Run a command in a process of its own and return how it ended."""
    done = subprocess.run(
        [sys.executable, "-c", _SMALL_PARENT, *map(str, words)],
        cwd=folder,
        env={**os.environ, "XDG_CACHE_HOME": str(folder / "no-cache"), "COLUMNS": "100"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    *printed, memory = done.stdout.splitlines()
    # A slow machine prints progress first.
    said = [line for line in [*done.stderr.splitlines(), *printed] if ": at work, " not in line]
    return Ended(done.returncode, said[0], float(memory))


@pytest.fixture(scope="module")
def bombed(tmp_path_factory: pytest.TempPathFactory, in_process: Cli) -> Path:
    """A run with a record of 23 kB that unpacks to 240 MiB of events."""
    folder = tmp_path_factory.mktemp("bombed")
    words = ("run", "sample:shop", "--agent", "gold", "--limit", "1", "--out", "run")
    assert in_process(*words, cwd=folder).returncode == 0
    change_episodes(folder / "run", with_many_events)
    return folder / "run"


def with_many_events(stored: bytes) -> bytes:
    record = msgspec.json.decode(zstandard.decompress(stored))
    smallest = min(map(msgspec.json.encode, record["events"]), key=len)
    head, tail = msgspec.json.encode(record | {"events": []}).split(b'"events":[]')
    block = (smallest + b",") * 10_000
    blocks = 240 * 2**20 // len(block)
    size = len(head) + 10 + len(block) * blocks + len(smallest) + 1 + len(tail)
    packing = zstandard.ZstdCompressor().compressobj(size=size)
    parts = (head, b'"events":[', *[block] * blocks, smallest, b"]", tail)
    packed = b"".join([*(packing.compress(part) for part in parts), packing.flush()])
    assert len(packed) < 30_000
    return packed


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        *(("show",), ("verify",), ("report", "--out", "r.html"), ("rows", "--out", "r.jsonl")),
        *(("export", "--to", form, "--out", "out") for form in ("csv", "inspect", "jsonl")),
        ("bundle", "--out", "b.zip"),
    ],
    ids=" ".join,
)
def test_a_record_that_unpacks_to_much_costs_little(bombed: Path, words: tuple[str, ...]) -> None:
    ended = measured(bombed.parent, words[0], bombed.name, *words[1:])
    assert ended.status == 1
    assert "more than a record may hold" in ended.said
    assert ended.memory < MOST_MB
