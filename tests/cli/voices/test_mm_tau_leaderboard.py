"""`--style mm-tau-p2` of `leaderboard` and `report`: the metrics of a run, printed and written."""

import csv
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import msgspec
import polars as pl
import pytest
from tests.report.latex_check import latex_problems

STYLE = ("--style", "mm-tau-p2")


@pytest.fixture(scope="module")
def spoken(
    tmp_path_factory: pytest.TempPathFactory, in_process: Callable[..., CompletedProcess[str]]
) -> Path:
    """A measured run in text and with simulated ASR errors; the tests do not change it."""
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
    reported = in_process("leaderboard", "mine", *STYLE, "--json", cwd=spoken)

    assert printed.returncode == 0, printed.stderr
    summary = msgspec.json.decode(reported.stdout)["board"]
    typed, misrecognized = summary["cells"]
    assert {typed["reader"], misrecognized["reader"]} == {"log"}
    assert "no judge was asked here" in " ".join(printed.stdout.split())
    assert misrecognized["way"]["voice"] == "simulated:30"
    fields = typed["metrics"]["CFA"]
    assert f"{fields['value']:.3f} of {fields['n']:g}" in printed.stdout
    assert "the measure safety was not taken" in " ".join(printed.stdout.split())
    assert (misrecognized["mm_tap"], "IAS" in misrecognized["lacks"]) == (None, True)
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


def test_the_report_begins_with_what_each_axis_does_and_has_the_source_s_tables_and_figures(
    spoken: Path, in_process: Callable[..., CompletedProcess[str]], tmp_path: Path
) -> None:
    done = in_process("report", "mine", *STYLE, "--out", str(tmp_path / "r.html"), cwd=spoken)

    assert done.returncode == 0, done.stderr
    page = (tmp_path / "r.html").read_text("utf-8")
    places = [
        page.index(f">{heading}")
        for heading in (
            "Effect of each axis",
            "Figure 2: pass^1 by modality and exposure",
            "Figure 3: pass^1 by modality, persona and exposure",
            "Table 2: all metrics",
            "Table 5: mm-tap",
            "Judges against the log",
            "Results</h2>",
        )
    ]
    assert places == sorted(places)
    assert "voice: text → simulated:30" in page
    assert "no judge was asked here" in page
    assert "Tables 3 and 4" not in page, "one exposure alone was played"


def test_the_report_s_tables_are_written_in_every_format_with_the_same_figures(
    spoken: Path, in_process: Callable[..., CompletedProcess[str]], tmp_path: Path
) -> None:
    def written(name: str, *options: str) -> Path:
        path = tmp_path / name
        done = in_process("report", "mine", *STYLE, *options, "--out", str(path), cwd=spoken)
        assert done.returncode == 0, done.stderr
        return path

    summary = msgspec.json.decode(written("b.json").read_bytes())["board"]
    (figure,) = {f"{cell['metrics']['CFA']['value']:.3f}" for cell in summary["cells"][:1]}
    assert f"| Critical Field Accuracy (CFA) | {figure} of" in written("b.md").read_text("utf-8")
    latex = written("named-otherwise", "--format", "latex").read_text("utf-8")
    assert r"pass\textsuperscript{1} & " in latex
    assert latex.count(r"\begin{table") == latex.count(r"\end{table") >= 4
    assert latex_problems(latex) == []
    frame = pl.read_parquet(written("b.parquet"))
    assert frame.equals(pl.read_csv(written("b.csv"), schema=frame.schema))
    cell = frame.filter((pl.col("metric") == "CFA") & (pl.col("voice") == "text"))
    assert cell["reader"].to_list() == ["log"]


def test_a_style_or_format_that_there_is_not_is_told_in_one_line(
    spoken: Path, in_process: Callable[..., CompletedProcess[str]]
) -> None:
    def refused(*options: str) -> str:
        done = in_process("report", "mine", *options, cwd=spoken)
        assert done.returncode == 2
        return done.stderr

    assert "--style plain: choose mm-tau-p2" in refused("--style", "plain")
    assert "goes with --style mm-tau-p2" in refused("--format", "md")
    assert "--format pdf: choose html, md" in refused(*STYLE, "--format", "pdf")
    assert "--weights goes with" in refused("--weights", "1,0,0,0")
