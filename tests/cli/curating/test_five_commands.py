"""The commands of the README make an evaluated dataset of one's own OpenAPI document."""

import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

ROOT = Path(__file__).parents[3]
HEADING = "## From an OpenAPI document to an evaluated dataset"
DOCUMENTED = "## A dataset of one's own in five commands"


def commands(page: Path, heading: str) -> list[str]:
    """Return the commands of the first block of code under a heading."""
    text = page.read_text("utf-8").partition(f"{heading}\n")[2]
    return text.split("```")[1].strip().splitlines()


def test_both_pages_have_the_same_five() -> None:
    found = commands(ROOT / "README.md", HEADING)
    assert len(found) == 5
    assert commands(ROOT / "docs" / "curation.md", DOCUMENTED) == found


@pytest.mark.slow
def test_they_lead_from_a_document_to_figures(
    dragoman: Callable[..., CompletedProcess[str]], folder: Path
) -> None:
    shutil.copy(ROOT / "docs" / "examples" / "library.yaml", folder)
    printed = ""
    for line in commands(ROOT / "README.md", HEADING):
        program, *arguments = shlex.split(line)
        assert program == "dragoman"
        done = dragoman(*arguments)
        assert done.returncode == 0, (line, done.stderr)
        printed = done.stdout
    tasks = (folder / "mine_suite" / "tasks.jsonl").read_text("utf-8").splitlines()
    assert len(tasks) == 6
    table = printed.partition("pass^1\n")[2].partition("\n\n")[0]
    page = (ROOT / "docs" / "curation.md").read_text("utf-8")
    assert {line.split(",")[0] for line in table.splitlines()} == {"gold", "lexical", "silent"}
    assert table in page
