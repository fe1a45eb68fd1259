"""The HTML report: one file that opens offline and fetches nothing."""

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, get_args

import msgspec

from dragoman.analysis.cell_summary import CellKey, CellSummary, ConversationResult
from dragoman.analysis.comparison import Comparison
from dragoman.analysis.intervals import INTERVAL_METHOD, RESAMPLES
from dragoman.analysis.pass_hat import Figure
from dragoman.core.scores import OutcomeStatus
from dragoman.core.texts.characters import escape_controls
from dragoman.core.tools import Role
from dragoman.report import formatting, html_parts
from dragoman.report.capabilities import LeadSection, OwnTemplate, ReportSection
from dragoman.report.catalog import sections
from dragoman.report.charts import render_svg
from dragoman.report.comparison import power_line, run_power
from dragoman.report.correction_words import corrected_for_words, not_significant_words
from dragoman.report.costs import cost_by_scenario
from dragoman.report.degradation import points_interval
from dragoman.report.drilldown import DrilldownLinks, ReportLinks
from dragoman.report.figure_spec import FigureSpec
from dragoman.report.first_screen import FirstScreen, example_words, first_screen, heat_level
from dragoman.report.html_parts import Panel
from dragoman.report.html_payload import MAX_PACKED, ScannedConversation, pack, scan_conversations
from dragoman.report.labels import (
    FAILED_COMPONENTS,
    STATUS_NAMES,
    condition_label,
    figure_label,
    measure_label,
)
from dragoman.report.overview import basis, points_of
from dragoman.report.run_figures import run_figures
from dragoman.report.text_tables import TextTable
from dragoman.report.view_model import (
    FailureCause,
    RunView,
    compare_cells,
    conversation_status,
    count_causes,
    run_measure_rows,
)

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup


OVERVIEW = {"overview": "Overview"}
"""The page's first screen."""

LOST = {"lost": "Drops by layer"}
"""The section behind the first screen; a style's own section comes after it."""

RESULTS = {"results": "Summary", "cost": "Cost", "languages": "Languages"}
"""The sections that follow; those of the catalog come after them."""

CELLS = {
    "figures": "Cells and gaps",
    "tasks": "Tasks",
    "side": "Side by side",
    "cells": "Cell by cell",
    "conversations": "Conversations",
    "statistics": "Statistics",
    "facts": "Provenance",
    "reproduce": "Reproduce",
}
"""The page's last sections."""

MAX_CAUSES = 12
"""The number of causes in a figure; the rest is added up."""

MAX_COMPARISONS = 60
"""The number of comparisons of cells in a figure, those with the smallest p."""

MAX_DROPS = 8
"""The number of drops that are open, the largest ones."""

MAX_OPEN = 24
"""Maximum number of cells or measure figures that are open; more are folded."""

MAX_DRAWN = 16
"""The number of figures of a section that are open; the rest is folded."""

MAX_TEXT = 20_000
"""Longest text that is written out, in characters; the number of cut characters is stated."""

SCRIPTS = ("elements", "conversation", "filters", "matrix", "side_by_side", "drawings", "start")
"""The parts of the script, in their order."""


_MACROS = """\
{% from "figures.html.j2" import gap_axis %}
{% from "tables.html.j2" import grouped, lines, texts with context %}
{% from "drawing.html.j2" import drawn, section with context %}
"""
"""Macros that the layout of a section may use."""

_MEDIA = "'self' file:"
"""Allowed sources of audio: files next to the page, also if the page is opened as a file."""


class _CellView(msgspec.Struct, frozen=True):
    """A cell with further values for the template."""

    number: int
    run: str
    cell: CellSummary
    planned: int
    counts_by_status: dict[OutcomeStatus, int]
    causes: tuple[tuple[FailureCause, int], ...]
    further_causes: int
    tool_errors: dict[Role, int]
    panel: Panel | None

    @property
    def failures(self) -> tuple[tuple[FailureCause, int], ...]:
        """The causes of failures, the most frequent first."""
        return tuple(entry for entry in self.causes if entry[0].status == "fail")

    @property
    def first(self) -> Figure:
        """The figure for pass^1."""
        return self.cell.result.figures[0]

    @property
    def name(self) -> str:
        """The cell in words."""
        cell = self.cell
        return f"{cell.agent}, {cell.condition.label}, {cell.suite}, run {self.run}"


class _Part(msgspec.Struct, frozen=True):
    """A run's part of a section, with its tables."""

    run: str
    part: object
    tables: tuple[TextTable, ...]


class _AddedSection(msgspec.Struct, frozen=True):
    """A section of the catalog as the page has it."""

    key: str
    title: str
    heading: str
    html: "Markup"


def render_report(
    runs: Sequence[RunView], title: str, lead: LeadSection | None = None, room: int = MAX_PACKED
) -> str:
    """Return the report on the runs as the text of one HTML file.

    Args:
        runs: The runs.
        title: The title of the page.
        lead: The section that comes first; None for none.
        room: Maximum size of the packed conversations, in characters.
    """
    from markupsafe import Markup

    style, script = html_parts.stylesheet() + html_parts.figure_style(), _script()
    comparisons = compare_cells(runs)
    drawn = run_figures(runs, comparisons)
    links = DrilldownLinks(runs)
    screens = tuple(_screens(runs, links))
    lost = [(run, found) for run in runs if (found := links.drops(run))]
    scanned = scan_conversations(runs)
    packed = pack(runs, links.behind, room, scanned)
    has_several = len(runs) > 1
    leading = () if lead is None else tuple(_leading(lead, drawn, has_several=has_several))
    hidden = "" if lead is None else lead.hides
    following = tuple(_following(runs, drawn, hidden))
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            title=title,
            runs=runs,
            screens=screens,
            leading=leading,
            following=following,
            cells=_cell_views(runs, scanned),
            drawings=drawn,
            unpriced=formatting.describe_unknown_costs(
                line for run in runs for cell in run.cells for line in cell.ledger
            ),
            spent=cost_by_scenario([cell for run in runs for cell in run.cells]),
            contents=tuple(_contents(runs, drawn, (leading, following), has_drops=bool(lost))),
            sections={drawing.section for drawing in drawn},
            draws=f"{RESAMPLES:,}",
            method=INTERVAL_METHOD,
            power=list(run_power(runs, comparisons)),
            power_line=power_line,
            most_open=MAX_OPEN,
            most_drawn=MAX_DRAWN,
            measures=[(run.name, row) for run in runs for row in run_measure_rows(run)],
            lost=lost,
            most_lost=MAX_DROPS,
            flipped=links.flipped,
            comparisons=_clearest(comparisons),
            corrected_for=corrected_for_words(comparisons),
            further_comparisons=max(0, len(comparisons) - MAX_COMPARISONS),
            provenance=tuple(dict.fromkeys(entry for run in runs for entry in run.provenance)),
            policy=f"default-src 'none'; style-src {_source(style)}; script-src {_source(script)}"
            + (f"; media-src {_MEDIA}" if any(run.audio for run in runs) else ""),
            # Our own files, and letters and digits; everything else is escaped.
            style=Markup(style),  # noqa: S704
            script=Markup(script),  # noqa: S704
            conversations=Markup(packed.text),  # noqa: S704
            left_out=packed.left_out,
            status_names=STATUS_NAMES,
        )
    )


class _Screen(msgspec.Struct, frozen=True):
    """The first screen of one run, with its links and the line above its headline."""

    run: str
    about: str
    screen: FirstScreen
    links: ReportLinks


def _screens(runs: Sequence[RunView], links: DrilldownLinks) -> Iterator[_Screen]:
    for run in runs:
        if run.overview is not None:
            own = ReportLinks(links, run.name, run.overview)
            yield _Screen(run.name, _about(run), first_screen(run.overview), own)


def _about(run: RunView) -> str:
    """Return the suite, the number of tasks and trials, and the rules of a run."""
    found = tuple(dict.fromkeys(cell.suite for cell in run.cells))
    rules = tuple(dict.fromkeys(cell.rules for cell in run.cells))
    return " · ".join((run.name, ", ".join(found), f"rules {', '.join(rules)}")) if found else ""


@cache
def _environment() -> "jinja2.Environment":
    """Return the Jinja environment, which compiles each template once in a process."""
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        autoescape=True,
        loader=jinja2.FunctionLoader(_resource),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_sanitize_value,
    )
    environment.globals.update(
        wording=formatting,
        points_interval=points_interval,
        points_of=points_of,
        basis=basis,
        failed_components=FAILED_COMPONENTS,
        measure_label=measure_label,
        figure_label=figure_label,
        heat_level=heat_level,
        example_words=example_words,
        not_significant_words=not_significant_words,
        panels=html_parts,
        painted=lambda drawing: Markup(render_svg(drawing)),  # noqa: S704 - escapes what is in it
    )
    environment.filters.update(
        in_words=condition_label,
        number=formatting.number,
        interval=formatting.interval,
        measured_value=formatting.measured_value,
        measured_interval=formatting.measured_interval,
        share=formatting.share,
        difference=formatting.difference,
        signed_interval=formatting.signed_interval,
        p_value=formatting.p_value,
        sent=formatting.format_sent_usage,
        received=formatting.format_received_usage,
        money=formatting.money,
        calls=formatting.calls,
        faults=formatting.faults,
        duration=formatting.duration,
        percent=html_parts.percent,
        signed_percent=html_parts.signed_percent,
        level=html_parts.level,
    )
    return environment


@lru_cache(maxsize=16)
def _layout(text: str) -> "jinja2.Template":
    """Return the layout of a section, below the macros that it may use."""
    return _environment().from_string(_MACROS + text)


def _leading(
    lead: LeadSection, drawn: Sequence[FigureSpec], *, has_several: bool
) -> Iterator[_AddedSection]:
    section = lead.section
    parts = [_Part("", lead.part, tuple(section.tables(lead.part)))]
    return _added_section(section, parts, drawn, has_several=has_several)


def _following(
    runs: Sequence[RunView], drawn: Sequence[FigureSpec], hidden: str
) -> Iterator[_AddedSection]:
    """Yield the sections of the catalog that have data of any run."""
    for section in sections():
        parts = [
            _Part(run.name, part, tuple(section.tables(part)))
            for run in runs
            if (part := run.parts.get(section.key)) is not None
        ]
        if parts and section.key != hidden:
            yield from _added_section(section, parts, drawn, has_several=len(runs) > 1)


def _added_section(
    section: ReportSection,
    parts: Sequence[_Part],
    drawn: Sequence[FigureSpec],
    *,
    has_several: bool,
) -> Iterator[_AddedSection]:
    """Yield the section, unless its layout renders as empty."""
    from markupsafe import Markup

    text = section.template if isinstance(section, OwnTemplate) else _resource("section.html.j2")
    made = _layout(text).render(
        key=section.key,
        parts=parts,
        several=has_several,
        drawings=drawn,
        most_drawn=MAX_DRAWN,
    )
    if made.strip():
        # Output of the Jinja environment: every value in it is escaped.
        html = Markup(made.lstrip("\n"))  # noqa: S704
        yield _AddedSection(section.key, section.title, section.heading, html)


def _contents(
    runs: Sequence[RunView],
    drawn: Sequence[FigureSpec],
    sections_added: tuple[Iterable[_AddedSection], Iterable[_AddedSection]],
    *,
    has_drops: bool,
) -> Iterator[tuple[str, str]]:
    """Yield the sections that the page has, with their names."""
    has = {
        "overview": any(run.overview is not None for run in runs),
        "lost": has_drops,
        "cost": any(cell.ledger for run in runs for cell in run.cells),
        "languages": any(drawing.section == "languages" for drawing in drawn),
    }
    leading, following = sections_added
    for own, added in ((OVERVIEW, ()), (LOST, leading), (RESULTS, following), (CELLS, ())):
        yield from ((key, title) for key, title in own.items() if has.get(key, True))
        yield from ((each.key, each.title) for each in added)


def _resource(name: str) -> str:
    return (files("dragoman.report") / "templates" / name).read_text("utf-8")


def _script() -> str:
    """Return the parts of the script as one function scope."""
    parts = "".join(_resource(f"{name}.js") for name in SCRIPTS)
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


def _sanitize_value(value: object) -> object:
    """Return a value for a template: texts are escaped and cut to a maximum length."""
    if type(value) is not str:  # markup is our own
        return value
    if len(value) <= MAX_TEXT:
        return escape_controls(value)
    return (
        f"{escape_controls(value[:MAX_TEXT])} … "
        f"{formatting.format_count(len(value) - MAX_TEXT, 'character')} cut"
    )


def _clearest(comparisons: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """Return the comparisons with the smallest p, in their order."""
    untested = 2.0
    places = sorted(
        range(len(comparisons)),
        key=lambda place: untested if (p := comparisons[place].p) is None else p,
    )
    return tuple(comparisons[place] for place in sorted(places[:MAX_COMPARISONS]))


def _source(text: str) -> str:
    """Return the content-policy expression that allows exactly this text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _cell_views(runs: Sequence[RunView], scanned: Sequence[ScannedConversation]) -> list[_CellView]:
    """Return the cells of all runs, numbered as `pack` numbers them."""
    views: list[_CellView] = []
    events = iter(scanned)
    for run in runs:
        rows: dict[CellKey, list[tuple[ConversationResult, ScannedConversation]]] = {}
        for row in run.outcomes:
            place = (row.suite, row.condition, row.agent)
            rows.setdefault(place, []).append((row, next(events)))
        for cell in run.cells:
            of_cell = rows.get((cell.suite, cell.condition, cell.agent), [])
            views.append(_cell_view(len(views), run, cell, of_cell))
    return views


def _cell_view(
    number: int,
    run: RunView,
    cell: CellSummary,
    rows: Sequence[tuple[ConversationResult, ScannedConversation]],
) -> _CellView:
    counts_by_status: dict[OutcomeStatus, int] = dict.fromkeys(get_args(OutcomeStatus), 0)
    tool_errors: dict[Role, int] = {"agent": 0, "user": 0}
    for outcome, events in rows:
        counts_by_status[conversation_status(outcome)] += 1
        for role in events.errors:
            tool_errors[role] += 1
    causes = count_causes(outcome for outcome, _ in rows)
    return _CellView(
        number=number,
        run=run.name,
        cell=cell,
        planned=len(rows),
        counts_by_status=counts_by_status,
        causes=causes[:MAX_CAUSES],
        further_causes=sum(count for _, count in causes[MAX_CAUSES:]),
        tool_errors=tool_errors,
        panel=html_parts.panel(cell.result),
    )
