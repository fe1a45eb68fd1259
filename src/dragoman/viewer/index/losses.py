"""What is lost between the conditions of a run as its page says it, made in the background with its figures."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from dragoman.analysis.intervals import INTERVAL_METHOD
from dragoman.analysis.losses.records import Loss
from dragoman.analysis.places import PlaceInRun
from dragoman.report import losses as told
from dragoman.store.run import open_run
from dragoman.store.run_index.file import RunIndex
from dragoman.tables.losses import stored_losses
from dragoman.tables.outcomes import chosen_scoring

_NAME = f"losses {INTERVAL_METHOD}"

MOST_KEYS = 12
"""Conversations behind a number that are named; the others are counted."""


class ShownFigure(msgspec.Struct, frozen=True):
    """A number in words, more about it, and the conversations behind it.

    Attributes:
        words: What it says.
        about: Its interval; "" for none.
        count: How many conversations stand behind it.
        behind: The name that the list of conversations shows them by; "" where there are none.
        conversations: The first of them, where they are named.
    """

    words: str
    about: str
    count: int
    behind: str = ""
    conversations: tuple[PlaceInRun, ...] = ()


class ShownLoss(msgspec.Struct, frozen=True):
    """What is lost from one condition to another, in words."""

    sentence: str
    failed: ShownFigure
    stages: tuple[ShownFigure, ...]
    values: tuple[ShownFigure, ...]
    is_looked_for: bool


class StoredLosses(msgspec.Struct, frozen=True):
    """The losses of a run, the largest first."""

    losses: tuple[ShownLoss, ...] = ()


def stored_shown_losses(index: RunIndex) -> StoredLosses:
    """Return the losses that were made last; none before the first."""
    found = index.state(_NAME)
    return StoredLosses() if found is None else msgspec.json.decode(found, type=StoredLosses)


def are_losses_made(index: RunIndex) -> bool:
    """Whether losses were made: an index from before there were any has none."""
    return index.state(_NAME) is not None


def make_losses(folder: Path, index: RunIndex) -> None:
    """Make what is lost between a run's conditions, and keep it with the index."""
    behind: dict[str, list[str]] = {}
    with open_run(folder, write=False) as store:
        found = stored_losses(store, *chosen_scoring(store, None, None))
        made = StoredLosses(tuple(_shown_loss(loss, behind) for loss in told.by_size(found)))
    with index.changing():
        index.put_behind(behind)
        index.put_state(_NAME, msgspec.json.encode(made))


def _shown_loss(loss: Loss, behind: dict[str, list[str]]) -> ShownLoss:
    """Return a loss as a page shows it, and put down which conversations are behind its numbers."""

    def figure(
        words: str, about: str, places: Sequence[PlaceInRun], named: int = 0, name: str = ""
    ) -> ShownFigure:
        full = f"{between}: {name or words}" if places else ""
        if places:
            behind[full] = [place.key for place in places]
        return ShownFigure(words, about, len(places), full, tuple(places[:named]))

    a, b = loss.comparison.a, loss.comparison.b
    between = f"{b.suite}, {b.agent}, {b.condition.label} against {a.condition.label}"
    values = [(f"not heard: {told.share_words(share)}", share.behind) for share in loss.values]
    values += [(words, share.behind) for _, words, share in told.told_shares(loss)]
    if loss.misheard:
        said = f"{len(loss.misheard)} of {len(loss.failed)} failures misheard a value"
        values.append((said, loss.misheard))
    return ShownLoss(
        told.headline(loss),
        figure("failed", "", loss.failed),
        tuple(
            figure(
                told.part_words(part),
                told.points_interval(part.interval),
                part.behind,
                name=told.NAMES[part.stage],
            )
            for part in told.largest_first(loss.parts)
        ),
        tuple(figure(words, "", places, MOST_KEYS) for words, places in values),
        loss.is_looked_for,
    )
