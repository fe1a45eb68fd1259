"""`dragoman curate generate`, `rate`, `answer`, `check` and `split`."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from dragoman.cli.curating.auditing import refused_for_secrets
from dragoman.cli.curating.walking import OnDone, shown, walked
from dragoman.core.errors import UsageError
from dragoman.core.protocols import ChatModel
from dragoman.curation.apis.answering.executing import executing, line_for
from dragoman.curation.apis.answering.step import ANSWER, CHECK, Answering, answer, check
from dragoman.curation.apis.desk import ModelTerms, model_names, with_models
from dragoman.curation.apis.generating.briefs import BriefPlan
from dragoman.curation.apis.generating.step import STEP as GENERATE
from dragoman.curation.apis.generating.step import QueryWriter, draw_briefs, generate
from dragoman.curation.apis.generating.templates import NAME as TEMPLATE
from dragoman.curation.apis.rating.step import STEP as RATE
from dragoman.curation.apis.rating.step import Raters, rate
from dragoman.curation.apis.splitting.sides import SplitPlan
from dragoman.curation.apis.splitting.step import STEP as SPLIT
from dragoman.curation.apis.splitting.step import split
from dragoman.curation.apis.steps import standing
from dragoman.curation.apis.verifying.line import CallTerms
from dragoman.store.datasets.dataset import Dataset

TEMPLATE_MODEL = "template"
RULES = "rules"
"""Checks by rules alone."""

_KINDS = {GENERATE: "brief", RATE: "task", ANSWER: "task", CHECK: "solution"}

Models = Mapping[str, ChatModel]


class GenerateOptions(NamedTuple):
    """The options of `generate` as they were given."""

    model: str
    queries: int
    plan: BriefPlan
    terms: ModelTerms


def make_queries(folder: Path, asked: GenerateOptions, *, as_json: bool) -> int:
    """Draw briefs and have queries written for them."""
    return generated(folder, asked) or shown(folder, GENERATE, as_json=as_json)


def generated(folder: Path, asked: GenerateOptions) -> int:
    """Walk the steps `draw` and `generate`."""
    model, count, plan, terms = asked
    if count < 1:
        raise UsageError(f"--count {count}: at least 1")

    async def work(models: Models, dataset: Dataset, on_done: OnDone) -> None:
        writer = QueryWriter(count=count, at_once=terms.concurrency)
        if models:
            ((name, one),) = models.items()
            writer = QueryWriter(name, one, count, terms.concurrency)
        await generate(dataset, writer, plan.seed, on_done)

    names = names_or_template(model)
    if len(names) > 1:
        raise UsageError(f"--model {model}: one model writes")
    with Dataset(folder, make=False) as dataset:
        draw_briefs(dataset, plan)
    return _walked(folder, GENERATE, names, terms, work)


def rate_queries(
    folder: Path, models: str, threshold: float, terms: ModelTerms, *, as_json: bool
) -> int:
    """Have queries rated."""
    return rated(folder, models, threshold, terms) or shown(folder, RATE, as_json=as_json)


def rated(folder: Path, models: str, threshold: float, terms: ModelTerms) -> int:
    """Walk the step `rate`."""

    async def work(models: Models, dataset: Dataset, on_done: OnDone) -> None:
        await rate(dataset, Raters(models, threshold, terms.concurrency), on_done)

    return _walked(folder, RATE, model_names(models), terms, work)


class AnswerOptions(NamedTuple):
    """The options of `answer` as they were given; `calls` is one of `CALLS`."""

    model: str
    calls: str
    terms: ModelTerms
    line: CallTerms


def answer_queries(folder: Path, asked: AnswerOptions, *, as_json: bool) -> int:
    """Have queries answered."""
    return answered(folder, asked) or shown(folder, ANSWER, as_json=as_json)


def answered(folder: Path, asked: AnswerOptions) -> int:
    """Walk the step `answer`."""
    line = line_for(asked.calls, folder, asked.line)

    async def work(models: Models, dataset: Dataset, on_done: OnDone) -> None:
        answering = Answering(models, made_how=asked.calls, at_once=asked.terms.concurrency)
        if line is None:
            await answer(dataset, answering, on_done)
            return
        async with line.opened():
            execute = executing(dataset, line.fetch, line.keys)
            await answer(dataset, replace(answering, execute=execute), on_done)

    return _walked(folder, ANSWER, names_or_template(asked.model), asked.terms, work)


def check_answers(
    folder: Path, models: str, terms: ModelTerms, also: Sequence[Path] = (), *, as_json: bool
) -> int:
    """Have answers checked; before anybody is asked, see that no credential stands in the dataset."""
    if refused_for_secrets(folder, also, as_json=as_json):
        return 1
    return checked(folder, models, terms) or shown(folder, CHECK, as_json=as_json)


def checked(folder: Path, models: str, terms: ModelTerms) -> int:
    """Walk the step `check`."""

    async def work(models: Models, dataset: Dataset, on_done: OnDone) -> None:
        await check(dataset, models, on_done, at_once=terms.concurrency)

    return _walked(folder, CHECK, names_or_rules(models), terms, work)


def split_tasks(folder: Path, plan: SplitPlan, *, as_json: bool) -> int:
    """Part the tasks."""
    return parted(folder, plan) or shown(folder, SPLIT, as_json=as_json)


def parted(folder: Path, plan: SplitPlan) -> int:
    """Take the step `split`."""
    with Dataset(folder, make=False) as dataset:
        split(dataset, plan)
    return 0


def names_or_rules(models: str) -> tuple[str, ...]:
    """Return the names of models that check; none for rules alone."""
    return () if models == RULES else model_names(models)


def names_or_template(models: str) -> tuple[str, ...]:
    """Return the names of models that write or answer; none for templates."""
    return () if models in {TEMPLATE_MODEL, TEMPLATE} else model_names(models)


Work = Callable[[Models, Dataset, OnDone], Awaitable[None]]


def _walked(folder: Path, step: str, names: tuple[str, ...], terms: ModelTerms, work: Work) -> int:
    """Have a step walk over its items with its models."""
    with Dataset(folder, make=False) as dataset:
        total = sum(1 for _ in standing(dataset, _KINDS[step], step))
        return walked(
            step, total, lambda done: with_models(names, terms, lambda m: work(m, dataset, done))
        )
