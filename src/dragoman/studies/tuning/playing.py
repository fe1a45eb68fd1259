"""The runs of a study: one for each suite and side, gone on with where it was cut off."""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec

from dragoman.analysis.contrasts.tuning import BEFORE
from dragoman.composition.external_access import external_access
from dragoman.composition.setup import build_setup
from dragoman.config.run_config import RunConfig, validated_config
from dragoman.core.apis.itc_answers import FORM
from dragoman.core.errors import StoreError
from dragoman.finetuning.recipe import Recipe
from dragoman.registry.suites import default_rules_of
from dragoman.runs.executor import pending_cells
from dragoman.runs.jobs import Job, read_manifest, resume_job
from dragoman.runs.runner import play_pending, run_blocking, start
from dragoman.store.run_store import open_run
from dragoman.studies.tuning.plan import RUNS, ArmPlan, Playing, StudyPlan

_FREE = ("concurrency",)
"""What may differ where a run is gone on with."""


class SideRun(msgspec.Struct, frozen=True):
    """A run of one side on one suite.

    Attributes:
        side: `BEFORE`, or the name of a training.
        suite: The suite.
        folder: Where it lies.
        config: What is played.
    """

    side: str
    suite: str
    folder: Path
    config: RunConfig


Watched = Callable[[SideRun, int], AbstractContextManager[Callable[[], None]]]
"""Told of a run and how many conversations it has; gives what is told of each that is played."""


def planned_runs(plan: StudyPlan) -> tuple[SideRun, ...]:
    """Return the runs of a study: all suites of one side after the other, so that one model is loaded.

    Raises:
        UsageError: For a value that makes no sense.
    """
    sides = [(BEFORE, _with_options(plan.before, plan.playing))]
    sides += [(arm.name, _agent(arm, plan.playing)) for arm in plan.arms]
    return tuple(_runs(plan, sides))


def require_playable(plan: StudyPlan) -> None:
    """Refuse, before anything is trained, names of agents and suites that cannot be played.

    Raises:
        UsageError: Where an agent or a suite is to be corrected.
        DataError: Where data are missing.
    """
    trained = {arm.name for arm in plan.arms if not arm.agent and arm.recipe is not None}
    for run in planned_runs(plan):
        if run.side not in trained:
            run_blocking(build_setup(run.config).close())


def play_run(run: SideRun, watched: Watched) -> None:
    """Play what a run has left.

    Args:
        run: The run.
        watched: Shows how far it is.

    Raises:
        UsageError: Where agents or suites are to be corrected.
        DataError: Where data are missing.
        StoreError: Where the folder holds another run, or agents have changed since.
    """
    job = _job(run)
    with job.store:
        waiting = pending_cells(job.cells, job.store)
        with watched(run, len(waiting)) as advance:
            play_pending(job, waiting, lambda *_: advance())


def _job(run: SideRun) -> Job:
    if not run.folder.exists():
        return start(build_setup(run.config), run.folder)
    with open_run(run.folder, write=False) as store:
        stored = read_manifest(store).config
    kept = {name: getattr(run.config, name) for name in _FREE}
    # A run that was begun under older rules goes on under them.
    wanted = msgspec.structs.replace(run.config, rules=stored.rules)
    if msgspec.structs.replace(stored, **kept) != wanted:
        raise StoreError(
            f"{run.folder} was played by another plan: name another folder, or take this one away"
        )
    return resume_job(run.folder, kept, vouched=external_access(run.config))


def _runs(plan: StudyPlan, sides: list[tuple[str, str]]) -> Iterator[SideRun]:
    for side, agent in sides:
        for suite in (*plan.suites, *plan.outside):
            config = RunConfig(
                suite,
                (agent,),
                trials=plan.playing.trials,
                limit=plan.playing.limit,
                concurrency=plan.playing.concurrency,
                rules=default_rules_of(suite),
            )
            folder = plan.out / RUNS / f"{_plain(suite)}-{side}"
            yield SideRun(side, suite, folder, validated_config(config))


def _agent(arm: ArmPlan, playing: Playing) -> str:
    if arm.agent or arm.recipe is None:
        return _with_options(arm.agent, playing)
    return _with_options(*_weights(arm.recipe, playing))


def _weights(recipe: Recipe, playing: Playing) -> tuple[str, Playing, str]:
    """Return the model that a training left, as an agent's name and a further option."""
    if recipe.weights == "all":
        return f"local/{recipe.out}/model", playing, ""
    return f"local/{recipe.model}", playing, f"adapter={recipe.out}/adapter"


def _with_options(agent: str, playing: Playing, own: str = "") -> str:
    """Return an agent's name with how it is played."""
    calls = "" if playing.calls == "native" else f"calls={FORM}"
    options = "&".join(filter(None, (own, playing.options, calls)))
    if not options:
        return agent
    return f"{agent}{'&' if '?' in agent else '?'}{options}"


def _plain(suite: str) -> str:
    return re.sub(r"[^\w.-]+", "-", suite).strip("-.")
