"""Tables of a run as files: the set of files, and texts that spreadsheets would run."""

from pathlib import Path

import polars as pl
import pytest

import dragoman
from dragoman.core.errors import StoreError
from dragoman.core.rules import DEFAULT_RULES
from dragoman.formats.table_files import _write_csv, write_csv, write_parquet
from dragoman.store.run_store import open_run

SCORING = (DEFAULT_RULES.name, "none")


def test_no_text_of_a_csv_file_is_a_formula(tmp_path: Path) -> None:
    table = pl.DataFrame(
        {
            "agent": ["=2+2", "gold", None],
            "difference": [-0.5, 0.0, 1.0],
            "labels": [["=1"], [], []],
        }
    )
    _write_csv(table, tmp_path / "cells.csv")
    assert (tmp_path / "cells.csv").read_text("utf-8").splitlines() == [
        "agent,difference,labels",
        """'=2+2,-0.5,"[""=1""]\"""",
        "gold,0.0,[]",
        ",1.0,[]",
    ]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_every_frame_is_a_file_with_its_columns_also_if_it_is_empty(
    tmp_path: Path, ending: str
) -> None:
    dragoman.run("sample:shop", agent="gold", limit=1, out=tmp_path / "run")
    is_csv = ending == "csv"
    write = write_csv if is_csv else write_parquet
    with open_run(tmp_path / "run", write=False) as store:
        files = write(store, SCORING, tmp_path / "tables")

    frames = dragoman.frames(tmp_path / "run")
    assert {file.name for file in files} == {f"{name}.{ending}" for name in frames}
    columns = {
        file.stem: (pl.read_csv(file) if is_csv else pl.read_parquet(file)).columns
        for file in files
    }
    assert columns == {name: frames[name].columns for name in frames}
    assert all(frames[name].is_empty() for name in ("errors", "losses", "voices", "mm_tau"))


def test_the_metrics_of_mm_tau_are_a_table_where_one_of_their_measures_was_taken(
    tmp_path: Path,
) -> None:
    dragoman.run("sample:shop", agent="gold", measure="effort", out=tmp_path / "run")
    with open_run(tmp_path / "run", write=False) as store:
        files = write_csv(store, SCORING, tmp_path / "csv")
    assert tmp_path / "csv" / "mm_tau.csv" in files
    found = pl.read_csv(tmp_path / "csv" / "mm_tau.csv").filter(pl.col("metric") == "pass^1")
    assert found["value"].to_list() == [1.0]


def test_tables_are_not_written_into_a_file_and_it_is_named(tmp_path: Path) -> None:
    dragoman.run("sample:shop", agent="gold", limit=1, out=tmp_path / "run")
    (tmp_path / "taken").write_text("mine", "utf-8")
    with (
        open_run(tmp_path / "run", write=False) as store,
        pytest.raises(
            StoreError, match=r"taken: a file, where a folder is needed: choose another folder$"
        ),
    ):
        write_csv(store, SCORING, tmp_path / "taken")
    assert (tmp_path / "taken").read_text("utf-8") == "mine"
