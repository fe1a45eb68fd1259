"""`dragoman curate status` shows the funnel."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

from dragoman.store.dataset import Dataset, StepLine, StepOutcome

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]
Refused = Callable[..., str]


def test_the_funnel_is_in_the_order_of_the_steps(
    dragoman: Cli, run_json: RunJson, tmp_path: Path
) -> None:
    with Dataset(tmp_path / "d") as dataset:
        dataset.put(
            [
                StepOutcome(StepLine("collect", "file", "a.yaml", "kept", source="folder")),
                StepOutcome(
                    StepLine("collect", "file", "b.md", "dropped", "no table", source="folder")
                ),
                StepOutcome(StepLine("answer", "task", "t1", "failed", "no answer", "folder")),
            ]
        )
    printed = dragoman("curate", "status", str(tmp_path / "d")).stdout
    assert printed.index("collect") < printed.index("answer")
    assert "1 item failed: run the same step again to retry them" in " ".join(printed.split())
    printed = dragoman("curate", "status", str(tmp_path / "d"), "--step", "collect").stdout
    assert "dropped file b.md: no table" in printed
    found = run_json("curate", "status", str(tmp_path / "d"))
    assert [each["step"] for each in found["funnel"]] == ["collect", "answer"]


def test_a_folder_without_a_dataset_is_one_line(refused: Refused, tmp_path: Path) -> None:
    assert "no dataset here" in refused("curate", "status", str(tmp_path), status=1)
