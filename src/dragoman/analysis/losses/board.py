"""The losses of a run: each couple of base and other condition, with parts that add up to what is lost."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from dragoman.analysis.cells import Outcome
from dragoman.analysis.comparison import CellOutcomes, Comparison, compare
from dragoman.analysis.intervals import Interval, difference_interval, ratio_interval
from dragoman.analysis.losses.couples import Couple, couples_of
from dragoman.analysis.losses.records import STAGES, CountedShare, Loss, LossPart, Sides, Stage
from dragoman.analysis.losses.stages import counts_of, stage_of
from dragoman.analysis.places import place_in_run
from dragoman.core.scores import Scored, is_success

_KIND_LOST, _KIND_SAID = "lost: ", "said: "


class _Side(msgspec.Struct, frozen=True):
    """The conversations of one cell on the compared tasks, and how many each task has."""

    rows: Sequence[Outcome]
    trials: Mapping[str, int]

    @property
    def failed(self) -> Mapping[Stage, Sequence[Outcome]]:
        """Those that failed, by stage."""
        found: dict[Stage, list[Outcome]] = {}
        for row in self.rows:
            if isinstance(row.reward, Scored) and not is_success(row.reward.value):
                found.setdefault(stage_of(row), []).append(row)
        return found


def losses(
    cells: Sequence[CellOutcomes],
    chosen: Callable[[Sequence[Couple]], Sequence[Couple]] = lambda couples: couples,
) -> tuple[Loss, ...]:
    """Return what is lost between conditions, in the order of the cells.

    Args:
        cells: The cells of a run.
        chosen: Leaves out couples that say nothing of what tells them apart.
    """
    couples = chosen(couples_of(cells))
    return tuple(map(_loss, couples, compare(couples)))


def _loss(couple: Couple, found: Comparison) -> Loss:
    base, other = (_side(cell, found) for cell in couple)
    return Loss(
        found,
        _parts(base, other, found),
        tuple(place_in_run(row) for row in _misheard(other)),
        _values(other),
        Sides(*(_share(side, "hearing", "word errors", "words") for side in (base, other))),
        Sides(*(_share(side, "language", "agent wrong", "agent turns") for side in (base, other))),
    )


def _side(cell: CellOutcomes, found: Comparison) -> _Side:
    """Return the conversations that entered a comparison, trials that were not played aside."""
    tasks = {pair.task for pair in found.pairs}
    rows = [row for row in cell.outcomes if row.task in tasks and row.reward is not None]
    trials: dict[str, int] = {}
    for row in rows:
        trials[row.task] = trials.get(row.task, 0) + 1
    return _Side(rows, trials)


def _parts(base: _Side, other: _Side, found: Comparison) -> tuple[LossPart, ...]:
    """Return what each stage lost."""
    in_base, in_other = base.failed, other.failed
    parts = []
    for stage in STAGES:
        rows, known = in_other.get(stage, ()), in_base.get(stage, ())
        if not rows and not known:
            continue
        shares, of_base = _shares(rows, other), _shares(known, base)
        each = [shares.get(p.task, 0.0) - of_base.get(p.task, 0.0) for p in found.pairs]
        parts.append(
            LossPart(
                stage,
                sum(each) / len(each),
                difference_interval(each),
                tuple(map(place_in_run, rows)),
                tuple(map(place_in_run, known)),
            )
        )
    return tuple(parts)


def _shares(rows: Iterable[Outcome], side: _Side) -> dict[str, float]:
    """Return by task which share of its trials these are."""
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.task] = counts.get(row.task, 0) + 1
    return {task: count / side.trials[task] for task, count in counts.items()}


def _misheard(side: _Side) -> list[Outcome]:
    """Return those that failed and in which a value was not heard, nor won back by an answer."""
    failed = (row for rows in side.failed.values() for row in rows)
    return [
        row
        for row in failed
        if (counts := counts_of(row, "values")).get("lost", 0) > counts.get("won back", 0)
    ]


def _values(side: _Side) -> tuple[CountedShare, ...]:
    names = dict.fromkeys(
        name.removeprefix(_KIND_LOST)
        for row in side.rows
        for name, count in counts_of(row, "values").items()
        if name.startswith(_KIND_LOST) and count
    )
    shares = (_share(side, "values", _KIND_LOST + kind, _KIND_SAID + kind, kind) for kind in names)
    found = [share for share in shares if share is not None]
    return tuple(sorted(found, key=lambda share: -share.count))


def _share(side: _Side, measure: str, count: str, of: str, name: str = "") -> CountedShare | None:
    """Return a share of what a measure counted; None where it counted nothing of the kind."""
    counted = [(row, counts_of(row, measure)) for row in side.rows]
    known = [(row, counts) for row, counts in counted if count in counts]
    if not known:
        return None
    has_whole = all(of in counts for _, counts in known)
    return CountedShare(
        name or count,
        sum(counts[count] for _, counts in known),
        sum(counts[of] for _, counts in known) if has_whole else None,
        _interval(known, count, of) if has_whole else None,
        tuple(place_in_run(row) for row, counts in known if counts[count]),
    )


def _interval(
    known: Iterable[tuple[Outcome, Mapping[str, int | float]]], count: str, of: str
) -> Interval | None:
    tasks: dict[str, tuple[float, float]] = {}
    for row, counts in known:
        above, below = tasks.get(row.task, (0.0, 0.0))
        tasks[row.task] = above + counts[count], below + counts[of]
    pairs = [pair for pair in tasks.values() if pair[1]]
    return ratio_interval(pairs, is_share=_is_share(count)) if pairs else None


def _is_share(count: str) -> bool:
    """Whether it cannot be more than all: recognizers may put in more words than were said."""
    return count != "word errors"
