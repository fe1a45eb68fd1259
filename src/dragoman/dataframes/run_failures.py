"""Drops and failures of a run: computed once for what is stored, and kept in the cache.

The cached result is optional. It is valid for the run's stored rows and for the code that made it.
A missing, outdated or damaged one is computed again from the conversations. A run of another user
brings none, because the cache is not in the run's folder.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TypeVar

import msgspec

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.comparison import CellName
from dragoman.analysis.drops import Drop
from dragoman.config.environment import cache_folder
from dragoman.core.errors import StoreError
from dragoman.core.scores import METRIC_VERSION
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.version import VERSION
from dragoman.dataframes.comparisons import drops_among
from dragoman.dataframes.results import outcomes
from dragoman.report.summary import Failure, list_failures
from dragoman.store.atomic_files import atomic_write
from dragoman.store.checksums import strip_checksum, with_checksum
from dragoman.store.run_store import RunStore

FOLDER = "drops"
"""Of the cache: where answers are kept."""

MIN_KEPT = 1_000
"""Conversations of a run whose answer is kept; a smaller run is read sooner than that."""

_Kept = TypeVar("_Kept", bound=msgspec.Struct)

MAX_BYTES = 128 * 2**20
"""The largest answer that is kept and read."""


class RunFailures(msgspec.Struct, frozen=True):
    """Failures and drops of a run under one scoring.

    Attributes:
        planned: Number of conversations of each agent and condition, in the order of the plan.
        failures: The failed conversations, in the order of the plan.
        drops: The drops between conditions.
    """

    planned: tuple[tuple[str, str, int], ...]
    failures: tuple[Failure, ...]
    drops: tuple[Drop, ...]


def run_failures(store: RunStore, rules: str, judge: str) -> RunFailures:
    """Return what a run lost under one scoring, from the cache where that has it."""
    kept = kept_failures(store, rules, judge)
    if kept is not None:
        return kept
    made = failures_among(store, tuple(outcomes(store, rules, judge, heads_only=True)))
    if sum(count for _, _, count in made.planned) >= MIN_KEPT:
        keep_value(store, (rules, judge), "", made)
    return made


def kept_failures(store: RunStore, rules: str, judge: str) -> RunFailures | None:
    """Return the answer that the cache has; None if it has none for what is stored now."""
    kept = kept_value(store, (rules, judge), "", RunFailures)
    return None if kept is None else _of_folder(kept, str(store.folder))


def kept_value(
    store: RunStore, scoring: tuple[str, str], kind: str, record: type[_Kept]
) -> _Kept | None:
    """Return the record of a kind that the cache has of a run; None if it has none of now."""
    path = _path(store, scoring, kind)
    if not path.is_file():
        return None
    fingerprint = _fingerprint(store, *scoring)
    return _read(path, fingerprint, record) if fingerprint else None


def keep_value(store: RunStore, scoring: tuple[str, str], kind: str, made: msgspec.Struct) -> None:
    """Keep a record of a run, where what is stored has a fingerprint."""
    fingerprint = _fingerprint(store, *scoring)
    if fingerprint:
        _keep(_path(store, scoring, kind), fingerprint, made)


def run_drops(store: RunStore, rules: str, judge: str) -> tuple[Drop, ...]:
    """Return the drops between the conditions of a run under one scoring.

    The result is empty if the run has only one condition.
    """
    return () if len(store.conditions()) == 1 else run_failures(store, rules, judge).drops


def failures_among(store: RunStore, rows: Sequence[ConversationResult]) -> RunFailures:
    """Return what was lost in these conversations, which are a run's."""
    planned = Counter((row.agent, row.condition) for row in rows)
    return RunFailures(
        tuple((agent, condition.label, count) for (agent, condition), count in planned.items()),
        tuple(list_failures(rows)),
        drops_among(store, rows),
    )


def _of_folder(found: RunFailures, folder: str) -> RunFailures:
    """Return an answer with the run's name as it was typed this time."""

    def renamed(drop: Drop) -> Drop:
        compared = drop.comparison
        sides = {side: _renamed(getattr(compared, side), folder) for side in ("a", "b")}
        return msgspec.structs.replace(drop, comparison=msgspec.structs.replace(compared, **sides))

    return msgspec.structs.replace(found, drops=tuple(map(renamed, found.drops)))


def _renamed(name: CellName, folder: str) -> CellName:
    return msgspec.structs.replace(name, run=folder)


def _path(store: RunStore, scoring: tuple[str, str], kind: str) -> Path:
    named = (kind,) if kind else ()
    identity = (str(store.folder.resolve()), *scoring, METRIC_VERSION, *named)
    name = hashlib.blake2b(repr(identity).encode(), digest_size=16).hexdigest()
    return cache_folder() / FOLDER / name


def _fingerprint(store: RunStore, rules: str, judge: str) -> str:
    """Return the hash of all that an answer is made of; empty if a run's rows have none."""
    rows = store.fingerprint()
    made_of = (rows, _code_digest(), rules, judge, METRIC_VERSION)
    return hashlib.blake2b(repr(made_of).encode(), digest_size=16).hexdigest() if rows else ""


@cache
def _code_digest() -> str:
    """Return the hash of the code that makes answers, as far as its source exists."""
    found = hashlib.blake2b(VERSION.encode(), digest_size=16)
    for package in ("analysis", "core", "dataframes", "report"):
        for name, source in sorted(_sources(package)):
            found.update(repr((package, name)).encode())
            found.update(source)
    return found.hexdigest()


def _sources(package: str) -> Iterator[tuple[str, bytes]]:
    for file in files(f"dragoman.{package}").iterdir():
        if file.name.endswith(".py"):
            yield file.name, file.read_bytes()


def _read(path: Path, fingerprint: str, record: type[_Kept]) -> _Kept | None:
    """Return the kept answer; None if there is none, or it is another's or damaged."""
    try:
        if path.stat().st_size > MAX_BYTES:
            return None
        content = strip_checksum(path.read_bytes(), fingerprint)
        return msgspec.msgpack.decode(content, type=record)
    except (OSError, ValueError, *DECODING_ERRORS):
        return None


def _keep(path: Path, fingerprint: str, made: msgspec.Struct) -> None:
    content = with_checksum(msgspec.msgpack.encode(made), fingerprint)
    if len(content) > MAX_BYTES:
        return
    try:
        atomic_write(path, content)
    except StoreError:
        # A cache that cannot be written only costs time at the next read.
        return
