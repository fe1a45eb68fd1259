"""`dragoman compare`: two runs, or the cells of one, over the tasks that both finished."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import polars as pl
import pytest

import dragoman as package
from dragoman.core.conditions import PLAIN, axis_values
from dragoman.core.errors import UsageError

Cli = Callable[..., CompletedProcess[str]]
Refused = Callable[..., str]
RunJson = Callable[..., Any]

SHOP = ("run", "sample:shop", "--judge", "rule")
ALL_BUT_JUDGED = ["larger-jacket", "return-poles", "too-late", "two-swaps"]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs: gold with three trials, and gold and silent with two."""
    place = tmp_path_factory.mktemp("played")
    package.run("sample:shop", "gold", judge="rule", trials=3, out=place / "before")
    package.run("sample:shop", ["gold", "silent"], judge="rule", trials=2, out=place / "after")
    return place


@pytest.fixture
def runs(played: Path, folder: Path) -> Path:
    """The folder that commands run in, with both runs in it."""
    shutil.copytree(played, folder, dirs_exist_ok=True)
    return folder


@pytest.mark.usefixtures("runs")
def test_two_runs_are_compared_cell_by_cell(run_json: RunJson) -> None:
    found = run_json("compare", "before", "after")

    assert (found["runs"], found["rules"], found["judge"]) == (
        ["before", "after"],
        "dragoman-2",
        "rule-1",
    )
    (entry,) = found["comparisons"]
    assert (entry["a"]["agent"], entry["b"]["agent"]) == ("gold", "gold")
    assert (entry["tasks"], entry["left_out"]) == (4, {"incomplete in both": 1})
    assert (entry["difference"], entry["p"]) == ({"1": 0, "2": 0}, 1)
    assert (entry["won"], entry["lost"]) == ([], [])
    assert found["notes"] == ["not compared in B: silent (en/text/none)"]


@pytest.mark.usefixtures("runs")
def test_the_cells_of_one_run_are_compared_in_pairs(run_json: RunJson) -> None:
    (entry,) = run_json("compare", "after")["comparisons"]

    assert (entry["a"]["agent"], entry["b"]["agent"]) == ("gold", "silent")
    assert entry["difference"] == {"1": -1, "2": -1}
    assert entry["p"] == entry["adjusted_p"] == 0.125
    assert sorted(pair["task"] for pair in entry["lost"]) == ALL_BUT_JUDGED
    assert entry["lost"][0]["a"] == [1, 1]
    assert entry["means"]["steps"]["b"] == 3


@pytest.mark.usefixtures("runs")
def test_two_agents_are_set_against_each_other_across_runs(run_json: RunJson) -> None:
    found = run_json("compare", "before", "after", "--agent", "gold", "--versus", "silent")

    (entry,) = found["comparisons"]
    assert entry["b"] == {
        "run": "after",
        "suite": "sample:shop",
        "condition": "en/text/none",
        "agent": "silent",
        "axes": axis_values(PLAIN),
    }
    assert found["notes"] == ["not compared in B: gold (en/text/none)"]


def test_runs_of_one_agent_each_are_compared_whatever_the_agents_are_called(
    run_json: RunJson,
) -> None:
    run_json(*SHOP, "--agent", "literal", "--out", "one")
    run_json(*SHOP, "--agent", "silent", "--out", "other", "--max-steps", 50)

    found = run_json("compare", "one", "other")

    (entry,) = found["comparisons"]
    assert (entry["a"]["agent"], entry["b"]["agent"]) == ("literal", "silent")
    assert "limits of steps differ: 200 in A, 50 in B" in found["notes"]


@pytest.mark.usefixtures("runs")
def test_the_table_names_figures_flipped_tasks_and_what_was_left_out(dragoman: Cli) -> None:
    done = dragoman("compare", "after", "--full")

    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.split("worse in B")[0].splitlines())) <= 100
    words = " ".join(done.stdout.split())
    assert "gold 4 1 1.000 0.000 -1.000 [-1.000, +0.205] 0.125 0.125 -> silent 2 1.000" in words
    assert "excluded 1 task: 1 incomplete in both" in words
    assert "worse in B 4 tasks: too-late [1 1] -> [0 0]" in words
    assert "better in B none" in words
    commands = [
        line.split("dragoman ", 1)[1] for line in done.stdout.splitlines() if "  one in " in line
    ]
    for command, agent, reward in zip(commands, ("gold", "silent"), ("1", "0"), strict=True):
        shown = dragoman(*command.split())
        assert f", trial 0, en/text/none, {agent}" in shown.stdout
        assert f"score       {reward}, rules" in shown.stdout


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    ("options", "status", "why"),
    [
        (("before", "after", "--fail-under", 0), 0, ""),
        (("before", "after", "--fail-under-interval", 0.7), 0, ""),
        (
            ("before", "after", "--fail-under-interval", 0.6),
            1,
            "pass^1 may differ by -0.602 (95 % interval), allowed is -0.6",
        ),
        (("after", "--fail-under", 1), 0, ""),
        (("after", "--fail-under", 0.5), 1, "pass^1 differs by -1.000, allowed is -0.5"),
    ],
)
def test_the_exit_status_says_whether_b_is_worse_than_allowed(
    dragoman: Cli, options: tuple[object, ...], status: int, why: str
) -> None:
    done = dragoman("compare", *options)

    assert done.returncode == status
    assert why in done.stderr
    assert bool(done.stderr) == bool(status)


def test_a_gate_is_not_passed_where_nothing_could_be_compared(
    dragoman: Cli, run_json: RunJson
) -> None:
    run_json(*SHOP, "--agent", "gold", "--tasks", "too-late", "--out", "one")
    run_json(*SHOP, "--agent", "gold", "--tasks", "two-swaps", "--out", "other")

    done = dragoman("compare", "one", "other", "--fail-under", 1)

    assert done.returncode == 1
    assert "no common task" in done.stderr
    assert done.stdout.startswith("Nothing can be compared: A and B have no common task\n\n")
    assert "Excluded: 2 tasks (1 only in A, 1 only in B)." in done.stdout
    full = dragoman("compare", "one", "other", "--full").stdout
    assert "2 tasks: 1 only in A, 1 only in B" in " ".join(full.split())
    assert "better in B" not in full


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    ("options", "status", "why"),
    [
        (("before", "missing"), 1, "missing: no run here"),
        (("before", "before"), 2, "before is named twice"),
        (("before",), 2, "before: no two cells to compare"),
        (("before", "after", "after"), 2, "3 runs: name one, or two"),
        (("after", "--agent", "nobody"), 2, "no agent 'nobody': choose of gold, silent"),
        (("after", "--versus", "gold"), 2, "--versus needs one --agent"),
        (("before", "after", "--judge", "none"), 1, "not scored like that"),
        (("after", "--fail-under", "-1"), 2, "--fail-under must lie between 0 and 1"),
        (("after", "--fail-under-interval", "nan"), 2, "must lie between 0 and 1"),
    ],
)
def test_a_mistake_is_one_line(
    refused: Refused, options: tuple[str, ...], status: int, why: str
) -> None:
    assert why in refused("compare", *options, status=status)


@pytest.mark.usefixtures("runs")
def test_runs_that_were_never_scored_alike_are_refused_until_they_are(
    run_json: RunJson, refused: Refused
) -> None:
    run_json("run", "sample:shop", "--agent", "gold", "--judge", "assume-met", "--out", "assumed")

    line = refused("compare", "before", "assumed", status=1)
    run_json("score", "assumed", "--judge", "rule")
    found = run_json("compare", "before", "assumed")

    assert "never scored alike" in line
    assert found["judge"] == "rule-1"


def test_what_rests_on_assumed_verdicts_is_marked(dragoman: Cli, run_json: RunJson) -> None:
    run_json(
        *SHOP[:2], "--judge", "assume-met", "--agent", "gold", "--agent", "silent", "--out", "run"
    )

    assert "ASSUMED" in dragoman("compare", "run", "--full").stdout
    assert "*: rests on verdicts that were assumed" in dragoman("compare", "run").stdout
    assert run_json("compare", "run")["comparisons"][0]["assumed"] is True


def test_python_gives_the_same_comparison_as_frames(run_json: RunJson, runs: Path) -> None:
    found = package.compare(runs / "after")
    told_object = run_json("compare", "after")["comparisons"][0]

    assert found.frame["difference"].to_list() == [-1.0, -1.0]
    assert found.frame["p"].to_list() == [told_object["p"], None]
    assert found.frame["lost"].to_list() == [4, 4]
    assert sorted(found.tasks["task"]) == ALL_BUT_JUDGED
    assert found.tasks["rewards_b"].to_list() == [[0.0, 0.0]] * 4
    assert package.compare(package.load(runs / "after")).comparisons == found.comparisons
    with pytest.raises(UsageError, match="must be a list"):
        package.compare(runs / "after", agents="gold")


TABLES = (
    *("cells", "measures", "usage", "episodes", "consumed", "scores", "counts"),
    *("errors", "turns", "utterances", "calls", "comparisons", "pairs", "losses", "voices"),
    "mm_tau",
)


def test_tables_go_out_as_parquet_and_conversations_as_json_lines(
    dragoman: Cli, runs: Path
) -> None:
    tables = dragoman("export", "after", "--to", "parquet", "--out", "tables")
    lines = dragoman("export", "after", "--to", "jsonl", "--out", "tables", "--agent", "silent")

    assert tables.stdout.split() == [f"tables/{name}.parquet" for name in TABLES]
    result = package.load(runs / "after")
    for name in TABLES:
        written = pl.read_parquet(runs / f"tables/{name}.parquet")
        assert written.equals(result.frames[name]), name
    assert lines.stdout == "10 conversations exported: tables/conversations.jsonl\n"
    rows = [
        json.loads(line)
        for line in (runs / "tables/conversations.jsonl").read_text("utf-8").splitlines()
    ]
    assert {row["agent"] for row in rows} == {"silent"}
    assert {"episode", "score", "task", "trial"} <= set(rows[0])
    calls = result.calls
    gold = calls.filter(pl.col("agent") == "gold")
    assert gold["position"].min() == 0
    assert calls["changes"].sum() > 0
    assert not calls["error"].any()


def test_tables_go_out_as_csv_with_lists_as_json(dragoman: Cli, runs: Path) -> None:
    tables = dragoman("export", "after", "--to", "csv", "--out", "tables", "--agent", "gold")

    assert tables.stdout.split() == [f"tables/{name}.csv" for name in TABLES]
    cells = pl.read_csv(runs / "tables/cells.csv")
    ours = package.load(runs / "after").cells.filter(pl.col("agent") == "gold")
    assert cells.select("k", "pass_hat", "tasks").equals(ours.select("k", "pass_hat", "tasks"))
    episodes = pl.read_csv(runs / "tables/episodes.csv")
    ours = package.load(runs / "after").episodes.filter(pl.col("agent") == "gold")
    assert [json.loads(cell) for cell in episodes["undecided"]] == ours["undecided"].to_list()
    assert len(episodes) == 10


def test_an_agent_that_did_not_play_is_not_exported(refused: Refused, runs: Path) -> None:
    for form in ("parquet", "csv", "jsonl"):
        line = refused("export", "after", "--to", form, "--out", "t", "--agent", "nobody", status=2)
        assert "no agent 'nobody': choose of gold, silent" in line
    assert not (runs / "t").exists()


def test_runs_of_one_name_are_told_apart_in_a_report(dragoman: Cli, runs: Path) -> None:
    shutil.copytree(runs / "after", runs / "other" / "after")

    done = dragoman("report", "after", "other/after", "--out", "both.html")

    assert done.returncode == 0, done.stderr
    assert "run other/after" in (runs / "both.html").read_text("utf-8")


@pytest.mark.usefixtures("runs")
def test_in_80_columns_no_figure_is_cut_and_no_name_is_broken(dragoman: Cli) -> None:
    printed = dragoman("compare", "after", "--full", COLUMNS="80").stdout

    (heading, row) = (
        line for line in printed.splitlines() if line.startswith(("A -> B", "gold   "))
    )
    assert heading.split()[-2:] == ["p", "Holm"]
    assert row.split()[-2:] == ["0.125", "0.125"]
    assert "-> silent " in printed
    assert max(map(len, printed.split("worse in B")[0].splitlines())) <= 80


@pytest.mark.usefixtures("runs")
def test_the_answer_comes_first_and_names_the_command_for_every_figure(dragoman: Cli) -> None:
    asked = ("compare", "before", "after", "--agent", "gold", "--versus", "silent")
    done = dragoman(*asked, COLUMNS="80")

    lines = done.stdout.splitlines()
    assert " ".join(lines[:2]) == (
        "The difference is not significant: B (silent) has 100.0 fewer points of pass^1 than A"
    )
    assert lines[2].startswith("95% CI -20.5 to 100.0, n = 4 tasks x 3 trials in A and 2 in B, p ")
    assert "agent             tasks      A    B  B - A [95% CI]          p Holm" in lines
    assert "gold -> silent        4  100.0  0.0  -100.0 [-100.0, +20.5]   0.125" in lines
    assert "Excluded: 1 task (incomplete in both)." in lines
    assert "sample:shop; A gold (before), B silent (after); dragoman-2, judge rule-1." in lines
    assert "Note: not compared in B: gold (en/text/none)" in lines
    assert lines[-1] == (f"Next: dragoman {' '.join(asked)} --full   every k, tasks won and lost")
    assert max(map(len, lines[:-1])) <= 80

    full = dragoman(*lines[-1].removeprefix("Next: dragoman ").partition("   ")[0].split())
    assert full.stdout.startswith(lines[0])
    assert "  worse in B   4 tasks: too-late" in full.stdout
    assert "note: not compared in B: gold" in full.stdout
    assert "Next:" not in full.stdout


@pytest.mark.slow
def test_a_drop_has_one_corrected_p_in_every_command(run_json: RunJson) -> None:
    options = ("--voice", "text,simulated:15", "--language", "en,vi", "--scenario", "domain")
    run_json("run", "courier", "--agent", "literal,careful", *options, "--limit", "6", "--out", "r")

    def corrected(entries: list[dict[str, Any]], a: str, b: str) -> dict[Any, Any]:
        return {
            (
                each.get("agent") or each["a"]["agent"],
                frozenset((each[a]["condition"], each[b]["condition"])),
            ): (
                each["p"],
                each["adjusted_p"],
                each["family"],
                each["corrected_for"],
            )
            for each in entries
            if "agent" not in each.get("differs", ())
        }

    shown = corrected(run_json("show", "r")["losses"], "base", "other")
    compared = corrected(run_json("compare", "r")["comparisons"], "a", "b")
    some = corrected(
        run_json("compare", "r", "--agent", "literal", "--by", "voice")["comparisons"], "a", "b"
    )
    assert len(shown) == len(compared) == 8
    assert len(some) == 2
    assert shown == compared
    assert some.items() <= shown.items()
    assert {(family, count) for *_, family, count in shown.values()} == {
        ("baseline", 6),
        ("layer", 4),
    }
