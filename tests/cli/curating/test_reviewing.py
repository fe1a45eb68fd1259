"""Queries go out to people, and what they say comes in."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dragoman.benchmarks.itc.world.loading import load_world
from dragoman.curation.apis.rating.asking import DIMENSIONS
from dragoman.store.datasets.dataset import Dataset
from dragoman.store.datasets.records import NewItem, StepLine, StepOutcome

Told = Callable[..., Any]
Refused = Callable[..., str]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A dataset with the queries of the bundled world, and an expert's labels of twenty."""
    world = load_world()
    made = [("document", each.id, each) for each in world.documents]
    made += [("task", each.id, each) for each in world.tasks]  # type: ignore[misc]
    with Dataset(tmp_path / "d") as dataset:
        dataset.put(
            [
                StepOutcome(StepLine("collect", kind, name, "kept"), (NewItem(kind, name, each),))
                for kind, name, each in made
            ]
        )
    rows = [(each.id, *(5,) * 4, 1) for each in world.tasks[:20]]
    with (tmp_path / "gold.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("id", *DIMENSIONS), *rows])
    return tmp_path


@pytest.mark.slow
def test_labels_come_back_with_the_accuracy_on_gold_questions(
    written: Path, told: Told, refused: Refused
) -> None:
    sheets = written / "sheets"
    export = ("curate", "review", "export", written / "d", "--out", sheets)
    found = told(*export, "--annotators", "ana,bo", "--gold", written / "gold.csv")
    assert found["sheets"]["ana"]["gold"] >= 5
    with (sheets / "ana.csv").open(encoding="utf-8-sig", newline="") as file:
        header, *rows = csv.reader(file)
    filled = [[*row[:5], *"5555", "4.0", "seen"] for row in reversed(rows)]
    with (written / "back.csv").open("w", newline="") as file:
        csv.writer(file, delimiter=";").writerows([header, *filled])
    back = ("curate", "review", "import", written / "d", written / "back.csv", "--annotator")
    for _ in range(2):
        taken = told(*back, "ana")
        assert (taken["labelled"], taken["blank"]) == (len(rows), 0)
        assert taken["labelled_of_given"] == taken["given"] == len(rows)
        assert taken["accuracy"]["share"] == 0.8
        assert not taken["accuracy"]["stands"]
    assert "was given nothing" in refused(*back, "zed", status=2)
    assert told(*back, "bo", status=1)["refused"][0]["why"] == "this row was given to ana"
