"""Cost of filtering 50,000 API documents by their checks over time."""

import asyncio
import tempfile
from pathlib import Path

from bench.measuring import measured, peak, print_module

from dragoman.core.apis.documents import ApiDocument, Operation, operation_id
from dragoman.curation.api_datasets.pipeline import run_step
from dragoman.curation.api_datasets.probing.filter import FilterRules, filter_plan, filter_steps
from dragoman.curation.api_datasets.probing.responses import (
    HISTORY,
    AnswerKind,
    CheckHistory,
    RoundCheck,
)
from dragoman.store.dataset import Dataset, NewItem, StepLine, StepOutcome

DOCUMENTS = 50_000
HOSTS = 5_000
ROUNDS = 12
OFFLINE = 5
BATCH = 500
TARGET_S = 60.0
KINDS: tuple[AnswerKind, ...] = ("5xx", "4xx", "empty", "not JSON", "timeout")


def print_filtering() -> None:
    """Measure in a separate process."""
    print_module("bench.curating.filtering")


def write_dataset(folder: Path, documents: int = DOCUMENTS) -> None:
    """Write documents of one operation, each with a year of monthly checks.

    In one of the months the checking machine had no network. Of ten APIs one fails in some rounds,
    one stopped answering in the second half of the year, and one returns different data.
    """
    with Dataset(folder) as dataset:
        for start in range(0, documents, BATCH):
            dataset.put(
                [_outcome(number) for number in range(start, min(start + BATCH, documents))]
            )
            dataset.put(
                [_checked(number) for number in range(start, min(start + BATCH, documents))]
            )


def _outcome(number: int) -> StepOutcome:
    document = _document(number)
    line = StepLine("collect", "file", f"{number}.json", "kept", source=f"source {number % 4}")
    return StepOutcome(line, (NewItem("document", document.id, document),))


def _checked(number: int) -> StepOutcome:
    document = _document(number)
    name = operation_id(document, document.api_list[0])
    checks = tuple(_check(number, month) for month in range(ROUNDS))
    history = CheckHistory(name, f"api{number % HOSTS}.example", checks)
    line = StepLine("monitor", "operation", name, "kept", source=f"source {number % 4}")
    made = NewItem(HISTORY, name, history, stands_on=(("document", document.id),))
    return StepOutcome(line, (made,))


def _document(number: int) -> ApiDocument:
    address = f"https://api{number % HOSTS}.example/v1/{number}"
    return ApiDocument(f"api-{number:05}", f"API {number}", api_list=(Operation("get", address),))


def _check(number: int, month: int) -> RoundCheck:
    name = f"2026-{month + 1:02}-01T00:00:00Z"
    if month == OFFLINE:
        return RoundCheck(name, "connect", "connect: no connection (Network is unreachable)")
    fails, died, drifted = (number % 10 == kind for kind in range(3))
    if (fails and (number // 10 + month) % 3 == 0) or (died and month > ROUNDS // 2):
        kind = KINDS[number // 10 % len(KINDS)]
        return RoundCheck(name, kind, f"it was {kind}", 0.2)
    return RoundCheck(name, "good", seconds=0.1, drift=("data is gone",) if drifted else ())


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_dataset(Path(folder))
        with Dataset(Path(folder)) as dataset, measured() as spent:
            plan = filter_plan(dataset, FilterRules())
            for step in filter_steps(plan):
                asyncio.run(run_step(dataset, step))
            wall_s, cpu_s = spent()
            counts = [each for each in dataset.funnel() if each.step == "filter"]
    kept, dropped = sum(each.kept for each in counts), sum(each.dropped for each in counts)
    assert kept + dropped == DOCUMENTS
    assert len(plan.aside) == 1
    print(
        f"{DOCUMENTS:,} API documents filtered by {DOCUMENTS * ROUNDS:,} checks in {wall_s:.1f} s, "
        f"{cpu_s:.1f} s of CPU (target {TARGET_S:.0f} s): {kept:,} kept, {dropped:,} dropped, "
        f"{peak() >> 20} MiB at most"
    )


if __name__ == "__main__":
    main()
