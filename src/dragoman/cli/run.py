"""Implementation of `dragoman run`, `resume`, `score` and `demo`."""

import sys
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from dragoman.cli.failures import print_drops, print_not_played
from dragoman.cli.output import (
    INTERRUPTED,
    mode,
    print_error,
    print_json,
    print_line,
    print_metrics_json,
    redirect_prints_to_stderr,
)
from dragoman.cli.preflight import local_server_notice, run_preflight_checks
from dragoman.cli.progress import heartbeat, progress
from dragoman.cli.run_console import RunningCounts, TerminalConsole, stall_notices
from dragoman.cli.run_overview import print_run_overview
from dragoman.cli.run_summary import (
    RunState,
    further_steps,
    next_step,
    passes_threshold,
    print_measures,
    print_recorded,
    require_valid_threshold,
    state_of,
)
from dragoman.cli.show import print_summary, write_report
from dragoman.composition.concurrency import concurrency_limits
from dragoman.composition.grid_files import build_run_request, read_grid
from dragoman.composition.setup import Setup, build_setup
from dragoman.config.agent_specs import specs_of
from dragoman.config.builtin_names import HUMAN
from dragoman.config.run_config import RunConfig, RunRequest, parse_shard
from dragoman.core.conditions import SCENARIOS
from dragoman.core.episodes import Episode
from dragoman.core.errors import RunHalted, UsageError
from dragoman.core.progress import long_step
from dragoman.core.scores import Score
from dragoman.models.prices import PriceTable
from dragoman.registry.measures import require_rubric
from dragoman.registry.participants import ResolvedParticipant, resolve_person
from dragoman.report import formatting
from dragoman.runs.executor import Pending, pending_cells
from dragoman.runs.in_flight import InFlightRegistry
from dragoman.runs.jobs import Job, count_valid, invalid_cells, resume_job
from dragoman.runs.manifest import read_manifest, stored_prices
from dragoman.runs.plan import Cell, count_left_of_shard, not_applicable, plan_cells
from dragoman.runs.preflight import count_asking
from dragoman.runs.runner import MeasureRequest, PlayedRun, new_folder, play_pending, score, start

if TYPE_CHECKING:
    from dragoman.analysis.cell_summary import CellSummary
    from dragoman.dataframes.results import RunFigures
    from dragoman.store.run_store import RunStore


class RunOutcomeRequest(NamedTuple):
    """The output format, the least acceptable pass^1, and the request for a preflight."""

    as_json: bool = False
    fail_under: float | None = None
    preflight: bool | None = None

    @property
    def reads_all(self) -> bool:
        """Whether the requested figures need every conversation, whatever their number."""
        return self.as_json or self.fail_under is not None


class EstimateRequest(NamedTuple):
    """The basis of a dry run's cost estimate: recorded runs, and a file of averages.

    The averages cover settings that are unlike all recorded runs.
    """

    like: Sequence[Path] = ()
    averages: Path | None = None

    @property
    def options(self) -> list[str]:
        """The options that are given."""
        given = {"--like": bool(self.like), "--averages": self.averages is not None}
        return [name for name, is_given in given.items() if is_given]


def run_grid(
    target: str,
    options: Mapping[str, object],
    asked: RunOutcomeRequest,
    estimated: EstimateRequest,
    *,
    dry_run: bool,
) -> int:
    """Start a run from a suite's name or a grid file, with the options given laid over it.

    Raises:
        UsageError: For what a dry run tells costs by, without a dry run.
    """
    require_valid_threshold(asked.fail_under)
    if estimated.options and not dry_run:
        raise UsageError(f"{estimated.options[0]} is for an estimate: add --dry-run")
    request = request_from_options(target, options)
    config = request.config
    if is_played_by_hand(config) and config.concurrency != 1:
        print("a person plays: one conversation at a time", file=sys.stderr)
        config = msgspec.structs.replace(config, concurrency=1)
    with _show_heartbeat("run", config):
        return _run(config, request.out, asked, estimated, dry_run=dry_run)


def _run(
    config: RunConfig,
    out: str,
    asked: RunOutcomeRequest,
    estimated: EstimateRequest,
    *,
    dry_run: bool,
) -> int:
    with redirect_prints_to_stderr(), long_step("reading the suite"):
        setup = build_setup(config, _human_participant())
    if setup.config.scenarios != config.scenarios:
        _tell_scenario(setup)
    if dry_run:
        _print_plan(setup, estimated, as_json=asked.as_json)
        return 0
    with redirect_prints_to_stderr(), long_step("preflight"):
        tried = run_preflight_checks(setup, _human_participant(), wanted=asked.preflight)
    job = start(setup, Path(out) if out else None, preflight=tried)
    return _play(job, None, asked)


def _tell_scenario(setup: Setup) -> None:
    """Say which scenario was chosen, where the command names none."""
    (scenario,) = setup.config.scenarios
    what = ", ".join(SCENARIOS[scenario])
    print_line(
        f"scenario: {scenario} ({what} in the language); --scenario names another",
        to_stderr=True,
    )


def _show_heartbeat(title: str, config: RunConfig) -> AbstractContextManager[None]:
    """Return a context manager that shows a heartbeat.

    It does nothing if a person plays, since the heartbeat would overwrite their lines.
    """
    return nullcontext() if is_played_by_hand(config) else heartbeat(title)


def request_from_options(target: str, options: Mapping[str, object]) -> RunRequest:
    """Return what a grid file or a suite's name asks for, with options laid over it."""
    if target.endswith(".toml"):
        return build_run_request({**read_grid(Path(target)), **options}, target)
    if "agents" in options:
        return build_run_request({"suite": target, **options})
    raise UsageError("no agent: name one with --agent (`dragoman list agents`)")


def resume_run(
    folder: Path,
    changes: Mapping[str, object],
    asked: RunOutcomeRequest,
    *,
    retry_invalid: bool,
    trust: bool,
) -> int:
    """Go on with a run; `retry_invalid` plays again where the simulated user failed."""
    require_valid_threshold(asked.fail_under)
    with redirect_prints_to_stderr():
        job = resume_job(folder, changes, _human_participant(), trust=trust)
    with job.store, _show_heartbeat("resume", job.setup.config):
        again = invalid_cells(job.store) if retry_invalid else None
        return _play(job, again, asked)


_MOST_CELLS = 24
"""More cells than these are not listed one by one in a terminal."""


class ScoringOptions(NamedTuple):
    """The options of `score` as they were given."""

    changes: Mapping[str, object]
    measures: Sequence[str]
    anew: bool
    trust: bool
    repeat: int
    rubrics: Sequence[str] = ()

    def request(self) -> MeasureRequest:
        """Return what is asked for; of several judges the first is that of the configuration."""
        written = str(self.changes.get("judge", ""))
        judges = tuple(name.strip() for name in written.split(",") if name.strip())
        several = len(judges) > 1 or self.repeat > 1
        measures = (*self.measures, *self.rubrics)
        for name in self.rubrics:
            require_rubric(name)
        if several and not measures:
            raise UsageError(
                "score: several judges or --repeat are for a rubric: add --rubric NAME@VERSION"
            )
        if self.repeat > 1 and not judges:
            raise UsageError("score: --repeat needs --judge PROVIDER/MODEL")
        changes = {**self.changes, "judge": judges[0]} if judges else self.changes
        return MeasureRequest(changes, measures, self.anew, self.trust, judges, self.repeat)


def score_run(folder: Path, asked: MeasureRequest, *, as_json: bool) -> None:
    """Take measures of a run."""
    with progress("scoring", None) as advance:
        result = score(folder, asked, advance)
    _print_result(result, as_json=as_json)


def demo_run(out: Path | None) -> None:
    """Run the demonstration, print its figures and say where the report is."""
    from dragoman.cli.attribution import print_attributions
    from dragoman.experiments.demo import start_demo
    from dragoman.experiments.failure_attribution import attribute_failures

    with long_step("reading the suite, voices and recognizers"):
        job = start_demo(out or new_folder("demo"))
    watch = InFlightRegistry()
    with stall_notices(watch, is_on=mode() != "quiet"):
        result = _play_pending(job, pending_cells(job.cells, job.store), watch)
    with progress("lost conversations, played again", None) as advance:
        blames = attribute_failures(result.folder, advance)
    with long_step("counting what was lost"):
        _print_result(result, as_json=False)
    print()
    print_attributions(blames)
    with long_step("writing the report"):
        print(f"\nreport: {write_report([result.folder], None)}")


def is_played_by_hand(config: RunConfig) -> bool:
    """Whether a person plays a part, who needs the terminal and some time."""
    return HUMAN in {*specs_of(config.agents).values(), config.user}


def _human_participant() -> dict[str, ResolvedParticipant]:
    return {HUMAN: resolve_person(TerminalConsole())}


def _play_pending(
    job: Job,
    waiting: Sequence[Pending],
    watch: InFlightRegistry | None = None,
    *,
    is_retry: bool = False,
) -> PlayedRun:
    """Play what a job has left and show how it goes, and how to go on where a person stops it."""
    running_counts = RunningCounts(job.setup.prices.price_of)
    # A bar would run over the lines that a person reads.
    shown = 0 if is_played_by_hand(job.setup.config) else len(waiting)
    try:
        intro = local_server_notice(concurrency_limits(job.setup.config))
        with progress("conversations", shown, running_counts.describe, intro=intro) as advance:

            def on_done(cell: Cell, episode: Episode, score: Score) -> None:
                running_counts.add(cell, episode, score)
                advance()

            return play_pending(job, waiting, on_done, watch)
    except KeyboardInterrupt:
        print_error(
            _describe_interruption(job, len(waiting) - running_counts.played, is_retry=is_retry)
        )
        raise


def _describe_interruption(job: Job, left: int, *, is_retry: bool) -> str:
    """Return how much of a job is done that a person stopped, and how the rest is played."""
    planned = len(job.cells)
    how = f"for the other {left:,} go on with" if left else "go on with"
    option = " --retry-invalid" if is_retry else ""
    return (
        f"stopped; {planned - left:,} of "
        f"{formatting.format_count(planned, 'conversation')} finished "
        "and "
        f"stored; {how}: dragoman resume {quote(str(job.store.folder))}{option}"
    )


def _play(job: Job, again: Collection[str] | None, asked: RunOutcomeRequest) -> int:
    folder, shard = job.store.folder, job.setup.config.shard
    has_part = bool(job.cells) or not shard
    if not has_part and not asked.reads_all:
        job.store.close()
        print_line(f"{folder}: share {shard} has no conversation of this plan: nothing to play")
        return 0
    waiting = pending_cells(job.cells, job.store, again or ())
    try:
        watch = InFlightRegistry()
        is_reported = not is_played_by_hand(job.setup.config) and mode() != "quiet"
        with stall_notices(watch, is_on=is_reported), redirect_prints_to_stderr():
            result = _play_pending(job, waiting, watch, is_retry=again is not None)
    except KeyboardInterrupt:
        return INTERRUPTED
    except RunHalted as error:
        raise RunHalted(f"{error} (run {quote(str(folder))})") from error
    if again is None and not asked.reads_all:
        is_sound = _print_overview(result, job)
        if is_sound is not None:
            return 0 if is_sound else 1
    shown = _SummaryContext(again, job.setup.prices, shard)
    sound, cells = _print_result(result, shown, as_json=asked.as_json)
    return 0 if passes_threshold(cells, asked.fail_under) and (sound or not has_part) else 1


def _print_overview(result: PlayedRun, job: Job) -> bool | None:
    """Print the first page on a large run, from what was counted as it was written.

    Returns:
        Whether it measured anything and missed nothing; None, with nothing printed, of a run that
        is read whole.
    """
    counts = print_run_overview(result.folder, None, None, (result.rules, result.judge))
    if counts is None:
        return None
    for name, why in result.unmeasured.items():
        print_line(f"{name} is not measured: {why}")
    of, shard = counts.status, job.setup.config.shard
    is_perfect = counts.successes == counts.planned
    state = RunState(of["code"], of["infrastructure"], of["missing"], is_perfect)
    print(f"all figures (reads all of them): dragoman report {quote(str(result.folder))}")
    print(next_step(result.folder, state, shard=shard))
    if mode() != "quiet":
        print(f"run: {result.folder}", file=sys.stderr)
    faults = state.raised + state.broken
    return faults < counts.planned - state.missing and not (state.missing and not shard)


def _visible_differences(
    store: "RunStore", result: PlayedRun, prices: PriceTable, found: "RunFigures"
) -> "RunFigures":
    """Return figures that a terminal has room for: of several suites, measures are taken over all.

    So is the reward where there are very many cells; files and reports have it suite by suite.
    """
    from dragoman.dataframes.results import run_figures

    if len({cell.suite for cell in found.cells}) == 1:
        return found
    name = read_manifest(store).config.suite
    together = run_figures(store, result.rules, result.judge, prices, pooled=name)
    if len(found.cells) <= _MOST_CELLS:
        return together._replace(cells=found.cells)
    folder = quote(str(store.folder))
    print_line(f"over all categories; each of them: dragoman report {folder}")
    return together


class _SummaryContext(NamedTuple):
    """What figures of a run are printed with.

    `again` are cells that were played once more, None where that was not asked for; `prices` what
    costs are by, None for those that the run was started with; `shard` the share that was played,
    None for the run's own.
    """

    again: Collection[str] | None = None
    prices: PriceTable | None = None
    shard: str | None = None


_AS_STORED = _SummaryContext()


def _print_result(
    result: PlayedRun, given: _SummaryContext = _AS_STORED, *, as_json: bool
) -> tuple[bool, "Sequence[CellSummary]"]:
    """Print a run's figures, and return a success flag and the run's cells.

    The flag is true if the run measured something and missed nothing.
    """
    from dragoman.dataframes.comparisons import drop_object
    from dragoman.dataframes.interpretation_warnings import (
        described_users,
        interpretation_warnings,
        refusal_warnings,
        reply_warnings,
        text_call_warnings,
        users_of,
    )
    from dragoman.dataframes.results import (
        Retried,
        RunFigures,
        agreement,
        measures_object,
        results_object,
        run_figures,
    )
    from dragoman.dataframes.run_failures import run_drops
    from dragoman.store.run_store import open_run

    again = given.again
    with open_run(result.folder, write=False) as store:
        prices = given.prices or stored_prices(store)
        manifest = read_manifest(store)
        cells, measures = run_figures(store, result.rules, result.judge, prices)
        shard = manifest.config.shard if given.shard is None else given.shard
        left = count_left_of_shard(store, parse_shard(shard)) if shard else 0
        left_out = manifest.not_applicable
        is_imported = manifest.imported is not msgspec.UNSET
        valid = count_valid(store, result.rules, result.judge, again or ())
        users = users_of(store)
        warnings = (
            *interpretation_warnings(store),
            *refusal_warnings(cells),
            *reply_warnings(cells),
            *text_call_warnings(cells),
        )
        recorded = agreement(store, result.rules, result.judge)
        lost = run_drops(store, result.rules, result.judge)
        if not as_json:
            print_drops(lost, result.folder, is_imported=is_imported)
            shown = _visible_differences(store, result, prices, RunFigures(cells, measures))
            print_summary(shown.cells, described_users(users), warnings)
            print_measures(shown.measures, result.unmeasured, manifest)
    retried = None if again is None else Retried(len(again), valid)
    faults = sum(cell.infrastructure_errors + cell.code_errors for cell in cells)
    sound = faults < sum(cell.episodes for cell in cells) and not any(
        cell.missing and not shard for cell in cells
    )
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
        print(
            f"\nplayed again as the simulated user had failed: {retried.conversations} "
            "conversations, "
            f"{retried.valid} of them valid now"
        )
    print(f"\n{further_steps(result.folder, cells)}")
    state = state_of(cells, left)
    print(next_step(result.folder, state, is_imported=is_imported, shard=shard))
    if mode() != "quiet":
        print(f"run: {result.folder}", file=sys.stderr)
    return sound, cells


def _print_plan(setup: Setup, estimated: EstimateRequest, *, as_json: bool) -> None:
    from dragoman.cli.forecast import estimate_costs, forecast_object, print_forecast
    from dragoman.dataframes.forecasts import planned_power
    from dragoman.report.comparison import power_line

    cells = plan_cells(setup)
    found = estimate_costs(setup, cells, *estimated) if estimated.options else None
    left_out, waiting = not_applicable(setup), concurrency_limits(setup.config)
    power = planned_power(cells, estimated.like)
    if as_json:
        reported = {} if found is None else {"estimate": forecast_object(setup, found)}
        print_json(
            {
                **reported,
                "planned": len(cells),
                "power": power,
                "waiting": waiting,
                "not_applicable": left_out,
                "not_played": left_out,
                "cells": [
                    {
                        "task": cell.task.id,
                        "agent": cell.agent.name,
                        "user": cell.user.name,
                        "condition": cell.condition.label,
                        "trial": cell.trial,
                        "key": cell.key,
                    }
                    for cell in cells
                ],
            }
        )
        return
    for cell in cells[:_MOST_CELLS]:
        print(
            f"{cell.key}  {cell.task.suite}  task {cell.task.id}  {cell.condition.label}  agent "
            f"{cell.agent.name}  user {cell.user.name}  trial {cell.trial}"
        )
    if len(cells) > _MOST_CELLS:
        print(f"and {len(cells) - _MOST_CELLS:,} more (--json has all)")
    print_not_played(left_out)
    print(
        f"{formatting.format_count(len(cells), 'conversation')} planned, none played: "
        f"{_plan_size(setup, cells)}"
    )
    if line := local_server_notice(waiting):
        print_line(line)
    for each in power:
        print_line(power_line(each))
    if found is not None:
        print_forecast(setup, found)
    elif count_asking(setup.config, cells):
        print("what it would cost: name runs like it with --like RUN, or state --averages FILE")


def _plan_size(setup: Setup, cells: "Sequence[Cell]") -> str:
    """Return what a plan multiplies, and how many conversations cost something."""
    parts: dict[str, set[object]] = {
        "task": {cell.task.id for cell in cells},
        "agent": {cell.agent.name for cell in cells},
        "condition": {cell.condition.label for cell in cells},
        "trial": {cell.trial for cell in cells},
    }
    counts = " x ".join(formatting.format_count(len(found), noun) for noun, found in parts.items())
    return f"{counts}; {count_asking(setup.config, cells):,} ask an endpoint"
