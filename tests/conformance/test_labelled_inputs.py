"""Conversations that people labelled, from outside the project: no measure contradicts them."""

from pathlib import Path

import pytest

from dragoman.experiments.measure_validation import check_labels

LABELLED = Path(__file__).resolve().parents[3] / "shared" / "inputs" / "labelled"

pytestmark = pytest.mark.skipif(
    not LABELLED.is_dir(), reason="the folder of labelled inputs is not beside the project"
)


def test_no_measure_contradicts_a_label_and_nearly_all_is_decided() -> None:
    found = check_labels(sorted(LABELLED.glob("*.json")))
    assert found.differences == ()
    (consent,) = (each for each in found.figures if each.label == "irreversible_actions")
    (open_ones,) = (
        each for each in found.figures if each.label == "unconfirmed_irreversible_actions"
    )
    assert consent.labelled >= 15
    assert open_ones.undecided <= 0.15 * consent.labelled
