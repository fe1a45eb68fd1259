"""A tiny model is made, trained, killed and resumed; the result can be loaded."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs dragoman[train]")
pytest.importorskip("trl", reason="needs dragoman[train]")

import msgspec
import torch
from transformers import AutoTokenizer

from dragoman.core.errors import UsageError
from dragoman.core.protocols import ChatRequest
from dragoman.core.tools import Toolset
from dragoman.core.training_examples import ExampleOrigin, TrainingExample
from dragoman.finetuning import torch_helpers
from dragoman.finetuning.preparation import prepare, read_rows
from dragoman.finetuning.progress import LossFile, TrainingProgress
from dragoman.finetuning.recipe import Recipe
from dragoman.finetuning.result import describe_use
from dragoman.finetuning.tiny_model import TinyForm, write_tiny
from dragoman.finetuning.training import train
from dragoman.registry.chat_models import resolve_chat_model
from dragoman.registry.model_clients import ModelClients

pytestmark = pytest.mark.train

CITIES = ("Oslo", "Hà Nội", "東京", "Kraków")


def row(number: int) -> TrainingExample:
    city = CITIES[number % len(CITIES)]
    call = {"name": "weather", "arguments": json.dumps({"city": city, "day": number})}
    return TrainingExample(
        f"r{number}",
        (
            {"role": "user", "content": f"Weather in {city}, day {number}?"},
            {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "function": call}]},
        ),
        ({"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}},),
        ExampleOrigin("made", f"t{number}", ("weather",), "en"),
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    rows = [row(number) for number in range(48)]
    lines = (msgspec.json.encode(each) + b"\n" for each in rows)
    (folder / "rows.jsonl").write_bytes(b"".join(lines))
    write_tiny(rows, folder / "base", TinyForm("xs", 400))
    return folder


def recipe(made: Path, out: Path, **given: object) -> Recipe:
    usual = Recipe(
        str(made / "base"),
        (str(made / "rows.jsonl"),),
        str(out),
        epochs=2.0,
        batch=4,
        accumulation=1,
        learning_rate=3e-3,
        max_length=256,
        rank=4,
        save_steps=4,
        device="cpu",
    )
    return msgspec.structs.replace(usual, **given)


def test_the_tiny_tokenizer_gives_every_row_back_letter_by_letter(made: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(made / "base")
    for each in read_rows([made / "rows.jsonl"])[:4]:
        said = str(each.messages[0]["content"])
        assert tokenizer.decode(tokenizer(said)["input_ids"]) == said


def test_a_killed_training_goes_on_to_the_same_losses_and_weights(
    made: Path, tmp_path: Path
) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    train(prepare(recipe(made, whole)), TrainingProgress(lambda _: None))
    file = tmp_path / "recipe.toml"
    fields = msgspec.structs.asdict(recipe(made, cut))
    file.write_text("".join(f"{k} = {json.dumps(v)}\n" for k, v in fields.items() if v is not None))
    command = [sys.executable, "-m", "dragoman", "finetune", str(file)]

    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        until = time.monotonic() + 120
        while not (cut / "checkpoints" / "checkpoint-8").exists() and time.monotonic() < until:
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
    assert not (cut / "adapter").exists()
    trained = train(prepare(recipe(made, cut)), TrainingProgress(lambda _: None))

    assert 0 < trained.resumed < trained.steps == 24
    assert LossFile(cut / "losses.jsonl").lines() == LossFile(whole / "losses.jsonl").lines()
    assert trained.used is not None
    once = json.loads((whole / "trained.json").read_bytes())["used"]
    # The work that was repeated after the kill is counted again.
    assert trained.used.tokens is not None
    assert trained.used.tokens > once["tokens"] > 0
    assert trained.used.seconds > trained.seconds
    weights = "adapter/adapter_model.safetensors"
    assert (cut / weights).read_bytes() == (whole / weights).read_bytes()


def test_losses_fall_and_a_card_says_what_they_came_from(made: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    reported: list[str] = []

    trained = train(
        prepare(recipe(made, out, weights="all", epochs=3)),
        TrainingProgress(reported.append, 0),
        3.6,
    )

    lines = LossFile(out / "losses.jsonl").lines()
    assert [line.step for line in lines] == list(range(1, 37))
    assert lines[-1].loss < lines[0].loss - 1
    assert reported[-1].startswith(f"step 36/36  loss {trained.loss:.4f}")
    card = (out / "README.md").read_text()
    assert "48 rows" in card
    assert "trl 1.16.0" in card
    assert str(tmp_path) not in card
    assert trained.cost == pytest.approx(trained.seconds / 1_000)
    assert describe_use(trained) in card
    assert sorted(each.name for each in out.iterdir()) == [
        "README.md",
        "losses.jsonl",
        "model",
        "refused.jsonl",
        "trained.json",
        "training.json",
        "used.jsonl",
    ]
    with pytest.raises(UsageError, match="is trained already"):
        train(
            prepare(recipe(made, out, weights="all", epochs=3)), TrainingProgress(reported.append)
        )
    with pytest.raises(UsageError, match="holds another training"):
        train(prepare(recipe(made, out)), TrainingProgress(reported.append))


def test_a_small_model_computes_with_one_thread_and_comes_to_what_it_does_with_two(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.set_num_threads(2)
    train(prepare(recipe(made, tmp_path / "one", epochs=0.5)), TrainingProgress(lambda _: None))
    assert torch.get_num_threads() == 1
    monkeypatch.setattr(torch_helpers, "SMALL", 0)
    torch.set_num_threads(2)
    train(prepare(recipe(made, tmp_path / "two", epochs=0.5)), TrainingProgress(lambda _: None))
    assert torch.get_num_threads() == 2

    one, two = ((tmp_path / each / "losses.jsonl").read_bytes() for each in ("one", "two"))
    assert one == two


def asked(name: str) -> list[str]:
    """Return a local model's answers to questions from its training."""

    async def answers() -> list[str]:
        connections = ModelClients()
        model, _ = resolve_chat_model(f"{name}max_tokens=30", connections)
        requests = (
            ChatRequest([row(number).messages[0]], Toolset(()), 0, f"t{number}")
            for number in range(4)
        )
        made = await asyncio.gather(*(model.complete(each, "agent") for each in requests))
        await connections.close()
        return [bytes(each.raw).decode() for each in made]

    return asyncio.run(answers())


def test_an_adapter_is_merged_on_request_and_asked_as_well_beside_its_base(
    made: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"

    trained = train(
        prepare(recipe(made, out, learning_rate=1e-2, merge=True)),
        TrainingProgress(lambda _: None),
    )

    assert trained.folders == (str(out / "adapter"), str(out / "merged"))
    adapted = asked(f"local/{made / 'base'}?adapter={out / 'adapter'}&")
    assert adapted == asked(f"local/{out / 'merged'}?")
    assert adapted != asked(f"local/{made / 'base'}?")


def test_an_adapter_of_weights_that_were_another_models_is_refused(
    made: Path, tmp_path: Path
) -> None:
    out, other = tmp_path / "out", tmp_path / "other"
    train(prepare(recipe(made, out, epochs=0.2)), TrainingProgress(lambda _: None))
    write_tiny([row(number) for number in range(48)], other, TinyForm("xs", 400, seed=1))

    with pytest.raises(UsageError, match="the adapter is of another model"):
        resolve_chat_model(f"local/{other}?adapter={out / 'adapter'}", None)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"device": "gpu"}, "there is none here"),
        ({"packing": True}, "packing needs a GPU"),
        ({"max_length": 8}, "no row can be learnt from: r0: "),
    ],
)
def test_what_cannot_be_trained_leaves_nothing_behind(
    made: Path, tmp_path: Path, given: dict[str, object], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        train(prepare(recipe(made, tmp_path / "out", **given)), TrainingProgress(lambda _: None))

    assert not (tmp_path / "out").exists()
