"""Runs crafted to break their readers: one line or a partial result, no traceback."""

import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from subprocess import CompletedProcess

import pytest
import zstandard

from dragoman.store.checksums import strip_checksum, with_checksum

Cli = Callable[..., CompletedProcess[str]]
Change = Callable[[dict[str, object]], object]

READERS = (
    ("show", "mine", "too-late"),
    ("report", "mine"),
    ("score", "mine", "--judge", "rule"),
    ("resume", "mine"),
    ("verify", "mine"),
    ("upgrade", "mine"),
    ("merge", "mine", "mine", "--out", "whole"),
    ("compare", "mine", "mine"),
    ("export", "mine", "--to", "parquet", "--out", "tables"),
    ("export", "mine", "--to", "jsonl", "--out", "lines"),
)

LARGE = 10**30


@pytest.fixture
def mine(finished: Path, folder: Path) -> Path:
    """The file of a finished run of one's own."""
    shutil.copytree(finished, folder / "mine")
    return folder / "mine" / "run.sqlite"


def manifest(path: Path, change: Change) -> None:
    with closing(sqlite3.connect(path)) as file, file:
        ((value,),) = file.execute("SELECT value FROM meta WHERE name = 'manifest'")
        record = json.loads(strip_checksum(value, "manifest"))
        change(record)
        value = with_checksum(json.dumps(record).encode(), "manifest")
        file.execute("UPDATE meta SET value = ? WHERE name = 'manifest'", (value,))


def episode(path: Path, change: Change) -> None:
    with closing(sqlite3.connect(path)) as file, file:
        query = (
            "SELECT key, attempt, fault, data FROM episodes JOIN cells ON cells.id = cell LIMIT 1"
        )
        ((cell, attempt, fault, data),) = file.execute(query)
        key = (cell.hex(), attempt, fault)
        record = json.loads(zstandard.decompress(strip_checksum(data, *key)))
        change(record)
        data = with_checksum(zstandard.compress(json.dumps(record).encode()), *key)
        file.execute("UPDATE episodes SET data = ? WHERE id = 1", (data,))


def score(path: Path, change: Change) -> None:
    with closing(sqlite3.connect(path)) as file, file:
        query = (
            "SELECT key, attempt, rules, judge, metric, data "
            "FROM scores JOIN cells ON cells.id = cell LIMIT 1"
        )
        ((cell, *columns, data),) = file.execute(query)
        record = json.loads(strip_checksum(data, cell.hex(), *columns))
        change(record)
        data = with_checksum(json.dumps(record).encode(), cell.hex(), *columns)
        file.execute("UPDATE scores SET data = ? WHERE id = 1", (data,))


def usage(**counts: object) -> Change:
    entry = {"purpose": "agent", "model": "m", **counts}
    return lambda record: record.update(usage=[entry])


def said(**utterance: object) -> Change:
    move = {"type": "move", "by": "user", "reply": {"type": "said", "utterance": utterance}}
    return lambda record: record["events"].append(move)  # type: ignore[attr-defined]


CRAFTED: dict[str, tuple[Callable[[Path, Change], None], Change]] = {
    "a year beyond calendars": (manifest, lambda it: it.update(created=1e300)),
    "a voice that says nothing": (manifest, lambda it: it.update(voices={"en/x": {"a": [1]}})),
    "a suite elsewhere": (manifest, lambda it: it.update(config={"suite": "../../x"})),
    "steps without end": (episode, lambda it: it.update(steps=LARGE)),
    "one step too many": (episode, lambda it: it.update(steps=2**63)),
    "tokens without end": (episode, usage(input_tokens=LARGE, output_tokens=LARGE)),
    "faults without end": (episode, usage(faults={"x": LARGE})),
    "tokens below nothing": (episode, usage(input_tokens=-5, calls=-3)),
    "no events": (episode, lambda it: it.update(events=[])),
    "audio elsewhere": (
        episode,
        said(intended="x", heard="y", audio={"sha256": "../../x", "seconds": -1.0, "rate_hz": 0}),
    ),
    "a check that is unknown": (
        score,
        lambda it: it.update(simulator=[{"subject": "unheard_of", "met": False}]),
    ),
    "a reward beyond 1": (
        score,
        lambda it: it.update(reward={"type": "scored", "value": 1e308}),
    ),
}


@pytest.mark.parametrize("command", READERS, ids=" ".join)
@pytest.mark.parametrize("name", CRAFTED)
def test_a_crafted_run_ends_no_command_with_a_traceback(
    dragoman: Cli, mine: Path, name: str, command: tuple[str, ...]
) -> None:
    craft, change = CRAFTED[name]
    craft(mine, change)

    done = dragoman(*command)

    assert "Traceback" not in done.stderr
    if command[0] == "verify" and done.returncode:
        assert re.search(r"\b\d+ problems? in ", done.stdout)
    elif done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("dragoman: ")]
        assert len(lines) == 1, done.stderr


@pytest.mark.parametrize("value", ["5", "'{}'", "x''", "x'7b7d'"])
@pytest.mark.parametrize("name", ["manifest", "tasks", "plan"])
def test_what_is_no_record_is_one_line(dragoman: Cli, mine: Path, name: str, value: str) -> None:
    with closing(sqlite3.connect(mine)) as file, file:
        file.execute(f"UPDATE meta SET value = {value} WHERE name = '{name}'")  # noqa: S608 - literals

    done = dragoman("report", "mine")

    assert done.returncode == 1
    assert "damaged" in done.stderr
    assert len(done.stderr.splitlines()) == 1
