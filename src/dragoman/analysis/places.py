"""Where a conversation stands in its run: what a figure names the conversations behind it by."""

import msgspec

from dragoman.analysis.cells import Outcome


class PlaceInRun(msgspec.Struct, frozen=True, order=True, omit_defaults=True):
    """Where a conversation stands in its run; `key` is that of its cell in the run's store."""

    agent: str
    condition: str
    task: str
    trial: int
    key: str = ""


def place_in_run(row: Outcome) -> PlaceInRun:
    """Return where an outcome stands."""
    return PlaceInRun(row.agent, row.condition.label, row.task, row.trial, row.key)
