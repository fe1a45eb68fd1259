"""Five commands of the guide make an evaluated dataset from an OpenAPI document."""

import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "how_to" / "curate.md"
HEADING = "## A dataset in five commands"


def commands() -> list[str]:
    """Return the commands of the first block of code under the heading."""
    text = PAGE.read_text("utf-8").partition(f"{HEADING}\n")[2]
    return text.split("```")[1].strip().splitlines()


@pytest.mark.slow
def test_they_lead_from_a_document_to_figures(
    dragoman: Callable[..., CompletedProcess[str]], folder: Path
) -> None:
    shutil.copy(ROOT / "docs" / "examples" / "library.yaml", folder)
    printed = ""
    assert len(commands()) == 5
    for line in commands():
        program, *arguments = shlex.split(line)
        assert program == "dragoman"
        done = dragoman(*arguments)
        assert done.returncode == 0, (line, done.stderr)
        printed = done.stdout
    tasks = (folder / "queries_suite" / "tasks.jsonl").read_text("utf-8").splitlines()
    assert len(tasks) == 6
    table = printed.partition("pass^1\n")[2].partition("\n\n")[0]
    page = PAGE.read_text("utf-8")
    assert {line.split(",")[0] for line in table.splitlines()} == {"gold", "lexical", "silent"}
    assert table in page
