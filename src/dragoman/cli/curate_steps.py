"""Implementation of the steps of `dragoman curate`, from `verify` and `generate` to `export`."""

import asyncio
import shlex
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from dragoman.cli.curate_documents import show_status
from dragoman.cli.output import INTERRUPTED, print_error, print_json, print_line
from dragoman.cli.progress import progress
from dragoman.config.environment import key_values
from dragoman.core.errors import UsageError
from dragoman.core.protocols import ChatModel
from dragoman.core.texts.redaction import SHORTEST_KEY
from dragoman.curation.apis.answering.executing import executing, line_for
from dragoman.curation.apis.answering.step import ANSWER, CHECK, Answering, answer, check
from dragoman.curation.apis.desk import ModelTerms, model_names, with_models
from dragoman.curation.apis.generating.briefs import BriefPlan
from dragoman.curation.apis.generating.step import STEP as GENERATE
from dragoman.curation.apis.generating.step import QueryWriter, draw_briefs, generate
from dragoman.curation.apis.generating.templates import NAME as TEMPLATE
from dragoman.curation.apis.rating.step import STEP as RATE
from dragoman.curation.apis.rating.step import Raters, rate
from dragoman.curation.apis.secrecy.auditing import (
    FoundSecret,
    audit_dataset,
    audit_files,
    rules_of,
    told,
)
from dragoman.curation.apis.splitting.sides import SplitPlan
from dragoman.curation.apis.splitting.step import STEP as SPLIT
from dragoman.curation.apis.splitting.step import split
from dragoman.curation.apis.steps import CurationStep, standing, to_look_at, walk
from dragoman.curation.apis.verifying.filtering import STEP as FILTER
from dragoman.curation.apis.verifying.filtering import FilterRules, filter_plan, filter_steps
from dragoman.curation.apis.verifying.health_reports import read_health_report
from dragoman.curation.apis.verifying.importing import import_rounds
from dragoman.curation.apis.verifying.line import ApiLine, CallTerms
from dragoman.curation.apis.verifying.monitor import STEP as MONITOR
from dragoman.curation.apis.verifying.monitor import monitor_step, open_round
from dragoman.curation.apis.verifying.offline import SetAside
from dragoman.curation.apis.verifying.verify import STEP as VERIFY
from dragoman.curation.apis.verifying.verify import Clock, VerifySettings, verify_step
from dragoman.formats.api_dataset_export import export_dataset
from dragoman.report.formatting import counted
from dragoman.store.dataset import Dataset


def numbers_by_name(option: str, written: str) -> dict[str, int]:
    """Return the numbers of an option.

    Raises:
        UsageError: Where something is no NAME=NUMBER, or a name is there twice.
    """
    found: dict[str, int] = {}
    for entry in filter(None, (part.strip() for part in written.split(","))):
        name, is_there, number = entry.partition("=")
        if not (is_there and number.isascii() and number.isdigit()) or name in found:
            raise UsageError(f"{option} {entry!r:.60}: NAME=NUMBER by commas, each name once")
        found[name] = int(number[:9])
    return found


def variables_by_target(listed: Sequence[str]) -> dict[str, str]:
    """Return the names of variables by "HOST/NAME".

    Raises:
        UsageError: For what is no HOST/NAME=VARIABLE.
    """
    found: dict[str, str] = {}
    for said in listed:
        target, equals, variable = said.rpartition("=")
        if not (equals and "/" in target and variable):
            # What was meant may be a key: it is not repeated.
            raise UsageError("--key: HOST/NAME=VARIABLE, as in api.example.org/X-API-Key=MY_KEY")
        found[target] = variable
    return found


OnDone = Callable[[int], None]


def run_with_progress(step: str, total: int, walk: Callable[[OnDone], Awaitable[None]]) -> int:
    """Walk with a bar of progress; what a person stops goes on with the same command."""
    bar: AbstractContextManager[Callable[[], None]] = progress(step, total)

    async def walking(advance: Callable[[], None]) -> None:
        def on_done(count: int) -> None:
            for _ in range(count):
                advance()

        await walk(on_done)

    try:
        with bar as advance:
            asyncio.run(walking(advance))
    except KeyboardInterrupt:
        print_error("stopped; what came is stored: the same command goes on")
        return INTERRUPTED
    return 0


def print_step_funnel(folder: Path, step: str, *, as_json: bool) -> int:
    """Print a step's funnel; 1 where something failed."""
    show_status(folder, step=step, as_json=as_json)
    with Dataset(folder, write=False) as dataset:
        return 1 if any(each.failed for each in dataset.funnel() if each.step == step) else 0


def find_secrets(folder: Path, also: Sequence[Path] = ()) -> list[FoundSecret]:
    """Return where a dataset and some files hold credentials.

    Args:
        folder: The dataset.
        also: Files and folders that were made of it: sheets, exports, rows.

    Raises:
        UsageError: Where one of these is not there.
    """
    missing = next((path for path in also if not path.exists()), None)
    if missing is not None:
        raise UsageError(f"--also {missing}: there is no such file or folder")
    keys = [value for value in key_values() if len(value) >= SHORTEST_KEY]
    with Dataset(folder, write=False) as dataset:
        rules = rules_of(dataset, keys)
        found = list(audit_dataset(dataset, rules))
    for path in also:
        found += audit_files(path, rules)
    return found


def refuse_for_secrets(folder: Path, also: Sequence[Path] = (), *, as_json: bool = False) -> bool:
    """Say in a line where credentials stand; whether there are any."""
    found = find_secrets(folder, also)
    if found and as_json:
        print_json({"secrets": found})
    if found:
        print_error(f"{folder}: {told(found)}")
    return bool(found)


def export_files(folder: Path, form: str, out: Path, *, as_json: bool) -> int:
    """Write a dataset, and say what can be done with it; 1 where a credential stands in it."""
    if refuse_for_secrets(folder):
        return 1
    done = export_dataset(folder, form, out)
    if as_json:
        print_json(
            {
                "form": form,
                "files": [str(path) for path in done.files],
                "withheld": [msgspec.to_builtins(each) for each in done.withheld],
            }
        )
        return 0
    for path in done.files:
        print_line(f"{path} ({path.stat().st_size:,} bytes)")
    for reason, number in Counter(each.reason for each in done.withheld).items():
        print_line(f"left out: {number:,} ({reason})")
    if form == "suite":
        print_line(f"play it: dragoman run {shlex.quote(f'itc:{out}')} --agent gold,lexical,silent")
    return 0


def now_utc() -> datetime:
    """Return the time."""
    return datetime.now(UTC)  # noqa: TID251 - the command's clock


def verify_operations(
    folder: Path, calls: int, terms: CallTerms, *, as_json: bool, clock: Clock = now_utc
) -> int:
    """Call what stands as its documents state, and store what is observed."""
    return run_verify(folder, calls, terms, clock) or print_step_funnel(
        folder, VERIFY, as_json=as_json
    )


def run_verify(folder: Path, calls: int, terms: CallTerms, clock: Clock = now_utc) -> int:
    """Walk the step `verify`."""
    if calls < 1:
        raise UsageError(f"--calls {calls}: at least 1")
    line = ApiLine(terms)
    settings = VerifySettings(calls, line.keys, terms.concurrency)
    with Dataset(folder, make=False) as dataset:
        return _call_operations(dataset, verify_step(line.fetch, clock, settings), line)


def monitor_operations(
    folder: Path, terms: CallTerms, *, as_json: bool, clock: Clock = now_utc
) -> int:
    """Check what stands once, as a round of its own."""
    return run_monitor(folder, terms, clock) or print_step_funnel(folder, MONITOR, as_json=as_json)


def run_monitor(folder: Path, terms: CallTerms, clock: Clock = now_utc) -> int:
    """Walk one round of the step `monitor`."""
    line = ApiLine(terms)
    with Dataset(folder, make=False) as dataset:
        this = open_round(dataset, clock(), terms.concurrency)
        return _call_operations(dataset, monitor_step(line.fetch, clock, this, line.keys), line)


def import_reports(folder: Path, reports: Sequence[Path], *, as_json: bool) -> int:
    """Store rounds of checks that others made; 1 where the dataset has none of their addresses."""
    read = [read_health_report(path) for path in reports]
    with Dataset(folder, make=False) as dataset:
        found = import_rounds(dataset, read)
    if as_json:
        print_json(found)
    else:
        print_line(
            f"{counted(found.rounds, 'round')} of {found.addresses:,} addresses, of which {folder} has "
            f"{found.known:,}"
        )
    return 0 if found.known else 1


def filter_operations(folder: Path, rules: FilterRules, *, as_json: bool) -> int:
    """Drop what was not good over time."""
    status, aside = run_filter(folder, rules)
    if not as_json:
        for each in aside:
            print_line(f"round {each.round} counts for nothing: {each.reason}")
    return status or print_step_funnel(folder, FILTER, as_json=as_json)


def run_filter(folder: Path, rules: FilterRules) -> tuple[int, Sequence[SetAside]]:
    """Walk the step `filter`, and return the rounds that count for nothing too."""
    with Dataset(folder, make=False) as dataset:
        plan = filter_plan(dataset, rules)
        steps = filter_steps(plan)

        async def work(on_done: OnDone) -> None:
            for step in steps:
                await walk(dataset, step, on_done)

        status = run_with_progress(
            FILTER, sum(len(to_look_at(dataset, step)) for step in steps), work
        )
    return status, tuple(plan.aside.values())


def _call_operations(dataset: Dataset, step: CurationStep, line: ApiLine) -> int:
    async def work(on_done: OnDone) -> None:
        async with line.opened():
            await walk(dataset, step, on_done)

    return run_with_progress(step.name, len(to_look_at(dataset, step)), work)


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
    return run_generate(folder, asked) or print_step_funnel(folder, GENERATE, as_json=as_json)


def run_generate(folder: Path, asked: GenerateOptions) -> int:
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
    return _run_with_models(folder, GENERATE, names, terms, work)


def rate_queries(
    folder: Path, models: str, threshold: float, terms: ModelTerms, *, as_json: bool
) -> int:
    """Have queries rated."""
    return run_rate(folder, models, threshold, terms) or print_step_funnel(
        folder, RATE, as_json=as_json
    )


def run_rate(folder: Path, models: str, threshold: float, terms: ModelTerms) -> int:
    """Walk the step `rate`."""

    async def work(models: Models, dataset: Dataset, on_done: OnDone) -> None:
        await rate(dataset, Raters(models, threshold, terms.concurrency), on_done)

    return _run_with_models(folder, RATE, model_names(models), terms, work)


class AnswerOptions(NamedTuple):
    """The options of `answer` as they were given; `calls` is one of `CALLS`."""

    model: str
    calls: str
    terms: ModelTerms
    line: CallTerms


def answer_queries(folder: Path, asked: AnswerOptions, *, as_json: bool) -> int:
    """Have queries answered."""
    return run_answer(folder, asked) or print_step_funnel(folder, ANSWER, as_json=as_json)


def run_answer(folder: Path, asked: AnswerOptions) -> int:
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

    return _run_with_models(folder, ANSWER, names_or_template(asked.model), asked.terms, work)


def check_answers(
    folder: Path, models: str, terms: ModelTerms, also: Sequence[Path] = (), *, as_json: bool
) -> int:
    """Have answers checked; before anybody is asked, see that no credential stands in the dataset."""
    if refuse_for_secrets(folder, also, as_json=as_json):
        return 1
    return run_check(folder, models, terms) or print_step_funnel(folder, CHECK, as_json=as_json)


def run_check(folder: Path, models: str, terms: ModelTerms) -> int:
    """Walk the step `check`."""

    async def work(models: Models, dataset: Dataset, on_done: OnDone) -> None:
        await check(dataset, models, on_done, at_once=terms.concurrency)

    return _run_with_models(folder, CHECK, names_or_rules(models), terms, work)


def split_tasks(folder: Path, plan: SplitPlan, *, as_json: bool) -> int:
    """Part the tasks."""
    return run_split(folder, plan) or print_step_funnel(folder, SPLIT, as_json=as_json)


def run_split(folder: Path, plan: SplitPlan) -> int:
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


def _run_with_models(
    folder: Path, step: str, names: tuple[str, ...], terms: ModelTerms, work: Work
) -> int:
    """Have a step walk over its items with its models."""
    with Dataset(folder, make=False) as dataset:
        total = sum(1 for _ in standing(dataset, _KINDS[step], step))
        return run_with_progress(
            step, total, lambda done: with_models(names, terms, lambda m: work(m, dataset, done))
        )
