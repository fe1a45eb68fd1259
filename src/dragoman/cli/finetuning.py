"""`dragoman finetune` and `dragoman tiny-model`."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from dragoman.core.errors import UsageError
from dragoman.core.texts.visible import visible
from dragoman.exchange.training_rows import rows_of_run
from dragoman.finetuning.effort import effort_of, fitting, gpus
from dragoman.finetuning.memory import gib, needs_of
from dragoman.finetuning.preparing import Prepared, prepare
from dragoman.finetuning.progress import TrainingProgress, clock
from dragoman.finetuning.recipe import read_recipe
from dragoman.finetuning.row_files import read_rows
from dragoman.finetuning.tiny import SIZES, TinyForm, write_tiny
from dragoman.finetuning.trained import HOUR, Trained, require_price, use_in_words
from dragoman.store.run import open_run
from dragoman.store.whole_files import write_whole
from dragoman.studies.tuning.plan import Measuring
from dragoman.tables.outcomes import chosen_scoring
from dragoman.wiring.participants import judge_name


class TrainingRequest(NamedTuple):
    """Whether a training is only shown, its changes to the recipe, what an hour costs, and how it is told."""

    dry_run: bool
    forbid_apis: bool | None
    price_per_hour: float | None
    as_json: bool


def run_recipe(path: Path, asked: Measuring | None, request: TrainingRequest) -> None:
    """Train as a recipe says, or say what that would be; measure what it bought where that is asked.

    Raises:
        UsageError: Where something in the recipe, its rows or its model is to be corrected.
        DataError: Where rows cannot be read, or something cannot be written.
    """
    price, as_json = request.price_per_hour, request.as_json
    require_price(price)
    recipe = read_recipe(path)
    if request.forbid_apis is not None:
        recipe = msgspec.structs.replace(recipe, forbid_apis=request.forbid_apis)
    if asked is not None:
        from dragoman.cli.tuning.studying import measure_recipe

        measure_recipe(recipe, asked, price, dry_run=request.dry_run, as_json=as_json)
        return
    prepared = prepare(recipe)
    if request.dry_run:
        _show_plan(prepared, price, as_json=as_json)
        return
    for line in (_about_rows(prepared), *_needed(prepared, price)):
        _say(line)
    from dragoman.finetuning.training import train

    trained = train(prepared, TrainingProgress(_say), price)
    _show_trained(prepared, trained, as_json=as_json)


def make_tiny(  # noqa: PLR0913 - the options of one command
    out: Path, rows: Sequence[Path], size: str, vocabulary: int, seed: int, *, passages: bool
) -> None:
    """Write a tiny model and say how large it is.

    Raises:
        UsageError: Where there is no such size, or `out` is taken.
        DataError: Where rows cannot be read.
    """
    known = {name: name for name in SIZES}
    if size not in known:
        raise UsageError(f"--size {size}: choose {', '.join(known)}")
    form = TinyForm(known[size], vocabulary, passages=passages, seed=seed)
    count = write_tiny(read_rows(rows), out, form)
    print(f"{out}: {count:,} parameters, nothing learnt yet")


def write_rows(  # noqa: PLR0913 - the options of one command
    folder: Path,
    out: Path,
    only: str,
    scored: tuple[str | None, str | None],
    form: str,
    *,
    as_json: bool,
) -> None:
    """Write the conversations of a run as rows, and say how many became none and why.

    Raises:
        UsageError: Where no conversation becomes a row.
        StoreError: Where the run cannot be read or was never scored so.
        DataError: Where the file cannot be written.
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
    write_whole(out, (msgspec.json.encode(row) + b"\n" for row in found.rows))
    if as_json:
        print(msgspec.json.encode({"rows": len(found.rows), "left_out": found.left_out}).decode())
    else:
        print(f"{len(found.rows)} rows in {out}" + (f"; left out: {said}" if said else ""))


def _say(line: str) -> None:
    print(visible(line), file=sys.stderr, flush=True)


def _about_rows(prepared: Prepared) -> str:
    refused = len(prepared.leaks)
    kinds = Counter(leak.kind for each in prepared.leaks.values() for leak in each)
    shared = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
    if not prepared.recipe.evaluation:
        return f"{len(prepared.rows)} rows; compared with no evaluation"
    said = f"{len(prepared.rows)} rows; {refused} refused"
    return f"{said} (shared with the evaluation: {shared})" if refused else said


def _show_plan(prepared: Prepared, price: float | None, *, as_json: bool) -> None:
    if as_json:
        needs = {
            name: needs_of(prepared.recipe, prepared.model, on_gpu=on_gpu)
            for name, on_gpu in (("cpu", False), ("gpu", True))
        }
        shown = {
            "rows": len(prepared.rows),
            "refused": [leak for each in prepared.leaks.values() for leak in each],
            "model": prepared.model,
            "needs": needs,
            "effort": effort_of(prepared.recipe, prepared.model, prepared.rows),
            "price_per_hour": price,
            "least_cost": _least_costs(prepared, price),
        }
        print(msgspec.json.encode(shown).decode())
        return
    print(_about_rows(prepared))
    for leaks in list(prepared.leaks.values())[:10]:
        told = "; ".join(f"{leak.kind} of {leak.suite} {leak.task}" for leak in leaks)
        print(visible(f"refused {leaks[0].row}: {told}"))
    if len(prepared.leaks) > 10:  # noqa: PLR2004 - as many as were shown
        print(f"... and {len(prepared.leaks) - 10} more: --json has them all")
    for line in _needed(prepared, price):
        print(line)


def _least_costs(prepared: Prepared, price: float | None) -> dict[str, float] | None:
    """Return by kinds of GPUs that fit what a training costs at least; None where an hour has no price."""
    if price is None or prepared.recipe.device == "cpu":
        return None
    memory = needs_of(prepared.recipe, prepared.model, on_gpu=True).memory
    effort = effort_of(prepared.recipe, prepared.model, prepared.rows)
    return {name: effort.seconds_on(gpu) / HOUR * price for name, gpu in fitting(memory).items()}


def _needed(prepared: Prepared, price: float | None) -> Iterator[str]:
    """Yield what a training needs of a machine, in words."""
    recipe, model = prepared.recipe, prepared.model
    cpu, gpu = (needs_of(recipe, model, on_gpu=on_gpu) for on_gpu in (False, True))
    share = f"{cpu.trained:,} of {cpu.parameters:,} parameters are trained"
    yield f"{model.kind}: about {share}"
    yield (
        f"about {gib(cpu.memory)} of memory on a CPU (fp32), {gib(gpu.memory)} on a GPU (bf16), "
        f"{gib(cpu.disk)} of disk"
    )
    effort = effort_of(recipe, model, prepared.rows)
    yield f"{'at most' if effort.is_bound else 'about'} {effort.tokens:,} tokens are read"
    if recipe.device == "cpu":
        return
    fit = fitting(gpu.memory)
    times = ", ".join(f"{name} {clock(effort.seconds_on(each))}" for name, each in fit.items())
    biggest = max(each.memory for each in gpus().values())
    yield (
        f"at least, by their data sheets (no training reaches half of that): {times}"
        if fit
        else f"more memory than one GPU of {biggest} GiB has: take a smaller model, batch or max_length"
    )
    if costs := _least_costs(prepared, price):
        told = ", ".join(f"{name} {cost:.4f} USD" for name, cost in costs.items())
        yield f"at {price:,} USD an hour that is at least: {told}"


def _show_trained(prepared: Prepared, trained: Trained, *, as_json: bool) -> None:
    if as_json:
        print(msgspec.json.encode(trained).decode())
        return
    unused = f"; {len(trained.unused)} could not be learnt from" if trained.unused else ""
    resumed = f" after step {trained.resumed}" if trained.resumed else ""
    loss = "" if trained.loss is None else f", last loss {trained.loss:.4f}"
    print(
        f"{trained.steps} steps over {trained.rows} rows{unused}: {trained.seconds:.0f} s{resumed} "
        f"on {trained.device}{loss}"
    )
    print(use_in_words(trained))
    for folder in trained.folders:
        print(folder)
    if prepared.leaks or trained.unused:
        print(f"{prepared.recipe.out}/refused.jsonl: what was left out, and why")
