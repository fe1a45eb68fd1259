"""Implementation of `dragoman curate run`: runs the unfinished steps of a plan in order."""

import asyncio
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from dragoman.cli.curate_documents import CollectOptions, run_collect, show_status
from dragoman.cli.curate_steps import (
    AnswerOptions,
    GenerateOptions,
    names_or_rules,
    names_or_template,
    refuse_for_secrets,
    run_answer,
    run_check,
    run_filter,
    run_generate,
    run_monitor,
    run_rate,
    run_split,
    run_verify,
)
from dragoman.cli.output import print_line
from dragoman.core.errors import UsageError
from dragoman.core.protocols import ChatModel
from dragoman.curation.apis.answering.executing import line_for
from dragoman.curation.apis.collecting.entries import StatedFacts
from dragoman.curation.apis.desk import model_names, with_models
from dragoman.curation.apis.planning.plan import CurationPlan
from dragoman.curation.apis.planning.reading import example_plan, read_plan
from dragoman.curation.apis.verifying.monitor import STEP as MONITOR
from dragoman.curation.apis.verifying.monitor import fewest_rounds
from dragoman.formats.api_dataset_export import renew_export, require_form
from dragoman.store.dataset import Dataset, FunnelCount

VERDICTS = ("kept", "dropped", "merged", "failed")


class PlannedStep(NamedTuple):
    """A step of a plan: its name, what walks it, and whether another walk can mend what failed."""

    name: str
    walk: Callable[[], int]
    can_mend: bool = False


def run_plan(path: Path, *, as_json: bool) -> int:
    """Do what a plan says and is not done yet; 1 where something failed or rounds are missing."""
    plan = read_plan(path)
    _check_preconditions(plan, path)
    ends = False
    for step in planned_steps(plan):
        status = _run_step(plan, step)
        if status:
            return status
        if step.name == MONITOR and (missing := _rounds_missing(plan)):
            needed = plan.monitor.rounds if plan.monitor else 0
            said = f"{needed - missing} of {needed} rounds: run the plan again later, every day or week"
            print_line(f"{MONITOR}: {said}", to_stderr=True)
            ends = True
            break
    if refuse_for_secrets(plan.dataset):
        return 1
    if not ends:
        _run_export(plan)
        if refuse_for_secrets(plan.dataset, [each.out for each in plan.export]):
            return 1
    show_status(plan.dataset, step="", as_json=as_json)
    with Dataset(plan.dataset, write=False) as dataset:
        return 1 if ends or any(each.failed for each in dataset.funnel()) else 0


def print_example(*, asked: bool) -> None:
    """Print a plan with remarks.

    Raises:
        UsageError: Where nobody asked for it: a plan is missing.
    """
    if not asked:
        raise UsageError("no plan: name a file; dragoman curate run --example prints one")
    sys.stdout.write(example_plan())


def planned_steps(plan: CurationPlan) -> Iterator[PlannedStep]:
    """Yield the steps that a plan has, in the order of all."""
    folder, line = plan.dataset, plan.calls
    yield PlannedStep("collect", lambda: _run_collect(plan))
    if (verify := plan.verify) is not None:
        asked = replace(line, cassettes=verify.cassettes or line.cassettes)
        yield PlannedStep("verify", lambda: run_verify(folder, verify.calls, asked), can_mend=True)
    if plan.monitor is not None:
        yield PlannedStep(MONITOR, lambda: _run_monitor(plan))
    if (rules := plan.filter) is not None:
        yield PlannedStep("filter", lambda: run_filter(folder, rules)[0])
    yield from _model_steps(plan)
    if (split := plan.split) is not None:
        yield PlannedStep("split", lambda: run_split(folder, split))


def _model_steps(plan: CurationPlan) -> Iterator[PlannedStep]:
    folder, terms = plan.dataset, plan.models
    if (generate := plan.generate) is not None:
        options = GenerateOptions(generate.model, generate.count, generate.briefs, terms)
        yield PlannedStep("generate", lambda: run_generate(folder, options), can_mend=True)
    if (rate := plan.rate) is not None:
        walk = partial(run_rate, folder, rate.model, rate.threshold, terms)
        yield PlannedStep("rate", walk, can_mend=True)
    if (answer := plan.answer) is not None:
        asked = AnswerOptions(answer.model, answer.calls, terms, plan.calls)
        yield PlannedStep("answer", lambda: run_answer(folder, asked), can_mend=True)
    if (check := plan.check) is not None:
        yield PlannedStep("check", lambda: run_check(folder, check.model, terms), can_mend=True)


def _run_step(plan: CurationPlan, step: PlannedStep) -> int:
    """Walk a step, again where that may mend what failed, and say on stderr what came of it."""
    for left in reversed(range(plan.tries)):
        status = step.walk()
        if status:
            return status
        if not (left and step.can_mend and any(each.failed for each in _counts(plan, step))):
            break
    counts = _counts(plan, step)
    totals = {name: sum(getattr(each, name) for each in counts) for name in VERDICTS}
    said = ", ".join(f"{name} {count:,}" for name, count in totals.items() if count)
    print_line(f"{step.name}: {said or 'nothing to do'}", to_stderr=True)
    return 0


def _counts(plan: CurationPlan, step: PlannedStep) -> list[FunnelCount]:
    with Dataset(plan.dataset, write=False) as dataset:
        return [each for each in dataset.funnel() if each.step == step.name]


def _run_collect(plan: CurationPlan) -> int:
    for each in plan.collect:
        facts = StatedFacts(each.source_name, each.country, each.language, each.licence)
        run_collect(plan.dataset, each.sources, CollectOptions(facts, each.fetch_refs))
    return 0


def _run_monitor(plan: CurationPlan) -> int:
    """Go on with a round that was interrupted, or make one where one is missing."""
    return run_monitor(plan.dataset, plan.calls) if _rounds_missing(plan) else 0


def _rounds_missing(plan: CurationPlan) -> int:
    if plan.monitor is None:
        return 0
    with Dataset(plan.dataset, write=False) as dataset:
        return max(0, plan.monitor.rounds - fewest_rounds(dataset))


def _run_export(plan: CurationPlan) -> None:
    for each in plan.export:
        renew_export(plan.dataset, each.to, each.out)
        print_line(f"export: {each.out}", to_stderr=True)


def _check_preconditions(plan: CurationPlan, path: Path) -> None:
    """See that no step will stop for what can be known now: forms, ways of calls, models and their keys.

    Raises:
        UsageError: Naming the plan and the table.
    """
    for table, see in _preconditions(plan):
        try:
            see()
        except UsageError as error:
            raise UsageError(f"{path}, [{table}]: {error}") from error


def _preconditions(plan: CurationPlan) -> Iterator[tuple[str, Callable[[], object]]]:
    for each in plan.export:
        yield "export", partial(require_form, each.to)
    if plan.generate is not None:
        yield "generate", partial(_open_models, names_or_template(plan.generate.model), plan)
    if plan.rate is not None:
        yield "rate", partial(_open_models, model_names(plan.rate.model), plan)
    if plan.answer is not None:
        yield "answer", partial(line_for, plan.answer.calls, plan.dataset, plan.calls)
        yield "answer", partial(_open_models, names_or_template(plan.answer.model), plan)
    if plan.check is not None:
        yield "check", partial(_open_models, names_or_rules(plan.check.model), plan)


def _open_models(names: tuple[str, ...], plan: CurationPlan) -> None:
    asyncio.run(with_models(names, plan.models, _do_nothing))


async def _do_nothing(models: Mapping[str, ChatModel]) -> None:
    pass
