"""A training study: trains models, plays them on the same suites before and after, compares.

Arms may be trained on equal numbers of examples. An interrupted run is resumed, and finished work
is not repeated.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec

from dragoman.analysis.training_contrasts import (
    BEFORE,
    PARTLY,
    SEEN,
    UNSEEN,
    ContrastSide,
    Place,
    TrainingSummary,
    summarize_training,
)
from dragoman.composition.external_access import external_access
from dragoman.composition.setup import build_setup
from dragoman.config.run_config import RunConfig, validated_config
from dragoman.core.apis.itc_answers import FORM
from dragoman.core.errors import StoreError
from dragoman.core.texts.counts import format_count
from dragoman.dataframes.results import ScoredRun, run_facts, scored_runs, task_digests
from dragoman.experiments.training_plan import RUNS, ArmPlan, Playing, StudyPlan
from dragoman.finetuning.contamination import EvaluatedTask, apis_of, evaluated_tasks
from dragoman.finetuning.loss_masking import trainable_rows
from dragoman.finetuning.optional_dependencies import has_extra
from dragoman.finetuning.preparation import Prepared, prepare, with_rows
from dragoman.finetuning.progress import TrainingProgress
from dragoman.finetuning.recipe import Recipe
from dragoman.finetuning.result import describe_use, read_result, with_price
from dragoman.registry.suites import default_rules_of
from dragoman.runs.executor import pending_cells
from dragoman.runs.jobs import Job, resume_job
from dragoman.runs.manifest import read_manifest
from dragoman.runs.runner import play_pending, run_blocking, start
from dragoman.store.run_store import open_run
from dragoman.store.training_results import TrainingResult


class PreparedArm(msgspec.Struct, frozen=True):
    """An arm and what it learns from; None if nothing is known of that."""

    arm: ArmPlan
    prepared: Prepared | None

    @property
    def trains(self) -> bool:
        """Whether it is trained here."""
        return self.prepared is not None and not self.arm.agent


def prepared_arms(plan: StudyPlan) -> tuple[PreparedArm, ...]:
    """Read the rows of all arms, and draw equal numbers of rows if the plan asks for it.

    Rows that a model cannot learn from are removed before the draw, so that the arms learn from
    equal numbers. Without the extra, which has the tokenizers, these rows are unknown and stay.

    Raises:
        UsageError: If a recipe, its rows or a suite must be corrected.
        DataError: If rows or data cannot be read.
    """
    are_equal = plan.equal_rows and sum(arm.recipe is not None for arm in plan.arms) > 1
    sieve = trainable_rows if are_equal and has_extra() else None
    arms = [
        PreparedArm(arm, None if arm.recipe is None else prepare(arm.recipe, sieve))
        for arm in plan.arms
    ]
    counts = [len(each.prepared.rows) for each in arms if each.prepared is not None]
    if not plan.equal_rows or len(set(counts)) < 2:  # noqa: PLR2004 - nothing to make equal
        return tuple(arms)
    return tuple(_with_rows(each, min(counts)) for each in arms)


def trained_arms(
    arms: Sequence[PreparedArm], say: Callable[[str], None], price_per_hour: float | None = None
) -> dict[str, TrainingResult | None]:
    """Train the untrained arms.

    The result by arm is returned; it is None for an arm that is served elsewhere.

    Raises:
        UsageError: If the extra is missing, or a folder holds another training.
        StoreError: If something cannot be written.
    """
    return {
        each.arm.name: None
        if not each.trains or each.prepared is None
        else with_price(_train_or_load(each.arm.name, each.prepared, say), price_per_hour)
        for each in arms
    }


def _train_or_load(name: str, prepared: Prepared, say: Callable[[str], None]) -> TrainingResult:
    done = read_result(Path(prepared.recipe.out), prepared.identity)
    if done is not None:
        steps = format_count(done.steps, "step")
        say(f"{name}: trained already, {steps} over {format_count(done.rows, 'row')}")
        return done
    from dragoman.finetuning.training import train

    say(f"{name}: {format_count(len(prepared.rows), 'row')}")
    return train(prepared, TrainingProgress(lambda line: say(f"{name}: {line}")))


def _with_rows(each: PreparedArm, count: int) -> PreparedArm:
    if each.prepared is None or len(each.prepared.rows) == count:
        return each
    prepared = with_rows(each.prepared, count)
    return PreparedArm(msgspec.structs.replace(each.arm, recipe=prepared.recipe), prepared)


_FREE = ("concurrency",)
"""Settings that may differ when a run is resumed."""


class SideRun(msgspec.Struct, frozen=True):
    """A run of one side on one suite.

    Attributes:
        side: `BEFORE`, or the name of a training.
        suite: The suite.
        folder: The folder of the run.
        config: The configuration of the run.
    """

    side: str
    suite: str
    folder: Path
    config: RunConfig


Watched = Callable[[SideRun, int], AbstractContextManager[Callable[[], None]]]
"""Callback for a run and its number of conversations.

Returns a callback for each finished conversation.
"""


def planned_runs(plan: StudyPlan) -> tuple[SideRun, ...]:
    """Return the runs of a study.

    All suites of one side run in sequence, so that only one model is loaded.

    Raises:
        UsageError: For a value that makes no sense.
    """
    sides = [(BEFORE, _with_options(plan.before, plan.playing))]
    sides += [(arm.name, _agent(arm, plan.playing)) for arm in plan.arms]
    return tuple(_runs(plan, sides))


def require_playable(plan: StudyPlan) -> None:
    """Refuse, before anything is trained, names of agents and suites that cannot be played.

    Raises:
        UsageError: If an agent or a suite must be corrected.
        DataError: If data are missing.
    """
    trained = {arm.name for arm in plan.arms if not arm.agent and arm.recipe is not None}
    for run in planned_runs(plan):
        if run.side not in trained:
            run_blocking(build_setup(run.config).close())


def play_run(run: SideRun, watched: Watched) -> None:
    """Play the pending conversations of a run.

    Args:
        run: The run.
        watched: Shows the progress.

    Raises:
        UsageError: If agents or suites must be corrected.
        DataError: If data are missing.
        StoreError: If the folder holds another run, or agents have changed since.
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


def gather_contrasts(
    plan: StudyPlan,
    arms: Sequence[PreparedArm],
    runs: Sequence[SideRun],
    trained: Mapping[str, TrainingResult | None],
) -> TrainingSummary:
    """Return all contrasts of a study whose runs are complete.

    Args:
        plan: The study.
        arms: Its trainings with their rows.
        runs: The runs.
        trained: The results by training.

    Raises:
        UsageError: If runs were not scored by the same rules and judge.
        StoreError: If one cannot be read.
    """
    found = dict(zip(runs, scored_runs([run.folder for run in runs], None, None), strict=True))
    labels = {place: own for run in runs for place, own in _labels(run)}
    tasks = evaluated_tasks((*plan.suites, *plan.outside))
    summary = summarize_training(
        _player(BEFORE, found),
        tuple(_player(each.arm.name, found) for each in arms),
        labels,
        {
            each.arm.name: _classify_tasks_seen(each, tasks)
            for each in arms
            if each.prepared is not None
        },
        (plan.suites, plan.outside),
    )
    facts = (*_facts(plan, arms, trained), *run_facts(tuple(found.values())))
    return TrainingSummary(summary.arms, summary.inside, summary.outside, summary.contrasts, facts)


def _player(side: str, found: Mapping[SideRun, ScoredRun]) -> ContrastSide:
    own = [scored for run, scored in found.items() if run.side == side]
    return ContrastSide(
        side, tuple(row for each in own for row in each.outcomes), task_digests(own)
    )


def _labels(run: SideRun) -> Iterator[tuple[Place, Mapping[str, str]]]:
    with open_run(run.folder, write=False) as store:
        yield from (((task.suite, task.id), task.labels) for task in store.tasks().values())


def _classify_tasks_seen(each: PreparedArm, tasks: Iterable[EvaluatedTask]) -> dict[Place, str]:
    """Return by task whether the rows of a training call the APIs that it needs."""
    rows = each.prepared.rows if each.prepared is not None else ()
    known = {api for row in rows for api in apis_of(row)}
    return {
        (task.suite, task.task): _classify_overlap(
            len(known.intersection(task.apis)), len(task.apis)
        )
        for task in tasks
        if task.apis
    }


def _classify_overlap(known: int, needed: int) -> str:
    if known == needed:
        return SEEN
    return PARTLY if known else UNSEEN


def _facts(
    plan: StudyPlan, arms: Sequence[PreparedArm], trained: Mapping[str, TrainingResult | None]
) -> Iterator[tuple[str, str]]:
    yield "before", plan.before
    for each in arms:
        yield each.arm.name, ", ".join(_of_arm(each, trained.get(each.arm.name)))


def _of_arm(each: PreparedArm, trained: TrainingResult | None) -> Iterator[str]:
    if each.arm.agent:
        yield each.arm.agent
    if each.prepared is not None:
        languages: dict[str, int] = {}
        for row in each.prepared.rows:
            languages[row.origin.language] = languages.get(row.origin.language, 0) + 1
        spread = ", ".join(f"{name} {count}" for name, count in sorted(languages.items()))
        yield f"{format_count(len(each.prepared.rows), 'row')} ({spread})"
        yield f"{len(each.prepared.leaks)} refused as the evaluation has them"
        if each.prepared.unused:
            yield f"{len(each.prepared.unused)} excluded before the draw: nothing to learn"
    if trained is not None:
        yield f"{trained.rows} learnt from in {format_count(trained.steps, 'step')}"
        yield "" if trained.loss is None else f"last loss {trained.loss:.4f}"
        yield describe_use(trained)


def run_study(
    plan: StudyPlan,
    arms: tuple[PreparedArm, ...],
    say: Callable[[str], None],
    watched: Watched,
) -> TrainingSummary:
    """Train all arms, play all sides on all suites, and return the contrasts.

    Args:
        plan: The study.
        arms: Its trainings, prepared.
        say: Gets one line at a time while a model is trained.
        watched: Shows the progress of each run.

    Raises:
        UsageError: If something in the plan must be corrected.
        DataError: If something cannot be read.
        StoreError: If something cannot be written, or a folder holds another run.
    """
    require_playable(plan)
    trained = trained_arms(arms, say, plan.price_per_hour)
    runs = planned_runs(plan)
    for run in runs:
        play_run(run, watched)
    return gather_contrasts(plan, arms, runs, trained)
