"""Over which connections an answer came, so that what was kept of it can be taken back."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Droppable(Protocol):
    """Keeps replies and can lose one again."""

    def drop(self, key: bytes) -> None:
        """Keep the reply of this key no longer."""
        ...


class ReadOver:
    """The replies that one connection brought and that somebody keeps.

    Attributes:
        is_doubtful: Whether a reply over it may have been the answer to another request.
    """

    __slots__ = ("_kept", "is_doubtful")

    def __init__(self) -> None:
        self.is_doubtful = False
        self._kept: list[tuple[Droppable, bytes]] = []

    def kept(self, cache: Droppable, key: bytes) -> None:
        """Learn that a reply is kept; where the connection is doubtful, it is dropped at once."""
        if self.is_doubtful:
            cache.drop(key)
        else:
            self._kept.append((cache, key))

    def doubt(self) -> int:
        """Drop all replies that are kept, now and later; return how many there were."""
        self.is_doubtful = True
        kept, self._kept = self._kept, []
        for cache, key in kept:
            cache.drop(key)
        return len(kept)


_SOURCES: ContextVar[list[ReadOver] | None] = ContextVar("SOURCES", default=None)


@contextmanager
def sources() -> Iterator[list[ReadOver]]:
    """Collect the connections over which answers come in this block, and in tasks begun in it."""
    found: list[ReadOver] = []
    token = _SOURCES.set(found)
    try:
        yield found
    finally:
        _SOURCES.reset(token)


def came_over(source: ReadOver) -> None:
    """Tell who collects sources that an answer came over this one."""
    found = _SOURCES.get()
    if found is not None:
        found.append(source)
