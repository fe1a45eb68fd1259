"""`dragoman leaderboard --style mm-tau-p2`: the metrics of a run, printed and written."""

import csv
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import msgspec
import pytest

STYLE = ("--style", "mm-tau-p2")


@pytest.fixture(scope="module")
def spoken(
    tmp_path_factory: pytest.TempPathFactory, in_process: Callable[..., CompletedProcess[str]]
) -> Path:
    """A run in text and misheard, measured; nothing changes it."""
    folder = tmp_path_factory.mktemp("mm-tau")
    plan = ("--limit", "2", "--agent", "literal", "--voice", "text", "--voice", "simulated:30")
    run = in_process("run", "courier:easy", *plan, "--out", "mine", cwd=folder)
    assert run.returncode == 0, run.stderr
    named = (word for name in ("effort", "recovery", "critical") for word in ("--measure", name))
    scored = in_process("score", "mine", *named, cwd=folder)
    assert scored.returncode == 0, scored.stderr
    return folder


def test_terminal_json_markdown_and_csv_tell_the_same(
    spoken: Path, in_process: Callable[..., CompletedProcess[str]], tmp_path: Path
) -> None:
    outs = ("--out", str(tmp_path / "b.md"), "--out", str(tmp_path / "b.csv"))
    printed = in_process("leaderboard", "mine", *STYLE, *outs, cwd=spoken)
    told = in_process("leaderboard", "mine", *STYLE, "--json", cwd=spoken)

    assert printed.returncode == 0, printed.stderr
    board = msgspec.json.decode(told.stdout)["board"]
    typed, misheard = board["cells"]
    assert {typed["reader"], misheard["reader"]} == {"log"}
    assert "no judge was asked here" in " ".join(printed.stdout.split())
    assert misheard["way"]["voice"] == "simulated:30"
    fields = typed["metrics"]["CFA"]
    assert f"{fields['value']:.3f} of {fields['n']:g}" in printed.stdout
    assert "the measure safety was not taken" in " ".join(printed.stdout.split())
    assert (misheard["mm_tap"], "IAS" in misheard["lacks"]) == (None, True)
    assert f"| Critical Field Accuracy (CFA) | {fields['value']:.3f} of" in (
        tmp_path / "b.md"
    ).read_text("utf-8")
    with (tmp_path / "b.csv").open(encoding="utf-8", newline="") as file:
        rows = {(row["voice"], row["metric"]): row for row in csv.DictReader(file)}
    assert float(rows["text", "CFA"]["value"]) == fields["value"]
    assert rows["simulated:30", "mm-tap"]["value"] == ""


def test_what_makes_no_sense_is_told_in_one_line(
    spoken: Path, in_process: Callable[..., CompletedProcess[str]]
) -> None:
    def refused(*options: str) -> str:
        done = in_process("leaderboard", "mine", *options, cwd=spoken)
        assert done.returncode == 2
        return done.stderr

    assert "give four numbers" in refused(*STYLE, "--weights", "1,2")
    assert "sum to 0.8" in refused(*STYLE, "--weights", "0.2,0.2,0.2,0.2")
    assert "--weights goes with" in refused("--style", "bfcl-audio", "--weights", "1,0,0,0")
    assert "neither .md nor .csv nor .json nor .parquet nor .tex" in refused(
        *STYLE, "--out", "x.txt"
    )
