"""Figures 2 and 3 of MM-tau-p2, and what each axis does at a glance: what templates draw."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from dragoman.analysis.intervals import Interval
from dragoman.analysis.mm_tau.axes import AxisDifference
from dragoman.analysis.mm_tau.board import SUCCESS, MmTauBoard, MmTauCell
from dragoman.analysis.mm_tau.pooled import PooledSuccess
from dragoman.core.conditions import NONE, PLAIN
from dragoman.report import wording
from dragoman.report.mm_tau.tables import exposure_name


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
        standing: The figure.
        below: What was left out of it, or nothing.
    """

    name: str
    colour: int
    standing: ShownShare
    below: str

    @property
    def words(self) -> str:
        """The bar in words, for readers who do not see it."""
        ends = self.standing.interval
        shown = (
            ""
            if ends is None
            else f", 95 % interval {wording.share(ends.low)} to {wording.share(ends.high)}"
        )
        tasks = wording.counted(self.standing.tasks, "task")
        unscored = f", {self.below}" if self.below else ""
        return f"{self.name}: {wording.share(self.standing.value)}{shown}, {tasks}{unscored}"


class SuccessChart(msgspec.Struct, frozen=True):
    """pass^1 of one agent: groups of bars, one for each exposure; suites and readers are groups side by side."""

    title: str
    groups: tuple[tuple[str, tuple[ExposureBar, ...]], ...]


class AxisStep(msgspec.Struct, frozen=True):
    """What one step along an axis does.

    Attributes:
        name: The step.
        success: The difference in pass^1.
        others: The other differences of the same step, in words.
    """

    name: str
    success: AxisDifference
    others: tuple[str, ...]


class AxisGlance(msgspec.Struct, frozen=True):
    """What all axes do to one agent on one suite."""

    title: str
    steps: tuple[AxisStep, ...]


def glances(board: MmTauBoard) -> tuple[AxisGlance, ...]:
    """Return what each axis does by the log, for each suite and agent."""
    groups: dict[tuple[str, str], dict[tuple[str, str, str], list[AxisDifference]]] = {}
    for each in board.differences:
        if not each.at and each.reader == "log":
            steps = groups.setdefault((each.suite, each.agent), {})
            steps.setdefault((each.axis, each.a, each.b), []).append(each)
    return tuple(
        AxisGlance(f"{agent}, {suite}", tuple(_step(found) for found in steps.values()))
        for (suite, agent), steps in groups.items()
    )


def modality_charts(board: MmTauBoard) -> tuple[SuccessChart, ...]:
    """Return Figure 2: by modality and exposure, over the personas that all have.

    Each agent has one chart: suites stand side by side in it, and readers in each suite.
    """
    found = [each for each in board.pooled if each.value is not None]
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


def persona_charts(board: MmTauBoard) -> tuple[SuccessChart, ...]:
    """Return Figure 3: by modality, persona and exposure, suites and readers side by side.

    Where tasks state personas, and no card was played, these are the personas.
    """
    found = [cell for cell in board.cells if cell.metrics[SUCCESS].value is not None]
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
    """Bars in charts: one chart for each agent and setting, with what differs there in their places' names."""

    def __init__(self, shown: Sequence[PooledSuccess | MmTauCell]) -> None:
        self._readers = list(dict.fromkeys(each.reader for each in shown))
        self._suites = {
            title: list(dict.fromkeys(each.suite for each in shown if _player(each) == title))
            for title in dict.fromkeys(map(_player, shown))
        }
        self._found: dict[str, dict[tuple[int, str, int, str], list[ExposureBar]]] = {}

    def add(self, each: PooledSuccess | MmTauCell, place: str, bar: ExposureBar) -> None:
        """Add a bar at a place, beside those of other suites and readers."""
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
        """The charts: suites in their order, in each the places in theirs, at each place the readers."""
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
    judged = "" if each.way.clarify == NONE else f", clarify {each.way.clarify}"
    return f"{each.way.name}{judged}"
