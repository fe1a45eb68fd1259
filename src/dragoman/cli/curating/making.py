"""`dragoman curate generate` and `rate`."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from dragoman.cli.curating.status import show_status
from dragoman.cli.output import INTERRUPTED, print_error, progress
from dragoman.core.errors import UsageError
from dragoman.core.protocols import ChatModel
from dragoman.curation.apis.desk import ModelTerms, model_names, with_models
from dragoman.curation.apis.generating.briefs import BriefPlan
from dragoman.curation.apis.generating.step import STEP as GENERATE
from dragoman.curation.apis.generating.step import QueryWriter, draw_briefs, generate
from dragoman.curation.apis.generating.templates import NAME as TEMPLATE
from dragoman.curation.apis.rating.step import STEP as RATE
from dragoman.curation.apis.rating.step import Raters, rate
from dragoman.curation.apis.steps import before
from dragoman.store.datasets.dataset import Dataset

TEMPLATE_MODEL = "template"

Models = Mapping[str, ChatModel]
OnDone = Callable[[int], None]


class GenerateOptions(NamedTuple):
    """The options of `generate` as they were given."""

    model: str
    queries: int
    plan: BriefPlan
    terms: ModelTerms


def make_queries(folder: Path, asked: GenerateOptions, *, as_json: bool) -> int:
    """Draw briefs and have queries written for them."""
    model, count, plan, terms = asked
    if count < 1:
        raise UsageError(f"--count {count}: at least 1")

    async def work(models: Models, dataset: Dataset, on_done: OnDone) -> None:
        writer = QueryWriter(count=count, at_once=terms.concurrency)
        if models:
            ((name, one),) = models.items()
            writer = QueryWriter(name, one, count, terms.concurrency)
        await generate(dataset, writer, plan.seed, on_done)

    names = () if model in {TEMPLATE_MODEL, TEMPLATE} else model_names(model)[:1]
    with Dataset(folder, make=False) as dataset:
        total = draw_briefs(dataset, plan)
        status = _ran(
            GENERATE,
            total,
            lambda done: with_models(names, terms, lambda m: work(m, dataset, done)),
        )
    return status or _shown(folder, GENERATE, as_json=as_json)


def rate_queries(
    folder: Path, models: str, threshold: float, terms: ModelTerms, *, as_json: bool
) -> int:
    """Have queries rated."""
    names = model_names(models)

    async def work(models: Models, dataset: Dataset, on_done: OnDone) -> None:
        await rate(dataset, Raters(models, threshold, terms.concurrency), on_done)

    with Dataset(folder, make=False) as dataset:
        total = sum(1 for _ in dataset.standing("task", after=before(RATE)))
        status = _ran(
            RATE, total, lambda done: with_models(names, terms, lambda m: work(m, dataset, done))
        )
    return status or _shown(folder, RATE, as_json=as_json)


def _ran(step: str, total: int, walk: Callable[[OnDone], Awaitable[None]]) -> int:
    """Walk with a bar of progress; what a person stops goes on with the same command."""
    bar: AbstractContextManager[Callable[[], None]] = progress(step, total)

    async def walked(advance: Callable[[], None]) -> None:
        def on_done(count: int) -> None:
            for _ in range(count):
                advance()

        await walk(on_done)

    try:
        with bar as advance:
            asyncio.run(walked(advance))
    except KeyboardInterrupt:
        print_error("stopped; what came is stored: the same command goes on")
        return INTERRUPTED
    return 0


def _shown(folder: Path, step: str, *, as_json: bool) -> int:
    show_status(folder, step=step, as_json=as_json)
    with Dataset(folder, write=False) as dataset:
        return 1 if any(each.failed for each in dataset.funnel() if each.step == step) else 0
