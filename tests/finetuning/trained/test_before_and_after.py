"""One command from rows to figures: trained, killed in the middle, gone on with, measured, reported."""

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

from dragoman.core.training_examples import ExampleOrigin, TrainingExample
from dragoman.finetuning.preparation import prepare
from dragoman.finetuning.progress import LossFile, TrainingProgress
from dragoman.finetuning.recipe import read_recipe
from dragoman.finetuning.tiny_model import TinyForm, write_tiny
from dragoman.finetuning.training import train

pytestmark = pytest.mark.train

ANSWER = '{"Thought": "I look.", "Action": "[]"}'
RECIPE = """
model = "base"
rows = ["rows.jsonl"]
out = "OUT"
evaluation = ["itc:world/tl"]
weights = "all"
epochs = 2
batch = 4
accumulation = 1
learning_rate = 3e-3
max_length = 256
save_steps = 4
device = "cpu"
"""


def row(number: int) -> TrainingExample:
    messages: tuple[dict[str, object], ...] = (
        {"role": "user", "content": f"Number {number * 7919}?"},
        {"role": "assistant", "content": ANSWER},
    )
    return TrainingExample(
        f"r{number}", messages, (), ExampleOrigin("made", f"t{number}", language="tl")
    )


def test_one_command_goes_from_rows_to_figures_though_it_was_killed_in_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [row(number) for number in range(48)]
    Path("rows.jsonl").write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in rows))
    write_tiny(rows, Path("base"), TinyForm("xs", 400))
    for name in ("whole", "cut"):
        Path(f"{name}.toml").write_text(RECIPE.replace("OUT", name))
    train(prepare(read_recipe(Path("whole.toml"))), TrainingProgress(lambda _: None))
    command = [sys.executable, "-m", "dragoman", "finetune", "cut.toml", "--measure"]
    command += ["--calls", "thought-action"]

    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        until = time.monotonic() + 120
        while not Path("cut/checkpoints/checkpoint-8").exists() and time.monotonic() < until:
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
    assert not Path("cut/model").exists()
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=240)

    found = json.loads(Path("cut/trained.json").read_bytes())
    assert 0 < found["resumed"] < found["steps"] == 24
    assert (
        LossFile(Path("cut/losses.jsonl")).lines() == LossFile(Path("whole/losses.jsonl")).lines()
    )
    assert "learnt from in 24 steps" in done.stdout
    assert f"{found['used']['tokens']:,} tokens read in 0:00:" in done.stdout
    measured = Path("cut/measured")
    summary = json.loads((measured / "study.json").read_bytes())
    assert summary["arms"] == ["after"]
    assert summary["contrasts"]
    for suffix in ("html", "md", "tex", "csv", "parquet"):
        assert (measured / f"study.{suffix}").stat().st_size > 0
    assert len(list((measured / "runs").iterdir())) == 2
