"""Queries are handed out to annotators, and their answers are imported."""

import csv
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.benchmarks.itc.world.bundled_set import load_bundled_apis
from dragoman.curation.api_datasets.pipeline import active
from dragoman.curation.api_datasets.rate import DIMENSIONS
from dragoman.store.dataset import Dataset, NewItem, StepLine, StepOutcome

RunJson = Callable[..., Any]
Refused = Callable[..., str]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A dataset with the queries of the bundled world, and an expert's labels of twenty."""
    apis = load_bundled_apis()
    made = [("document", each.id, each) for each in apis.documents]
    made += [("task", each.id, each) for each in apis.tasks]  # type: ignore[misc]
    with Dataset(tmp_path / "d") as dataset:
        dataset.put(
            [
                StepOutcome(StepLine("collect", kind, name, "kept"), (NewItem(kind, name, each),))
                for kind, name, each in made
            ]
        )
    rows = [(each.id, *(5,) * 4, 1) for each in apis.tasks[:20]]
    with (tmp_path / "gold.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("id", *DIMENSIONS), *rows])
    return tmp_path


@pytest.mark.slow
def test_labels_come_back_with_the_accuracy_on_gold_questions(
    written: Path, run_json: RunJson, refused: Refused
) -> None:
    sheets = written / "sheets"
    export = ("curate", "review", "export", written / "d", "--out", sheets)
    found = run_json(*export, "--annotators", "ana,bo", "--gold", written / "gold.csv")
    assert found["sheets"]["ana"]["gold"] >= 5
    with (sheets / "ana.csv").open(encoding="utf-8-sig", newline="") as file:
        header, *rows = csv.reader(file)
    filled = [[*row[:5], *"5555", "4.0", "seen"] for row in reversed(rows)]
    with (written / "back.csv").open("w", newline="") as file:
        csv.writer(file, delimiter=";").writerows([header, *filled])
    back = ("curate", "review", "import", written / "d", written / "back.csv", "--annotator")
    for _ in range(2):
        taken = run_json(*back, "ana")
        assert (taken["labelled"], taken["blank"]) == (len(rows), 0)
        assert taken["labelled_of_given"] == taken["given"] == len(rows)
        assert taken["accuracy"]["share"] == 0.8
        assert not taken["accuracy"]["stands"]
    assert "was given nothing" in refused(*back, "zed", status=2)
    assert run_json(*back, "bo", status=1)["refused"][0]["why"] == "this row was given to ana"


GOOD, BAD = "55551", "11111"


def fill(sheet: Path, say: Callable[[int, str], str]) -> None:
    """Fill a sheet in, row by row, by place and query."""
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        header, *rows = csv.reader(file)
    filled = [[*row[:5], *say(at, row[1]), ""] for at, row in enumerate(rows)]
    with sheet.open("w", newline="") as file:
        csv.writer(file).writerows([header, *filled])


@pytest.mark.slow
def test_who_is_wrong_on_gold_counts_for_nothing_and_an_adjudicator_decides(
    written: Path, run_json: RunJson, dragoman: Callable[..., CompletedProcess[str]]
) -> None:
    data, sheets = written / "d", written / "sheets"
    run_json(
        *("curate", "review", "export", data, "--out", sheets, "--per-query", "3"),
        *("--annotators", "ana,bo,carl", "--gold", written / "gold.csv"),
    )
    gold = {task.query for task in load_bundled_apis().tasks[:20]}
    others = sorted(task.query for task in load_bundled_apis().tasks[20:])
    hated, split = set(others[:30]), set(others[30:40])
    says = {
        "ana": lambda _, query: BAD if query in hated else GOOD,
        "bo": lambda _, query: BAD if query in hated | split - gold else GOOD,
        "carl": lambda at, _: GOOD if at % 2 else BAD,
    }
    for name, say in says.items():
        fill(sheets / f"{name}.csv", say)
        imported = ("curate", "review", "import", data, sheets / f"{name}.csv")
        run_json(*imported, "--annotator", name)
    settle = ("curate", "review", "settle", data)
    found = run_json(*settle, status=1)
    assert {name: each["stands"] for name, each in found["accuracy"].items()} == {
        "ana": True,
        "bo": True,
        "carl": False,
    }
    assert (found["dropped"], len(found["differ"]), found["wait"]) == (30, 10, 0)
    whole = len(load_bundled_apis().tasks)
    assert found["kept"] == whole - 40
    assert found["raters"] == 2
    kappa = found["agreement"]["relevance"]
    low, high = kappa["interval"]
    assert low < kappa["value"] < high
    assert found["agreement"]["specificity"]["value"] is None
    assert run_json(*settle, status=1) == found

    run_json(*settle, "--adjudicate", written / "differ", status=1)
    fill(written / "differ" / "adjudicator.csv", lambda at, _: BAD if at < 4 else GOOD)
    back = ("curate", "review", "import", data, written / "differ" / "adjudicator.csv")
    run_json(*back, "--annotator", "adjudicator")
    ended = run_json(*settle)
    assert (ended["kept"], ended["dropped"], ended["differ"]) == (whole - 34, 34, [])
    printed = dragoman(*settle).stdout
    assert f"{whole - 34} queries kept, 34 dropped" in printed
    assert "carl" in printed
    with Dataset(data, write=False) as dataset:
        assert len(list(active(dataset, "task", "answer"))) == whole - 34
        lines = {line.name: line for line in dataset.ledger("review")}
    assert lines["carl"].verdict == "dropped"
    assert "no label counts" in lines["carl"].reason


def test_nothing_is_settled_before_anything_was_given_out(written: Path, refused: Refused) -> None:
    said = refused("curate", "review", "settle", written / "d", status=2)
    assert "nothing was given out" in said
