"""The report: one HTML file that opens without a server and fetches nothing.

Summary and figures are written out; conversations are packed into the file and rendered by a
script when they are opened, as text only. A content policy lets no other script run.
"""

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files
from typing import get_args

import msgspec

from dragoman.analysis.cells import CellSummary
from dragoman.analysis.pass_hat import Figure
from dragoman.core.tools import Role
from dragoman.report import figures, wording
from dragoman.report.figures import Panel
from dragoman.report.packing import pack
from dragoman.report.view import (
    Cause,
    RunView,
    Standing,
    cell_outcomes,
    count_causes,
    count_tool_errors,
    standing,
)

MAX_CAUSES = 12
"""How many causes a figure shows; the rest is added up."""


class _CellView(msgspec.Struct, frozen=True):
    """A cell with what the template says of it beyond the figures."""

    run: str
    cell: CellSummary
    planned: int
    standings: dict[Standing, int]
    causes: tuple[tuple[Cause, int], ...]
    further_causes: int
    tool_errors: dict[Role, int]
    panel: Panel | None

    @property
    def first(self) -> Figure:
        """The figure for pass^1."""
        return self.cell.result.figures[0]

    @property
    def name(self) -> str:
        """The cell in words."""
        cell = self.cell
        return f"{cell.agent}, {cell.condition}, {cell.suite}, run {self.run}"


def render_report(runs: Sequence[RunView], title: str) -> str:
    """Return the report on the runs as the text of one HTML file."""
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        autoescape=True,
        loader=jinja2.FunctionLoader(_resource),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.globals.update(wording=wording, figures=figures)
    environment.filters.update(
        number=wording.number,
        interval=wording.interval,
        tokens=wording.tokens,
        money=wording.money,
        calls=wording.calls,
        faults=wording.faults,
        duration=wording.duration,
        percent=figures.percent,
        level=figures.level,
    )
    style, script = _resource("report.css"), _resource("report.js")
    return environment.get_template("report.html.j2").render(
        title=title,
        runs=runs,
        cells=[_cell_view(run, cell) for run in runs for cell in run.cells],
        provenance=tuple(dict.fromkeys(entry for run in runs for entry in run.provenance)),
        policy=f"default-src 'none'; style-src {_source(style)}; script-src {_source(script)}",
        # Our own files; everything else is escaped.
        style=Markup(style),  # noqa: S704
        script=Markup(script),  # noqa: S704
        conversations=pack(runs),
    )


def _resource(name: str) -> str:
    return (files("dragoman.report") / "templates" / name).read_text("utf-8")


def _source(text: str) -> str:
    """Return the expression by which a content policy admits exactly this text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _cell_view(run: RunView, cell: CellSummary) -> _CellView:
    outcomes = cell_outcomes(run, cell)
    standings: dict[Standing, int] = dict.fromkeys(get_args(Standing), 0)
    for outcome in outcomes:
        standings[standing(outcome)] += 1
    causes = count_causes(outcomes)
    return _CellView(
        run=run.name,
        cell=cell,
        planned=len(outcomes),
        standings=standings,
        causes=causes[:MAX_CAUSES],
        further_causes=sum(count for _, count in causes[MAX_CAUSES:]),
        tool_errors=count_tool_errors(outcomes),
        panel=figures.panel(cell.result),
    )
