"""Places in decoded JSON: what stands there, and texts put there."""

from collections.abc import Mapping
from typing import Any

Place = tuple[str | int, ...]


def at_place(value: object, place: Place) -> object:
    """Return what stands at a place, or None where there is no such place."""
    for step in place:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def put(value: Any, texts: Mapping[Place, str]) -> None:  # noqa: ANN401 - whatever a file holds
    """Put texts into their places, which must be there."""
    for place, text in texts.items():
        holder = value
        for step in place[:-1]:
            holder = holder[step]
        holder[place[-1]] = text
