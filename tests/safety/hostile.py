"""Hostile input of a stranger: folders and files that were made to harm their reader."""

import json
import os
import sqlite3
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import zstandard
from tests.safety.audited import MARK

from dragoman.store.checksums import strip_checksum, with_checksum
from dragoman.store.run_file import FILE

NEST = 100_000
NASTY = (
    f"\x1b[2J\x1b]0;{MARK}\x07\x9b31m\u202e</script><script>{MARK}()</script>"
    f"<img src=http://169.254.169.254/{MARK} onerror={MARK}()> ${{{{{MARK}}}}} {{% {MARK} %}} "
    f"\\input{{/etc/passwd}}\\immediate\\write18{{touch {MARK}}} |cmd' /C calc'!A1 "
    f"[{MARK}](javascript:{MARK}()) ![x](http://169.254.169.254/x.png) ]]> &{MARK}; "
    f"__import__('os').system('touch {MARK}') \0 ../../{MARK} file:///etc/passwd"
)
"""One text with everything in it that acts somewhere: it must be text everywhere."""

FORMULA = f'=HYPERLINK("http://169.254.169.254/{MARK}","x")'

MODULE = f"""
import pathlib

pathlib.Path({"made_by_a_module"!r}).touch()  # {MARK}


def agent(messages, tools):
    return '{MARK}'
"""

Record = dict[str, Any]


def with_module(folder: Path) -> None:
    """Lay modules into a folder that would be imported were it looked for modules."""
    for name in ("evil", "sitecustomize", "torch", "litellm", "tau2", "dragoman_plugin"):
        (folder / f"{name}.py").write_text(MODULE)
    (folder / "conftest.py").write_text(MODULE)


def change_manifest(run: Path, change: Callable[[Record], object]) -> None:
    """Change a run's manifest as any sender of it could."""
    with closing(sqlite3.connect(run / FILE)) as file, file:
        ((value,),) = file.execute("SELECT value FROM meta WHERE name = 'manifest'")
        record = json.loads(strip_checksum(value, "manifest"))
        change(record)
        value = with_checksum(json.dumps(record).encode(), "manifest")
        file.execute("UPDATE meta SET value = ? WHERE name = 'manifest'", (value,))


def change_episodes(run: Path, change: Callable[[bytes], bytes]) -> None:
    """Change the stored episode of every conversation."""
    with closing(sqlite3.connect(run / FILE)) as file, file:
        query = "SELECT e.id, key, attempt, fault, data FROM episodes AS e JOIN cells ON cells.id = cell"
        for row, cell, attempt, fault, data in file.execute(query).fetchall():
            key = (cell.hex(), attempt, fault)
            content = change(strip_checksum(data, *key))
            file.execute(
                "UPDATE episodes SET data = ? WHERE id = ?", (with_checksum(content, *key), row)
            )


def with_texts(stored: bytes) -> bytes:
    """Return an episode in which every utterance is the nasty text."""
    record = msgspec.json.decode(zstandard.decompress(stored))

    def nasty(value: object) -> object:
        if isinstance(value, dict):
            return {
                name: NASTY if name in {"intended", "heard", "content", "detail"} else nasty(each)
                for name, each in value.items()
            }
        return [nasty(each) for each in value] if isinstance(value, list) else value

    changed = nasty(record)
    assert NASTY in str(changed) or MARK in json.dumps(changed)
    return zstandard.compress(msgspec.json.encode(changed))


def nasty_names(manifest: Record) -> None:
    """Name code, addresses and files of a stranger's wherever a manifest names anything."""
    manifest["config"] |= {
        "agents": ["evil:agent"],
        "user": f"openai/{MARK}?base_url=http://169.254.169.254/v1",
        "judge": "openai/judge?base_url=http://127.0.0.1:9/v1&key_env=AWS_SECRET_ACCESS_KEY",
        "user_judge": f"litellm/{MARK}",
        "backend": f"{MARK}",
        "assets": "../../assets",
        "prices": "/dev/zero",
        "personas": [f"../../{MARK}.toml"],
        "measures": [f"../../{MARK}@1.toml"],
    }


def bomb(stored: bytes) -> bytes:  # noqa: ARG001 - in the place of whatever was stored
    """Return a frame of 20 kB that unpacks to a gigabyte and does not say so."""
    compressor = zstandard.ZstdCompressor(level=1, write_content_size=False).compressobj()
    block = bytes(2**20)
    return b"".join((*(compressor.compress(block) for _ in range(2**10)), compressor.flush()))


def nested(stored: bytes) -> bytes:  # noqa: ARG001 - in the place of whatever was stored
    """Return JSON that is nested without end."""
    return zstandard.compress(b"[" * NEST)


def statement(*statements: str) -> Callable[[Path], None]:
    """Return a function that changes a run's database."""

    def change(run: Path) -> None:
        with closing(sqlite3.connect(run / FILE)) as file:
            file.execute("PRAGMA writable_schema = ON")
            for each in statements:
                file.execute(each)
            file.commit()

    return change


def in_place_of(name: str, kind: str) -> Callable[[Path], None]:
    """Return a function that replaces a run's file by a link, a pipe or a device."""

    def change(run: Path) -> None:
        path = run / name
        path.unlink(missing_ok=True)
        if kind == "pipe":
            os.mkfifo(path)
        else:
            path.symlink_to(kind)

    return change


RUNS: Mapping[str, Callable[[Path], None]] = {
    "texts": lambda run: change_episodes(run, with_texts),
    "names": lambda run: change_manifest(run, nasty_names),
    "bomb": lambda run: change_episodes(run, bomb),
    "nested": lambda run: change_episodes(run, nested),
    "view": statement("ALTER TABLE scores RENAME TO s2", "CREATE VIEW scores AS SELECT * FROM s2"),
    "trigger": statement(
        "CREATE TRIGGER t AFTER INSERT ON scores BEGIN SELECT writefile('x', 'y'); END"
    ),
    "schema": statement(
        "UPDATE sqlite_master SET sql = 'CREATE TABLE meta(x)' WHERE name = 'meta'"
    ),
    "huge": statement("UPDATE meta SET value = zeroblob(100000000) WHERE name = 'manifest'"),
    "pipe": in_place_of(FILE, "pipe"),
    "device": in_place_of(FILE, "/dev/zero"),
    "lock": in_place_of("run.lock", "pipe"),
    "journal": in_place_of(f"{FILE}-journal", "pipe"),
    "log": in_place_of(f"{FILE}-wal", "/etc/passwd"),
}
"""Ways to change a finished run, by the resulting fault."""


def bundles(folder: Path, sound: Path) -> Iterator[Path]:
    """Write files that look like bundles, made of a sound one."""
    with zipfile.ZipFile(sound) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    wicked: dict[str, dict[str, bytes]] = {
        "above": {**files, "../../escaped": b"x"},
        "absolute": {**files, "/tmp/escaped": b"x"},  # noqa: S108 - what a stranger writes
        "manifest": {**files, "bundle.json": b"[" * NEST},
        "bomb": {**files, "run.sqlite": bytes(2**29)},
        "module": {**files, "evil.py": MODULE.encode()},
    }
    for name, content in wicked.items():
        path = folder / f"{name}.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for inner, data in content.items():
                archive.writestr(inner, data)
        yield path
    os.mkfifo(folder / "pipe.zip")
    yield folder / "pipe.zip"
