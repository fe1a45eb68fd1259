"""Implementation of `dragoman run`, `resume`, `score` and `demo`."""

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from shlex import quote
from typing import NamedTuple

import msgspec

from dragoman.cli.forecast import EstimateRequest, print_plan
from dragoman.cli.output import (
    INTERRUPTED,
    ReportedInterrupt,
    mode,
    print_error,
    print_line,
    print_notice,
    redirect_prints_to_stderr,
)
from dragoman.cli.preflight import local_server_notice, run_preflight_checks
from dragoman.cli.progress import heartbeat, progress
from dragoman.cli.run_console import RunningCounts, TerminalConsole, stall_notices
from dragoman.cli.run_overview import print_run_overview
from dragoman.cli.run_result import SummaryContext, print_result
from dragoman.cli.run_summary import (
    RunState,
    next_step,
    passes_threshold,
    require_valid_threshold,
)
from dragoman.cli.show import write_report
from dragoman.cli.view import live_page
from dragoman.composition.concurrency import concurrency_limits
from dragoman.composition.grid_files import build_run_request, read_grid
from dragoman.composition.setup import Setup, build_setup
from dragoman.config.agent_specs import specs_of
from dragoman.config.builtin_names import HUMAN
from dragoman.config.run_config import RunConfig, RunRequest
from dragoman.core.conditions import SCENARIOS
from dragoman.core.episodes import Episode
from dragoman.core.errors import RunHalted, UsageError
from dragoman.core.progress import long_step
from dragoman.core.scores import Score
from dragoman.registry.measures import require_rubric
from dragoman.registry.participants import ResolvedParticipant, resolve_person
from dragoman.report import formatting
from dragoman.runs.executor import Pending, pending_cells
from dragoman.runs.in_flight import InFlightRegistry
from dragoman.runs.jobs import Job, invalid_cells, resume_job
from dragoman.runs.plan import Cell, not_applicable
from dragoman.runs.remaining_time import RemainingTime
from dragoman.runs.runner import MeasureRequest, PlayedRun, new_folder, play_pending, score, start
from dragoman.store.folder_contents import require_folder_for
from dragoman.store.run_store import open_run


class RunOutcomeRequest(NamedTuple):
    """The output options of a run, and the least acceptable pass^1.

    `preflight` is whether to probe all participants first, `is_viewed` whether to serve the run's
    page.
    """

    as_json: bool = False
    fail_under: float | None = None
    preflight: bool | None = None
    is_full: bool = False
    is_viewed: bool = False

    @property
    def reads_all(self) -> bool:
        """Whether the requested figures need every conversation."""
        return self.as_json or self.fail_under is not None


def run_grid(
    target: str,
    options: Mapping[str, object],
    asked: RunOutcomeRequest,
    estimated: EstimateRequest,
    *,
    dry_run: bool,
) -> int:
    """Start a run from a suite's name or a grid file; the given options override it.

    Raises:
        UsageError: For options of a cost estimate without a dry run.
    """
    require_valid_threshold(asked.fail_under)
    if estimated.options and not dry_run:
        raise UsageError(f"{estimated.options[0]} is for a cost estimate: add --dry-run")
    request = request_from_options(target, options)
    if request.out:
        require_folder_for(Path(request.out), "a run")
    config = request.config
    if is_played_by_hand(config) and config.concurrency != 1:
        print_notice("a person is a participant: one conversation at a time")
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
        setup = build_setup(config, _human_participant(), sends_calls=not dry_run)
    if setup.config.scenarios != config.scenarios:
        _tell_scenario(setup)
    if dry_run:
        print_plan(setup, estimated, as_json=asked.as_json, full=asked.is_full)
        return 0
    tell_not_played(setup)
    with redirect_prints_to_stderr(), long_step("preflight"), _tell_nothing_stored():
        tried = run_preflight_checks(setup, _human_participant(), wanted=asked.preflight)
    job = start(setup, Path(out) if out else None, preflight=tried)
    with _tell_resume(job), live_page(job.store.folder, is_on=asked.is_viewed):
        return _play(job, None, asked)


@contextmanager
def _tell_nothing_stored() -> Iterator[None]:
    """Print that a run that was interrupted before it has a folder cannot be resumed."""
    try:
        yield
    except KeyboardInterrupt as error:
        print_error("stopped in the preflight: nothing is stored; run the same command again")
        raise ReportedInterrupt from error


@contextmanager
def _tell_resume(job: Job) -> Iterator[None]:
    """Print how to resume a run that was interrupted before its first conversation."""
    try:
        yield
    except ReportedInterrupt:
        raise
    except KeyboardInterrupt as error:
        job.store.close()
        print_error(f"stopped; resume with: dragoman resume {quote(str(job.store.folder))}")
        raise ReportedInterrupt from error


def _tell_scenario(setup: Setup) -> None:
    """Print the chosen scenario if the command names none."""
    (scenario,) = setup.config.scenarios
    what = ", ".join(SCENARIOS[scenario])
    print_notice(f"scenario: {scenario} ({what} in the language); --scenario names another")


MAX_NOT_PLAYED = 3
"""Reasons for conditions that are not played, as named at the start of a run."""


def tell_not_played(setup: Setup) -> None:
    """Print the conditions that a run is about to leave out, unless it is quiet."""
    lines = [] if mode() == "quiet" else list(formatting.not_played_lines(not_applicable(setup)))
    for line in lines[:MAX_NOT_PLAYED]:
        print_line(f"not played: {line}", to_stderr=True)
    if (more := len(lines) - MAX_NOT_PLAYED) > 0:
        print_line(
            f"not played: conditions for {formatting.format_count(more, 'more reason')}: "
            "--dry-run names them",
            to_stderr=True,
        )


def _show_heartbeat(title: str, config: RunConfig) -> AbstractContextManager[None]:
    """Return a context manager that shows a heartbeat.

    It does nothing if a person plays, since the heartbeat would overwrite their lines.
    """
    return nullcontext() if is_played_by_hand(config) else heartbeat(title)


def request_from_options(target: str, options: Mapping[str, object]) -> RunRequest:
    """Return the request of a grid file or a suite's name; the options override it."""
    if target.endswith(".toml"):
        return build_run_request({**read_grid(Path(target)), **options}, target)
    if "agents" in options:
        return build_run_request({"suite": target, **options})
    raise UsageError("no agent: name one with --agent (see `dragoman list agents`)")


def resume_run(
    folder: Path,
    changes: Mapping[str, object],
    asked: RunOutcomeRequest,
    *,
    retry_invalid: bool,
    trust: bool,
) -> int:
    """Resume a run; `retry_invalid` replays conversations whose simulated user failed."""
    require_valid_threshold(asked.fail_under)
    with redirect_prints_to_stderr():
        job = resume_job(folder, changes, _human_participant(), trust=trust)
    with job.store, _show_heartbeat("resume", job.setup.config):
        again = invalid_cells(job.store) if retry_invalid else None
        with _tell_resume(job), live_page(job.store.folder, is_on=asked.is_viewed):
            return _play(job, again, asked)


class ScoringOptions(NamedTuple):
    """The options of `score` as they were given."""

    changes: Mapping[str, object]
    measures: Sequence[str]
    anew: bool
    trust: bool
    repeat: int
    rubrics: Sequence[str] = ()

    def request(self) -> MeasureRequest:
        """Return the request; the first of several judges is that of the configuration."""
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


def score_run(folder: Path, asked: MeasureRequest, *, full: bool, as_json: bool) -> None:
    """Run measures on a run, and print the figures of the requested ones."""
    with progress("scoring", None) as advance:
        result = score(folder, asked, advance)
    print_result(result, SummaryContext(is_full=full, measures=asked.measures), as_json=as_json)
    judge = asked.changes.get("judge") or result.judge
    for line in _other_scoring_notice(folder, (result.rules, result.judge), str(judge)):
        print_notice(line)


def _other_scoring_notice(folder: Path, shown: tuple[str, str], judge: str) -> Iterator[str]:
    """Yield how to choose the shown scoring if other commands read another one by default.

    Scores that exist already are not stored again, so the requested scoring may not be the newest.

    Args:
        folder: The run.
        shown: The rules and the judge of the shown scoring.
        judge: The name of its judge as an option has it.
    """
    with open_run(folder, write=False) as store:
        scorings = store.scorings()
    if shown not in scorings or shown == (newest := scorings[-1]):
        return
    parts = (("rules", newest[0], shown[0], shown[0]), ("judge", newest[1], shown[1], judge))
    differing = [part for part in parts if part[1] != part[2]]
    read = ", ".join(f"{name} {other}" for name, other, _, _ in differing)
    options = " ".join(f"--{name} {quote(option)}" for name, _, _, option in differing)
    yield (
        f"show, table and other commands read the newest scoring ({read}); "
        f"for the scores above, give them {options}"
    )


def demo_run(out: Path | None) -> None:
    """Run the demonstration, and print its figures and the path of the report."""
    from dragoman.cli.attribution import print_attributions
    from dragoman.experiments.demo import start_demo
    from dragoman.experiments.failure_attribution import attribute_failures

    with long_step("reading the suite, voices and recognizers"):
        job = start_demo(out or new_folder("demo"))
    watch = InFlightRegistry()
    with stall_notices(watch, is_on=mode() != "quiet"):
        result = _play_pending(job, pending_cells(job.cells, job.store), watch)
    with progress("replayed conversations", None) as advance:
        blames = attribute_failures(result.folder, advance)
    with long_step("counting failures"):
        print_result(result, as_json=False)
    print()
    print_attributions(blames)
    with long_step("writing the report"):
        print(f"\nreport: {write_report([result.folder], None)}")


def is_played_by_hand(config: RunConfig) -> bool:
    """Return whether a person is a participant, who needs the terminal."""
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
    """Play the rest of a job with progress; after an interruption, print how to resume."""
    running_counts = RunningCounts(job.setup.prices.price_of)
    remaining = RemainingTime((each.cell for each in waiting), job.setup.at_once)
    # A bar would overwrite the lines that a person reads.
    shown = 0 if is_played_by_hand(job.setup.config) else len(waiting)
    try:
        intro = local_server_notice(concurrency_limits(job.setup.config))
        with progress(
            "conversations",
            shown,
            running_counts.describe,
            intro=intro,
            seconds_left=remaining.left,
        ) as advance:

            def on_done(cell: Cell, episode: Episode, score: Score) -> None:
                running_counts.add(cell, episode, score)
                remaining.add(cell, episode)
                advance()

            return play_pending(job, waiting, on_done, watch)
    except KeyboardInterrupt as error:
        print_error(
            _describe_interruption(job, len(waiting) - running_counts.played, is_retry=is_retry)
        )
        raise ReportedInterrupt from error


def _describe_interruption(job: Job, left: int, *, is_retry: bool) -> str:
    """Return the progress of an interrupted job, and the command that resumes it."""
    planned = len(job.cells)
    how = f"resume the other {left:,} with" if left else "resume with"
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
        print_line(f"{folder}: shard {shard} has no conversation of this plan")
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
    measures = job.setup.config.measures
    shown = SummaryContext(again, job.setup.prices, shard, asked.is_full, measures)
    sound, cells = print_result(result, shown, as_json=asked.as_json)
    return 0 if passes_threshold(cells, asked.fail_under) and (sound or not has_part) else 1


def _print_overview(result: PlayedRun, job: Job) -> bool | None:
    """Print the overview of a large run, from counts stored while it was written.

    Returns:
        Whether it has scores and nothing is missing; None, with nothing printed, if the run is
        small enough to be read whole.
    """
    counts = print_run_overview(result.folder, None, None, (result.rules, result.judge))
    if counts is None:
        return None
    for name, why in result.unmeasured.items():
        print_line(f"{name} is not measured: {why}")
    of, shard = counts.status, job.setup.config.shard
    is_perfect = counts.successes == counts.planned
    state = RunState(of["code"], of["infrastructure"], of["missing"], is_perfect)
    print(f"All figures (reads all conversations): dragoman report {quote(str(result.folder))}")
    print(next_step(result.folder, state, shard=shard))
    if mode() != "quiet":
        print(f"run: {result.folder}", file=sys.stderr)
    faults = state.raised + state.broken
    return faults < counts.planned - state.missing and not (state.missing and not shard)
