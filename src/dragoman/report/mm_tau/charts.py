"""Figures 2 and 3 of MM-tau-p2, and what each axis does at a glance: what templates draw."""

from collections.abc import Iterable, Sequence

import msgspec

from dragoman.analysis.intervals import Interval
from dragoman.analysis.mm_tau.axes import AxisDifference
from dragoman.analysis.mm_tau.board import SUCCESS, MmTauBoard, MmTauCell
from dragoman.analysis.mm_tau.pooled import PooledSuccess
from dragoman.core.conditions import NONE
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
    """pass^1 of one agent on one suite as one reader has it: groups of bars, one for each exposure."""

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
    """Return Figure 2: by modality and exposure, over the personas that all have."""
    exposures = _exposures(each.exposure for each in board.pooled)
    groups: dict[str, dict[str, list[ExposureBar]]] = {}
    for each in sorted(board.pooled, key=lambda each: each.exposure):
        if each.value is not None:
            shown = ShownShare(each.value, each.interval, each.tasks)
            bar = _bar(each.exposure, exposures, shown, each.unscored)
            modalities = groups.setdefault(_chart_title(each), {})
            modalities.setdefault(_modality(each), []).append(bar)
    return tuple(SuccessChart(title, _grouped(found)) for title, found in groups.items())


def persona_charts(board: MmTauBoard) -> tuple[SuccessChart, ...]:
    """Return Figure 3: by modality, persona and exposure."""
    exposures = _exposures(cell.exposure for cell in board.cells)
    groups: dict[str, dict[str, list[ExposureBar]]] = {}
    for cell in sorted(board.cells, key=lambda cell: cell.exposure):
        metric = cell.metrics[SUCCESS]
        if metric.value is not None:
            shown = ShownShare(metric.value, metric.interval, int(metric.n))
            bar = _bar(cell.exposure, exposures, shown, metric.unscored)
            title = ", ".join((cell.suite, cell.agent, *cell.setting, f"by {_reader(cell.reader)}"))
            places = groups.setdefault(title, {})
            places.setdefault(f"{_modality(cell)}, {cell.persona}", []).append(bar)
    return tuple(SuccessChart(title, _grouped(found)) for title, found in groups.items())


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


def _bar(exposure: str, exposures: Sequence[str], shown: ShownShare, unscored: int) -> ExposureBar:
    below = f"{unscored:,} unscored" if unscored else ""
    return ExposureBar(exposure_name(exposure), exposures.index(exposure), shown, below)


def _exposures(found: Iterable[str]) -> list[str]:
    return sorted(set(found))


def _chart_title(each: PooledSuccess) -> str:
    personas = ", ".join(each.personas)
    return f"{each.suite}, {each.agent}, by {_reader(each.reader)}, personas {personas}"


def _reader(name: str) -> str:
    return "the log" if name == "log" else name


def _modality(each: PooledSuccess | MmTauCell) -> str:
    judged = "" if each.way.clarify == NONE else f", clarify {each.way.clarify}"
    return f"{each.way.name}{judged}"


def _grouped(
    found: dict[str, list[ExposureBar]],
) -> tuple[tuple[str, tuple[ExposureBar, ...]], ...]:
    return tuple((name, tuple(bars)) for name, bars in found.items())
