"""Measures by rules against conversations whose counts are known: written by hand, or planted in play."""

from pathlib import Path

import pytest
from tests.experiments.labelled.files import FOLDER, every_file

from dragoman.analysis.judge_accuracy import WHOLE
from dragoman.experiments.human_labels import is_labelled_file, judged_labels, known_labels
from dragoman.experiments.measure_validation import LabelComparison, check_labels
from dragoman.formats.result_files import import_run
from dragoman.store.run_store import open_run

FILES = ("courier_played", "courier_written", "retail_played", "retail_written")


def checked(*names: str) -> LabelComparison:
    return check_labels([FOLDER / f"{name}.json" for name in names])


@pytest.mark.slow
def test_files_are_what_was_written_and_what_is_played() -> None:
    assert {name: (FOLDER / name).read_bytes() for name, _ in every_file()} == dict(every_file())


@pytest.mark.parametrize("name", FILES)
def test_measures_count_what_was_labelled_at_the_turns_where_it_was(name: str) -> None:
    found = checked(name)
    assert found.differences == ()
    assert found.unlabelled == 0
    assert all(each.labelled == each.measured for each in found.figures)
    assert all(each.unscored == 0 for each in found.figures)


def test_there_are_enough_conversations_of_either_kind() -> None:
    assert checked("courier_played", "retail_played").conversations >= 40
    assert checked("courier_written", "retail_written").conversations >= 40


# Conversations that are undecided are in tests/scoring/consent.
@pytest.mark.parametrize("label", sorted({*known_labels()} - {"undecided_irreversible_actions"}))
def test_every_count_is_none_one_and_many_somewhere_in_what_was_written(label: str) -> None:
    names = {"justified_escalations", "unjustified_escalations"}
    counts = set()
    for name in ("courier_written", "retail_written"):
        text = (FOLDER / f"{name}.json").read_text("utf-8")
        simulations = text.split('"simulations": ')[1].splitlines()
        counts |= {min(line.count(f'"{label}"'), 2) for line in simulations if '"id"' in line}
    # A conversation is handed over once.
    assert counts == ({0, 1} if label in names else {0, 1, 2})


def test_a_file_of_which_one_label_is_moved_is_not_exact(tmp_path: Path) -> None:
    text = (FOLDER / "retail_written.json").read_text("utf-8")
    moved = text.replace('"labels":["recoveries"]', '"labels":["repetitions"]', 1)
    path = tmp_path / "moved.json"
    path.write_text(moved, "utf-8")
    found = check_labels([path])
    differing = {each.label: (each.labelled, each.measured) for each in found.differences}
    assert differing == {"recoveries": (0, 1), "repetitions": (1, 0)}


def test_labels_stand_at_the_conversations_that_importing_the_file_makes(tmp_path: Path) -> None:
    path = FOLDER / "retail_written.json"
    import_run(path, tmp_path / "run", 0.0)
    with open_run(tmp_path / "run", write=False) as store:
        cells = {cell.key for cell in store.cells()}
    labels = judged_labels(path)
    assert {item.cell for item in labels} == cells
    assert {item.position for item in labels} == {WHOLE}
    asked = {"errors", "recovered", "repetitions", "corrections", "confirmations_required"}
    assert {item.question for item in labels} == asked
    repetitions = [n for item, n in labels.items() if item.question == "repetitions"]
    assert (len(repetitions), sum(repetitions)) == (40, 7)


def test_a_table_of_labels_is_told_from_a_result_file(tmp_path: Path) -> None:
    table = tmp_path / "labels.csv"
    table.write_text("cell,position,question,value\n", "utf-8")
    assert not is_labelled_file(table)
    assert is_labelled_file(FOLDER / "retail_written.json")
