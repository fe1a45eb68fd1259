"""Every page of docs/tutorials runs as it is written, and prints the lines that it shows."""

import shutil
from pathlib import Path

import pytest
from tests.shown_sessions import Run, play_page

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = Path("docs", "examples")
PAGES = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
SPOKEN = {"spoken_run.md"}


def marked(page: Path) -> object:
    """Return a page as a parameter, with the marks that its commands need."""
    marks = [pytest.mark.speech] if page.name in SPOKEN else []
    return pytest.param(page, marks=marks, id=page.stem)


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("page", [marked(page) for page in PAGES])
def test_a_tutorial_prints_what_it_shows(page: Path, tmp_path: Path, in_process: Run) -> None:
    shutil.copytree(ROOT / EXAMPLES, tmp_path / EXAMPLES)

    assert play_page(page.read_text("utf-8"), tmp_path, in_process) >= 5
