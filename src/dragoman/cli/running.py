"""`dragoman run`, `resume`, `score` and `demo`."""

import sys
from collections.abc import Mapping
from pathlib import Path
from shlex import quote

import msgspec

from dragoman.cli.output import print_error, print_json, progress
from dragoman.cli.reading import print_summary, write_report
from dragoman.core.errors import UsageError
from dragoman.runs.execute import pending_cells
from dragoman.runs.jobs import Job, resume_job
from dragoman.runs.plan import plan
from dragoman.runs.play import Played, new_folder, play, score, start
from dragoman.wiring.config import RunConfig, checked, load_config
from dragoman.wiring.setup import Setup, build_setup

INTERRUPTED = 130


def run_grid(
    target: str,
    options: Mapping[str, object],
    out: Path | None,
    *,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Start a run from a suite's name or a grid file, with the options given laid over it."""
    setup = build_setup(configured(target, options))
    if dry_run:
        _print_plan(setup, as_json=as_json)
        return 0
    return _play(start(setup, out), as_json=as_json)


def configured(target: str, options: Mapping[str, object]) -> RunConfig:
    """Return the configuration of a grid file or a suite's name, with options laid over it."""
    given = {name: value for name, value in options.items() if value is not None}
    if target.endswith(".toml"):
        return checked(msgspec.structs.replace(load_config(Path(target)), **given))
    if "agents" not in given:
        raise UsageError("no agent: name one with --agent (`dragoman list agents`)")
    return checked(msgspec.convert({"suite": target, **given}, RunConfig))


def resume_run(folder: Path, *, as_json: bool) -> int:
    """Go on with a run."""
    return _play(resume_job(folder), as_json=as_json)


def score_run(
    folder: Path, rules: str | None, judge: str | None, *, anew: bool, as_json: bool
) -> None:
    """Score a run again."""
    changes = {name: value for name, value in (("rules", rules), ("judge", judge)) if value}
    with progress("scoring", None) as advance:
        result = score(folder, changes, advance, anew=anew)
    _print_result(result, as_json=as_json)


def demo_run(out: Path | None) -> None:
    """Run the demonstration, print its figures and say where the report is."""
    from dragoman.studies.demo import run_demo

    result = run_demo(out or new_folder("demo"))
    _print_result(result, as_json=False)
    print(f"\nreport: {write_report([result.folder], None)}")


def _play(job: Job, *, as_json: bool) -> int:
    folder = job.store.folder
    waiting = len(pending_cells(job.cells, job.store))
    try:
        with progress("conversations", waiting) as advance:
            result = play(job, lambda *_: advance())
    except KeyboardInterrupt:
        print_error(
            f"stopped; what was finished is stored. Go on with: dragoman resume {quote(str(folder))}"
        )
        return INTERRUPTED
    return 0 if _print_result(result, as_json=as_json) else 1


def _print_result(result: Played, *, as_json: bool) -> bool:
    """Print a run's figures; return whether it measured anything and missed nothing."""
    from dragoman.runs.outcomes import summary
    from dragoman.runs.results import results_object
    from dragoman.store.run import open_run

    with open_run(result.folder, write=False) as store:
        cells = summary(store, result.rules, result.judge)
    faults = sum(cell.infrastructure_errors for cell in cells)
    sound = faults < sum(cell.episodes for cell in cells) and not any(
        cell.missing for cell in cells
    )
    if as_json:
        print_json(results_object(str(result.folder), cells))
        return sound
    print_summary(cells)
    if faults:
        print(
            f"\n{faults} conversations ended by infrastructure: try them again with: dragoman resume {quote(str(result.folder))}"
        )
    print(f"\nrun: {result.folder}", file=sys.stderr)
    return sound


def _print_plan(setup: Setup, *, as_json: bool) -> None:
    cells = plan(setup)
    if as_json:
        print_json(
            {
                "planned": len(cells),
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
    for cell in cells:
        print(
            f"{cell.key}  {cell.task.suite}  task {cell.task.id}  {cell.condition.label}  agent {cell.agent.name}  user {cell.user.name}  trial {cell.trial}"
        )
    print(f"{len(cells)} conversations planned, none played")
