"""Leaderboard definitions: categories of a benchmark and their weighted aggregates."""

from typing import Literal

import msgspec


class Aggregate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Definition of one aggregate: of categories, or of aggregates that come before it.

    `weights` are numbers, "tasks" for the parts' numbers of tasks, or "equal".
    """

    name: str
    parts: tuple[str, ...]
    weights: Literal["equal", "tasks"] | tuple[float, ...] = "equal"


class Leaderboard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A benchmark's categories with their numbers of tasks, and its aggregates.

    Aggregates come after their parts.

    `formats` is the category that asks the same questions in several prompt formats; each format is
    named between the first two colons of a task's id. It is "" for a benchmark without such a
    category. `spoken` is the figure over what users may say aloud, made of categories and
    aggregates.
    """

    sizes: dict[str, int]
    aggregates: tuple[Aggregate, ...]
    formats: str = ""
    spoken: Aggregate | None = None


NO_LEADERBOARD = Leaderboard({}, ())
"""The leaderboard of suites without one."""


def spoken_leaderboard(leaderboard: Leaderboard) -> Leaderboard:
    """Return the leaderboard of speech: its figure, and the aggregates that it is made of."""
    if leaderboard.spoken is None:
        return Leaderboard(leaderboard.sizes, ())
    needed = {*leaderboard.spoken.parts}
    kept = [leaderboard.spoken]
    for entry in reversed(leaderboard.aggregates):
        if entry.name in needed:
            kept.insert(0, entry)
            needed.update(entry.parts)
    return Leaderboard(leaderboard.sizes, tuple(kept))
