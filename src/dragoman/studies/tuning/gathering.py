"""A study's runs become contrasts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from dragoman.analysis.contrasts.board import PARTLY, SEEN, UNSEEN, ContrastSide, Place
from dragoman.analysis.contrasts.tuning import BEFORE, TuningBoard, tuning_board
from dragoman.finetuning.contamination.evaluated import evaluated_tasks
from dragoman.finetuning.contamination.guard import EvaluatedTask
from dragoman.finetuning.contamination.row_calls import apis_of
from dragoman.finetuning.trained import Trained, use_in_words
from dragoman.store.run_store import open_run
from dragoman.studies.tuning.plan import StudyPlan
from dragoman.studies.tuning.playing import SideRun
from dragoman.studies.tuning.training import PreparedArm
from dragoman.tables.scored_runs import ScoredRun, run_facts, scored_runs, task_digests


def gathered(
    plan: StudyPlan,
    arms: Sequence[PreparedArm],
    runs: Sequence[SideRun],
    trained: Mapping[str, Trained | None],
) -> TuningBoard:
    """Return all contrasts of a study that was played.

    Args:
        plan: The study.
        arms: Its trainings with their rows.
        runs: What was played.
        trained: By training what came of it.

    Raises:
        UsageError: Where runs were not scored alike.
        StoreError: Where one cannot be read.
    """
    found = dict(zip(runs, scored_runs([run.folder for run in runs], None, None), strict=True))
    labels = {place: own for run in runs for place, own in _labels(run)}
    tasks = evaluated_tasks((*plan.suites, *plan.outside))
    board = tuning_board(
        _player(BEFORE, found),
        tuple(_player(each.arm.name, found) for each in arms),
        labels,
        {each.arm.name: _seen(each, tasks) for each in arms if each.prepared is not None},
        (plan.suites, plan.outside),
    )
    facts = (*_facts(plan, arms, trained), *run_facts(tuple(found.values())))
    return TuningBoard(board.arms, board.inside, board.outside, board.contrasts, facts)


def _player(side: str, found: Mapping[SideRun, ScoredRun]) -> ContrastSide:
    own = [scored for run, scored in found.items() if run.side == side]
    return ContrastSide(
        side, tuple(row for each in own for row in each.outcomes), task_digests(own)
    )


def _labels(run: SideRun) -> Iterator[tuple[Place, Mapping[str, str]]]:
    with open_run(run.folder, write=False) as store:
        yield from (((task.suite, task.id), task.labels) for task in store.tasks().values())


def _seen(each: PreparedArm, tasks: Iterable[EvaluatedTask]) -> dict[Place, str]:
    """Return by task whether the rows of a training call the APIs that it needs."""
    rows = each.prepared.rows if each.prepared is not None else ()
    known = {api for row in rows for api in apis_of(row)}
    return {
        (task.suite, task.task): _shared(len(known.intersection(task.apis)), len(task.apis))
        for task in tasks
        if task.apis
    }


def _shared(known: int, needed: int) -> str:
    if known == needed:
        return SEEN
    return PARTLY if known else UNSEEN


def _facts(
    plan: StudyPlan, arms: Sequence[PreparedArm], trained: Mapping[str, Trained | None]
) -> Iterator[tuple[str, str]]:
    yield "before", plan.before
    for each in arms:
        yield each.arm.name, ", ".join(_of_arm(each, trained.get(each.arm.name)))


def _of_arm(each: PreparedArm, trained: Trained | None) -> Iterator[str]:
    if each.arm.agent:
        yield each.arm.agent
    if each.prepared is not None:
        languages: dict[str, int] = {}
        for row in each.prepared.rows:
            languages[row.origin.language] = languages.get(row.origin.language, 0) + 1
        spread = ", ".join(f"{name} {count}" for name, count in sorted(languages.items()))
        yield f"{len(each.prepared.rows)} rows ({spread})"
        yield f"{len(each.prepared.leaks)} refused as the evaluation has them"
        if each.prepared.unused:
            yield f"{len(each.prepared.unused)} that cannot be learnt from left out before the draw"
    if trained is not None:
        yield f"{trained.rows} learnt from in {trained.steps} steps"
        yield "" if trained.loss is None else f"last loss {trained.loss:.4f}"
        yield use_in_words(trained)
