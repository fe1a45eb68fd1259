"""A model's size is read from file headers, and too large ones are refused early."""

import json
import struct
from pathlib import Path

import msgspec
import pytest

from dragoman.core.errors import UsageError
from dragoman.finetuning.cost_estimate import MemoryNeeds, memory_needs, require_memory
from dragoman.finetuning.model_folder import ModelFacts, read_model
from dragoman.finetuning.recipe import Recipe

CONFIG = {"model_type": "qwen3", "hidden_size": 4, "num_hidden_layers": 2, "vocab_size": 10}
RECIPE = Recipe("base", ("rows.jsonl",), "out")
LARGE = ModelFacts("qwen2", 7_000_000_000, 14_000_000_000, 3584, 28, 152_064, 32_768)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "base"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "tokenizer.json").write_text("{}")
    head = json.dumps({"w": {"dtype": "F32", "shape": [10, 4], "data_offsets": [0, 160]}}).encode()
    weights = struct.pack("<Q", len(head)) + head + bytes(160)
    (folder / "model.safetensors").write_bytes(weights)
    return folder


def test_the_size_stands_in_the_heads_of_files(model: Path) -> None:
    facts = read_model(model)

    assert (facts.parameters, facts.hidden, facts.layers, facts.vocabulary) == (40, 4, 2, 10)


@pytest.mark.parametrize("left", [0, 4, 60, -1])
def test_weights_that_were_cut_off_are_told(model: Path, left: int) -> None:
    whole = (model / "model.safetensors").read_bytes()
    (model / "model.safetensors").write_bytes(whole[:left])

    with pytest.raises(UsageError, match=r"model\.safetensors: a broken file of weights"):
        read_model(model)


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        ("config.json", "it has no config.json"),
        ("tokenizer.json", "it has no tokenizer.json"),
        ("model.safetensors", "no weights"),
    ],
)
def test_what_a_model_lacks_is_told(model: Path, gone: str, said: str) -> None:
    (model / gone).unlink()

    with pytest.raises(UsageError, match=said):
        read_model(model)


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such model"):
        read_model(tmp_path / "none")


def test_all_weights_need_more_than_an_adapter_and_full_precision_more_than_half() -> None:
    adapter = memory_needs(RECIPE, LARGE, on_gpu=True)
    everything = memory_needs(msgspec.structs.replace(RECIPE, weights="all"), LARGE, on_gpu=True)

    assert everything.trained == LARGE.parameters
    assert adapter.trained < LARGE.parameters / 50
    # Weights in half precision; trained weights in full, with gradients and two moments.
    assert everything.memory > LARGE.parameters * (2 + 4 * 4)
    assert adapter.memory < everything.memory / 3
    assert memory_needs(RECIPE, LARGE, on_gpu=False).memory > adapter.memory


def test_what_does_not_fit_is_refused_with_what_it_needs(tmp_path: Path) -> None:
    needs = memory_needs(RECIPE, LARGE, on_gpu=False)

    with pytest.raises(
        UsageError, match=r"too little memory: about \d+\.\d GiB are needed and here"
    ):
        require_memory(needs, 2**30, tmp_path / "new", "here")
    with pytest.raises(UsageError, match="too little disk"):
        require_memory(MemoryNeeds(1, 2**60, 1, 1), 2**30, tmp_path / "new" / "deep", "here")
    require_memory(needs, 2**50, tmp_path / "new", "here")
    require_memory(needs, 0, tmp_path / "new", "here")
