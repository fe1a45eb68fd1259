"""Folders and requests that cannot work are refused in one line before any loading."""

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from dragoman.core.errors import UsageError
from dragoman.finetuning.local_models.spec import (
    FolderModel,
    Sampling,
    require_model,
    tokenizer_folder,
)
from dragoman.finetuning.model_folder import write_base

LAYER = "model.layers.0.self_attn.q_proj"
CONFIG = {"model_type": "qwen3", "hidden_size": 4, "num_hidden_layers": 1, "vocab_size": 9}


def weights(file: Path, shapes: Mapping[str, Sequence[int]], fill: bytes = b"\0") -> None:
    head: dict[str, object] = {}
    end = 0
    for name, shape in shapes.items():
        size = 4 * shape[0] * shape[1]
        head[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(head).encode()
    file.write_bytes(struct.pack("<Q", len(text)) + text + fill * end)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    made = tmp_path / "base"
    made.mkdir()
    (made / "config.json").write_text(json.dumps(CONFIG))
    (made / "tokenizer.json").write_text("{}")
    (made / "chat_template.jinja").write_text("{{ messages }}")
    weights(made / "model.safetensors", {f"{LAYER}.weight": (6, 4)})
    return made


def adapter(folder: Path, out: int = 6) -> Path:
    made = folder / "adapter"
    made.mkdir()
    (made / "adapter_config.json").write_text("{}")
    lora = f"base_model.model.{LAYER}"
    weights(
        made / "adapter_model.safetensors",
        {f"{lora}.lora_A.weight": (2, 4), f"{lora}.lora_B.weight": (out, 2)},
    )
    return made


def spec(base: Path, adapter: Path | str = "") -> FolderModel:
    return FolderModel("local/base", str(base), str(adapter), Sampling())


def refusal(spec: FolderModel, free: int = 0) -> str:
    with pytest.raises(UsageError) as raised:
        require_model(spec, free, on_gpu=False)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_a_model_with_its_own_adapter_may_be_asked(base: Path, tmp_path: Path) -> None:
    made = adapter(tmp_path)
    require_model(spec(base, made), 1_000, on_gpu=False)
    write_base(made, base)
    require_model(spec(base, made), 1_000, on_gpu=False)


def test_a_folder_that_is_not_there_or_no_model_is_named(base: Path, tmp_path: Path) -> None:
    assert "no such model" in refusal(spec(tmp_path / "none"))
    (base / "config.json").unlink()
    assert "not a model" in refusal(spec(base))


def test_an_adapter_of_other_shapes_or_other_weights_is_refused(base: Path, tmp_path: Path) -> None:
    made = adapter(tmp_path)
    write_base(made, base)
    weights(base / "model.safetensors", {f"{LAYER}.weight": (6, 4)}, b"\1")
    assert "of another model" in refusal(spec(base, made))
    (tmp_path / "wide").mkdir()
    assert "of another model" in refusal(spec(base, adapter(tmp_path / "wide", out=8)))
    assert "no adapter" in refusal(spec(base, tmp_path / "none"))


def test_a_model_without_a_template_cannot_be_asked(base: Path) -> None:
    (base / "chat_template.jinja").unlink()
    (base / "tokenizer_config.json").write_text('{"chat_template": null}')
    assert "no chat template" in refusal(spec(base))
    (base / "tokenizer_config.json").write_text('{"chat_template": "{{ messages }}"}')
    require_model(spec(base), 0, on_gpu=False)


def test_weights_that_do_not_fit_are_refused_with_both_sizes(base: Path) -> None:
    assert "too little memory" in refusal(spec(base), free=95)
    require_model(spec(base), 96, on_gpu=False)


def test_an_adapter_brings_the_template_that_it_learnt_by(base: Path, tmp_path: Path) -> None:
    made = adapter(tmp_path)
    assert tokenizer_folder(spec(base, made)) == base
    (made / "tokenizer.json").write_text("{}")
    assert tokenizer_folder(spec(base, made)) == base
    (made / "chat_template.jinja").write_text("{{ messages }}")
    assert tokenizer_folder(spec(base, made)) == made
