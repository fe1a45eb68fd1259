"""`dragoman validate`: the problems of a table of results."""

import gzip
import zlib
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import polars as pl
import pytest

import dragoman as package

Cli = Callable[..., CompletedProcess[str]]
Refused = Callable[..., str]
RunJson = Callable[..., Any]

HEAD = (
    "scenario,domain,language_senario,agent_llm,normalized_agent_llm,"
    "pass_hat_1,pass_hat_2,pass_hat_3,rho_hat_3,total_simulations,total_tasks"
)
SOUND = (
    "english,airline,english,azure/tiny,tiny,0.62,0.46,0.38,0.613,150,50",
    "english,retail,english,azure/tiny,tiny,0.655,0.497,0.412,0.629,342,114",
)
IMPOSSIBLE = "english,telecom,english,azure/tiny,tiny,0.997,0.953,0.93,0.933,342,114"


def write(folder: Path, *rows: str, name: str = "results.csv") -> str:
    (folder / name).write_text("\n".join([HEAD, *rows, ""]), "utf-8")
    return name


def test_a_sound_table_passes(dragoman: Cli, folder: Path) -> None:
    done = dragoman("validate", write(folder, *SOUND))

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "results.csv: rows 2, trials a task 3, tolerance 0.001",
        "no problems found",
    ]


def test_an_impossible_row_is_named_and_fails(dragoman: Cli, folder: Path) -> None:
    done = dragoman("validate", write(folder, *SOUND, IMPOSSIBLE))

    assert done.returncode == 1
    assert done.stdout.splitlines()[1:] == [
        (
            "infeasible: pass^1 0.997, pass^2 0.953, pass^3 0.930 cannot be, of 114 tasks"
            " x 3 trials; the nearest that can is pass^1 0.977, pass^2 0.953, pass^3 0.930"
        ),
        "    row 3 (telecom, english, english, tiny)",
    ]


def test_tasks_may_be_told_where_no_column_says_how_many(run_json: RunJson, folder: Path) -> None:
    (folder / "bare.csv").write_text("suite,agent,pass_hat_1\na,b,0.333\na,c,0.5\n")
    unknown = run_json("validate", "bare.csv")["findings"]
    assert [entry["kind"] for entry in unknown] == ["unchecked", "unchecked"]
    assert run_json("validate", "bare.csv", "--tasks", 6)["findings"] == []
    (wrong,) = run_json("validate", "bare.csv", "--tasks", 4, status=1)["findings"]
    assert (wrong["kind"], wrong["rows"]) == ("infeasible", ["row 1"])
    (folder / "full.csv").write_text("suite,agent,tasks,pass_hat_1\na,b,3,0.333\n")
    assert run_json("validate", "full.csv", "--tasks", 4)["findings"] == []


def test_figures_of_one_cell_over_different_tasks_are_not_taken_for_impossible(
    run_json: RunJson, folder: Path
) -> None:
    (folder / "long.csv").write_text("suite,agent,k,pass_hat,tasks\na,b,1,0.55,40\na,b,2,1.0,1\n")
    found = run_json("validate", "long.csv")["findings"]
    assert [entry for entry in found if entry["kind"] == "infeasible"] == []


def test_the_same_as_one_object(run_json: RunJson, folder: Path) -> None:
    copy = SOUND[1].replace("english,retail,english,azure", "l2,retail,thai,openrouter")
    found = run_json("validate", write(folder, *SOUND, copy), status=1)

    assert (found["table"], found["rows"], found["trials"]) == ("results.csv", 3, [3])
    assert [(entry["kind"], entry["rows"]) for entry in found["findings"]] == [
        ("duplicate", ["row 2", "row 3"]),
        ("mixed routes", ["row 1", "row 2", "row 3"]),
        ("incomplete", ["row 3"]),
    ]
    assert found["against"] is None


def test_what_a_reader_must_weigh_does_not_fail_a_table(run_json: RunJson, folder: Path) -> None:
    missing = SOUND[0].replace(",150,", ",149,")

    found = run_json("validate", write(folder, missing))

    assert [entry["kind"] for entry in found["findings"]] == ["missing trials"]


def test_two_tables_are_set_against_each_other(dragoman: Cli, folder: Path) -> None:
    write(folder, *SOUND)
    write(folder, SOUND[0].replace("0.46,", "0.453,"), name="other.csv")

    done = dragoman("validate", "results.csv", "--against", "other.csv")

    assert done.returncode == 0
    assert done.stdout.splitlines()[2:] == [
        "against other.csv: 1 of 4 figures differ; cells in both: 1",
        "    row 1 (airline, english, english, tiny), pass^2: 0.46 here, 0.453 there",
        "    cells only in this table: 1, first retail, english, english, tiny",
    ]


def test_the_tolerance_is_the_users(run_json: RunJson, folder: Path) -> None:
    name = write(folder, "english,airline,english,a,tiny,0.621,0.461,0.381,0.614,150,50")

    assert run_json("validate", name)["findings"] == []
    assert run_json("validate", name, "--tolerance", 0.0005, status=1)["findings"]


def test_trials_may_be_more_than_the_figures_printed(run_json: RunJson, folder: Path) -> None:
    name = "few.csv"
    (folder / name).write_text("suite,agent,pass@1,tasks\nshop,tiny,0.125,2\n", "utf-8")

    assert run_json("validate", name, status=1)["findings"][0]["kind"] == "infeasible"
    assert run_json("validate", name, "--trials", 4)["findings"] == []


def test_exported_tables_are_read_with_a_row_for_every_k(
    dragoman: Cli, run_json: RunJson, folder: Path
) -> None:
    package.run("sample:shop", "literal", judge="rule", trials=3, out=folder / "run")
    assert dragoman("export", "run", "--to", "parquet", "--out", "tables").returncode == 0

    found = run_json("validate", "tables/cells.parquet")
    frame = pl.read_parquet(folder / "tables/cells.parquet")
    frame.with_columns(pass_hat=pl.col("pass_hat") * 0.9).write_csv(folder / "wrong.csv")
    wrong = run_json("validate", "wrong.csv", status=1)

    assert (found["rows"], found["trials"]) == (1, [3])
    assert [entry["kind"] for entry in found["findings"]] == ["missing trials"]
    assert [entry["kind"] for entry in wrong["findings"]] == ["infeasible", "missing trials"]


@pytest.mark.parametrize(
    ("text", "status", "why"),
    [
        ("", 1, "results.csv: no table"),
        ("agent,pass_hat_1\n", 1, "results.csv: no rows"),
        ("agent,pass_hat_1\na,0.5\n", 1, "no column for the suite: name one suite or domain"),
        ("suite,pass_hat_1\na,0.5\n", 1, "no column for the agent"),
        ("suite,agent\na,b\n", 1, "no figures: name columns pass_hat_1"),
        ("suite,agent,pass_hat_1,pass@1\na,b,1,1\n", 1, "'pass@1' names no k of 1 to 64, or twice"),
        ("suite,agent,pass_hat_99\na,b,1\n", 1, "'pass_hat_99' names no k"),
        ("suite,agent,pass_hat_1\na,b,1.5\n", 1, "row 1: pass_hat_1 must be a number from 0 to 1"),
        ("suite,agent,pass_hat_1\na,b,nan\n", 1, "must be a number from 0 to 1, not 'nan'"),
        ("suite,agent,pass_hat_1,tasks\na,b,1,-3\n", 1, "tasks must be a whole number"),
        ("suite,agent,pass_hat_1,tasks\na,b,1,9999999\n", 1, "a whole number up to 1,000,000"),
        ("suite,agent,k,pass_hat\na,b,0,1\n", 1, "row 1: k must lie between 1 and 64"),
        ("suite,agent,k,pass_hat\na,b,1,1\na,b,1,1\n", 1, "row 2: pass^1 of a, b again"),
        ("suite,agent,pass_hat_3,trials\na,b,1,2\n", 2, "pass^3 of 2 trials cannot be"),
        ("suite,agent,pass_hat_1\na,b,1,2,3\n", 1, "results.csv: no table"),
    ],
)
def test_a_mistake_in_a_table_is_one_line(
    refused: Refused, folder: Path, text: str, status: int, why: str
) -> None:
    (folder / "results.csv").write_text(text, "utf-8")

    assert why in refused("validate", "results.csv", status=status)


@pytest.mark.parametrize(
    ("options", "status", "why"),
    [
        (("missing.csv",), 1, "missing.csv: cannot be read (No such file or directory)"),
        (("results.txt",), 2, "neither .csv nor .parquet"),
        (("results.csv", "--trials", 0), 2, "--trials must lie between 1 and 64, not 0"),
        (("results.csv", "--tolerance", 2), 2, "--tolerance must lie between 0 and 1, not 2"),
        (("results.csv", "--against", "apart.csv"), 2, "the tables have no common cell"),
    ],
)
def test_a_mistake_in_what_is_asked_is_one_line(
    refused: Refused, folder: Path, options: tuple[object, ...], status: int, why: str
) -> None:
    write(folder, *SOUND)
    write(folder, IMPOSSIBLE, name="apart.csv")

    assert why in refused("validate", *options, status=status)


def test_a_file_that_is_no_parquet_is_one_line(refused: Refused, folder: Path) -> None:
    (folder / "results.parquet").write_bytes(b"nothing")

    assert "results.parquet: no table" in refused("validate", "results.parquet", status=1)


WICKED = {
    "many columns": ("," * 2**20 + "\n").encode(),
    "many columns after a line end": b'"a\n",' + b"," * 2**20 + b"\n",
    "a bomb": gzip.compress(bytes(2**26), 1),
    "a bomb in a bomb": gzip.compress(gzip.compress(bytes(2**26), 1), 1),
    "another": zlib.compress(bytes(2**26), 0)[:2] + b"a,b\n",
}


@pytest.mark.parametrize("name", WICKED)
def test_a_table_that_would_take_all_memory_is_one_line(
    refused: Refused, folder: Path, name: str
) -> None:
    (folder / "results.csv").write_bytes(WICKED[name])
    assert refused("validate", "results.csv", status=1).startswith("dragoman: results.csv: ")


def test_a_packed_table_is_read(run_json: RunJson, folder: Path) -> None:
    content = "\n".join([HEAD, *SOUND, ""]).encode()
    (folder / "results.csv").write_bytes(gzip.compress(content))
    assert run_json("validate", "results.csv")["findings"] == []
