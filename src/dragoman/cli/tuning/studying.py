"""`dragoman finetune-study`, and `dragoman finetune --measure`."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import msgspec

from dragoman.analysis.contrasts.tuning import TuningBoard
from dragoman.cli.leading.written import as_csv, as_markdown, write_all
from dragoman.cli.output import print_json, print_line
from dragoman.cli.progressing.bars import progress
from dragoman.core.texts.visible import visible
from dragoman.finetuning.memory import gib, needs_of
from dragoman.finetuning.recipe import Recipe
from dragoman.finetuning.trained import require_price
from dragoman.report.fitting import print_table
from dragoman.report.latex import latex_tables
from dragoman.report.tuning.page import tuning_page
from dragoman.report.tuning.tables import NOTE, tuning_tables
from dragoman.studies.tuning.plan import Measuring, StudyPlan, plan_of, read_plan
from dragoman.studies.tuning.playing import SideRun, planned_runs
from dragoman.studies.tuning.study import run_study
from dragoman.studies.tuning.training import PreparedArm, prepared_arms
from dragoman.tables.tuning_frames import contrasts_frame

_TITLE = "What training bought"
_FILES = ("study.md", "study.tex", "study.json", "study.csv", "study.parquet", "study.html")


def study_plan(path: Path, price_per_hour: float | None, *, dry_run: bool, as_json: bool) -> None:
    """Do what a plan says and is not done yet, or say what that would be.

    `price_per_hour` is what the machine costs that trains, in US dollars; None where it is not known.

    Raises:
        UsageError: Where something in the plan is to be corrected.
        DataError: Where something cannot be read or written.
        StoreError: Where a folder holds another run.
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
    """Train as a recipe says, if that is not done, and play its model before and after.

    Raises:
        UsageError: Where something in the recipe is to be corrected.
        DataError: Where something cannot be read or written.
        StoreError: Where a folder holds another run.
    """
    plan = msgspec.structs.replace(plan_of(recipe, asked), price_per_hour=price_per_hour)
    _study(plan, dry_run=dry_run, as_json=as_json)


def _study(plan: StudyPlan, *, dry_run: bool, as_json: bool) -> None:
    arms = prepared_arms(plan)
    if dry_run:
        _print_plan(plan, arms)
        return
    found = run_study(plan, arms, _say, _watched)
    board = msgspec.structs.replace(found, facts=(("figures", NOTE), *found.facts))
    write_all([plan.out / name for name in _FILES], _writers(board))
    if as_json:
        print_json(msgspec.to_builtins(board))
        return
    for table in tuning_tables(board, by_language=False):
        print_table(table.flat())
    print()
    for name, value in board.facts:
        print_line(f"{name}: {value}")
    print_line(
        f"{plan.out / 'study.html'}: figures, and tables by language; beside it Markdown, LaTeX and data"
    )


def _writers(board: TuningBoard) -> dict[str, Callable[[], bytes]]:
    tables = tuple(tuning_tables(board))
    frame = contrasts_frame(board.contrasts)

    def parquet() -> bytes:
        buffer = BytesIO()
        frame.write_parquet(buffer)
        return buffer.getvalue()

    return {
        ".md": lambda: as_markdown(_TITLE, (each.flat() for each in tables), board.facts).encode(),
        ".tex": lambda: latex_tables(tables).encode(),
        ".json": lambda: msgspec.json.format(msgspec.json.encode(board)),
        ".csv": lambda: as_csv(frame).encode(),
        ".parquet": parquet,
        ".html": lambda: tuning_page(board, _TITLE).encode(),
    }


def _print_plan(plan: StudyPlan, arms: tuple[PreparedArm, ...]) -> None:
    for each in arms:
        if each.prepared is None:
            print_line(f"{each.arm.name}: {each.arm.agent}")
            continue
        told = f"{len(each.prepared.rows)} rows, {len(each.prepared.leaks)} refused"
        if each.prepared.unused:
            told += f", {len(each.prepared.unused)} cannot be learnt from"
        if each.trains:
            needs = needs_of(each.prepared.recipe, each.prepared.model, on_gpu=False)
            told += f"; about {gib(needs.memory)} of memory on a CPU, {gib(needs.disk)} of disk"
        print_line(f"{each.arm.name}: {told}")
    for run in planned_runs(plan):
        print_line(f"{run.side} on {run.suite}: {run.config.agents[0]}, in {run.folder}")


def _say(line: str) -> None:
    print(visible(line), file=sys.stderr, flush=True)


@contextmanager
def _watched(run: SideRun, count: int) -> Iterator[Callable[[], None]]:
    with progress(f"{run.side} on {run.suite}", count) as advance:
        yield advance
