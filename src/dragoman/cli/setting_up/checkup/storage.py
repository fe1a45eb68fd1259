"""Where things are kept, how much lies there, and what this machine allows."""

import os
import resource
import shutil
from collections.abc import Iterator
from pathlib import Path

from dragoman.cli.setting_up.checkup.findings import CheckedThing
from dragoman.core.errors import StoreError
from dragoman.runs.process_limits import SPARE
from dragoman.store.reply_file import FILE, describe_replies
from dragoman.wiring.environment import cache_folder
from dragoman.wiring.waiting import USUAL_AT_ONCE

PART = "storage"

LEAST_FREE = 1_000_000_000
"""Bytes of disk below which runs with audio, or pulled data, may not fit."""


def storage() -> Iterator[CheckedThing]:
    """Yield caches, disks, and how many files may be open."""
    yield _replies(cache_folder() / FILE)
    speech = cache_folder() / "speech"
    yield CheckedThing(PART, "speech models", "ok", f"{_size(_bytes_in(speech))} in {speech}")
    for name, folder in (("cache", cache_folder()), ("this folder", Path.cwd())):
        yield _disk(name, folder)
    yield _open_files()


def _replies(path: Path) -> CheckedThing:
    try:
        facts = describe_replies(path)
    except StoreError as error:
        return CheckedThing(PART, "replies", "wrong", str(error), "dragoman cache clear")
    return CheckedThing(
        PART, "replies", "ok", f"{facts.replies:,} remembered, {_size(facts.bytes)} in {path}"
    )


def _disk(name: str, folder: Path) -> CheckedThing:
    """Return how much room there is where a folder lies, or will lie."""
    there = next(each for each in (folder, *folder.parents) if each.exists())
    if not os.access(there, os.W_OK):
        todo = "choose another folder, or XDG_CACHE_HOME for the cache"
        return CheckedThing(PART, name, "wrong", f"{there} cannot be written", todo)
    free = shutil.disk_usage(there).free
    found = f"{_size(free)} free at {folder}"
    if free < LEAST_FREE:
        return CheckedThing(PART, name, "wrong", found, "make room: spoken runs keep their audio")
    return CheckedThing(PART, name, "ok", found)


def _open_files() -> CheckedThing:
    """Return how many files a process may open, as far as it may raise that itself."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY:
        return CheckedThing(PART, "open files", "ok", "no limit")
    wanted = USUAL_AT_ONCE
    fitting = hard - SPARE
    found = f"at most {hard:,}: {max(fitting, 1):,} conversations at once"
    if fitting < wanted:
        return CheckedThing(PART, "open files", "wrong", found, f"ulimit -n {wanted + SPARE}")
    return CheckedThing(PART, "open files", "ok", found)


def _bytes_in(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _size(count: int) -> str:
    return f"{count / 1e9:,.1f} GB" if count >= 1e9 else f"{count / 1e6:,.1f} MB"  # noqa: PLR2004 - one GB
