"""Figures 2 and 3 of MM-tau-p2, mm-tap, and what each axis does, as figures with their data."""

from collections.abc import Iterator

from dragoman.analysis.mm_tau.board import MmTauBoard
from dragoman.report.figures.records import Datum, Drawing, Section, file_name
from dragoman.report.mm_tau.charts import SuccessChart, glances, modality_charts, persona_charts
from dragoman.report.mm_tau.tables import exposure_name

_PERSONAS: Section = "personas"
_INTERVALS = "Whiskers are 95 % intervals over tasks."


def persona_drawings(board: MmTauBoard) -> Iterator[Drawing]:
    """Yield the figures of a grid of personas and exposures; those of its judges come after the log's."""
    yield from _axes(board)
    for chart in modality_charts(board):
        yield _success(chart, "Figure 2: pass^1 by modality and exposure")
    for chart in persona_charts(board):
        yield _success(chart, "Figure 3: pass^1 by modality, persona and exposure")
    yield from _composites(board)


def _axes(board: MmTauBoard) -> Iterator[Drawing]:
    for glance in glances(board):
        data = tuple(
            Datum(step.name, found.difference, found.interval, found.tasks)
            for step in glance.steps
            if (found := step.success).difference is not None
        )
        if data:
            yield Drawing(
                file_name("axes", glance.title),
                _PERSONAS,
                "bars",
                f"What each axis does, {glance.title}",
                f"Difference of pass^1 over couples of cells that are the same but for this axis. {_INTERVALS}",
                data,
                "points",
                "difference of pass^1",
            )


def _success(chart: SuccessChart, title: str) -> Drawing:
    return Drawing(
        file_name(*title.split(":", maxsplit=1)[0].split(), chart.title),
        _PERSONAS,
        "bars",
        f"{title}, {chart.title}",
        f"In the form of MM-tau-p2's. {_INTERVALS}",
        tuple(
            Datum(
                *(place, bar.standing.value, bar.standing.interval, bar.standing.tasks, bar.name),
                note=bar.below,
            )
            for place, bars in chart.groups
            for bar in bars
        ),
    )


def _composites(board: MmTauBoard) -> Iterator[Drawing]:
    groups: dict[str, list[Datum]] = {}
    for cell in board.cells:
        if cell.mm_tap is not None:
            reader = "the log" if cell.reader == "log" else cell.reader
            title = ", ".join((cell.suite, cell.agent, *cell.setting, f"by {reader}"))
            place = f"{cell.way.name}, {cell.persona}"
            exposure = exposure_name(cell.exposure)
            datum = Datum(place, cell.mm_tap, cell.mm_tap_interval, cell.tasks, exposure)
            groups.setdefault(title, []).append(datum)
    for title, data in groups.items():
        yield Drawing(
            file_name("mm-tap", title),
            _PERSONAS,
            "bars",
            f"mm-tap, {title}",
            f"The composite of Table 5, of raw metrics, by modality, persona and exposure. {_INTERVALS}",
            tuple(data),
            "number",
            "mm-tap",
        )
