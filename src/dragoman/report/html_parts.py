"""Shared parts of HTML pages: the stylesheets, and the geometry of pass^k panels."""

from importlib.resources import files

import msgspec

from dragoman.analysis.intervals import Interval
from dragoman.analysis.pass_hat import Figure, PassHat
from dragoman.report.formatting import interval, number


def stylesheet() -> str:
    """Return the design system and the style of the report."""
    return _read("design.css") + _read("report.css")


def figure_style() -> str:
    """Return the style of figures; its colours are variables of the style sheet."""
    return _read("figure.css")


def _read(name: str) -> str:
    return (files("dragoman.report") / "templates" / name).read_text("utf-8")


WIDTH, HEIGHT = 260, 170
LEFT, RIGHT, TOP, BOTTOM = 34, 12, 10, 26


class Mark(msgspec.Struct, frozen=True):
    """One pass^k in a panel: its point, and the ends of its whisker, in pixels."""

    k: int
    x: float
    y: float
    low: float
    high: float


class Panel(msgspec.Struct, frozen=True):
    """The curve of one cell: marks, the points of the line between them, and all of it in words."""

    marks: tuple[Mark, ...]
    points: str
    words: str


def panel(result: PassHat) -> Panel | None:
    """Return the curve of pass^k over k, or None where fewer than two figures exist."""
    known = [figure for figure in result.figures if figure.value is not None]
    if len(known) < 2:  # noqa: PLR2004 - a line has two ends
        return None
    marks = tuple(_mark(figure, result.trials) for figure in known)
    points = " ".join(f"{mark.x:g},{mark.y:g}" for mark in marks)
    return Panel(marks, points, "; ".join(map(figure_words, known)))


def figure_words(figure: Figure) -> str:
    """Return a figure in words, for readers who do not see it."""
    return (
        f"pass^{figure.k} {number(figure.value)}, 95 % interval {interval(figure.interval)}, "
        f"bounds over all tasks {interval(figure.bounds)}"
    )


def level(value: float) -> float:
    """Return the height of a value between 0 and 1 in a panel."""
    return round(TOP + (1 - value) * (HEIGHT - TOP - BOTTOM), 2)


def percent(value: float) -> str:
    """Return a share as an SVG length."""
    return f"{100 * value:.4g}%"


def signed_percent(value: float) -> str:
    """Return a difference between -1 and 1 as a place along an SVG's width."""
    return percent((1 + value) / 2)


def _mark(figure: Figure, trials: int) -> Mark:
    value = figure.value or 0.0
    whisker = figure.interval or Interval(value, value)
    x = LEFT + (figure.k - 0.5) / trials * (WIDTH - LEFT - RIGHT)
    return Mark(figure.k, round(x, 2), level(value), level(whisker.low), level(whisker.high))
