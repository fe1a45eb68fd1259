"""A figure as SVG: as it stands in a page, whose style it takes, and as a file of its own."""

import re
from collections.abc import Callable, Mapping

from dragoman.report.figures.bars import bars, stack
from dragoman.report.figures.frame import WIDTH, Painted
from dragoman.report.figures.heat import heat
from dragoman.report.figures.lines import lines, scatter
from dragoman.report.figures.radar import radar
from dragoman.report.figures.records import Drawing, Kind
from dragoman.report.figures.svg import TEXT, element, escaped

PAINTERS: Mapping[Kind, Callable[[Drawing], Painted]] = {
    "bars": bars,
    "stack": stack,
    "lines": lines,
    "heat": heat,
    "radar": radar,
    "scatter": scatter,
}

_MARGIN = 10
_NAMESPACE = "http://www.w3.org/2000/svg"
_VARIABLE = re.compile(r"(--[\w-]+):\s*([^;]+);")
_USED = re.compile(r"var\((--[\w-]+)\)")


def painted(drawing: Drawing) -> str:
    """Return a figure as SVG for a page: no style of its own, so that the page's dark and print hold."""
    found = PAINTERS[drawing.kind](drawing)
    height = found.height + 2
    told = element("title", escaped(drawing.title)) + element("desc", escaped(drawing.caption))
    return element(
        "svg",
        told + found.body,
        class_="drawing",
        viewBox=f"-1 -1 {WIDTH + 2} {height:.0f}",
        role="img",
        aria_label=drawing.title,
    )


def standalone(drawing: Drawing, style: str, palette: str) -> str:
    """Return a figure as a file of its own: light, on white, with all that it needs.

    Args:
        drawing: The figure.
        style: The rules of figures, as the page has them.
        palette: The rules that say which colours their variables are; the first of each holds.
    """
    colours: dict[str, str] = {}
    for name, value in _VARIABLE.findall(palette):
        colours.setdefault(name, value)
    rules = _USED.sub(lambda found: colours[found.group(1)], style)
    found = PAINTERS[drawing.kind](drawing)
    width, height = WIDTH + 2 * _MARGIN, found.height + 2 * _MARGIN
    told = element("title", escaped(drawing.title)) + element("desc", escaped(drawing.caption))
    sheet = element("style", escaped(rules))
    page = element("rect", x=-_MARGIN, y=-_MARGIN, width=width, height=height, fill="#fff")
    return element(
        "svg",
        told + sheet + page + found.body,
        xmlns=_NAMESPACE,
        width=width,
        height=f"{height:.0f}",
        viewBox=f"{-_MARGIN} {-_MARGIN} {width} {height:.0f}",
        font_family="Helvetica, Arial, DejaVu Sans, sans-serif",
        font_size=TEXT,
        class_="drawing",
        role="img",
    )
