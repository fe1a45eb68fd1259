"""What is lost between the conditions of a run as its page says it, made in the background with its figures."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from dragoman.analysis.blame import CULPRITS
from dragoman.analysis.losses.records import Loss, LossPart
from dragoman.analysis.places import PlaceInRun
from dragoman.report import losses as told
from dragoman.store.run import open_run
from dragoman.store.run_index.file import RunIndex
from dragoman.tables.losses import stored_losses
from dragoman.tables.outcomes import chosen_scoring

_NAME = "losses"

MOST_CONVERSATIONS = 20_000
"""Of larger runs it is not made while somebody looks: reading them all at once takes too long."""

MOST_KEYS = 12
"""Conversations behind a number that are named; the others are counted."""


class ShownFigure(msgspec.Struct, frozen=True):
    """A number in words, more about it, and conversations behind it: facets that show them, or keys.

    Attributes:
        words: What it says.
        about: Its interval; "" for none.
        count: How many conversations stand behind it.
        facets: Values that the list of conversations is filtered by; empty where none fit.
        conversations: The first of them by key, with task and trial, where no facets fit.
    """

    words: str
    about: str
    count: int
    facets: dict[str, str] = {}
    conversations: tuple[PlaceInRun, ...] = ()


class ShownLoss(msgspec.Struct, frozen=True):
    """What is lost from one condition to another, in words."""

    sentence: str
    failed: ShownFigure
    stages: tuple[ShownFigure, ...]
    values: tuple[ShownFigure, ...]
    is_looked_for: bool


class StoredLosses(msgspec.Struct, frozen=True):
    """The losses of a run, the largest first; `is_too_large` where they were not made for its size."""

    losses: tuple[ShownLoss, ...] = ()
    is_too_large: bool = False


def stored_shown_losses(index: RunIndex) -> StoredLosses:
    """Return the losses that were made last; none before the first."""
    found = index.state(_NAME)
    return StoredLosses() if found is None else msgspec.json.decode(found, type=StoredLosses)


def are_losses_made(index: RunIndex) -> bool:
    """Whether losses were made: an index from before there were any has none."""
    return index.state(_NAME) is not None


def make_losses(folder: Path, index: RunIndex) -> None:
    """Make what is lost between a run's conditions, and keep it with the index."""
    with open_run(folder, write=False) as store:
        if len(store.cells()) > MOST_CONVERSATIONS:
            made = StoredLosses(is_too_large=len({each.condition for each in store.cells()}) > 1)
        else:
            found = stored_losses(store, *chosen_scoring(store, None, None))
            made = StoredLosses(tuple(map(shown_loss, told.by_size(found))))
    with index.changing():
        index.put_state(_NAME, msgspec.json.encode(made))


def shown_loss(loss: Loss) -> ShownLoss:
    """Return a loss as a page shows it."""
    name = loss.comparison.b
    cell = {"suite": name.suite, "condition": name.condition.label, "agent": name.agent}
    values = [(told.share_words(share), share.behind) for share in loss.values]
    values += [(words, share.behind) for _, words, share in told.told_shares(loss)]
    if loss.misheard:
        said = f"{len(loss.misheard)} of {len(loss.failed)} failures misheard a value"
        values.append((said, loss.misheard))
    return ShownLoss(
        told.headline(loss),
        ShownFigure("failed", "", len(loss.failed), {**cell, "outcome": "fail"}),
        tuple(_stage(part, cell) for part in told.largest_first(loss.parts)),
        tuple(_named(words, behind) for words, behind in values),
        loss.is_looked_for,
    )


def _stage(part: LossPart, cell: dict[str, str]) -> ShownFigure:
    facets = {**cell, "outcome": "fail"}
    if part.stage in CULPRITS:
        facets["blame"] = part.stage
    elif part.stage == "user":
        facets["user"] = "invalid"
    words, about = told.part_words(part), told.points_interval(part.interval)
    return ShownFigure(words, about, len(part.behind), facets if part.behind else {})


def _named(words: str, behind: Sequence[PlaceInRun]) -> ShownFigure:
    return ShownFigure(words, "", len(behind), conversations=tuple(behind[:MOST_KEYS]))
