"""The notebook of the docs runs as written, and its stored output is the real output."""

import os
import re
import sys
from pathlib import Path

import nbformat
import pytest

NOTEBOOK = Path(__file__).resolve().parents[1] / "docs" / "examples" / "misheard.ipynb"
SHOWN = "!dragoman show"
"""Begins the one cell whose output has a time in it."""


def outputs(cell: nbformat.NotebookNode) -> list[str]:
    """Return the output of a cell as text."""
    if cell.cell_type != "code":
        return []
    return [out.get("text") or out["data"]["text/plain"] for out in cell.outputs]


def test_the_notebook_is_whole_and_names_nothing_of_a_machine() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(cells) >= 8
    assert all(outputs(cell) for cell in cells)
    assert not any(out.output_type == "error" for cell in cells for out in cell.outputs)
    text = NOTEBOOK.read_text("utf-8")
    assert re.findall(r"(?:/home|/root|/tmp|/work|/Users|https?://127)[/:]?\w*", text) == []
    assert "\\u001b" not in text


@pytest.mark.slow
@pytest.mark.nightly
def test_the_notebook_gives_what_stands_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nbclient import NotebookClient

    source = str(NOTEBOOK.parents[2] / "src")
    monkeypatch.setenv("PYTHONPATH", source)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("COLUMNS", raising=False)
    stored = nbformat.read(NOTEBOOK, as_version=4)
    fresh = nbformat.read(NOTEBOOK, as_version=4)
    client = NotebookClient(
        fresh, timeout=300, coalesce_streams=True, resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    nbformat.write(fresh, tmp_path / NOTEBOOK.name)
    for was, now in zip(stored.cells, fresh.cells, strict=True):
        if was.source.startswith(SHOWN):
            text = "".join(outputs(now))
            assert "heard" in text
            assert "not met" in text
        else:
            assert "".join(outputs(was)) == "".join(outputs(now)), (
                f"copy {tmp_path / NOTEBOOK.name} there"
            )
