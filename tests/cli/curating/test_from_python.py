"""Python's functions return and store the same as the commands print and store."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dragoman.curation.api_datasets.ingestion.entries import SourceFacts
from dragoman.curation.api_datasets.split import SplitPlan
from dragoman.curation.datasets import StepResult, count_documents, read_card, read_status
from dragoman.curation.steps import (
    CollectOptions,
    run_answer,
    run_check,
    run_collect,
    run_generate,
    run_split,
)
from dragoman.formats.api_dataset_steps import run_export
from dragoman.store.dataset import Dataset

LIBRARY = Path(__file__).parents[3] / "docs" / "examples" / "library.yaml"

RunJson = Callable[..., Any]


def printed(value: object) -> Any:  # noqa: ANN401 - whatever JSON holds
    return json.loads(msgspec.json.encode(value))


def as_printed(result: StepResult) -> Any:  # noqa: ANN401 - whatever JSON holds
    usage = {step: [each.usage for each in used] for step, used in result.usage.items()}
    return printed({"funnel": result.counts, "lines": result.not_kept, "usage": usage})


def stored(folder: Path) -> dict[str, list[object]]:
    """Return the whole content of a dataset."""
    with Dataset(folder, write=False) as dataset:
        items = {kind: list(map(printed, dataset.items(kind))) for kind in dataset.kinds()}
        return {**items, "ledger": [printed(line) for line in dataset.ledger()]}


@pytest.mark.slow
def test_both_ways_come_to_the_same(run_json: RunJson, tmp_path: Path, folder: Path) -> None:
    command, python = str(folder / "mine"), tmp_path / "python" / "mine"
    portugal = CollectOptions(SourceFacts("", country="Portugal"))

    said = run_json("curate", "collect", command, LIBRARY, "--country", "Portugal")
    found = run_collect(python, [LIBRARY], portugal)
    assert (said["sources"], said["merged"]) == (printed(found.sources), printed(found.merged))
    for step, result in (
        (("generate",), run_generate(python)),
        (("answer",), run_answer(python)),
        (("check",), run_check(python)),
        (("split", "--share", 0.5), run_split(python, SplitPlan(0.5))),
    ):
        name, *options = step
        assert run_json("curate", name, command, *options) == as_printed(result), name

    assert run_json("curate", "status", command) == as_printed(read_status(python))
    assert run_json("curate", "list", command)["counts"] == printed(count_documents(python).counts)
    assert run_json("curate", "card", command) == printed(read_card(python))
    assert stored(folder / "mine") == stored(python)
    run_json("curate", "export", command, "--to", "rows", "--out", folder / "rows")
    done = run_export(python, "rows", tmp_path / "rows")
    assert done.files
    for path in done.files:
        assert (folder / "rows" / path.name).read_bytes() == path.read_bytes()
