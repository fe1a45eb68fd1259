"""Implementation of `dragoman plots`: SVG, PNG or PDF files of a run, with their data as CSV."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec
import polars as pl

from dragoman.core.errors import UsageError
from dragoman.dataframes.run_views import run_views
from dragoman.dataframes.text_files import as_csv
from dragoman.registry.participant_names import judge_name
from dragoman.report.charts import standalone_svg
from dragoman.report.figure_presets import PRESETS, FigurePreset
from dragoman.report.figure_spec import FigureSpec
from dragoman.report.html_parts import figure_style, stylesheet
from dragoman.report.run_figures import run_figures
from dragoman.report.table_markup import latex_text, markdown_text
from dragoman.report.view_model import compare_cells
from dragoman.store.atomic_files import atomic_write
from dragoman.store.folder_contents import require_folder_for

COLUMNS: dict[str, pl.DataType] = {
    **dict.fromkeys(("figure", "series", "place", "column"), pl.String()),
    **dict.fromkeys(("x", "value", "low", "high", "n"), pl.Float64()),
    **dict.fromkeys(("unit", "of", "note"), pl.String()),
}

FORMATS = ("svg", "png", "pdf")
SCALE = 4
"""The number of PNG pixels for each pixel of a figure.

The width is 2,240 pixels, more than 300 per printed inch at 7 inches.
"""


class FiguresRequest(msgspec.Struct, frozen=True):
    """The options of `dragoman plots`."""

    folders: tuple[Path, ...]
    out: Path
    formats: tuple[str, ...] = ("svg",)
    rules: str | None = None
    judge: str | None = None
    preset: str = "page"


def write_figures(asked: FiguresRequest) -> tuple[Path, ...]:
    """Write the figures of runs and return the files' paths.

    Raises:
        UsageError: For an unknown format, if its extra is not installed, or if the output folder
            holds something else than a run.
        StoreError: If a run cannot be read, or a file cannot be written.
    """
    require_folder_for(asked.out, "a run")
    converters = {name: _converter(name) for name in asked.formats}
    preset = _preset(asked.preset)
    views = run_views(asked.folders, asked.rules, judge_name(asked.judge), heads_only=True)
    found = run_figures(views, compare_cells(views))
    asked.out.mkdir(parents=True, exist_ok=True)
    written = [path for each in found for path in _write(each, asked.out, converters, preset)]
    index = asked.out / "figures.md"
    atomic_write(index, _index(found, asked.formats).encode())
    if "pdf" in asked.formats or "png" in asked.formats:
        latex = asked.out / "figures.tex"
        atomic_write(latex, "\n".join(map(_latex, found)).encode())
        written.append(latex)
    return (*written, index)


def _write(
    drawing: FigureSpec,
    folder: Path,
    converters: Mapping[str, Callable[[str], bytes]],
    preset: FigurePreset,
) -> Iterator[Path]:
    svg = standalone_svg(drawing, figure_style(), stylesheet(), preset)
    for name, convert in converters.items():
        path = folder / f"{drawing.name}.{name}"
        atomic_write(path, convert(svg))
        yield path
    path = folder / f"{drawing.name}.csv"
    atomic_write(path, as_csv(figure_frame(drawing)).encode())
    yield path


def figure_frame(drawing: FigureSpec) -> pl.DataFrame:
    """Return a figure's data as rows; unknown values are null."""
    rows = [
        (
            *(drawing.name, datum.series, datum.place, datum.column, datum.x, datum.value),
            *((None, None) if datum.interval is None else msgspec.structs.astuple(datum.interval)),
            *(datum.n, drawing.unit, drawing.of, datum.note),
        )
        for datum in drawing.data
    ]
    return pl.DataFrame(rows, schema=COLUMNS, orient="row", strict=False)


def _preset(name: str) -> FigurePreset:
    if name not in PRESETS:
        raise UsageError(f"--preset {name:.20}: choose {', '.join(PRESETS)}")
    return PRESETS[name]


def _converter(name: str) -> Callable[[str], bytes]:
    if name not in FORMATS:
        raise UsageError(f"--format {name:.20}: choose of {', '.join(FORMATS)}, several by commas")
    if name == "svg":
        return str.encode
    try:
        import vl_convert
    except ImportError as error:
        raise UsageError(
            f"--format {name} needs the extra `figures`: pip install 'dragoman[figures]'; svg "
            "does not"
        ) from error
    if name == "png":
        return partial(vl_convert.svg_to_png, scale=SCALE)
    to_pdf: Callable[[str], bytes] = vl_convert.svg_to_pdf
    return to_pdf


def _index(found: Sequence[FigureSpec], formats: Sequence[str]) -> str:
    """Return the list of figures with their captions, as Markdown that shows them."""
    shown = "svg" if "svg" in formats else formats[0]
    return "# Figures\n" + "".join(
        "\n## "
        f"{markdown_text(each.title)}\n\n![{markdown_text(each.title)}]({each.name}.{shown})\n\n"
        f"{markdown_text(each.caption)} Data: [{each.name}.csv]({each.name}.csv).\n"
        for each in found
    )


def _latex(drawing: FigureSpec) -> str:
    """Return the LaTeX code that includes a figure, by its name without a file ending."""
    caption = latex_text(f"{drawing.title}. {drawing.caption}")
    return (
        "\\begin{figure}\n\\centering\n"
        f"\\includegraphics[width=\\linewidth]{{{drawing.name}}}\n"
        f"\\caption{{{caption}}}\n\\label{{fig:{drawing.name}}}\n\\end{{figure}}\n"
    )
