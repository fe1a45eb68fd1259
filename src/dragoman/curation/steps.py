"""The Python interface to the steps over a dataset of web APIs.

Each step is one function over the dataset's folder. A function takes the arguments of the command
of the same name and returns the result of the step. It prints nothing. It does only the outstanding
work: after an interrupted call, the next call continues from that point.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import msgspec
from msgspec.structs import replace

from dragoman.core.errors import UsageError
from dragoman.core.progress import long_step
from dragoman.core.protocols import ChatModel
from dragoman.curation.api_datasets.answer import (
    ANSWER,
    CHECK,
    AnswerSettings,
    answer,
    call_executor,
    check,
    client_for_calls,
)
from dragoman.curation.api_datasets.generate import NAME as TEMPLATE
from dragoman.curation.api_datasets.generate import STEP as GENERATE
from dragoman.curation.api_datasets.generate import QueryWriter, draw_briefs, generate
from dragoman.curation.api_datasets.ingestion.collect import STEP as COLLECT
from dragoman.curation.api_datasets.ingestion.collect import (
    WORKER_TIMEOUTS,
    CollectedSource,
    collect,
)
from dragoman.curation.api_datasets.ingestion.dedup import MergeCounts, merge_duplicates
from dragoman.curation.api_datasets.ingestion.entries import SourceFacts
from dragoman.curation.api_datasets.ingestion.sources import guarded_fetch, open_source
from dragoman.curation.api_datasets.pipeline import (
    CurationStep,
    active,
    ledger_lines,
    pending_items,
    run_step,
)
from dragoman.curation.api_datasets.probing.api_client import ApiClient, CallOptions
from dragoman.curation.api_datasets.probing.filter import STEP as FILTER
from dragoman.curation.api_datasets.probing.filter import FilterRules, filter_plan, filter_steps
from dragoman.curation.api_datasets.probing.monitor import STEP as MONITOR
from dragoman.curation.api_datasets.probing.monitor import (
    ImportedRounds,
    import_rounds,
    monitor_step,
    open_round,
    read_health_report,
)
from dragoman.curation.api_datasets.probing.verify import STEP as VERIFY
from dragoman.curation.api_datasets.probing.verify import Clock, VerifySettings, verify_step
from dragoman.curation.api_datasets.query_briefs import BriefPlan
from dragoman.curation.api_datasets.rate import STEP as RATE
from dragoman.curation.api_datasets.rate import Raters, rate
from dragoman.curation.api_datasets.split import STEP as SPLIT
from dragoman.curation.api_datasets.split import SplitPlan, split
from dragoman.curation.datasets import StepResult, find_secrets, read_status
from dragoman.curation.llm_clients import ModelOptions, model_names, prices_of, run_with_models
from dragoman.curation.progress import Advance, Progress, run_with_progress, show_nothing
from dragoman.distributed.worker_backends import pool_from_options
from dragoman.store.dataset import Dataset, StepLine

TEMPLATE_MODEL = "template"
RULES = "rules"
"""The value of `--model` for checks by rules alone."""

_KINDS = {GENERATE: "brief", RATE: "task", ANSWER: "task", CHECK: "solution"}

Models = Mapping[str, ChatModel]


class CollectOptions(msgspec.Struct, frozen=True):
    """The facts on all sources, the permission to contact other hosts, and the processes."""

    facts: SourceFacts = SourceFacts("")
    fetch_refs: bool = False
    workers: int = 1


class CollectResult(msgspec.Struct, frozen=True):
    """The result of `collect` and `merge`.

    It has the collected sources, the counts of merged duplicates, and messages on files, APIs and
    operations.
    """

    sources: tuple[CollectedSource, ...]
    merged: MergeCounts
    lines: tuple[StepLine, ...]

    @property
    def found(self) -> int:
        """Number of APIs in the sources."""
        return sum(each.found for each in self.sources)


class GenerateOptions(msgspec.Struct, frozen=True):
    """Options of `generate`: the writer, queries for each brief, briefs, model requests."""

    model: str = TEMPLATE_MODEL
    count: int = 3
    plan: BriefPlan = BriefPlan()
    terms: ModelOptions = ModelOptions()


class RateOptions(msgspec.Struct, frozen=True):
    """Options of `rate`: raters separated by commas, threshold for each, model requests."""

    model: str
    threshold: float = 4.0
    terms: ModelOptions = ModelOptions()


class AnswerOptions(msgspec.Struct, frozen=True):
    """Options of `answer`.

    They are the models, the source of call results (one of `CALLS`), and the options of requests to
    models and of calls to APIs.
    """

    model: str = TEMPLATE_MODEL
    calls: str = "none"
    terms: ModelOptions = ModelOptions(concurrency=4)
    line: CallOptions = CallOptions()


class CheckOptions(msgspec.Struct, frozen=True):
    """Options of `check`: models, their requests, further files to search for credentials."""

    model: str = RULES
    terms: ModelOptions = ModelOptions()
    also: tuple[Path, ...] = ()


def run_collect(
    folder: Path,
    sources: Sequence[Path],
    options: CollectOptions = CollectOptions(),
    *,
    progress: Progress = show_nothing,
) -> CollectResult:
    """Run the steps `collect` and `merge`: read sources and merge duplicate documents.

    Args:
        folder: The dataset; it is created if it does not exist.
        sources: Files and folders.
        options: The facts on all sources, and how they are read.
        progress: Entered once for each source.

    Raises:
        UsageError: For sources that do not exist, or that cannot be told apart.
        StoreError: If the dataset cannot be written.
    """
    named = options.facts.source
    names = _names_of(sources, named)
    fetch = guarded_fetch() if options.fetch_refs else None
    opened = [open_source(path, fetch) for path in sources]
    open_pool = pool_from_options(options.workers, "", WORKER_TIMEOUTS)
    with Dataset(folder) as dataset:
        found = []
        for source, each in zip(opened, names, strict=True):
            facts = replace(options.facts, source=each)
            with progress(f"reading {each}", None) as advance:
                one = collect(
                    dataset,
                    source,
                    facts,
                    is_named=bool(named),
                    on_done=partial(advance, 1),
                    open_pool=open_pool,
                )
            found.append(one)
        with long_step("merging duplicates"):
            merged = merge_duplicates(dataset)
        lines = [
            line for line in ledger_lines(dataset, COLLECT, {"dropped", "kept"})
            if line.source in names and (line.verdict == "dropped" or line.reason)
        ]  # fmt: skip
    return CollectResult(tuple(found), merged, tuple(lines))


def _names_of(sources: Sequence[Path], named: str) -> list[str]:
    """Return the names of sources.

    Raises:
        UsageError: If two sources have the same name.
    """
    names = [named or path.resolve().name for path in sources]
    twice = [name for name in names if names.count(name) > 1]
    if twice and not named:
        raise UsageError(
            f"two sources are called {twice[0]!r}: collect one after the other, with --source-name"
        )
    if named and len(sources) > 1:
        raise UsageError("--source-name: names one source: collect one after the other")
    return names


def now_utc() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)  # noqa: TID251 - when services are called


def run_verify(
    folder: Path,
    calls: int = 2,
    terms: CallOptions = CallOptions(),
    *,
    progress: Progress = show_nothing,
    clock: Clock = now_utc,
) -> StepResult:
    """Run the step `verify`: call operations as documented and store the responses.

    Raises:
        UsageError: For less than one call, or a key that the environment lacks.
        StoreError: If the dataset cannot be read or written.
    """
    if calls < 1:
        raise UsageError(f"--calls {calls}: at least 1")
    line = ApiClient(terms)
    settings = VerifySettings(calls, line.keys, terms.concurrency)
    with Dataset(folder, make=False) as dataset:
        _run_over_network(dataset, verify_step(line.fetch, clock, settings), line, progress)
    return read_status(folder, VERIFY)


def run_monitor(
    folder: Path,
    terms: CallOptions = CallOptions(),
    *,
    progress: Progress = show_nothing,
    clock: Clock = now_utc,
) -> StepResult:
    """Run the step `monitor`: check all active operations once, as a new round.

    Raises:
        UsageError: For a key that the environment lacks.
        StoreError: If the dataset cannot be read or written.
    """
    line = ApiClient(terms)
    with Dataset(folder, make=False) as dataset:
        this = open_round(dataset, clock(), terms.concurrency)
        _run_over_network(dataset, monitor_step(line.fetch, clock, this, line.keys), line, progress)
    return read_status(folder, MONITOR)


def import_reports(folder: Path, reports: Sequence[Path]) -> ImportedRounds:
    """Store monitoring rounds from reports of other people.

    Raises:
        DataError: For a report that cannot be read.
        StoreError: If the dataset does not exist or cannot be written.
    """
    read = [read_health_report(path) for path in reports]
    with Dataset(folder, make=False) as dataset:
        return import_rounds(dataset, read)


def run_filter(
    folder: Path, rules: FilterRules = FilterRules(), *, progress: Progress = show_nothing
) -> StepResult:
    """Run the step `filter`: drop operations that were unreliable over time, without calls.

    Raises:
        StoreError: If the dataset does not exist or cannot be read or written.
    """
    with Dataset(folder, make=False) as dataset:
        plan = filter_plan(dataset, rules)
        steps = filter_steps(plan)

        async def work(advance: Advance) -> None:
            for step in steps:
                await run_step(dataset, step, advance)

        total = sum(len(pending_items(dataset, step)) for step in steps)
        run_with_progress(FILTER, total, work, progress)
    return replace(read_status(folder, FILTER), rounds_aside=tuple(plan.aside.values()))


def run_generate(
    folder: Path,
    options: GenerateOptions = GenerateOptions(),
    *,
    progress: Progress = show_nothing,
) -> StepResult:
    """Run the steps `draw` and `generate`: draw briefs and have queries written for them.

    Raises:
        UsageError: For less than one query, or a model that cannot be asked.
        RunHalted: If the endpoint refuses all requests or the budget is spent; earlier results are
            stored.
        StoreError: If the dataset cannot be read or written.
    """
    model, count, terms = options.model, options.count, options.terms
    if count < 1:
        raise UsageError(f"--count {count}: at least 1")

    async def work(models: Models, dataset: Dataset, advance: Advance) -> None:
        writer = QueryWriter(count=count, at_once=terms.concurrency)
        if models:
            ((name, one),) = models.items()
            writer = QueryWriter(name, one, count, terms.concurrency)
        await generate(dataset, writer, options.plan.seed, advance)

    names = names_or_template(model)
    if len(names) > 1:
        raise UsageError(f"--model {model}: one model writes")
    with Dataset(folder, make=False) as dataset:
        draw_briefs(dataset, options.plan)
    return _run_with_models(folder, GENERATE, (names, terms), work, progress)


def run_rate(
    folder: Path, options: RateOptions, *, progress: Progress = show_nothing
) -> StepResult:
    """Run the step `rate`: have queries rated, and drop those below the threshold.

    Raises:
        UsageError: For an invalid threshold, or a model that cannot be used.
        RunHalted: If the endpoint refuses all requests or the budget is spent; earlier results are
            stored.
        StoreError: If the dataset cannot be read or written.
    """
    terms = options.terms

    async def work(models: Models, dataset: Dataset, advance: Advance) -> None:
        await rate(dataset, Raters(models, options.threshold, terms.concurrency), advance)

    return _run_with_models(folder, RATE, (model_names(options.model), terms), work, progress)


def run_answer(
    folder: Path, options: AnswerOptions = AnswerOptions(), *, progress: Progress = show_nothing
) -> StepResult:
    """Run the step `answer`: have queries answered, and keep the best answer of each.

    Raises:
        UsageError: For calls that are none of `CALLS`, or a model that cannot be used.
        RunHalted: If the endpoint refuses all requests or the budget is spent; earlier results are
            stored.
        StoreError: If the dataset cannot be read or written.
    """
    line = client_for_calls(options.calls, folder, options.line)

    async def work(models: Models, dataset: Dataset, advance: Advance) -> None:
        answering = AnswerSettings(
            models, made_how=options.calls, at_once=options.terms.concurrency
        )
        if line is None:
            await answer(dataset, answering, advance)
            return
        async with line.opened():
            execute = call_executor(dataset, line.fetch, line.keys)
            await answer(dataset, replace(answering, execute=execute), advance)

    models = names_or_template(options.model), options.terms
    return _run_with_models(folder, ANSWER, models, work, progress)


def run_check(
    folder: Path, options: CheckOptions = CheckOptions(), *, progress: Progress = show_nothing
) -> StepResult:
    """Run the step `check`: search the dataset for credentials, then have answers checked.

    If a credential is found, no model is asked: the result contains the places of the credentials
    and no counts.

    Raises:
        UsageError: For a file that does not exist, or a model that cannot be used.
        RunHalted: If the endpoint refuses all requests or the budget is spent; earlier results are
            stored.
        StoreError: If the dataset cannot be read or written.
    """
    secrets = find_secrets(folder, options.also)
    if secrets:
        return StepResult(CHECK, (), secrets=secrets)
    return check_answers(folder, options, progress=progress)


def check_answers(
    folder: Path, options: CheckOptions, *, progress: Progress = show_nothing
) -> StepResult:
    """Have answers checked as `run_check` does, without a search for credentials.

    Raises:
        UsageError: For a model that cannot be used.
        RunHalted: If the endpoint refuses all requests or the budget is spent; earlier results are
            stored.
        StoreError: If the dataset cannot be read or written.
    """
    terms = options.terms

    async def work(models: Models, dataset: Dataset, advance: Advance) -> None:
        await check(dataset, models, advance, at_once=terms.concurrency)

    models = names_or_rules(options.model), terms
    return _run_with_models(folder, CHECK, models, work, progress)


def run_split(folder: Path, plan: SplitPlan = SplitPlan()) -> StepResult:
    """Run the step `split`: divide the answered tasks into a training part and a test part.

    Raises:
        UsageError: If one part would be empty.
        StoreError: If the dataset cannot be read or written.
    """
    with Dataset(folder, make=False) as dataset:
        split(dataset, plan)
    return read_status(folder, SPLIT)


def names_or_rules(models: str) -> tuple[str, ...]:
    """Return the names of models that check answers; an empty tuple for rules alone."""
    return () if models == RULES else model_names(models)


def names_or_template(models: str) -> tuple[str, ...]:
    """Return the names of models that write or answer; an empty tuple for templates."""
    return () if models in {TEMPLATE_MODEL, TEMPLATE} else model_names(models)


_Work = Callable[[Models, Dataset, Advance], Awaitable[None]]


def _run_with_models(
    folder: Path,
    step: str,
    models: tuple[tuple[str, ...], ModelOptions],
    work: _Work,
    progress: Progress,
) -> StepResult:
    """Run a step over all its items with the models of these names and options."""
    names, terms = models
    prices = prices_of(terms, names)
    with Dataset(folder, make=False) as dataset:
        total = sum(1 for _ in active(dataset, _KINDS[step], step))
        run_with_progress(
            step,
            total,
            lambda advance: run_with_models(names, terms, lambda m: work(m, dataset, advance)),
            progress,
        )
    return read_status(folder, step, prices)


def _run_over_network(
    dataset: Dataset, step: CurationStep, line: ApiClient, progress: Progress
) -> None:
    async def work(advance: Advance) -> None:
        async with line.opened():
            await run_step(dataset, step, advance)

    run_with_progress(step.name, len(pending_items(dataset, step)), work, progress)
