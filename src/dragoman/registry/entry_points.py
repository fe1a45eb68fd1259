"""Entry points of other packages: discovery and loading."""

import importlib
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from dragoman.core.errors import UsageError

_Place = tuple[str, int]
"""A folder of the module search path, and the last time packages were added or removed."""


def find_entry_points(group: str, name: str | None = None) -> Sequence[EntryPoint]:
    """Return the entry points of a group, or those with one name in it.

    The installed packages are read once, and again only after a package is added or removed.
    """
    found = _installed_entry_points(group, tuple(map(_place, sys.path)))
    return tuple(entry for entry in found if name in {None, entry.name})


def load_entry_point(entry: EntryPoint, what: str) -> object:
    """Return the object that an entry point names.

    Args:
        entry: The entry point; loading it runs a package's code, which may raise anything.
        what: Description of the object for the error message.

    Raises:
        UsageError: If it cannot be loaded.
    """
    try:
        found: object = entry.load()
    except BaseException as error:
        # It loads asyncio, which commands that only read a run do not need.
        from dragoman.simulation.participant_errors import stops_run

        if stops_run(error):
            raise
        why = f"{type(error).__name__}: {error}"
        raise UsageError(f"{what}: {entry.value} cannot be loaded ({why:.500})") from error
    return found


def load_object(place: str) -> Any:  # noqa: ANN401 - who names it knows what it is
    """Return the object of `module:attribute`, the form in tables of bundled objects."""
    module, _, attribute = place.partition(":")
    return getattr(importlib.import_module(module), attribute)


@lru_cache(maxsize=16)
def _installed_entry_points(group: str, places: tuple[_Place, ...]) -> Sequence[EntryPoint]:  # noqa: ARG001
    return tuple(entry_points(group=group))


def _place(folder: str) -> _Place:
    with suppress(OSError):
        return folder, Path(folder or ".").stat().st_mtime_ns
    return folder, 0
