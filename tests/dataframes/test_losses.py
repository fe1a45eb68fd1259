"""Losses between the conditions of a stored run: as a table, JSON and terminal output."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import dragoman as package

RunJson = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path, in_process: Callable[..., Any]) -> Path:
    """A run of two conditions, one with simulated ASR errors; it is not played again."""
    out = tmp_path / "mine"
    done = in_process(
        *("run", "courier:easy", "--agent", "literal", "--limit", "4"),
        *("--voice", "text", "--voice", "simulated:30", "--out", str(out)),
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("literal may lose 75.0 points of pass^1")
    return out


def test_the_table_the_object_and_the_figures_of_the_cells_say_the_same(
    folder: Path, in_process: Callable[..., Any]
) -> None:
    import msgspec

    run = package.load(folder)
    table = run.losses
    (loss,) = table.filter(figure="lost").iter_rows(named=True)
    by_condition = dict(run.cells.select("condition", "pass_hat").iter_rows())
    assert loss["value"] == pytest.approx(
        by_condition[loss["base"]] - by_condition[loss["condition"]]
    )
    parts = table.filter(figure="stage")
    assert parts["value"].sum() == pytest.approx(loss["value"])
    assert parts["name"].to_list() == ["not looked for"]

    failed = run.episodes.filter(pl.col("reward") < 1)
    assert len(loss["behind"]) == failed.height > 0

    shown = msgspec.json.decode(in_process("show", str(folder), "--json").stdout)
    (found,) = shown["losses"]
    assert found["lost"] == loss["value"]
    assert [place["key"] for place in found["stages"][0]["behind"]] == loss["behind"]
    assert {row["name"]: row["count"] for row in found["values"]} == dict(
        table.filter(figure="value not heard").select("name", "count").iter_rows()
    )
