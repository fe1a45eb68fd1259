"""Arms of a study learn from equally many rows, even if some rows are too long."""

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs dragoman[train]")
pytest.importorskip("trl", reason="needs dragoman[train]")

import msgspec

from dragoman.core.training_examples import ExampleOrigin, TrainingExample
from dragoman.experiments.training_plan import ArmPlan, StudyPlan
from dragoman.experiments.training_study import prepared_arms
from dragoman.finetuning.progress import TrainingProgress
from dragoman.finetuning.recipe import Recipe
from dragoman.finetuning.tiny_model import TinyForm, write_tiny
from dragoman.finetuning.training import train

pytestmark = pytest.mark.train


def row(number: int, language: str, *, is_long: bool) -> TrainingExample:
    messages: tuple[dict[str, object], ...] = (
        {"role": "user", "content": f"Question {number}?" + " and more" * (200 * is_long)},
        {"role": "assistant", "content": f"Answer {number}."},
    )
    return TrainingExample(
        f"{language}{number}",
        messages,
        (),
        ExampleOrigin("made", f"{language}{number}", language=language),
    )


def test_rows_that_are_too_long_go_before_as_many_are_drawn(tmp_path: Path) -> None:
    rows = [row(number, "en", is_long=number < 6) for number in range(10)]
    rows += [row(number, "ja", is_long=number < 2) for number in range(20)]
    file = tmp_path / "rows.jsonl"
    file.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in rows))
    write_tiny(rows, tmp_path / "base", TinyForm("xs", 400))
    usual = Recipe(
        str(tmp_path / "base"), (str(file),), "", max_length=100, epochs=1, device="cpu", rank=2
    )
    arms = tuple(
        ArmPlan(name, msgspec.structs.replace(usual, out=str(tmp_path / name), languages=spoken))
        for name, spoken in (("ALL", ()), ("EN", ("en",)))
    )

    made = prepared_arms(StudyPlan(tmp_path, "silent", arms, ("itc:world",)))

    prepared = [each.prepared for each in made if each.prepared is not None]
    assert [len(each.rows) for each in prepared] == [4, 4]
    assert [len(each.unused) for each in prepared] == [8, 6]
    trained = train(prepared[1], TrainingProgress(lambda _: None))
    assert (trained.rows, len(trained.unused)) == (4, 6)
    assert len((tmp_path / "EN" / "refused.jsonl").read_text().splitlines()) == 6
