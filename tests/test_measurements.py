"""The page of measurements is generated from the record of `make bench`."""

import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
RECORDED = runpy.run_path(str(ROOT / "bench" / "recorded_figures.py"))
RUN = (ROOT / "bench" / "run.py").read_text("utf-8")

SECTION = {
    "date": "2026-11-28",
    "python": "3.11.7",
    "cores": 2,
    "plain_python_ns": 400.0,
    "load": 0.3,
    "lines": ["start-up CPU of --help: 0.210 s"],
}


def test_a_section_is_shown_with_its_command_date_and_machine() -> None:
    page = RECORDED["make_page"]({"start-up": SECTION})

    assert "## Start-up of the command line" in page
    assert "`make bench SECTIONS=start-up`, 2026-11-28, Python 3.11.7, 2 cores, load 0.3" in page
    assert "```\nstart-up CPU of --help: 0.210 s\n```" in page


def test_a_section_without_a_record_says_that_it_was_not_measured() -> None:
    page = RECORDED["make_page"]({})

    assert "Not measured for this version: `make bench SECTIONS=wire`." in page


def test_every_section_of_the_benchmark_has_a_title() -> None:
    assert [name for name in RECORDED["TITLES"] if f'"{name}": _' not in RUN] == []


def test_the_page_has_the_sections_of_the_generator_in_their_order() -> None:
    page = (ROOT / "docs" / "reference" / "measurements.md").read_text("utf-8")

    assert page.startswith(RECORDED["INTRODUCTION"])
    headings = [line[3:] for line in page.splitlines() if line.startswith("## ")]
    assert headings == list(RECORDED["TITLES"].values())


def test_printed_text_is_printed_and_copied(capsys: pytest.CaptureFixture[str]) -> None:
    with RECORDED["copied_output"]() as copy:
        sys.stdout.write("a figure\n")

    assert copy.getvalue() == "a figure\n"
    assert capsys.readouterr().out == "a figure\n"
