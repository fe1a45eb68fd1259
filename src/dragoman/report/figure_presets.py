"""Presets of figure files: for a page, for a 16:9 slide, and for a column of a paper."""

from collections.abc import Mapping

import msgspec

from dragoman.report.figure_spec import WIDTH, FigureSpec
from dragoman.report.svg import SvgPart, element, label, text_width, wrap_words

_MARGIN = 10.0
_SLIDE_MARGIN = 48.0
_TITLE_LINES = 2
_LINE = 1.25


class FigurePreset(msgspec.Struct, frozen=True):
    """The size and title of a figure file.

    Attributes:
        width: The width of the figure, in its own pixels.
        title_size: The size of its title's letters; 0 for none, where a caption says it.
        slide: The size of the page that the figure fills; None for one as high as the figure.
        inches: The width of the file in print; None for pixels.
    """

    width: float
    title_size: float
    slide: tuple[float, float] | None = None
    inches: float | None = None


PAGE = FigurePreset(WIDTH, 15.0)

PRESETS: Mapping[str, FigurePreset] = {
    "page": PAGE,
    "slide": FigurePreset(620.0, 34.0, slide=(1280.0, 720.0)),
    "column": FigurePreset(340.0, 0.0, inches=3.4),
}
"""The presets by name. A column is 3.4 inches wide, with letters of 8 points."""


class FigurePage(msgspec.Struct, frozen=True):
    """A figure on its page, with the size of the page in its pixels and in the file."""

    body: str
    width: float
    height: float
    shown_width: str
    shown_height: str


def layout(drawing: FigureSpec, found: SvgPart, preset: FigurePreset) -> FigurePage:
    """Return a drawn figure on the page of a preset, below its title."""
    if preset.slide is not None:
        return _slide(drawing, found, preset, preset.slide)
    width = drawing.width + 2 * _MARGIN
    title = _title(drawing.title, drawing.width, preset.title_size)
    below = element("g", found.body, transform=f"translate({_MARGIN} {_MARGIN + title.height:.1f})")
    above = element("g", title.body, transform=f"translate({_MARGIN} {_MARGIN})")
    height = float(round(found.height + title.height + 2 * _MARGIN))
    if preset.inches is None:
        return FigurePage(above + below, width, height, f"{width:.0f}", f"{height:.0f}")
    inches = preset.inches * height / width
    return FigurePage(above + below, width, height, f"{preset.inches:g}in", f"{inches:.3f}in")


def _slide(
    drawing: FigureSpec, found: SvgPart, preset: FigurePreset, size: tuple[float, float]
) -> FigurePage:
    """Return a figure as large as it fits below the title of a slide, in the middle."""
    width, height = size
    room = width - 2 * _SLIDE_MARGIN
    title = _title(drawing.title, room, preset.title_size)
    left = height - 2 * _SLIDE_MARGIN - title.height
    scale = min(room / drawing.width, left / max(found.height, 1.0))
    x = (width - scale * drawing.width) / 2
    y = _SLIDE_MARGIN + title.height + (left - scale * found.height) / 2
    above = element("g", title.body, transform=f"translate({_SLIDE_MARGIN} {_SLIDE_MARGIN})")
    place = f"translate({x:.1f} {y:.1f}) scale({scale:.4f})"
    return FigurePage(
        above + element("g", found.body, transform=place),
        width,
        height,
        f"{width:.0f}",
        f"{height:.0f}",
    )


def _title(words: str, width: float, size: float) -> SvgPart:
    """Return a title in at most two lines; nothing for letters of no size."""
    if not size:
        return SvgPart("", 0.0)
    unit = text_width("n" * 10) / text_width("n" * 10, size)
    lines = wrap_words(words, width * unit * 0.93, _TITLE_LINES)
    # The style of figures sets the size of their letters, which an attribute could not.
    body = "".join(
        label(line, 0.0, size * (0.8 + _LINE * at), style=f"font-size:{size:g}px;font-weight:bold")
        for at, line in enumerate(lines)
    )
    return SvgPart(body, size * (_LINE * len(lines) + 0.5))
