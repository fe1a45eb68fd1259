"""Which conversations a page holds where it has no room for all: what was lost first, then a sample of the rest.

A sample has the same tasks and trials of every agent and condition, so that they can be set side by side.
"""

from collections.abc import Iterator, Sequence

import msgspec

from dragoman.analysis.cells import Outcome
from dragoman.core.episodes import Episode, Event, Move
from dragoman.core.keys import derive_seed
from dragoman.core.scores import Standing
from dragoman.report.view import RunView, standing

LOST: frozenset[Standing] = frozenset({"fail", "unscored", "code", "infrastructure"})
"""What is looked for in a report."""


class Weighed(msgspec.Struct, frozen=True):
    """One played conversation: its number among all outcomes, where it stands, and its size in bytes."""

    number: int
    standing: Standing
    size: int


def weighed(runs: Sequence[RunView]) -> tuple[Weighed, ...]:
    """Return the conversations that were played, those first for which there must be room."""
    rows = [row for run in runs for row in run.outcomes]
    found = [
        (standing(row) not in LOST, _draw(row), number)
        for number, row in enumerate(rows)
        if row.episode is not None
    ]
    return tuple(
        Weighed(number, standing(rows[number]), _size(rows[number]))
        for _, _, number in sorted(found)
    )


def fitting(conversations: Sequence[Weighed], room: float) -> frozenset[int]:
    """Return the numbers of the first conversations that fit into so many bytes."""
    return frozenset(_fitting(conversations, room))


def _fitting(conversations: Sequence[Weighed], room: float) -> Iterator[int]:
    for each in conversations:
        room -= each.size
        if room < 0:
            return
        yield each.number


def without_raw(event: Event) -> Event:
    """Return an event without a model's raw reply: what was understood of it is shown."""
    if isinstance(event, Move):
        return Move(event.by, event.reply, event.scripted, event.turn)
    return event


def _draw(row: Outcome) -> int:
    return derive_seed(f"{row.task} {row.trial}", "sample")


def _size(row: Outcome) -> int:
    events = row.episode.events if isinstance(row.episode, Episode) else ()
    return len(msgspec.json.encode(tuple(map(without_raw, events))))
