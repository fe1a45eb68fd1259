"""How deep values lie within each other: models, servers and files nest them without end."""

from collections.abc import Iterable

MOST_DEPTH = 100
"""Levels of the arguments of a call; JSON of a deeper one could be neither compared nor shown."""

TOO_DEEP = "nested too deeply"


def is_deep(value: object) -> bool:
    """Whether lists and objects lie within each other deeper than arguments may."""
    level = [value]
    for _ in range(MOST_DEPTH):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return False
    return True


def why_unreadable(error: Exception, what: str) -> str:
    """Return why something could not be read.

    Args:
        error: What reading it raised.
        what: What it is, with its verb: "the arguments are".
    """
    return f"{what} {TOO_DEEP}" if isinstance(error, RecursionError) else str(error)


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
