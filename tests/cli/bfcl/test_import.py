"""Stored outputs of twenty models come in as result files, in both layouts, and score as recorded."""

import gzip
import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.benchmarks.bfcl.result_files import CATEGORIES_OF_2024
from dragoman.core.scores import METRIC_VERSION, Score, Scored
from dragoman.store.run_store import open_run

pytestmark = pytest.mark.slow

Row = dict[str, Any]
Cli = Callable[..., CompletedProcess[str]]

DIFFERENT = {("databricks-dbrx-instruct", "simple_javascript_12")}
"""The one recorded output whose reading depends on the error recovery of a grammar."""


@pytest.fixture(scope="session")
def recorded(truth_folder: Path) -> dict[tuple[str, str], dict[str, Row]]:
    """Recorded outputs by model and category, by id."""
    found: dict[tuple[str, str], dict[str, Row]] = defaultdict(dict)
    for category in CATEGORIES_OF_2024.values():
        with gzip.open(
            truth_folder / "bfcl" / f"{category}.jsonl.gz", "rt", encoding="utf-8"
        ) as file:
            for line in file:
                row = json.loads(line)
                for model in (row["model"], *row.get("also", ())):
                    found[model, category][row["id"]] = row
    return found


def write_as_now(folder: Path, model: str, category: str, rows: dict[str, Row]) -> None:
    """Write a file in the layout of v4."""
    write(folder / model / "non_live" / f"BFCL_v4_{category}_result.json", rows, {})


def write_as_in_2024(folder: Path, model: str, category: str, rows: dict[str, Row]) -> None:
    """Write a file in the layout of 2024, with the names of then."""
    then = {now: name for name, now in CATEGORIES_OF_2024.items()}[category]
    name = f"gorilla_openfunctions_v1_test_{then}_result.json"
    write(folder / model / name, rows, {category: then})


def write(path: Path, rows: dict[str, Row], names: dict[str, str]) -> None:
    """Write result lines; `names` gives categories other names in ids."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for identity, row in rows.items():
            category, _, number = identity.rpartition("_")
            name = f"{names.get(category, category)}_{number}"
            line = {"id": name, "result": row["raw"], "input_token_count": 7, "latency": 0.5}
            print(json.dumps(line), file=file)


@pytest.mark.nightly
@pytest.mark.parametrize("layout", [write_as_now, write_as_in_2024])
def test_imported_outputs_get_the_recorded_verdicts(
    recorded: dict[tuple[str, str], dict[str, Row]],
    layout: Callable[[Path, str, str, dict[str, Row]], None],
    dragoman: Cli,
    pulled_bfcl: Path,
    tmp_path: Path,
) -> None:
    for (model, category), rows in recorded.items():
        layout(tmp_path / "result", model, category, rows)

    # The recorded verdicts are those of upstream's default reader, for any form of the replies.
    reported = ("import", tmp_path / "result", "--out", tmp_path / "run", "--format", "python")
    imported = dragoman(*reported, cache=pulled_bfcl)
    assert imported.returncode == 0, imported.stderr
    scored = dragoman("score", tmp_path / "run", "--rules", "bfcl-v4", cache=pulled_bfcl)
    assert scored.returncode == 0, scored.stderr

    expected = {
        (model, name): (row["official_valid"], row.get("error_type"))
        for (model, _), rows in recorded.items()
        for name, row in rows.items()
    }
    found = verdicts(tmp_path / "run")
    assert found.keys() == expected.keys()
    assert {key for key in expected if found[key] != expected[key]} <= DIFFERENT


def verdicts(run: Path) -> dict[tuple[str, str], tuple[bool, str | None]]:
    """Return whether each output passes and why not, as a run stored it."""
    with open_run(run, write=False) as store:
        scores = store.scores("bfcl-v4", "none", METRIC_VERSION)
        return {(cell.agent, cell.task): verdict(scores[cell.key]) for cell in store.cells()}


def verdict(score: Score) -> tuple[bool, str | None]:
    """Return whether a score passes, and the error type if it does not."""
    assert isinstance(score.reward, Scored)
    is_valid = score.reward.value == 1
    return is_valid, None if is_valid else score.components[0].evidence[0].subject


def test_figures_that_say_nothing_of_the_model_are_told_before_them(
    dragoman: Cli, pulled_bfcl: Path, tmp_path: Path
) -> None:
    path = tmp_path / "result" / "lab" / "BFCL_v4_simple_python_result.json"
    path.parent.mkdir(parents=True)
    call = '<tool_call>{"name": "calculate_triangle_area", "arguments": {"base": 10, "height": 5}}'
    path.write_text(json.dumps({"id": "simple_python_0", "result": call}))
    where = ("import", path, "--out")
    wrong = dragoman(*where, tmp_path / "wrong", "--format", "python", cache=pulled_bfcl)
    assert "lab, simple_python: no calls could be read as python in 1 of 1 replies" in wrong.stderr
    scored = dragoman("score", tmp_path / "wrong", "--rules", "bfcl-v4", cache=pulled_bfcl)
    above, _, table = scored.stdout.partition("pass^1")
    assert "lab, bfcl:simple_python: no calls could be parsed in 1 of 1 reply" in above
    assert table

    right = dragoman(*where, tmp_path / "right", cache=pulled_bfcl)
    assert "lab: calls read as tool_call (replies: tool_call in 1)" in right.stdout
    scored = dragoman(
        "score", tmp_path / "right", "--rules", "bfcl-v4", "--json", cache=pulled_bfcl
    )
    (cell,) = json.loads(scored.stdout)["cells"]
    assert (cell["pass_hat"], cell["unreadable"]) == ({"1": 1.0}, 0)


def test_an_imported_run_is_not_to_be_played_on(
    dragoman: Cli, pulled_bfcl: Path, tmp_path: Path
) -> None:
    path = tmp_path / "result" / "lab" / "BFCL_v4_irrelevance_result.json"
    path.parent.mkdir(parents=True)
    fault = {"id": "irrelevance_0", "result": "Error during inference: cut"}
    path.write_text(json.dumps(fault))
    done = dragoman("import", path, "--out", tmp_path / "run", cache=pulled_bfcl)
    assert "ended by infrastructure, as the model was not reached: 1" in done.stderr
    scored = dragoman("score", tmp_path / "run", "--rules", "bfcl-v4", cache=pulled_bfcl)
    assert "dragoman resume" not in scored.stdout
