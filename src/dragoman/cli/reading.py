"""`dragoman show` and `dragoman report`, and the summary that `run` prints."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import msgspec

from dragoman.analysis.cells import CellSummary, Outcome
from dragoman.analysis.measure_figures import newest
from dragoman.cli.output import print_json, print_line
from dragoman.cli.progressing.modes import console
from dragoman.core.errors import StoreError, UsageError
from dragoman.core.scores import METRIC_VERSION
from dragoman.models.prices import load_prices
from dragoman.report import wording
from dragoman.report.fitting import print_table
from dragoman.report.html import render_report
from dragoman.report.mm_tau.page import MmTauPage
from dragoman.report.summaries import ending_lines, stated_table, summary_table, usage_table
from dragoman.report.terminal import print_conversation
from dragoman.report.view import clocked
from dragoman.runs.jobs import read_manifest
from dragoman.store.audio_files import FOLDER as AUDIO
from dragoman.store.run import RunStore, open_run
from dragoman.tables.outcomes import chosen_scoring
from dragoman.tables.results import outcome_object
from dragoman.tables.run_views import run_views
from dragoman.wiring.participants import judge_name


def print_summary(
    cells: Sequence[CellSummary], users: str = "", warnings: Sequence[str] = ()
) -> None:
    """Print the figures of a run as a table with its caveats, and what it used as another table."""
    for cell in cells:
        if cell.is_mostly_unreadable:
            print_line(wording.unreadable(cell))
    print_table(summary_table(cells, users))
    by_persona = stated_table(cells)
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


class Choice(msgspec.Struct, frozen=True):
    """Which conversation is meant, and by which scoring it is read."""

    task: str
    agent: str | None
    trial: int
    rules: str | None
    judge: str | None
    condition: str | None = None


def show_conversation(folder: Path, choice: Choice, *, full: bool, as_json: bool) -> None:
    """Print one stored conversation."""
    with open_run(folder, write=False) as store:
        outcome = _find(store, choice)
        tasks = store.tasks()
        voice = read_manifest(store).voices.get(outcome.condition.label, {})
    if as_json:
        print_json({**outcome_object(outcome), "clock": clocked(outcome)})
        return
    print_conversation(console(), outcome, tasks[choice.task], full=full)
    if form := voice.get("transcript"):
        print_line(f"the agent received {form} transcripts")


def _find(store: RunStore, choice: Choice) -> Outcome:
    rules, judge = chosen_scoring(store, choice.rules, judge_name(choice.judge))
    agents = {cell.agent for cell in store.cells()}
    if choice.agent is None and len(agents) > 1:
        names = ", ".join(sorted(agents))
        raise UsageError(f"{store.folder}: several agents played this: choose --agent of {names}")
    conditions = dict.fromkeys(cell.condition.label for cell in store.cells())
    if choice.condition is None and len(conditions) > 1:
        names = ", ".join(conditions)
        raise UsageError(f"{store.folder}: played in several: choose --condition of {names}")
    for cell in store.cells():
        wanted = (
            *(choice.task, choice.trial),
            *(choice.agent or cell.agent, choice.condition or cell.condition.label),
        )
        if (cell.task, cell.trial, cell.agent, cell.condition.label) == wanted:
            return Outcome(
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
    styled: MmTauPage | None = None,
) -> Path:
    """Write the report of one or more runs and return its path; `styled` is what comes first in it."""
    table = None if prices is None else load_prices(prices)
    path = out or folders[0] / "report.html"
    found = run_views(folders, rules, judge_name(judge), table)
    views = [
        msgspec.structs.replace(view, audio=_audio_address(folder, path))
        for view, folder in zip(found, folders, strict=True)
    ]
    html = render_report(views, ", ".join(view.name for view in views), styled)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(html, "utf-8")
        temporary.replace(path)
    except OSError as error:
        raise StoreError(
            f"{path}: cannot write the report ({error.strerror}): choose --out"
        ) from error
    finally:
        # A folder that is not one holds no draft, and saying so is not what matters.
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    return path


def _audio_address(run: Path, page: Path) -> str:
    """Return a run's folder of audio as a page reaches it; "" where it has none."""
    folder = run / AUDIO
    if not folder.is_dir():
        return ""
    return quote(Path(os.path.relpath(folder, page.absolute().parent)).as_posix())
