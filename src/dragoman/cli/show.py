"""Implementation of `dragoman show` and `report`, and the summary that `run` prints."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeGuard
from urllib.parse import quote

import msgspec

from dragoman.analysis.cell_summary import CellSummary, ConversationResult
from dragoman.analysis.grouping import AGENT, Group, by_axes
from dragoman.analysis.measure_metrics import newest
from dragoman.cli.output import (
    console,
    one_of,
    print_json,
    print_line,
    print_metrics_json,
    require_options,
)
from dragoman.core.conditions import axis_names
from dragoman.core.errors import StoreError, UsageError
from dragoman.core.progress import long_step
from dragoman.core.scores import METRIC_VERSION
from dragoman.dataframes.results import chosen_scoring, outcome_object, outcomes
from dragoman.models.prices import load_prices
from dragoman.registry.participant_names import judge_name
from dragoman.report import formatting
from dragoman.report.capabilities import LeaderboardStyle, LeadSection, LeadsReport, StyleRequest
from dragoman.report.catalog import find_style, styles
from dragoman.report.summary import ending_lines, stated_persona_table, summary_table, usage_table
from dragoman.report.terminal import print_conversation
from dragoman.report.text_tables import TextTable, print_table
from dragoman.report.view_model import turn_timings
from dragoman.runs.manifest import read_manifest
from dragoman.store.atomic_files import atomic_write
from dragoman.store.audio_files import FOLDER as AUDIO
from dragoman.store.run_store import RunStore, open_run


def print_summary(
    cells: Sequence[CellSummary], users: str = "", warnings: Sequence[str] = ()
) -> None:
    """Print the figures of a run as a table with its caveats, and its usage as another table."""
    for cell in cells:
        if cell.is_mostly_unreadable:
            print_line(formatting.unreadable(cell))
    print_table(summary_table(cells, users))
    by_persona = stated_persona_table(cells)
    if by_persona is not None:
        print_table(by_persona)
    for warning in warnings:
        print()
        print_line(f"warning: {warning}")
    for line in ending_lines(cells):
        print()
        print_line(line)
    usage = usage_table(cells)
    if usage is not None:
        print_table(usage)


class ConversationChoice(msgspec.Struct, frozen=True):
    """One conversation, and the scoring to read it by."""

    task: str
    agent: str | None
    trial: int
    rules: str | None
    judge: str | None
    condition: str | None = None


def show_conversation(
    folder: Path, choice: ConversationChoice, *, full: bool, as_json: bool
) -> None:
    """Print one stored conversation."""
    with open_run(folder, write=False) as store:
        outcome = _find(store, choice)
        tasks = store.tasks()
        voice = read_manifest(store).voices.get(outcome.condition.label, {})
    if as_json:
        print_json({**outcome_object(outcome), "clock": turn_timings(outcome)})
        return
    print_conversation(console(), outcome, tasks[choice.task], full=full)
    if form := voice.get("transcript"):
        print_line(f"the agent received {form} transcripts")


def _find(store: RunStore, choice: ConversationChoice) -> ConversationResult:
    rules, judge = chosen_scoring(store, choice.rules, judge_name(choice.judge))
    agents = {cell.agent for cell in store.cells()}
    if choice.agent is None and len(agents) > 1:
        names = ", ".join(sorted(agents))
        raise UsageError(f"{store.folder}: the run has several agents: choose --agent of {names}")
    conditions = dict.fromkeys(cell.condition.label for cell in store.cells())
    if choice.condition is None and len(conditions) > 1:
        names = ", ".join(conditions)
        raise UsageError(
            f"{store.folder}: the run has several conditions: choose --condition of {names}"
        )
    for cell in store.cells():
        wanted = (
            *(choice.task, choice.trial),
            *(choice.agent or cell.agent, choice.condition or cell.condition.label),
        )
        if (cell.task, cell.trial, cell.agent, cell.condition.label) == wanted:
            return ConversationResult(
                cell.suite,
                cell.condition,
                cell.agent,
                cell.task,
                cell.trial,
                store.episode(cell.key),
                store.scores(rules, judge, METRIC_VERSION).get(cell.key),
                measures=newest(store.measured().get(cell.key, ())),
                key=cell.key,
            )
    which = f" of agent {choice.agent!r}" if choice.agent else ""
    raise UsageError(
        f"{store.folder}: no conversation{which} on task {choice.task!r}, trial {choice.trial}"
    )


def write_report(  # noqa: PLR0913, PLR0917 - the options of one command
    folders: Sequence[Path],
    out: Path | None,
    rules: str | None = None,
    judge: str | None = None,
    prices: Path | None = None,
    lead: LeadSection | None = None,
) -> Path:
    """Write the report of one or more runs with `lead` first, and return its path."""
    # Imported only to write a page, so that `dragoman show` starts faster.
    from dragoman.dataframes.run_views import run_views
    from dragoman.report.html_report import render_report

    table = None if prices is None else load_prices(prices)
    path = out or folders[0] / "report.html"
    with long_step("reading conversations"):
        found = run_views(folders, rules, judge_name(judge), table)
    views = [
        msgspec.structs.replace(view, audio=_audio_address(folder, path))
        for view, folder in zip(found, folders, strict=True)
    ]
    with long_step("rendering the report"):
        html = render_report(views, ", ".join(view.name for view in views), lead)
    try:
        atomic_write(path, html.encode())
    except StoreError as error:
        raise StoreError(f"{error} (--out names another file)") from error
    return path


def _audio_address(run: Path, page: Path) -> str:
    """Return a run's folder of audio as a page reaches it; "" where it has none."""
    folder = run / AUDIO
    if not folder.is_dir():
        return ""
    return quote(Path(os.path.relpath(folder, page.absolute().parent)).as_posix())


def print_groups(
    folder: Path, axes: Sequence[str], rules: str | None, judge: str | None, *, as_json: bool
) -> None:
    """Print pass^1 of a run by axis.

    Raises:
        UsageError: For an axis that the run does not have.
    """
    with open_run(folder, write=False) as store:
        _require_known(store, axes)
        scoring = chosen_scoring(store, rules, judge_name(judge))
        groups = by_axes(outcomes(store, *scoring, heads_only=True), axes)
    if as_json:
        print_metrics_json({"run": str(folder), "by": axes, "groups": groups})
        return
    print_table(_table(groups, axes))


def _require_known(store: RunStore, axes: Sequence[str]) -> None:
    known = (AGENT, *axis_names(cell.condition for cell in store.cells()))
    for axis in axes:
        if axis not in known:
            raise UsageError(f"--by {axis}: no such axis: choose of {', '.join(known)}")


def _table(groups: Sequence[Group], axes: Sequence[str]) -> TextTable:
    """Return the groups of one suite, which a run has, as a table."""
    assumed = any(group.assumed for group in groups)
    return TextTable(
        headings=(*axes, "pass^1", "95 % interval", "tasks", "cells"),
        rows=tuple(
            (
                *group.values.values(),
                _figure(group),
                ""
                if group.interval is None
                else f"{group.interval.low:.3f} to {group.interval.high:.3f}",
                f"{group.tasks} of {group.tasks + group.left_out}",
                str(group.cells),
            )
            for group in groups
        ),
        title=", ".join(dict.fromkeys(group.suite for group in groups)),
        note="each task counts once, by its mean over the cells of the group; tasks that were not "
        "run or not decided in one of them are excluded"
        + (f"; {formatting.ASSUMED}: {formatting.ASSUMED_NOTE}" if assumed else ""),
        numbers=frozenset({"pass^1", "tasks", "cells"}),
    )


def _figure(group: Group) -> str:
    mark = f"{formatting.ASSUMED} " if group.assumed else ""
    return f"{mark}{formatting.number(group.value)}"


REPORT_ENDINGS = {
    "html": ".html",
    "md": ".md",
    "latex": ".tex",
    "json": ".json",
    "csv": ".csv",
    "parquet": ".parquet",
}
"""The formats of a report, and how their files end."""


class ReportRequest(msgspec.Struct, frozen=True):
    """The options of `dragoman report`."""

    folders: tuple[Path, ...]
    out: Path | None = None
    rules: str | None = None
    judge: str | None = None
    prices: Path | None = None
    style: str | None = None
    form: str | None = None
    options: Mapping[str, str | float] = {}


class _LeadingStyle(LeaderboardStyle, LeadsReport, Protocol):
    """A style that a report can begin with."""


def write_styled_report(asked: ReportRequest) -> Path:
    """Write a report and return its path.

    Raises:
        UsageError: For an unknown style or format, and any error of the style.
        StoreError: If a run cannot be read, or the report cannot be written.
    """
    style = _style(asked)
    form = _form(asked)
    plain = (asked.folders, asked.out, asked.rules, asked.judge, asked.prices)
    if style is None:
        return write_report(*plain)
    request = StyleRequest(asked.folders, asked.rules, judge_name(asked.judge), asked.options)
    if form == "html":
        return write_report(*plain, style.lead(request))
    if REPORT_ENDINGS[form] not in style.endings:
        raise UsageError(f"--format {form}: --style {style.name} writes {', '.join(style.endings)}")
    # Imported only to write tables, so that a plain report starts faster.
    from dragoman.dataframes.text_files import write_tables

    path = asked.out or asked.folders[0] / f"{style.name}{REPORT_ENDINGS[form]}"
    write_tables([path], style.make(request).files, REPORT_ENDINGS[form])
    return path


def _style(asked: ReportRequest) -> _LeadingStyle | None:
    """Return the requested style; None for no request."""
    found = None if asked.style is None else find_style(asked.style)
    style = found if _leads(found) else None
    if asked.style is not None and style is None:
        names = one_of(each.name for each in _leading_styles())
        raise UsageError(f"--style {asked.style}: choose {names}, or omit it")
    require_options(asked.options, style, _leading_styles)
    return style


def _leading_styles() -> Iterator[_LeadingStyle]:
    return (each for each in styles() if _leads(each))


def _leads(style: LeaderboardStyle | None) -> TypeGuard[_LeadingStyle]:
    return isinstance(style, LeadsReport)


def _form(asked: ReportRequest) -> str:
    named = {ending: form for form, ending in REPORT_ENDINGS.items()}
    ending = "" if asked.out is None else asked.out.suffix
    form = asked.form or (named.get(ending, "html") if asked.style else "html")
    if form not in REPORT_ENDINGS:
        raise UsageError(f"--format {form}: choose {', '.join(REPORT_ENDINGS)}")
    if form != "html" and asked.style is None:
        names = one_of(each.name for each in _leading_styles())
        raise UsageError(f"--format {form} goes with --style {names}: the whole report is HTML")
    return form
