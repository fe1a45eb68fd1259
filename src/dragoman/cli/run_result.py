"""The figures of a run in a terminal, after it was played or scored."""

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from shlex import quote
from shutil import get_terminal_size
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from dragoman.cli.failures import cause_lines, print_drops, print_not_played
from dragoman.cli.output import mode, print_line, print_metrics_json
from dragoman.cli.run_answer import (
    MAX_LINES,
    AnswerNotes,
    Page,
    answer_lines,
    is_perfect,
    next_lines,
)
from dragoman.cli.run_summary import (
    RunState,
    further_steps,
    next_step,
    print_measure_tables,
    print_measures,
    print_recorded,
    state_of,
)
from dragoman.core.errors import StoreError
from dragoman.core.scores import NO_JUDGE
from dragoman.core.texts.counts import format_count
from dragoman.models.prices import PriceTable
from dragoman.runs.manifest import read_manifest, stored_prices

if TYPE_CHECKING:
    from dragoman.analysis.cell_summary import CellSummary
    from dragoman.dataframes.results import Retried, RunFigures
    from dragoman.dataframes.run_answers import RunAnswer
    from dragoman.report.overview import RunTotals
    from dragoman.runs.manifest import Manifest
    from dragoman.runs.runner import PlayedRun
    from dragoman.store.run_store import RunStore

MAX_CELLS = 24
"""Maximum number of cells that a terminal lists one by one."""


def _visible_differences(
    store: "RunStore", result: "PlayedRun | _StoredRun", prices: PriceTable, found: "RunFigures"
) -> "RunFigures":
    """Return the figures that fit a terminal: measures of several suites are pooled.

    With very many cells, the reward is pooled as well; files and reports have it by suite.
    """
    from dragoman.dataframes.results import run_figures

    if len({cell.suite for cell in found.cells}) == 1:
        return found
    name = read_manifest(store).config.suite
    together = run_figures(store, result.rules, result.judge, prices, pooled=name)
    if len(found.cells) <= MAX_CELLS:
        return together._replace(cells=found.cells)
    folder = quote(str(store.folder))
    print_line(f"over all categories; by category: dragoman report {folder}")
    return together


class _StoredRun(NamedTuple):
    """A stored run, and the rules and judge to read it by."""

    folder: Path
    rules: str
    judge: str
    unmeasured: Mapping[str, str] = {}


class SummaryContext(NamedTuple):
    """The context that the figures of a run are printed with.

    `again` has the replayed cells, None without a replay. `prices` is the price table, None for the
    run's own. `shard` is the played shard, None for the run's own. `is_full` requests every figure
    instead of the answer alone. `measures` has the measures that were requested by name; their
    figures follow the answer. `has_causes` says that the causes of failures follow it.
    """

    again: Collection[str] | None = None
    prices: PriceTable | None = None
    shard: str | None = None
    is_full: bool = False
    measures: Collection[str] = ()
    has_causes: bool = False


_AS_STORED = SummaryContext()


def print_result(
    result: "PlayedRun | _StoredRun", given: SummaryContext = _AS_STORED, *, as_json: bool
) -> tuple[bool, "Sequence[CellSummary]"]:
    """Print a run's figures, and return a success flag and the run's cells.

    The flag is true if the run has scores and nothing is missing.
    """
    if not as_json and not given.is_full:
        return _print_answer(result, given)
    from dragoman.dataframes.comparisons import drop_object
    from dragoman.dataframes.interpretation_warnings import (
        described_users,
        users_of,
    )
    from dragoman.dataframes.results import (
        RunFigures,
        agreement,
        measures_object,
        results_object,
        run_figures,
    )
    from dragoman.dataframes.run_answers import run_warnings
    from dragoman.dataframes.run_failures import run_drops
    from dragoman.report.overview import run_totals
    from dragoman.store.run_store import open_run

    with open_run(result.folder, write=False) as store:
        prices = given.prices or stored_prices(store)
        manifest = read_manifest(store)
        cells, measures = run_figures(store, result.rules, result.judge, prices)
        shard = manifest.config.shard if given.shard is None else given.shard
        left = _count_left_of(store, given)
        left_out = manifest.not_applicable
        is_imported = manifest.imported is not msgspec.UNSET
        retried = _retried(store, result, given.again)
        users = users_of(store)
        warnings = run_warnings(store, cells)
        recorded = agreement(store, result.rules, result.judge)
        lost = run_drops(store, result.rules, result.judge)
        if not as_json:
            if not given.has_causes:  # They stand above the causes.
                print_drops(lost, result.folder, is_imported=is_imported)
            shown = _visible_differences(store, result, prices, RunFigures(cells, measures))
            from dragoman.cli.show import print_summary

            print_summary(shown.cells, described_users(users), warnings)
            print_measures(shown.measures, result.unmeasured, manifest)
    sound = _is_sound(run_totals(cells), shard)
    if as_json:
        found = results_object(str(result.folder), cells, left_out, retried, prices.as_of)
        found |= {"users": users, "warnings": warnings, "recorded": msgspec.to_builtins(recorded)}
        found["losses"] = list(map(drop_object, lost))
        print_metrics_json({**found, **measures_object(measures, result.unmeasured)})
        return sound, cells
    print_not_played(left_out)
    if recorded is not None:
        print_recorded(recorded)
    if retried is not None:
        _print_retried(retried)
    print(f"\n{further_steps(result.folder, cells)}")
    state = state_of(cells, left)
    print(next_step(result.folder, state, is_imported=is_imported, shard=shard))
    if mode() != "quiet":
        print(f"run: {result.folder}", file=sys.stderr)
    return sound, cells


def _is_sound(totals: "RunTotals", shard: str) -> bool:
    """Return whether the run has scores and nothing is missing."""
    faults = totals.infrastructure + totals.code_errors
    return faults < totals.played and (bool(shard) or totals.played == totals.planned)


def show_run(folder: Path, named: tuple[str | None, str | None], *, full: bool) -> None:
    """Print the answer of a stored run with the causes of failures, or every figure.

    Args:
        folder: The run's folder.
        named: The requested rules and judge; None for the newest scoring.
        full: Whether to print every figure.
    """
    from dragoman.dataframes.results import chosen_scoring
    from dragoman.dataframes.run_answers import kept_answer, run_answer
    from dragoman.registry.participant_names import judge_name
    from dragoman.store.run_store import open_run, peek_run

    given = SummaryContext(is_full=full, has_causes=True)

    def read(store: "RunStore") -> _StoredRun:
        return _StoredRun(folder, *chosen_scoring(store, named[0], judge_name(named[1])))

    with suppress(StoreError), peek_run(folder) as store:
        run = read(store)
        kept = None if full else kept_answer(store, run.rules, run.judge)
        if kept is not None:
            _print_lines(kept, read_manifest(store), run, given, _count_left_of(store, given))
            return
    with open_run(folder, write=False) as store:
        run = read(store)
        if not full:
            found = run_answer(store, run.rules, run.judge)
            left = _count_left_of(store, given)
            _print_lines(found, read_manifest(store), run, given, left)
            return
    print_result(run, given, as_json=False)


def _steps_of_imported(
    manifest: "Manifest", result: "PlayedRun | _StoredRun"
) -> Iterator[tuple[str, str]]:
    """Yield the commands that make tables of imported results, each with what it shows."""
    from dragoman.dataframes.leaderboard import leaderboard_of

    chosen = f"{quote(str(result.folder))} --rules {result.rules}"
    if leaderboard_of(manifest.config.suite.partition(":")[0]) is not None:
        yield f"dragoman leaderboard {chosen}", "its categories and aggregates"
    yield f"dragoman table {chosen}", "a table for a paper"


def _mending(
    result: "PlayedRun | _StoredRun", state: RunState, shard: str, *, is_imported: bool
) -> Iterator[str]:
    """Yield the first step if conversations are missing or broken."""
    if state.raised or ((state.broken or state.missing) and (shard or not is_imported)):
        yield f"Next: {next_step(result.folder, state, is_imported=is_imported, shard=shard)}"


def _count_left_of(store: "RunStore", given: SummaryContext) -> int:
    """Return the number of unplayed conversations of a shard; 0 for a whole run."""
    shard = read_manifest(store).config.shard if given.shard is None else given.shard
    if not shard:
        return 0
    from dragoman.config.run_config import parse_shard
    from dragoman.runs.plan import count_left_of_shard

    return count_left_of_shard(store, parse_shard(shard))


def _retried(
    store: "RunStore", result: "PlayedRun | _StoredRun", again: Collection[str] | None
) -> "Retried | None":
    """Return the numbers of replayed conversations, and of those that are valid now."""
    if again is None:
        return None
    from dragoman.dataframes.results import Retried
    from dragoman.runs.jobs import count_valid

    return Retried(len(again), count_valid(store, result.rules, result.judge, again))


def _print_retried(retried: "Retried") -> None:
    replayed = format_count(retried.conversations, "conversation")
    print(f"\nreplayed because of an invalid user: {replayed}, {retried.valid:,} of them valid now")


def _print_answer(
    result: "PlayedRun | _StoredRun", given: SummaryContext
) -> tuple[bool, "Sequence[CellSummary]"]:
    """Print the answer of a run, the requested measures, and the next step."""
    from dragoman.analysis.cell_summary import summarize
    from dragoman.analysis.measure_metrics import measure_rows
    from dragoman.dataframes.results import outcomes
    from dragoman.dataframes.run_answers import answer_among
    from dragoman.store.run_store import open_run

    with open_run(result.folder, write=False) as store:
        manifest = read_manifest(store)
        prices = given.prices or stored_prices(store)
        rows = tuple(outcomes(store, result.rules, result.judge, heads_only=True))
        cells = summarize(rows, result.rules, result.judge, prices.price_of, manifest.preflight)
        found = answer_among(store, (result.rules, result.judge), rows, cells)
        left = _count_left_of(store, given)
        retried = _retried(store, result, given.again)
        wanted = measure_rows(rows, cells, store.declared()) if given.measures else ()
    named = {name.partition("@")[0] for name in given.measures}
    if retried is not None:
        _print_retried(retried)
    _print_lines(found, manifest, result, given, left)
    print_measure_tables(row for row in wanted if row.measure in named)
    if mode() != "quiet":
        print(f"run: {result.folder}", file=sys.stderr)
    shard = manifest.config.shard if given.shard is None else given.shard
    return _is_sound(found.overview.totals, shard), cells


def _print_lines(
    found: "RunAnswer",
    manifest: "Manifest",
    result: "PlayedRun | _StoredRun",
    given: SummaryContext,
    left: int,
) -> None:
    """Print the answer of a run and the next step."""
    overview, totals = found.overview, found.overview.totals
    shard = manifest.config.shard if given.shard is None else given.shard
    is_imported = manifest.imported is not msgspec.UNSET
    missing = totals.planned - totals.played
    state = RunState(totals.code_errors, totals.infrastructure, missing, is_perfect(overview), left)
    steps = [*_mending(result, state, shard, is_imported=is_imported)]
    steps += next_lines(
        result.folder,
        overview,
        is_imported=is_imported,
        is_first=not steps,
        has_causes=given.has_causes,
        further=tuple(_steps_of_imported(manifest, result)) if is_imported else (),
    )
    judge = "" if result.judge == NO_JUDGE else f", judge {result.judge}"
    user = f"; user {found.users}" if found.users else ""
    causes = [each for each in found.causes if not (shard and each.status == "missing")]
    unmeasured = (f"{name} is not measured: {why}" for name, why in result.unmeasured.items())
    notes = AnswerNotes(
        f"{result.rules}{judge}{user}",
        found.endings,
        (*unmeasured, *found.warnings),
        cause_lines(result.folder, causes) if given.has_causes else (),
        found.recorded,
        missing - left if shard else 0,
    )
    page = Page(MAX_LINES - len(steps) - 1, get_terminal_size().columns)
    for line in (*answer_lines(overview, notes, page), "", *steps):
        print_line(line)
