"""Whether agents kept the language, from turn to turn, and whether that goes with success.

The forms are those of SEATauBench's Figures 7, 9, 10 and 11.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from dragoman.analysis.cells import Outcome
from dragoman.analysis.correlation import correlation
from dragoman.analysis.measure_figures import MeasureRow, newest
from dragoman.core.tools import Role
from dragoman.report.figures.making.grid import GridCell, setting
from dragoman.report.figures.records import Datum, Drawing, Section, distinct

_LANGUAGES: Section = "languages"
_MEASURE = "language"
_KEPT = "in its language"
_LAST_TURN = 24
"""Later turns are reached by few conversations; the source stops here."""

_FEWEST_TURNS = 5
_INTERVALS = "Whiskers are 95 % intervals over tasks."

Measures = Mapping[int, Sequence[MeasureRow]]
"""The figures of measures by the number of their cell."""

Played = Mapping[int, Sequence[Outcome]]
"""Conversations by the number of their cell."""


def kept_drawings(
    cells: Sequence[GridCell], measures: Measures, played: Played
) -> Iterator[Drawing]:
    """Yield the figures of the measure `language`; none where it was not counted."""
    other = [cell for cell in cells if not cell.is_english and _kept(measures, cell, "agent")]
    if not other:
        return
    yield from _correct(cells, other, measures)
    yield from _drift(cells, other, played)
    yield from _beside_success(other, measures)


def _kept(measures: Measures, cell: GridCell, side: Role, figure: str = _KEPT) -> MeasureRow | None:
    rows = (row for row in measures.get(cell.number, ()) if row.measure == _MEASURE)
    found = next((row for row in rows if (row.part, row.figure) == (side, figure)), None)
    return found if found is not None and found.value is not None else None


def _correct(
    cells: Sequence[GridCell], other: Sequence[GridCell], measures: Measures
) -> Iterator[Drawing]:
    for name, figure, title, caption in (
        (
            "kept",
            _KEPT,
            "Turns of the agent in the language",
            "in the form of SEATauBench's Figure 9",
        ),
        ("english", "English", "Turns of the agent in English", "after SEATauBench's Figure 11"),
    ):
        yield Drawing(
            f"language-{name}",
            _LANGUAGES,
            "bars",
            title,
            f"Of turns that a detector can tell the language of, {caption}. {_INTERVALS}",
            tuple(
                Datum(
                    f"{cell.suite}, {setting(cells, cell)}",
                    *(found.value, found.interval, found.n, cell.who),
                    cell=cell.number,
                )
                for cell in other
                if (found := _kept(measures, cell, "agent", figure)) is not None
            ),
            axis="turns",
            of="turn",
        )


def _drift(
    cells: Sequence[GridCell], other: Sequence[GridCell], played: Played
) -> Iterator[Drawing]:
    data: list[Datum] = []
    for place in distinct(setting(cells, cell) for cell in other):
        rows = [
            row
            for cell in other
            if setting(cells, cell) == place
            for row in played.get(cell.number, ())
        ]
        for side in ("agent", "user"):
            data += _positions(rows, side, f"{place}, {side}")
    if data:
        yield Drawing(
            "language-drift",
            _LANGUAGES,
            "lines",
            "Turns in another language, by turn",
            "The share of turns that are not in the language, by the turn of that side in the conversation, in the "
            f"form of SEATauBench's Figure 10; turns after {_LAST_TURN} and those that fewer than {_FEWEST_TURNS} "
            "conversations reached are left out.",
            tuple(data),
            axis="turns in another language",
            along="turn of the side",
            of="turn",
        )


def _positions(rows: Iterable[Outcome], side: Role, series: str) -> Iterator[Datum]:
    turns: Counter[int] = Counter()
    wrong: Counter[int] = Counter()
    for row in rows:
        for entry in newest(row.measures):
            if entry.measure == _MEASURE:
                said = [found for found in entry.evidence if found.subject == side]
                for at, found in enumerate(said, 1):
                    turns[at] += int(found.counts.get(f"{side} turns", 0))
                    wrong[at] += int(found.counts.get(f"{side} wrong", 0))
    for at in sorted(turns):
        if at <= _LAST_TURN and turns[at] >= _FEWEST_TURNS:
            yield Datum(str(at), wrong[at] / turns[at], None, turns[at], series)


def _beside_success(other: Sequence[GridCell], measures: Measures) -> Iterator[Drawing]:
    points = [
        (cell, kept.value, cell.cell.result.figures[-1])
        for cell in other
        if (kept := _kept(measures, cell, "agent")) is not None
        and cell.cell.result.figures[-1].value is not None
    ]
    found = correlation([kept for _, kept, _ in points], [last.value for _, _, last in points])
    if found.r is None:
        return
    power = max(last.k for _, _, last in points)
    yield Drawing(
        "language-and-success",
        _LANGUAGES,
        "scatter",
        f"Does keeping the language go with pass^{power}?",
        f"A dot for each cell in another language, in the form of SEATauBench's Figure 7. Pearson's r is {found.r:+.2f}, "
        f"R² {found.r_squared:.2f}, over {found.n} cells.",
        tuple(
            Datum(
                *(cell.cell.condition.label, last.value, last.interval, last.tasks, cell.who),
                x=kept,
                cell=cell.number,
            )
            for cell, kept, last in points
        ),
        axis=f"pass^{power}",
        along="share of the agent's turns in the language",
    )
