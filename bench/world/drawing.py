"""Shared tools of all tables: days, random walks, and the writing of values."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from random import Random

TODAY = date(2026, 3, 16)
MARCH = tuple(date(2026, 3, day) for day in range(1, 32))
WINDOW = tuple(date(2026, 3, day) for day in range(9, 19))
"""Ten days around today, for tables with many rows per day."""

PAST = tuple(date(2026, 3, day) for day in range(7, 17))
"""The last ten days, including today."""

Rows = Iterable[Sequence[object]]
Table = tuple[str, Rows]
"""Headings in the form of the file, and rows."""


def drawn(name: str) -> Random:
    return Random(f"dragoman/{name}")  # noqa: S311 - invented data


def working_days(last: date, count: int) -> list[date]:
    """Return the last working days, oldest first."""
    days: list[date] = []
    while len(days) < count:
        if last.weekday() < 5:
            days.append(last)
        last -= timedelta(days=1)
    return days[::-1]


def walk(random: Random, start: float, step: float, count: int) -> Iterator[float]:
    """Yield the values of a series that changes each day by up to a share of itself."""
    for _ in range(count):
        yield start
        start *= 1 + random.uniform(-step, step)


def as_csv(table: Table) -> str:
    headings, rows = table
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(headings.split(","))
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return "|".join(map(str, value))
    return str(value)
