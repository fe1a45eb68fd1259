"""Implementation of `dragoman finetune`, `finetune-study`, `tiny-model` and `rows`."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import msgspec

from dragoman.analysis.training_contrasts import TrainingSummary
from dragoman.cli.output import print_json, print_line
from dragoman.cli.progress import progress
from dragoman.core.errors import UsageError
from dragoman.core.texts.characters import escape_controls
from dragoman.core.texts.counts import format_count
from dragoman.dataframes.comparison_frames import contrasts_frame
from dragoman.dataframes.results import chosen_scoring
from dragoman.dataframes.text_files import as_csv, as_markdown, write_tables
from dragoman.experiments.training_plan import Measuring, StudyPlan, plan_of, read_plan
from dragoman.experiments.training_study import (
    PreparedArm,
    SideRun,
    planned_runs,
    prepared_arms,
    run_study,
)
from dragoman.finetuning.cost_estimate import (
    MemoryNeeds,
    estimate_cost,
    format_gib,
    gpus,
    gpus_with_memory,
    memory_needs,
)
from dragoman.finetuning.model_folder import CONFIG
from dragoman.finetuning.preparation import (
    Prepared,
    PreparedRows,
    prepare,
    prepare_rows,
    read_rows,
)
from dragoman.finetuning.progress import TrainingProgress, clock
from dragoman.finetuning.recipe import Recipe, read_recipe
from dragoman.finetuning.result import HOUR, describe_use, require_price
from dragoman.finetuning.tiny_model import SIZES, TinyForm, write_tiny
from dragoman.formats.training_examples import rows_of_run
from dragoman.registry.participant_names import judge_name
from dragoman.report.table_markup import latex_tables
from dragoman.report.text_tables import print_table
from dragoman.report.tuning import NOTE, tuning_page, tuning_tables
from dragoman.store.atomic_files import atomic_write
from dragoman.store.folder_contents import require_folder_for
from dragoman.store.run_store import open_run
from dragoman.store.training_results import TrainingResult

_TITLE = "Effect of training"
_FILES = ("study.md", "study.tex", "study.json", "study.csv", "study.parquet", "study.html")


def study_plan(path: Path, price_per_hour: float | None, *, dry_run: bool, as_json: bool) -> None:
    """Run the unfinished parts of a plan, or print them.

    `price_per_hour` is the price of the training machine in US dollars; None if it is unknown.

    Raises:
        UsageError: If something in the plan must be corrected.
        DataError: If something cannot be read.
        StoreError: If something cannot be written.
        StoreError: If a folder holds another run.
    """
    require_price(price_per_hour)
    plan = msgspec.structs.replace(read_plan(path), price_per_hour=price_per_hour)
    _study(plan, dry_run=dry_run, as_json=as_json)


def measure_recipe(
    recipe: Recipe,
    asked: Measuring,
    price_per_hour: float | None,
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Train by a recipe unless that is done, and play its model before and after.

    Raises:
        UsageError: If something in the recipe must be corrected.
        DataError: If something cannot be read.
        StoreError: If something cannot be written.
        StoreError: If a folder holds another run.
    """
    plan = msgspec.structs.replace(plan_of(recipe, asked), price_per_hour=price_per_hour)
    _study(plan, dry_run=dry_run, as_json=as_json)


def _study(plan: StudyPlan, *, dry_run: bool, as_json: bool) -> None:
    require_folder_for(plan.out)
    arms = prepared_arms(plan)
    if dry_run:
        _print_plan(plan, arms)
        return
    found = run_study(plan, arms, _say, _track_progress)
    summary = msgspec.structs.replace(found, facts=(("figures", NOTE), *found.facts))
    write_tables([plan.out / name for name in _FILES], _writers(summary))
    if as_json:
        print_json(msgspec.to_builtins(summary))
        return
    for table in tuning_tables(summary, by_language=False):
        print_table(table.flat())
    print()
    for name, value in summary.facts:
        print_line(f"{name}: {value}")
    print_line(
        f"{plan.out / 'study.html'}: figures, and tables by language; also Markdown, "
        "LaTeX and data files"
    )


def _writers(summary: TrainingSummary) -> dict[str, Callable[[], bytes]]:
    tables = tuple(tuning_tables(summary))
    frame = contrasts_frame(summary.contrasts)

    def parquet() -> bytes:
        buffer = BytesIO()
        frame.write_parquet(buffer)
        return buffer.getvalue()

    return {
        ".md": lambda: as_markdown(
            _TITLE, (each.flat() for each in tables), summary.facts
        ).encode(),
        ".tex": lambda: latex_tables(tables).encode(),
        ".json": lambda: msgspec.json.format(msgspec.json.encode(summary)),
        ".csv": lambda: as_csv(frame).encode(),
        ".parquet": parquet,
        ".html": lambda: tuning_page(summary, _TITLE).encode(),
    }


def _print_plan(plan: StudyPlan, arms: tuple[PreparedArm, ...]) -> None:
    for each in arms:
        if each.prepared is None:
            print_line(f"{each.arm.name}: {each.arm.agent}")
            continue
        reported = (
            f"{format_count(len(each.prepared.rows), 'row')}, {len(each.prepared.leaks)} refused"
        )
        if each.prepared.unused:
            reported += f", {len(each.prepared.unused)} cannot be used"
        if each.trains:
            needs = memory_needs(each.prepared.recipe, each.prepared.model, on_gpu=False)
            reported += (
                f"; about {format_gib(needs.memory)} of memory on a CPU, "
                f"{format_gib(needs.disk)} of disk"
            )
        print_line(f"{each.arm.name}: {reported}")
    for run in planned_runs(plan):
        print_line(f"{run.side} on {run.suite}: {run.config.agents[0]}, in {run.folder}")


def _say(line: str) -> None:
    print(escape_controls(line), file=sys.stderr, flush=True)


@contextmanager
def _track_progress(run: SideRun, count: int) -> Iterator[Callable[[], None]]:
    with progress(f"{run.side} on {run.suite}", count) as advance:
        yield advance


class TrainingRequest(NamedTuple):
    """A training request.

    It has the dry run, the changes to the recipe, the hourly price, and the output format.
    """

    dry_run: bool
    forbid_apis: bool | None
    price_per_hour: float | None
    as_json: bool


def run_recipe(path: Path, asked: Measuring | None, request: TrainingRequest) -> None:
    """Train by a recipe, or print its plan; measure the gain if requested.

    Raises:
        UsageError: If something in the recipe, its rows or its model must be corrected.
        DataError: If rows cannot be read.
        StoreError: If something cannot be written.
    """
    price, as_json = request.price_per_hour, request.as_json
    require_price(price)
    recipe = read_recipe(path)
    if request.forbid_apis is not None:
        recipe = msgspec.structs.replace(recipe, forbid_apis=request.forbid_apis)
    if asked is not None:
        measure_recipe(recipe, asked, price, dry_run=request.dry_run, as_json=as_json)
        return
    if request.dry_run:
        _show_plan(recipe, price, as_json=as_json)
        return
    prepared = prepare(recipe)
    for line in (_about_rows(prepared), *_describe_requirements(prepared, price)):
        _say(line)
    from dragoman.finetuning.training import train

    trained = train(prepared, TrainingProgress(_say), price)
    _show_trained(prepared, trained, as_json=as_json)


def make_tiny(  # noqa: PLR0913 - the options of one command
    out: Path, rows: Sequence[Path], size: str, vocabulary: int, seed: int, *, passages: bool
) -> None:
    """Write a tiny model and print its size.

    Raises:
        UsageError: If the size does not exist, or `out` exists.
        DataError: If rows cannot be read.
    """
    known = {name: name for name in SIZES}
    if size not in known:
        raise UsageError(f"--size {size}: choose {', '.join(known)}")
    form = TinyForm(known[size], vocabulary, passages=passages, seed=seed)
    count = write_tiny(read_rows(rows), out, form)
    print(f"{out}: {count:,} untrained parameters")


def write_rows(  # noqa: PLR0913 - the options of one command
    folder: Path,
    out: Path,
    only: str,
    scored: tuple[str | None, str | None],
    form: str,
    *,
    as_json: bool,
) -> None:
    """Write conversations of a run as rows, and print how many are excluded and why.

    Raises:
        UsageError: If no conversation becomes a row.
        StoreError: If the run cannot be read, or has no such scoring.
        StoreError: If the file cannot be written.
    """
    if only not in {"passed", "all"}:
        raise UsageError(f"--only {only}: choose passed or all")
    with open_run(folder, write=False) as store:
        rules, judge = scored
        scoring = chosen_scoring(store, rules, judge_name(judge))
        found = rows_of_run(store, scoring, only_passed=only == "passed", form=form)
    said = ", ".join(f"{why} {count}" for why, count in sorted(found.left_out.items()))
    if not found.rows:
        raise UsageError(f"{folder}: no conversation becomes a row ({said or 'there is none'})")
    atomic_write(out, (msgspec.json.encode(row) + b"\n" for row in found.rows))
    if as_json:
        print(msgspec.json.encode({"rows": len(found.rows), "left_out": found.left_out}).decode())
    else:
        print(
            f"{format_count(len(found.rows), 'row')} in {out}"
            + (f"; excluded: {said}" if said else "")
        )


def _about_rows(prepared: Prepared | PreparedRows) -> str:
    refused = len(prepared.leaks)
    kinds = Counter(leak.kind for each in prepared.leaks.values() for leak in each)
    shared = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
    if not prepared.recipe.evaluation:
        return f"{format_count(len(prepared.rows), 'row')}; not compared with an evaluation"
    said = f"{format_count(len(prepared.rows), 'row')}; {refused} refused"
    return f"{said} (shared with the evaluation: {shared})" if refused else said


def _show_plan(recipe: Recipe, price: float | None, *, as_json: bool) -> None:
    """Print the rows and requirements of a training; without its model they are unknown."""
    has_model = Path(recipe.model).exists()
    found = prepare(recipe) if has_model else prepare_rows(recipe)
    prepared = found if isinstance(found, Prepared) else None
    if as_json:
        shown = {
            "rows": len(found.rows),
            "refused": [leak for each in found.leaks.values() for leak in each],
            "model": None if prepared is None else prepared.model,
            "needs": None if prepared is None else _needs(prepared),
            "effort": None
            if prepared is None
            else estimate_cost(recipe, prepared.model, prepared.rows),
            "price_per_hour": price,
            "least_cost": None if prepared is None else _least_costs(prepared, price),
        }
        print(msgspec.json.encode(shown).decode())
        return
    print(_about_rows(found))
    for leaks in list(found.leaks.values())[:10]:
        reported = "; ".join(f"{leak.kind} of {leak.suite} {leak.task}" for leak in leaks)
        print(escape_controls(f"refused {leaks[0].row}: {reported}"))
    if len(found.leaks) > 10:  # noqa: PLR2004 - as many as were shown
        print(f"... and {len(found.leaks) - 10} more: --json has them all")
    if prepared is None:
        print(escape_controls(_without_model(recipe)))
        return
    for line in _describe_requirements(prepared, price):
        print(line)


def _without_model(recipe: Recipe) -> str:
    return (
        f"{recipe.model}: the model is not here, so memory, disk and time are unknown: put a "
        f"folder with {CONFIG} and weights there"
    )


def _needs(prepared: Prepared) -> dict[str, MemoryNeeds]:
    return {
        name: memory_needs(prepared.recipe, prepared.model, on_gpu=on_gpu)
        for name, on_gpu in (("cpu", False), ("gpu", True))
    }


def _least_costs(prepared: Prepared, price: float | None) -> dict[str, float] | None:
    """Return the minimum cost of a training, by the types of GPUs that fit it.

    None if the price of an hour is not known.
    """
    if price is None or prepared.recipe.device == "cpu":
        return None
    memory = memory_needs(prepared.recipe, prepared.model, on_gpu=True).memory
    effort = estimate_cost(prepared.recipe, prepared.model, prepared.rows)
    return {
        name: effort.seconds_on(gpu) / HOUR * price
        for name, gpu in gpus_with_memory(memory).items()
    }


def _describe_requirements(prepared: Prepared, price: float | None) -> Iterator[str]:
    """Yield the requirements of a training, in words."""
    recipe, model = prepared.recipe, prepared.model
    cpu, gpu = (memory_needs(recipe, model, on_gpu=on_gpu) for on_gpu in (False, True))
    share = f"{cpu.trained:,} of {cpu.parameters:,} parameters are trained"
    yield f"{model.kind}: about {share}"
    yield (
        f"about {format_gib(cpu.memory)} of memory on a CPU (fp32), {format_gib(gpu.memory)} on a "
        "GPU (bf16), "
        f"{format_gib(cpu.disk)} of disk"
    )
    effort = estimate_cost(recipe, model, prepared.rows)
    yield f"{'at most' if effort.is_bound else 'about'} {effort.tokens:,} tokens are read"
    if recipe.device == "cpu":
        return
    fit = gpus_with_memory(gpu.memory)
    times = ", ".join(f"{name} {clock(effort.seconds_on(each))}" for name, each in fit.items())
    biggest = max(each.memory for each in gpus().values())
    yield (
        f"least time by data sheets of GPUs (real trainings take more than twice as long): {times}"
        if fit
        else (
            f"needs more memory than a GPU of {biggest} GiB: take a smaller model, batch or "
            "max_length"
        )
    )
    if costs := _least_costs(prepared, price):
        reported = ", ".join(f"{name} {cost:.4f} USD" for name, cost in costs.items())
        yield f"least cost at {price:,} USD an hour: {reported}"


def _show_trained(prepared: Prepared, trained: TrainingResult, *, as_json: bool) -> None:
    if as_json:
        print(msgspec.json.encode(trained).decode())
        return
    unused = f"; {len(trained.unused)} could not be used" if trained.unused else ""
    resumed = f" after step {trained.resumed}" if trained.resumed else ""
    loss = "" if trained.loss is None else f", last loss {trained.loss:.4f}"
    print(
        f"{format_count(trained.steps, 'step')} over {format_count(trained.rows, 'row')}{unused}: "
        f"{trained.seconds:.0f} s{resumed} "
        f"on {trained.device}{loss}"
    )
    print(describe_use(trained))
    for folder in trained.folders:
        print(folder)
    if prepared.leaks or trained.unused:
        print(f"{prepared.recipe.out}/refused.jsonl: the excluded rows, with reasons")
