"""Which places of files hold texts to translate: lists in data, read once."""

import functools
import importlib.resources

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import UNREADABLE


class _TaskPlaces(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    texts: tuple[str, ...]
    said_by: tuple[str, ...]
    no_tasks: frozenset[str]


class _DatabasePlaces(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    prose: frozenset[str]
    never_below: frozenset[str]


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    tasks: _TaskPlaces
    databases: _DatabasePlaces


class Places(msgspec.Struct, frozen=True):
    """Where texts are.

    Attributes:
        tasks: The places in a task, step by step; `*` is any entry of a list.
        said_by: Whose messages are translated where a place is a message's.
        no_tasks: Files that are named like task files and hold none that are played.
        prose: Keys of database leaves that hold sentences; the others that may be translated are
            names.
        never_below: Keys below which a database has calls, whose texts must stay.
    """

    tasks: tuple[tuple[str, ...], ...]
    said_by: frozenset[str]
    no_tasks: frozenset[str]
    prose: frozenset[str]
    never_below: frozenset[str]


@functools.cache
def places() -> Places:
    """Return the places that `places.toml` lists."""
    text = importlib.resources.files(__name__).joinpath("places.toml").read_bytes()
    try:
        listed = msgspec.toml.decode(text, type=_File)
    except UNREADABLE as error:
        raise DataError(f"the list of places to translate is damaged: {error}") from error
    return Places(
        tasks=tuple(tuple(place.split("/")) for place in listed.tasks.texts),
        said_by=frozenset(listed.tasks.said_by),
        no_tasks=listed.tasks.no_tasks,
        prose=listed.databases.prose,
        never_below=listed.databases.never_below,
    )
