"""The answer of a run and its drops, kept with the index that a viewer reads."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

import msgspec

from dragoman.analysis.cell_summary import ConversationResult, PlaceInRun
from dragoman.analysis.drops import Drop
from dragoman.analysis.intervals import INTERVAL_METHOD
from dragoman.core.conditions import condition_from
from dragoman.core.scores import OutcomeStatus
from dragoman.dataframes.comparisons import drops_among
from dragoman.dataframes.overviews import baseline_drops
from dragoman.dataframes.results import chosen_scoring, outcomes
from dragoman.report import degradation as reported
from dragoman.report import formatting
from dragoman.report.correction_words import not_significant_words
from dragoman.report.labels import condition_chips, condition_label, stage_of
from dragoman.report.overview import (
    OVERVIEW_VERSION,
    CellPoint,
    DropRow,
    Failures,
    RunOverview,
    RunTotals,
    points_of,
    remaining_drops,
)
from dragoman.report.overview_builder import build_overview
from dragoman.runs.manifest import read_manifest
from dragoman.store.run_index import RunIndex, counts, filter_fields
from dragoman.store.run_store import open_run
from dragoman.viewer.run_index import FilterFields
from dragoman.viewer.stored_figures import StoredFigures

_DROPS_NAME = f"further losses, p by family {INTERVAL_METHOD}"
_OVERVIEW_NAME = f"overview {OVERVIEW_VERSION} {INTERVAL_METHOD}"

MOST_KEYS = 12
"""Maximum number of named conversations behind a number; the others are counted."""


class ShownFigure(msgspec.Struct, frozen=True):
    """A number in words, more about it, and the conversations behind it.

    Attributes:
        words: The text.
        about: Its interval; "" for none.
        count: The number of conversations behind it.
        behind: The name of their filter in the list of conversations; "" if there are none.
        conversations: The first conversations, if they are named.
    """

    words: str
    about: str
    count: int
    behind: str = ""
    conversations: tuple[PlaceInRun, ...] = ()


class ShownDrop(msgspec.Struct, frozen=True):
    """The drop between two conditions, in words."""

    sentence: str
    failed: ShownFigure
    stages: tuple[ShownFigure, ...]
    values: tuple[ShownFigure, ...]
    is_looked_for: bool


class StoredDrops(msgspec.Struct, frozen=True):
    """The drops of a run that its answer does not have, the largest first."""

    drops: tuple[ShownDrop, ...] = msgspec.field(default=(), name="losses")


def stored_drops(index: RunIndex) -> StoredDrops:
    """Return the newest stored drops; empty before the first."""
    found = index.state(_DROPS_NAME)
    return StoredDrops() if found is None else msgspec.json.decode(found, type=StoredDrops)


def stored_overview(index: RunIndex) -> RunOverview | None:
    """Return the newest stored answer; None before the first."""
    found = index.state(_OVERVIEW_NAME)
    return None if found is None else msgspec.json.decode(found, type=RunOverview)


def has_answers(index: RunIndex) -> bool:
    """Return whether drops and the answer are stored; an older index has none."""
    return all(index.state(name) is not None for name in (_DROPS_NAME, _OVERVIEW_NAME))


def make_answers(folder: Path, index: RunIndex, figures: StoredFigures | None) -> None:
    """Compute a run's answer and its drops, and store both with the index.

    Args:
        folder: The run's folder.
        index: The index.
        figures: The figures of its cells.
    """
    behind: dict[str, list[str]] = {}
    with open_run(folder, write=False) as store:
        rows: tuple[ConversationResult, ...] = ()
        if len(store.conditions()) > 1:
            rows = tuple(outcomes(store, *chosen_scoring(store, None, None), heads_only=True))
        found = drops_among(store, rows) if rows else ()
        overview = build_overview(
            list(_points(index, figures)),
            baseline_drops(store, rows) if rows else (),
            rows,
            read_manifest(store).not_applicable,
            RunTotals(),
        )
    further = reported.by_size(remaining_drops(overview, found))
    made = StoredDrops(tuple(_shown_drop(drop, behind) for drop in further))
    with index.changing():
        index.put_state(_OVERVIEW_NAME, msgspec.json.encode(_shortened(overview, behind)))
        index.put_behind(behind)
        index.put_state(_DROPS_NAME, msgspec.json.encode(made))


def _points(index: RunIndex, figures: StoredFigures | None) -> Iterator[CellPoint]:
    """Yield the figures of the cells, with the counts of missing conversations."""
    known = {} if figures is None else figures.by_place
    statuses: dict[tuple[str, str, str], dict[OutcomeStatus, int]] = {}
    named = filter_fields(index)
    for number, many in counts(index).items():
        entry = msgspec.json.decode(named[number], type=FilterFields)
        place = entry.suite, entry.stored_condition, entry.agent
        own = statuses.setdefault(place, dict.fromkeys(get_args(OutcomeStatus), 0))
        own[entry.outcome] += many
    places = {
        (suite, condition.label, agent): (condition, own)
        for (suite, stored, agent), own in statuses.items()
        for condition in (condition_from(stored),)
    }
    for place, cell in known.items():
        if place in places:
            condition, own = places[place]
            yield CellPoint(
                suite=cell.suite,
                condition=condition,
                agent=cell.agent,
                figure=cell.first,
                left_out=cell.result.left_out,
                unscored=own["unscored"],
                infrastructure=own["infrastructure"],
                code_errors=own["code"],
                missing=own["missing"],
                planned=sum(own.values()),
                is_assumed=cell.assumed,
            )


def _shortened(found: RunOverview, behind: dict[str, list[str]]) -> RunOverview:
    """Return an answer whose lists have the first conversations; `behind` gets all of them."""

    def short(each: Failures) -> Failures:
        if each.places:
            behind[each.name] = [place.key for place in each.places]
        return msgspec.structs.replace(each, places=each.places[:MOST_KEYS])

    def row(each: DropRow) -> DropRow:
        return msgspec.structs.replace(
            each,
            failures=short(each.failures),
            parts=tuple(
                msgspec.structs.replace(part, failures=short(part.failures)) for part in each.parts
            ),
            values=tuple(
                msgspec.structs.replace(value, conversations=short(value.conversations))
                for value in each.values
            ),
        )

    rows, folded = tuple(map(row, found.rows)), tuple(map(row, found.folded))
    subject = next((each for each in (*rows, *folded) if _is_alike(each, found.subject)), None)
    return msgspec.structs.replace(found, rows=rows, folded=folded, subject=subject)


def _is_alike(one: DropRow, other: DropRow | None) -> bool:
    return other is not None and one.failures.name == other.failures.name


def _sentence(drop: Drop) -> str:
    """Return the drop between two conditions in words, with its interval and its basis."""
    found = drop.comparison
    a, b = found.a.condition, found.b.condition
    other, base = ", ".join(condition_chips(b, a)), ", ".join(condition_chips(a, b))
    between = f"{found.b.agent}, {condition_label(b)}: {other} vs. {base}"
    if drop.value is None or drop.interval is None:
        return f"{between}: no common task"
    amount, interval = points_of(drop.value), reported.points_interval(drop.interval)
    tasks = formatting.format_count(len(found.pairs), "task")
    many = formatting.format_count(found.corrected_for, "comparison")
    p = f"p {formatting.p_value(found.adjusted_p)} after correction for {many}"
    finding = p if found.is_significant else not_significant_words(found)
    return f"{between}: drop {amount} points, 95% CI {interval}, {tasks}, {finding}"


def _shown_drop(loss: Drop, behind: dict[str, list[str]]) -> ShownDrop:
    """Return a drop as a page shows it, and record the conversations behind its numbers."""

    def figure(
        words: str, about: str, places: Sequence[PlaceInRun], named: int = 0, name: str = ""
    ) -> ShownFigure:
        full = f"{between}: {name or words}" if places else ""
        if places:
            behind[full] = [place.key for place in places]
        return ShownFigure(words, about, len(places), full, tuple(places[:named]))

    a, b = loss.comparison.a, loss.comparison.b
    between = f"{b.suite}, {b.agent}, {b.condition.label} against {a.condition.label}"
    values = [
        (f"misrecognized: {reported.share_words(share)}", share.behind) for share in loss.values
    ]
    values += [(words, share.behind) for _, words, share in reported.stated_shares(loss)]
    if loss.misrecognized:
        values.append((reported.misrecognized_words(loss), loss.misrecognized))
    return ShownDrop(
        _sentence(loss),
        figure("failed", "", loss.failed),
        tuple(
            figure(
                f"{stage_of(part.stage)} {reported.points(part.value)}",
                reported.points_interval(part.interval),
                part.behind,
                name=part.stage,
            )
            for part in reported.largest_first(loss.parts)
        ),
        tuple(figure(words, "", places, MOST_KEYS) for words, places in values),
        loss.is_looked_for,
    )
