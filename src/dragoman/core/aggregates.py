"""How a benchmark makes one figure of several categories."""

from typing import Literal

import msgspec


class Aggregate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How one aggregate is made: of categories, or of aggregates that come before it.

    `weights` are numbers, "tasks" for the parts' numbers of tasks, or "equal".
    """

    name: str
    parts: tuple[str, ...]
    weights: Literal["equal", "tasks"] | tuple[float, ...] = "equal"
