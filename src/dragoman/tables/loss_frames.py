"""What is lost between the conditions of a run, as rows of one table."""

from collections.abc import Iterable, Iterator, Sequence

import polars as pl

from dragoman.analysis.intervals import Interval
from dragoman.analysis.losses.records import CountedShare, Loss
from dragoman.analysis.places import PlaceInRun

LOSS_COLUMNS: dict[str, pl.DataType] = {
    "suite": pl.String(),
    "agent": pl.String(),
    "base": pl.String(),
    "condition": pl.String(),
    "differs": pl.String(),
    "figure": pl.String(),
    "name": pl.String(),
    "value": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "count": pl.Float64(),
    "of": pl.Float64(),
    "p": pl.Float64(),
    "adjusted_p": pl.Float64(),
    "behind": pl.List(pl.String()),
    "behind_in_base": pl.List(pl.String()),
}
"""`figure` is what a row tells (lost, stage, value, word errors, ...), `name` of which stage or kind; shares
are from 0 to 1; `behind` are the keys of the conversations that a figure rests on."""

_BASE = "base"

_Row = tuple[object, ...]


def losses_frame(losses: Iterable[Loss]) -> pl.DataFrame:
    """Return every figure of losses as a row; p is that of the loss, and null for other figures."""
    rows = [
        (
            *(loss.comparison.a.suite, loss.comparison.a.agent),
            *(loss.comparison.a.condition.label, loss.comparison.b.condition.label),
            "+".join(loss.comparison.differs),
            *row,
        )
        for loss in losses
        for row in _rows(loss)
    ]
    return pl.DataFrame(rows, schema=LOSS_COLUMNS, orient="row")


def _rows(loss: Loss) -> Iterator[_Row]:
    found = loss.comparison
    tasks = float(len(found.pairs))
    yield (
        *("lost", "", loss.value, *_ends(loss.interval), None, tasks, found.p, found.adjusted_p),
        *(_keys(loss.failed), _keys([each for part in loss.parts for each in part.in_base])),
    )
    for part in loss.parts:
        ends = _ends(part.interval)
        yield (
            *("stage", part.stage, part.value, *ends, float(len(part.behind)), tasks, None, None),
            *(_keys(part.behind), _keys(part.in_base)),
        )
    failed = float(len(loss.failed))
    misheard = float(len(loss.misheard))
    yield (
        *("failed with a value misheard", "", misheard / failed if failed else None, None, None),
        *(misheard, failed, None, None, _keys(loss.misheard), []),
    )
    for share in loss.values:
        yield _share("value not heard", share.name, share)
    for figure, sides in (
        ("word errors", loss.word_errors),
        ("turns in another language", loss.other_language),
    ):
        for name, side in ((_BASE, sides.base), ("condition", sides.other)):
            if side is not None:
                yield _share(figure, name, side)


def _share(figure: str, name: str, share: CountedShare) -> _Row:
    keys = _keys(share.behind)
    behind = ([], keys) if name == _BASE else (keys, [])
    ends = _ends(share.interval)
    return (figure, name, share.value, *ends, share.count, share.of, None, None, *behind)


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)


def _keys(places: Sequence[PlaceInRun]) -> list[str]:
    return [place.key for place in places]
