"""The grid of `docs/reference/personas.md`: every axis moves its figures the way it should."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RunJson = Callable[..., Any]

GRID = Path(__file__).parents[3] / "docs" / "examples" / "personas.toml"


@pytest.mark.nightly
def test_each_axis_moves_success_as_the_page_says(run_json: RunJson) -> None:
    found = run_json("run", GRID, "--voice", "text,simulated:10", "--out", "grid")
    rates = {
        (cell["axes"]["voice"], cell["axes"]["persona"], cell["axes"].get("exposure", "0")): round(
            cell["pass_hat"]["1"], 3
        )
        for cell in found["cells"]
    }
    assert rates["text", "none", "0"] == rates["text", "easy", "0"] == 1
    assert rates["text", "hard", "0"] == rates["simulated:10", "hard", "0"] == 0.394
    assert rates["text", "hard", "1"] == 1
    assert rates["text", "hard", "2+rules"] == 0.475
    assert rates["simulated:10", "none", "0"] == 0.566
    assert rates["simulated:10", "easy", "0"] == 0.889
    assert rates["simulated:10", "hard", "1"] == 0.838
    assert rates["simulated:10", "hard", "2+rules"] == 0.455


def test_the_grid_file_is_the_whole_grid(run_json: RunJson) -> None:
    planned = run_json("run", GRID, "--voice", "text,simulated:10", "--dry-run")
    assert len(planned["cells"]) == 33 * 3 * 18
