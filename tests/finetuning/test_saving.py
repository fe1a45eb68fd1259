"""Weights are there whole or not at all, and half-written checkpoints and losses are passed over."""

import errno
import json
import os
import struct
import zipfile
from pathlib import Path

import pytest

from dragoman.core.errors import StoreError
from dragoman.finetuning.checkpoints import newest_complete, weights_folder
from dragoman.finetuning.progress import LossFile, LossLine, TrainingProgress


def checkpoint(folder: Path, step: int) -> Path:
    made = folder / f"checkpoint-{step}"
    made.mkdir(parents=True)
    head = json.dumps({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
    (made / "model.safetensors").write_bytes(struct.pack("<Q", len(head)) + head + bytes(8))
    for name in ("optimizer.pt", "scheduler.pt", "rng_state.pth"):
        with zipfile.ZipFile(made / name, "w") as file:
            file.writestr("data", b"x" * 100)
    (made / "trainer_state.json").write_text(json.dumps({"global_step": step}))
    return made


def half_written(folder: Path, raised: Exception) -> None:
    with weights_folder(folder) as part:
        (part / "half").write_text("x")
        raise raised


@pytest.mark.parametrize(
    "raised",
    [
        OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
        RuntimeError("PytorchStreamWriter failed writing file data/1: file write failed"),
        ValueError("Error while serializing: I/O error: No space left on device (os error 28)"),
        ValueError("Error while serializing: I/O error: File too large (os error 27)"),
    ],
)
def test_a_full_disk_is_one_line_and_leaves_what_was_there(
    tmp_path: Path, raised: Exception
) -> None:
    (tmp_path / "adapter").mkdir()
    (tmp_path / "adapter" / "old").write_text("whole")

    with pytest.raises(StoreError, match=r"adapter: cannot be written \(.*o space left"):
        half_written(tmp_path / "adapter", raised)

    assert [each.name for each in tmp_path.iterdir()] == ["adapter"]
    assert (tmp_path / "adapter" / "old").read_text() == "whole"


def test_another_error_stays_what_it_is_and_leaves_no_draft(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), weights_folder(tmp_path / "adapter"):
        raise ZeroDivisionError

    assert list(tmp_path.iterdir()) == []


def test_what_was_written_takes_the_place_of_what_was_there(tmp_path: Path) -> None:
    for word in ("first", "second"):
        with weights_folder(tmp_path / "adapter") as part:
            (part / word).write_text(word)

    assert [each.name for each in (tmp_path / "adapter").iterdir()] == ["second"]


def test_the_newest_whole_checkpoint_is_found_by_its_number(tmp_path: Path) -> None:
    for step in (90, 100):
        checkpoint(tmp_path, step)

    broken: list[Path] = []
    found = newest_complete(tmp_path, broken.append)

    assert found is not None
    assert (found.step, found.folder.name) == (100, "checkpoint-100")
    assert newest_complete(tmp_path / "none", broken.append) is None
    assert broken == []


@pytest.mark.parametrize(
    "name",
    ["model.safetensors", "optimizer.pt", "scheduler.pt", "rng_state.pth", "trainer_state.json"],
)
@pytest.mark.parametrize("is_cut", [True, False])
def test_a_half_written_checkpoint_is_told_and_passed_over(
    tmp_path: Path, name: str, is_cut: bool
) -> None:
    checkpoint(tmp_path, 9)
    file = checkpoint(tmp_path, 10) / name
    whole = file.read_bytes()
    file.unlink()
    if is_cut:
        file.write_bytes(whole[:-5])

    broken: list[Path] = []
    found = newest_complete(tmp_path, broken.append)

    assert found is not None
    assert found.step == 9
    assert broken == [tmp_path / "checkpoint-10"]


def test_losses_after_a_checkpoint_and_half_a_line_are_cut(tmp_path: Path) -> None:
    losses = LossFile(tmp_path / "losses.jsonl")
    lines = [LossLine(step, 1 / step, 0.1) for step in (1, 2, 3, 4)]
    for line in lines:
        losses.add(line)
    with (tmp_path / "losses.jsonl").open("ab") as file:
        file.write(b'{"step":5,"lo')

    losses.cut_after(3)

    assert losses.lines() == lines[:3]
    assert losses.last() == 1 / 3
    losses.cut_after(0)
    assert losses.last() is None


def test_the_last_step_is_told_with_nothing_left() -> None:
    said: list[str] = []
    progress = TrainingProgress(said.append, every=3600)
    progress.begins()

    for step in (11, 12, 13):
        progress.step(step, 13, 0.5)

    assert len(said) == 2
    assert said[-1] == "step 13/13  loss 0.5000  0:00:00 left"
