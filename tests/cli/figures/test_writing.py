"""`dragoman plots`."""

import csv
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from xml.etree import ElementTree as ET

import pytest

Cli = Callable[..., CompletedProcess[str]]


@pytest.fixture(scope="module")
def run(in_process: Cli, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("figures")
    done = in_process(
        *("run", "sample:shop", "--agent", "gold,silent", "--trials", 2, "--out", "mine"),
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_figures_are_files_with_their_data_beside_them(in_process: Cli, run: Path) -> None:
    done = in_process("figures", "mine", "--out", "paper", cwd=run)

    assert done.returncode == 0, done.stderr
    written = {Path(line).name for line in done.stdout.split()}
    assert written == {path.name for path in (run / "paper").iterdir()}
    assert {"pass-1-sample-shop.svg", "pass-1-sample-shop.csv", "figures.md"} <= written
    assert ET.parse(run / "paper" / "pass-1-sample-shop.svg").getroot().get("width") == "560"  # noqa: S314 - our own
    with (run / "paper" / "pass-1-sample-shop.csv").open(encoding="utf-8") as file:
        rows = {row["series"]: row for row in csv.DictReader(file)}
    assert (rows["gold"]["value"], rows["gold"]["n"]) == ("1.0", "2.0")
    assert float(rows["silent"]["value"]) < 1
    assert rows["gold"]["place"] == "English text"


def test_papers_get_a_pdf_a_bitmap_and_lines_of_latex(in_process: Cli, run: Path) -> None:
    done = in_process("figures", "mine", "--out", "latex", "--format", "png,pdf", cwd=run)

    assert done.returncode == 0, done.stderr
    assert (run / "latex" / "gaps.png").read_bytes().startswith(b"\x89PNG")
    assert (run / "latex" / "gaps.pdf").read_bytes().startswith(b"%PDF")
    assert "{gaps}" in (run / "latex" / "figures.tex").read_text("utf-8")


def test_a_format_that_there_is_not_is_told_in_one_line(in_process: Cli, run: Path) -> None:
    done = in_process("figures", "mine", "--format", "svg,tiff", cwd=run)

    assert done.returncode == 2
    assert done.stderr == "dragoman: --format tiff: choose of svg, png, pdf, several by commas\n"
    assert not (run / "figures").exists()
