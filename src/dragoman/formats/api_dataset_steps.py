"""The Python interface to the export of a dataset and to plans of all steps.

The export is the last step over a dataset. A plan of all steps ends with exports.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from dragoman.core.errors import UsageError
from dragoman.core.protocols import ChatModel
from dragoman.curation.api_datasets.answer import client_for_calls
from dragoman.curation.api_datasets.credential_audit import FoundSecret
from dragoman.curation.api_datasets.ingestion.entries import SourceFacts
from dragoman.curation.api_datasets.plan import CurationPlan, read_plan
from dragoman.curation.api_datasets.probing.monitor import STEP as MONITOR
from dragoman.curation.api_datasets.probing.monitor import fewest_rounds
from dragoman.curation.datasets import StepResult, find_secrets, read_status
from dragoman.curation.llm_clients import model_names, run_with_models
from dragoman.curation.progress import Progress, show_nothing
from dragoman.curation.steps import (
    AnswerOptions,
    CheckOptions,
    CollectOptions,
    GenerateOptions,
    RateOptions,
    check_answers,
    names_or_rules,
    names_or_template,
    run_answer,
    run_collect,
    run_filter,
    run_generate,
    run_monitor,
    run_rate,
    run_split,
    run_verify,
)
from dragoman.formats.api_dataset_export import export_dataset, renew_export, require_form
from dragoman.formats.api_dataset_records import WithheldTask
from dragoman.store.dataset import Dataset

VERDICTS = ("kept", "dropped", "merged", "failed")


class ExportResult(msgspec.Struct, frozen=True):
    """The files that an export wrote, and the excluded tasks.

    Nothing is written if the dataset contains a credential.
    """

    files: tuple[Path, ...] = ()
    withheld: tuple[WithheldTask, ...] = ()
    secrets: tuple[FoundSecret, ...] = ()


class PlanResult(msgspec.Struct, frozen=True):
    """Result of a plan.

    Attributes:
        dataset: The dataset's folder.
        status: Status of all steps of the dataset.
        steps: Results of the plan's steps, in their order.
        exports: The exported folders.
        rounds_missing: Number of monitoring rounds that are due before the plan continues.
        secrets: Places of credentials in the dataset or in its exports.
    """

    dataset: Path
    status: StepResult
    steps: tuple[StepResult, ...] = ()
    exports: tuple[Path, ...] = ()
    rounds_missing: int = 0
    secrets: tuple[FoundSecret, ...] = ()

    @property
    def is_done(self) -> bool:
        """Return whether no work is left.

        Nothing failed, no round is missing, and the dataset does not contain a credential.
        """
        return not (self.status.failed or self.rounds_missing or self.secrets)


class _PlannedStep(NamedTuple):
    """A step of a plan: its name, its function, and whether a retry can fix its failures."""

    name: str
    run: Callable[[], StepResult]
    can_mend: bool = False


def run_export(folder: Path, form: str, out: Path) -> ExportResult:
    """Write a dataset in a form of other programs, if it does not contain a credential.

    Args:
        folder: The dataset.
        form: One of `FORMS`.
        out: The new folder; an existing one must be empty.

    Raises:
        UsageError: For a form that does not exist, if `out` is not empty, or if no task has an
            answer that can be written.
        StoreError: If the dataset cannot be read.
        StoreError: If the files cannot be written.
    """
    secrets = find_secrets(folder)
    if secrets:
        return ExportResult(secrets=secrets)
    done = export_dataset(folder, form, out)
    return ExportResult(done.files, done.withheld)


def run_plan(
    path: Path,
    *,
    progress: Progress = show_nothing,
    on_line: Callable[[str], None] = lambda _: None,
) -> PlanResult:
    """Run the remaining steps of a plan.

    Args:
        path: The plan's file.
        progress: Progress context that is entered for each step.
        on_line: Function that receives a line about the result of each step, and about the folder
            of each export.

    Raises:
        UsageError: For an invalid plan; no step is run then.
        RunHalted: If no more requests are allowed; earlier results are stored.
        StoreError: If the dataset cannot be read or written.
    """
    plan = read_plan(path)
    _require_doable(plan, path)
    done: list[StepResult] = []
    missing = 0
    for step in _steps_of(plan, progress):
        done.append(_run_step(plan, step, on_line))
        missing = _rounds_missing(plan) if step.name == MONITOR else 0
        if missing:
            needed = plan.monitor.rounds if plan.monitor else 0
            said = (
                f"{needed - missing} of {needed} rounds: run the plan again later, every day "
                "or week"
            )
            on_line(f"{MONITOR}: {said}")
            break
    secrets = find_secrets(plan.dataset)
    exports = () if missing or secrets else tuple(_write_exports(plan, on_line))
    if exports:
        secrets = find_secrets(plan.dataset, exports)
    status = read_status(plan.dataset)
    return PlanResult(plan.dataset, status, tuple(done), exports, missing, secrets)


def _steps_of(plan: CurationPlan, progress: Progress) -> Iterator[_PlannedStep]:
    """Yield the steps of a plan, in the order of all steps."""
    folder, line = plan.dataset, plan.calls
    yield _PlannedStep("collect", lambda: _collect(plan, progress))
    if (verify := plan.verify) is not None:
        asked = replace(line, cassettes=verify.cassettes or line.cassettes)
        run = partial(run_verify, folder, verify.calls, asked, progress=progress)
        yield _PlannedStep("verify", run, can_mend=True)
    if plan.monitor is not None:
        yield _PlannedStep(MONITOR, lambda: _monitor(plan, progress))
    if (rules := plan.filter) is not None:
        yield _PlannedStep("filter", partial(run_filter, folder, rules, progress=progress))
    yield from _steps_of_models(plan, progress)
    if (split := plan.split) is not None:
        yield _PlannedStep("split", partial(run_split, folder, split))


def _steps_of_models(plan: CurationPlan, progress: Progress) -> Iterator[_PlannedStep]:
    folder, terms = plan.dataset, plan.models
    run: Callable[[], StepResult]
    if (generate := plan.generate) is not None:
        options = GenerateOptions(generate.model, generate.count, generate.briefs, terms)
        run = partial(run_generate, folder, options, progress=progress)
        yield _PlannedStep("generate", run, can_mend=True)
    if (rate := plan.rate) is not None:
        rating = RateOptions(rate.model, rate.threshold, terms)
        run = partial(run_rate, folder, rating, progress=progress)
        yield _PlannedStep("rate", run, can_mend=True)
    if (answer := plan.answer) is not None:
        answering = AnswerOptions(answer.model, answer.calls, terms, plan.calls)
        run = partial(run_answer, folder, answering, progress=progress)
        yield _PlannedStep("answer", run, can_mend=True)
    if (check := plan.check) is not None:
        checking = CheckOptions(check.model, terms)
        run = partial(check_answers, folder, checking, progress=progress)
        yield _PlannedStep("check", run, can_mend=True)


def _run_step(plan: CurationPlan, step: _PlannedStep, on_line: Callable[[str], None]) -> StepResult:
    """Run a step, retry it if that may fix its failures, and report the result."""
    result = step.run()
    for _ in range(plan.tries - 1):
        if not (step.can_mend and result.failed):
            break
        result = step.run()
    totals = {name: sum(getattr(each, name) for each in result.counts) for name in VERDICTS}
    said = ", ".join(f"{name} {count:,}" for name, count in totals.items() if count)
    on_line(f"{step.name}: {said or 'nothing to do'}")
    return result


def _collect(plan: CurationPlan, progress: Progress) -> StepResult:
    for each in plan.collect:
        facts = SourceFacts(each.source_name, each.country, each.language, each.licence)
        options = CollectOptions(facts, each.fetch_refs)
        run_collect(plan.dataset, each.sources, options, progress=progress)
    return read_status(plan.dataset, "collect")


def _monitor(plan: CurationPlan, progress: Progress) -> StepResult:
    """Continue an interrupted monitoring round, or make one if one is missing."""
    if _rounds_missing(plan):
        return run_monitor(plan.dataset, plan.calls, progress=progress)
    return read_status(plan.dataset, MONITOR)


def _rounds_missing(plan: CurationPlan) -> int:
    if plan.monitor is None:
        return 0
    with Dataset(plan.dataset, write=False) as dataset:
        return max(0, plan.monitor.rounds - fewest_rounds(dataset))


def _write_exports(plan: CurationPlan, on_line: Callable[[str], None]) -> Iterator[Path]:
    for each in plan.export:
        renew_export(plan.dataset, each.to, each.out)
        on_line(f"export: {each.out}")
        yield each.out


def _require_doable(plan: CurationPlan, path: Path) -> None:
    """Check that no step of a plan will stop for a reason that is already known.

    The checks cover forms, modes of calls, models and their keys.

    Raises:
        UsageError: With the plan and the table.
    """
    for table, see in _seen_first(plan):
        try:
            see()
        except UsageError as error:
            raise UsageError(f"{path}, [{table}]: {error}") from error


def _seen_first(plan: CurationPlan) -> Iterator[tuple[str, Callable[[], object]]]:
    for each in plan.export:
        yield "export", partial(require_form, each.to)
    if plan.generate is not None:
        yield "generate", partial(_open_models, names_or_template(plan.generate.model), plan)
    if plan.rate is not None:
        yield "rate", partial(_open_models, model_names(plan.rate.model), plan)
    if plan.answer is not None:
        yield "answer", partial(client_for_calls, plan.answer.calls, plan.dataset, plan.calls)
        yield "answer", partial(_open_models, names_or_template(plan.answer.model), plan)
    if plan.check is not None:
        yield "check", partial(_open_models, names_or_rules(plan.check.model), plan)


def _open_models(names: tuple[str, ...], plan: CurationPlan) -> None:
    asyncio.run(run_with_models(names, plan.models, _ask_nothing))


async def _ask_nothing(models: Mapping[str, ChatModel]) -> None:
    pass
