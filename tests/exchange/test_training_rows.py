"""Conversations that passed become rows that a training reads, and the others are counted."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

from dragoman.exchange.training_rows import rows_of_run
from dragoman.finetuning.row_files import read_rows
from dragoman.store.run import open_run

Cli = Callable[..., CompletedProcess[str]]


def test_a_gold_run_on_calls_of_apis_becomes_rows_with_their_origin(
    in_process: Cli, tmp_path: Path
) -> None:
    in_process("run", "itc:world/ja", "--agent", "gold,silent", "--out", "mine", cwd=tmp_path)
    done = in_process("rows", "mine", "--out", "rows.jsonl", cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    rows = read_rows([tmp_path / "rows.jsonl"])
    assert done.stdout == f"{len(rows)} rows in rows.jsonl; left out: not passed {24 - len(rows)}\n"
    assert len(rows) >= 10
    for row in rows:
        assert row.origin.suite == "itc:world/ja"
        assert (row.origin.language, row.origin.made_by) == ("ja", "gold")
        assert [message["role"] for message in row.messages[:3]] == ["system", "user", "assistant"]
        names = [tool["function"]["name"] for tool in row.tools]  # type: ignore[index]
        assert set(row.origin.apis) <= set(names)
    with open_run(tmp_path / "mine", write=False) as store:
        everything = rows_of_run(store, store.scorings()[-1], only_passed=False)
    assert (len(everything.rows), everything.left_out) == (24, {})


def test_a_run_in_which_nobody_passed_gives_no_file(in_process: Cli, tmp_path: Path) -> None:
    in_process("run", "sample:shop", "--agent", "silent", "--out", "mine", cwd=tmp_path)

    done = in_process("rows", "mine", "--out", "rows.jsonl", cwd=tmp_path)

    assert done.returncode == 2
    assert "no conversation becomes a row (not passed" in done.stderr
    assert not (tmp_path / "rows.jsonl").exists()
