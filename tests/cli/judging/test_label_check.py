"""`dragoman label-check`, as people call it."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

LABELLED = Path(__file__).resolve().parents[2] / "experiments" / "labelled"

Run = Callable[..., CompletedProcess[str]]


def test_what_is_exact_is_a_table_and_no_line_more(in_process: Run, tmp_path: Path) -> None:
    done = in_process("label-check", str(LABELLED / "retail_written.json"), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("40 conversations with labels\n")
    assert "labelled alone" not in done.stdout


def test_what_differs_is_told_by_conversation_and_turn(in_process: Run, tmp_path: Path) -> None:
    text = (LABELLED / "retail_written.json").read_text("utf-8")
    (tmp_path / "mine.json").write_text(text.replace('"recoveries"', '"repetitions"', 1), "utf-8")
    done = in_process("label-check", "mine.json", cwd=tmp_path)
    assert done.returncode == 1
    reported = "retail-an-order-from-nowhere: repetitions: 1 labelled, 0 measured, labelled alone at turn 8"
    assert reported in done.stdout
    as_json = in_process("label-check", "mine.json", "--json", cwd=tmp_path)
    assert as_json.returncode == 1
    assert len(json.loads(as_json.stdout)["differences"]) == 2


def test_a_file_that_cannot_be_read_is_one_line(in_process: Run, tmp_path: Path) -> None:
    done = in_process("label-check", "none.json", cwd=tmp_path)
    assert done.returncode != 0
    assert done.stderr.splitlines() == [
        "dragoman: none.json: cannot read results (No such file or directory)"
    ]
