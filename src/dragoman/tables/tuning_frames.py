"""What trainings bought, as rows."""

from collections.abc import Sequence

import polars as pl

from dragoman.analysis.contrasts.board import SideContrast
from dragoman.analysis.contrasts.paired import PairedRate
from dragoman.analysis.intervals import Interval

_TEXTS = ("suite", "a", "b", "by", "group", "part", "figure")
_NUMBERS = (
    "value_a",
    "low_a",
    "high_a",
    "value_b",
    "low_b",
    "high_b",
    "in_a",
    "in_b",
    "difference",
    "low",
    "high",
    "p",
    "adjusted_p",
)
COLUMNS: dict[str, pl.DataType] = {
    **dict.fromkeys(_TEXTS, pl.String()),
    **dict.fromkeys(_NUMBERS, pl.Float64()),
    **dict.fromkeys(("tasks_a", "tasks_b", "tasks"), pl.Int64()),
}


def contrasts_frame(found: Sequence[SideContrast]) -> pl.DataFrame:
    """Return one row per contrast and figure: both sides, B less A, and what is missing as null."""
    rows = [
        (each.suite, each.a, each.b, each.axis, each.group, rate.part, rate.name, *_numbers(rate))
        for each in found
        for rate in each.rates
    ]
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def _numbers(rate: PairedRate) -> tuple[float | None, ...]:
    return (
        *(rate.a.value, *_ends(rate.a.interval)),
        *(rate.b.value, *_ends(rate.b.interval)),
        *(rate.in_a, rate.in_b),
        *(rate.difference, *_ends(rate.interval), rate.p, rate.adjusted_p),
        *(rate.a.tasks, rate.b.tasks, rate.tasks),
    )


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)
