"""Figures of MM-tau-p2, and the report's section in its style."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from dragoman.analysis.intervals import Interval
from dragoman.core.conditions import NONE, PLAIN
from dragoman.papers.mm_tau.axis_effects import AxisDifference, PooledSuccess
from dragoman.papers.mm_tau.summary import SUCCESS, MmTauCell, MmTauSummary
from dragoman.papers.mm_tau.tables import (
    agreement_tables,
    axis_tables,
    card_tables,
    change_tables,
    composite_tables,
    exposure_name,
    metric_tables,
    pair_tables,
)
from dragoman.report import formatting
from dragoman.report.figure_spec import Datum, FigureSpec, Section, file_name
from dragoman.report.text_tables import GroupedTable, TextTable


class ShownShare(msgspec.Struct, frozen=True):
    """A share as a bar shows it: with its interval and over how many tasks."""

    value: float
    interval: Interval | None
    tasks: int


class ExposureBar(msgspec.Struct, frozen=True):
    """pass^1 under one exposure.

    Attributes:
        name: The exposure.
        colour: The number of its colour, the same in all charts.
        shown_share: The figure.
        below: A note on what was excluded from it, or nothing.
    """

    name: str
    colour: int
    shown_share: ShownShare
    below: str

    @property
    def words(self) -> str:
        """The bar in words, for readers who do not see it."""
        ends = self.shown_share.interval
        shown = (
            ""
            if ends is None
            else f", 95 % interval {formatting.share(ends.low)} to {formatting.share(ends.high)}"
        )
        tasks = formatting.format_count(self.shown_share.tasks, "task")
        unscored = f", {self.below}" if self.below else ""
        return f"{self.name}: {formatting.share(self.shown_share.value)}{shown}, {tasks}{unscored}"


class SuccessChart(msgspec.Struct, frozen=True):
    """The chart of pass^1 of one agent, with one bar in a group for each exposure.

    Suites and readers are groups next to each other.
    """

    title: str
    groups: tuple[tuple[str, tuple[ExposureBar, ...]], ...]


class AxisStep(msgspec.Struct, frozen=True):
    """The effects of one step along an axis.

    Attributes:
        name: The step.
        success: The difference in pass^1.
        others: The other differences of the same step, in words.
    """

    name: str
    success: AxisDifference
    others: tuple[str, ...]


class AxisGlance(msgspec.Struct, frozen=True):
    """The effects of all axes on one agent on one suite."""

    title: str
    steps: tuple[AxisStep, ...]


def glances(summary: MmTauSummary) -> tuple[AxisGlance, ...]:
    """Return the effects of each axis by the log, for each suite and agent."""
    groups: dict[tuple[str, str], dict[tuple[str, str, str], list[AxisDifference]]] = {}
    for each in summary.differences:
        if not each.at and each.reader == "log":
            steps = groups.setdefault((each.suite, each.agent), {})
            steps.setdefault((each.axis, each.a, each.b), []).append(each)
    return tuple(
        AxisGlance(f"{agent}, {suite}", tuple(_step(found) for found in steps.values()))
        for (suite, agent), steps in groups.items()
    )


def modality_charts(summary: MmTauSummary) -> tuple[SuccessChart, ...]:
    """Return Figure 2: by modality and exposure, over the personas that all have.

    Each agent has one chart: suites stand side by side in it, and readers in each suite.
    """
    found = [each for each in summary.pooled if each.value is not None]
    exposures = _exposures(each.exposure for each in found)
    charts = _Charts(found)
    for each in sorted(found, key=lambda each: (each.suite, each.exposure)):
        bar = _bar(
            each.exposure,
            exposures,
            ShownShare(each.value or 0.0, each.interval, each.tasks),
            _notes(each.unscored, f"personas {', '.join(each.personas)}"),
        )
        charts.add(each, _modality(each), bar)
    return charts.charts


def persona_charts(summary: MmTauSummary) -> tuple[SuccessChart, ...]:
    """Return Figure 3: by modality, persona and exposure, suites and readers side by side.

    If tasks state personas, and no card was played, these are the personas.
    """
    found = [cell for cell in summary.cells if cell.metrics[SUCCESS].value is not None]
    exposures = _exposures(cell.exposure for cell in found)
    charts = _Charts(found)
    for cell in sorted(found, key=lambda cell: (cell.suite, cell.exposure)):
        for persona, shown, unscored in _personas(cell):
            bar = _bar(cell.exposure, exposures, shown, _notes(unscored))
            charts.add(cell, f"{_modality(cell)}, {persona}", bar)
    return charts.charts


def _personas(cell: MmTauCell) -> Iterator[tuple[str, ShownShare, int]]:
    """Yield pass^1 by the personas of a cell's tasks; by its own where these state none."""
    for each in cell.stated:
        if each.value is not None:
            shown = ShownShare(each.value, each.interval, each.tasks)
            yield each.persona, shown, 0
    if not cell.stated:
        metric = cell.metrics[SUCCESS]
        shown = ShownShare(metric.value or 0.0, metric.interval, int(metric.n))
        yield cell.persona, shown, metric.unscored


class _Charts:
    """Bars grouped into charts: one chart for each agent and setting.

    The names of places include the properties that differ within a chart.
    """

    def __init__(self, shown: Sequence[PooledSuccess | MmTauCell]) -> None:
        self._readers = list(dict.fromkeys(each.reader for each in shown))
        self._suites = {
            title: list(dict.fromkeys(each.suite for each in shown if _player(each) == title))
            for title in dict.fromkeys(map(_player, shown))
        }
        self._found: dict[str, dict[tuple[int, str, int, str], list[ExposureBar]]] = {}

    def add(self, each: PooledSuccess | MmTauCell, place: str, bar: ExposureBar) -> None:
        """Add a bar at a place, next to those of other suites and readers."""
        suites = self._suites[_player(each)]
        title = _player(each) if len(suites) > 1 else f"{each.suite}, {_player(each)}"
        if len(self._readers) == 1:
            title += f", by {_reader(each.reader)}"
        names = (
            *([each.suite] if len(suites) > 1 else []),
            place,
            *([f"by {_reader(each.reader)}"] if len(self._readers) > 1 else []),
        )
        order = (suites.index(each.suite), place, self._readers.index(each.reader))
        places = self._found.setdefault(title, {})
        places.setdefault((*order, ", ".join(names)), []).append(bar)

    @property
    def charts(self) -> tuple[SuccessChart, ...]:
        """The charts, with suites, places and readers in their order.

        The suites of a chart contain the places, and each place contains the readers.
        """
        return tuple(
            SuccessChart(title, tuple(_in_order(places))) for title, places in self._found.items()
        )


def _in_order(
    places: Mapping[tuple[int, str, int, str], Sequence[ExposureBar]],
) -> Iterator[tuple[str, tuple[ExposureBar, ...]]]:
    """Yield places by suite, then as they came, readers of one place side by side."""
    came = list(dict.fromkeys((suite, place) for suite, place, _, _ in places))
    for key in sorted(places, key=lambda key: (key[0], came.index(key[:2]), key[2])):
        yield key[3], tuple(places[key])


def _step(found: Sequence[AxisDifference]) -> AxisStep:
    success, *others = found
    name = f"{success.axis}: {success.a} → {success.b}"
    return AxisStep(name, success, tuple(_other(each) for each in others))


def _other(each: AxisDifference) -> str:
    if each.difference is None:
        return f"{each.figure}: no task in both"
    if each.is_share:
        return f"{each.figure} {100 * each.difference:+.1f} points{_ends(each.interval, 100)}"
    return f"{each.figure} {each.difference:+.2f}{_ends(each.interval, 1)}"


def _ends(interval: Interval | None, times: int) -> str:
    if interval is None:
        return ""
    places = 1 if times > 1 else 2
    return f" [{times * interval.low:+.{places}f}, {times * interval.high:+.{places}f}]"


def _bar(exposure: str, exposures: Sequence[str], shown: ShownShare, below: str) -> ExposureBar:
    return ExposureBar(exposure_name(exposure), exposures.index(exposure), shown, below)


def _notes(unscored: int, *others: str) -> str:
    return ", ".join((*([f"{unscored:,} unscored"] if unscored else []), *others))


def _exposures(found: Iterable[str]) -> list[str]:
    return sorted(set(found))


def _player(each: PooledSuccess | MmTauCell) -> str:
    """Return who played, with the rest of the condition where that is not plain."""
    if isinstance(each, MmTauCell):
        return ", ".join((each.agent, *each.setting))
    return each.agent if each.setting == PLAIN.label else f"{each.agent}, {each.setting}"


def _reader(name: str) -> str:
    return "the log" if name == "log" else name


def _modality(each: PooledSuccess | MmTauCell) -> str:
    judged = "" if each.input_mode.clarify == NONE else f", clarify {each.input_mode.clarify}"
    return f"{each.input_mode.name}{judged}"


_PERSONAS: Section = "personas"
_INTERVALS = "Whiskers are 95 % intervals over tasks."


def mm_tau_figures(summary: MmTauSummary) -> Iterator[FigureSpec]:
    """Yield the figures of a grid of personas and exposures.

    The figures of its judges come after those of the log.
    """
    yield from _axes(summary)
    for chart in modality_charts(summary):
        yield _success(chart, "Figure 2: pass^1 by modality and exposure")
    for chart in persona_charts(summary):
        yield _success(chart, "Figure 3: pass^1 by modality, persona and exposure")
    yield from _composites(summary)


def _axes(summary: MmTauSummary) -> Iterator[FigureSpec]:
    for glance in glances(summary):
        data = tuple(
            Datum(step.name, found.difference, found.interval, found.tasks)
            for step in glance.steps
            if (found := step.success).difference is not None
        )
        if data:
            yield FigureSpec(
                file_name("axes", glance.title),
                _PERSONAS,
                "bars",
                f"Effect of each axis, {glance.title}",
                "Difference of pass^1 over pairs of cells that differ only in this axis. "
                f"{_INTERVALS}",
                data,
                "points",
                "difference of pass^1",
            )


def _success(chart: SuccessChart, title: str) -> FigureSpec:
    return FigureSpec(
        file_name(*title.split(":", maxsplit=1)[0].split(), chart.title),
        _PERSONAS,
        "bars",
        f"{title}, {chart.title}",
        f"In the form of MM-tau-p2's. {_INTERVALS}",
        tuple(
            Datum(
                *(
                    place,
                    bar.shown_share.value,
                    bar.shown_share.interval,
                    bar.shown_share.tasks,
                    bar.name,
                ),
                note=bar.below,
            )
            for place, bars in chart.groups
            for bar in bars
        ),
    )


def _composites(summary: MmTauSummary) -> Iterator[FigureSpec]:
    groups: dict[str, list[Datum]] = {}
    for cell in summary.cells:
        if cell.mm_tap is not None:
            reader = "the log" if cell.reader == "log" else cell.reader
            title = ", ".join((cell.suite, cell.agent, *cell.setting, f"by {reader}"))
            place = f"{cell.input_mode.name}, {cell.persona}"
            exposure = exposure_name(cell.exposure)
            datum = Datum(place, cell.mm_tap, cell.mm_tap_interval, cell.tasks, exposure)
            groups.setdefault(title, []).append(datum)
    for title, data in groups.items():
        yield FigureSpec(
            file_name("mm-tap", title),
            _PERSONAS,
            "bars",
            f"mm-tap, {title}",
            "The composite of Table 5, of raw metrics, by modality, persona and exposure. "
            f"{_INTERVALS}",
            tuple(data),
            "number",
            "mm-tap",
        )


class MmTauPage(msgspec.Struct, frozen=True):
    """The contents of the section, in their order.

    `facts` are labels and values that describe the basis of the section.
    """

    glances: tuple[AxisGlance, ...]
    differences: tuple[TextTable, ...]
    drawings: tuple[FigureSpec, ...]
    metrics: tuple[GroupedTable, ...]
    changes: tuple[GroupedTable, ...]
    composites: tuple[GroupedTable, ...]
    agreements: tuple[TextTable, ...]
    facts: tuple[tuple[str, str], ...]


def mm_tau_page(summaries: Sequence[MmTauSummary], facts: tuple[tuple[str, str], ...]) -> MmTauPage:
    """Return the section on boards of the same conversations.

    Args:
        summaries: A board for each set of definitions; parts that do not depend on the definitions
            come from the first one.
        facts: The facts about the boards: labels and values.
    """
    summary = summaries[0]
    return MmTauPage(
        glances(summary),
        (*axis_tables(summary), *pair_tables(summary), *card_tables(summary)),
        tuple(mm_tau_figures(summary)),
        tuple(table for each in summaries for table in metric_tables(each)),
        tuple(table for each in summaries for table in change_tables(each)),
        tuple(table for each in summaries for table in composite_tables(each)),
        tuple(agreement_tables(summary)),
        facts,
    )
