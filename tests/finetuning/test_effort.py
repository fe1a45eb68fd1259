"""Tokens, operations and the least time per kind of GPU are reported before loading."""

import pytest

from dragoman.core.training_examples import TrainingExample
from dragoman.finetuning import cost_estimate
from dragoman.finetuning.cost_estimate import (
    Gpu,
    TrainingCost,
    estimate_cost,
    gpus,
    gpus_with_memory,
)
from dragoman.finetuning.model_folder import ModelFacts
from dragoman.finetuning.recipe import Recipe

MODEL = ModelFacts(
    "qwen3", parameters=1_000_000, bytes=4_000_000, hidden=100, layers=2, vocabulary=500
)
RECIPE = Recipe("base", ("rows.jsonl",), "out", weights="all", epochs=2, max_length=50)


def row(number: int, letters: int) -> TrainingExample:
    said: dict[str, object] = {"role": "user", "content": "x" * letters}
    return TrainingExample(f"r{number}", (said, {"role": "assistant", "content": "yes"}))


def test_without_the_extra_tokens_are_bounded_by_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost_estimate, "find_spec", lambda _: None)

    found = estimate_cost(RECIPE, MODEL, [row(1, 16), row(2, 500)])

    # 16 letters, a line's end and "yes"; the other is cut at 50.
    assert found == TrainingCost(
        (20 + 50) * 2, is_bound=True, operations=140 * (6e6 + 12 * 2 * 100 * 35)
    )


def test_an_adapter_needs_no_gradients_of_fixed_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost_estimate, "find_spec", lambda _: None)
    lora = Recipe("base", ("rows.jsonl",), "out", epochs=2, max_length=50)

    assert estimate_cost(lora, MODEL, [row(1, 46)]).operations == 100 * (4e6 + 12 * 2 * 100 * 50)


def test_the_least_time_follows_from_the_peak_of_a_data_sheet() -> None:
    assert TrainingCost(1, is_bound=False, operations=3e15).seconds_on(Gpu(80, 300)) == 10


def test_only_gpus_with_enough_memory_are_named_the_fastest_first() -> None:
    assert next(iter(gpus())) == "H100"
    assert set(gpus_with_memory(60 * 2**30)) == {"H100", "A100"}
    assert gpus_with_memory(81 * 2**30) == {}
