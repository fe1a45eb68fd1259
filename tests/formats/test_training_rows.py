"""Conversations that passed become rows that a training reads, and the others are counted."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from dragoman.core.apis.itc_answers import parse_itc_answer
from dragoman.finetuning.contamination import calls_of
from dragoman.finetuning.preparation import read_rows
from dragoman.formats.training_examples import rows_of_run
from dragoman.store.run_store import open_run

Cli = Callable[..., CompletedProcess[str]]


def test_a_gold_run_on_calls_of_apis_becomes_rows_with_their_origin(
    in_process: Cli, tmp_path: Path
) -> None:
    in_process("run", "itc:world/ja", "--agent", "gold,silent", "--out", "mine", cwd=tmp_path)
    done = in_process("rows", "mine", "--out", "rows.jsonl", cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    rows = read_rows([tmp_path / "rows.jsonl"])
    assert done.stdout == f"{len(rows)} rows in rows.jsonl; excluded: not passed {24 - len(rows)}\n"
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


RECORDING = """
import json

def thinks(messages, tools):
    with open("seen.jsonl", "a") as file:
        name = "nothing"
        if len(messages) == 2:
            lines = messages[0]["content"].splitlines()
            name = json.loads(next(line for line in lines if line[:2] == "[{"))[0]["name"]
        action = f"[{name}()]" if len(messages) == 2 else "[]"
        answer = json.dumps({"Thought": "Let me see.", "Action": action})
        said = [*messages, {"role": "assistant", "content": answer}]
        file.write(json.dumps(said) + "\\n")
    return answer
"""


@pytest.mark.slow
def test_rows_of_an_agent_that_calls_in_text_are_what_it_saw_and_wrote(
    in_process: Cli, tmp_path: Path
) -> None:
    (tmp_path / "recording.py").write_text(RECORDING)
    agent = "recording:thinks?calls=thought-action"
    in_process("run", "itc:world/ja", "--agent", agent, "--out", "mine", cwd=tmp_path)

    done = in_process("rows", "mine", "--only", "all", "--out", "rows.jsonl", cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    rows = read_rows([tmp_path / "rows.jsonl"])
    seen = [json.loads(line) for line in (tmp_path / "seen.jsonl").read_text().splitlines()]
    longest = {each[1]["content"]: each for each in sorted(seen, key=len)}
    assert {row.request.partition("\nThese are")[0]: list(row.messages) for row in rows} == longest
    assert any(len(each) > 3 for each in longest.values())
    assert all(not row.tools for row in rows)


def test_native_calls_are_written_as_thought_and_action_on_request(
    in_process: Cli, tmp_path: Path
) -> None:
    in_process("run", "itc:world/ja", "--agent", "gold", "--out", "mine", cwd=tmp_path)

    done = in_process(
        "rows", "mine", "--calls", "thought-action", "--out", "rows.jsonl", cwd=tmp_path
    )

    assert done.returncode == 0, done.stderr
    with open_run(tmp_path / "mine", write=False) as store:
        native = rows_of_run(store, store.scorings()[-1], only_passed=True)
    written = {row.origin.task: row for row in read_rows([tmp_path / "rows.jsonl"])}
    assert len(written) == len(native.rows) >= 10
    for row in native.rows:
        other = written[row.origin.task]
        assert calls_of(other) == calls_of(row)
        assert other.origin == row.origin
        answers = [each["content"] for each in other.messages if each["role"] == "assistant"]
        assert all(parse_itc_answer(str(each)).is_strict for each in answers)
    assert {len(row.messages) for row in written.values()} > {3}


def test_a_form_that_a_suite_does_not_write_is_refused(in_process: Cli, tmp_path: Path) -> None:
    in_process("run", "sample:shop", "--agent", "gold", "--out", "mine", cwd=tmp_path)
    for form, said in (("xml", "choose thought-action"), ("thought-action", "cannot be written")):
        done = in_process("rows", "mine", "--calls", form, "--out", "rows.jsonl", cwd=tmp_path)
        assert done.returncode == 2
        assert said in done.stderr
