"""Impossible trainings are refused in one line and leave nothing that looks usable."""

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs dragoman[train]")
pytest.importorskip("trl", reason="needs dragoman[train]")

import msgspec

from dragoman.core.errors import UsageError
from dragoman.core.training_examples import ExampleOrigin, TrainingExample
from dragoman.finetuning.preparation import prepare
from dragoman.finetuning.progress import LossFile, TrainingProgress
from dragoman.finetuning.recipe import Recipe
from dragoman.finetuning.tiny_model import TinyForm, write_tiny
from dragoman.finetuning.training import train

pytestmark = pytest.mark.train


class StoppedError(Exception):
    """The interruption of a training, as by a power failure."""


def row(number: int) -> TrainingExample:
    call = {"name": "weather", "arguments": json.dumps({"day": number})}
    return TrainingExample(
        f"r{number}",
        (
            {"role": "user", "content": f"Weather on day {number}?"},
            {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "function": call}]},
        ),
        ({"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}},),
        ExampleOrigin("made", f"t{number}", ("weather",), "en"),
    )


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    rows = [row(number) for number in range(24)]
    (tmp_path / "rows.jsonl").write_bytes(b"".join(msgspec.json.encode(r) + b"\n" for r in rows))
    write_tiny(rows, tmp_path / "base", TinyForm("xs", 400))
    return Recipe(
        str(tmp_path / "base"),
        (str(tmp_path / "rows.jsonl"),),
        str(tmp_path / "out"),
        weights="all",
        epochs=2.0,
        batch=2,
        accumulation=1,
        learning_rate=3e-3,
        max_length=256,
        save_steps=4,
        device="cpu",
    )


def quietly(line: str) -> None:
    assert "\n" not in line


def test_a_template_without_functions_is_refused_before_anything_is_written(recipe: Recipe) -> None:
    template = Path(recipe.model) / "chat_template.jinja"
    shown = (
        "{% for m in messages %}{% generation %}{{ m.content }}<end>{% endgeneration %}{% endfor %}"
    )
    template.write_text(shown)

    with pytest.raises(UsageError, match="shows no functions, and rows offer some"):
        train(prepare(recipe), TrainingProgress(quietly))

    assert not Path(recipe.out).exists()


def test_too_little_memory_is_told_before_anything_is_written(recipe: Recipe) -> None:
    large = msgspec.structs.replace(recipe, batch=1_000_000, max_length=4096)

    with pytest.raises(UsageError, match=r"too little memory: about [\d.]+ GiB are needed"):
        train(prepare(large), TrainingProgress(quietly))

    assert not Path(recipe.out).exists()


def test_a_broken_newest_checkpoint_is_told_and_the_one_before_it_taken(recipe: Recipe) -> None:
    def stopping(line: str) -> None:
        if line.startswith("step 10/"):
            raise StoppedError

    with pytest.raises(StoppedError):
        train(prepare(recipe), TrainingProgress(stopping, 0))
    checkpoints = Path(recipe.out) / "checkpoints"
    weights = checkpoints / "checkpoint-8" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-7])
    reported: list[str] = []

    trained = train(prepare(recipe), TrainingProgress(reported.append))

    assert (
        reported[0]
        == f"{checkpoints / 'checkpoint-8'} is broken and passed over: its steps are made again"
    )
    assert (trained.resumed, trained.steps) == (4, 24)
    steps = [line.step for line in LossFile(Path(recipe.out) / "losses.jsonl").lines()]
    assert steps == list(range(1, 25))


def test_a_full_disk_ends_a_training_in_one_line_without_weights(
    recipe: Recipe, tmp_path: Path
) -> None:
    fields = {k: v for k, v in msgspec.structs.asdict(recipe).items() if v is not None}
    file = tmp_path / "recipe.toml"
    file.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in fields.items()))

    done = subprocess.run(
        [sys.executable, "-m", "dragoman", "finetune", str(file)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000)),
    )

    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"dragoman: {recipe.out}: cannot be written (")
    assert "Traceback" not in done.stderr
    assert not (Path(recipe.out) / "model").exists()
    assert not (Path(recipe.out) / "README.md").exists()


def test_code_in_a_models_folder_is_not_run(recipe: Recipe) -> None:
    folder = Path(recipe.model)
    (folder / "theirs.py").write_text("import pathlib\npathlib.Path('ran').touch()\n")
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "theirs", "auto_map": {"AutoModelForCausalLM": "theirs.Model"}}
    config["auto_map"]["AutoConfig"] = "theirs.Config"
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises((UsageError, ValueError, KeyError)):
        train(prepare(recipe), TrainingProgress(quietly))
    assert not Path("ran").exists()
