"""Runs as logs of Inspect: the files themselves, and Inspect's reading of them."""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import dragoman
from dragoman.formats.inspect_log import write_inspect_logs
from dragoman.store.run_store import open_run

Messages = list[dict[str, Any]]


def counted(messages: Messages, tools: Messages) -> dict[str, object]:
    """An agent that reports usage, and looks a customer up once."""
    assert tools
    usage = {"input_tokens": 100 * len(messages), "output_tokens": 7}
    if any(message["role"] == "tool" for message in messages):
        return {"content": "<b>Goodbye</b> \x1b[31m", "usage": usage}
    call = {"name": "find_user_id_by_name_zip", "arguments": {"first_name": "Ines"}}
    return {"content": None, "tool_calls": [call], "usage": usage}


def silent_about_usage(messages: Messages, tools: Messages) -> str:
    assert messages
    assert tools
    return "I cannot help you with that."


def broken(messages: Messages, tools: Messages) -> str:
    assert tools
    if len(messages) > 2:
        raise KeyError("x")
    return "One moment."


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> dragoman.RunResult:
    return dragoman.run(
        "sample:shop",
        agent=["gold", counted, silent_about_usage, broken],
        judge="rule",
        trials=2,
        measure="effort",
        out=tmp_path_factory.mktemp("inspect") / "run",
    )


@pytest.fixture(scope="module")
def logs(run: dragoman.RunResult) -> tuple[Path, ...]:
    with open_run(run.folder, write=False) as store:
        return write_inspect_logs(store, (run.rules, run.judge), run.folder / "logs")


def test_a_log_is_a_zip_of_json_for_each_cell_of_the_grid(
    run: dragoman.RunResult, logs: tuple[Path, ...]
) -> None:
    assert [path.suffix for path in logs] == [".eval"] * 4
    assert sorted((run.folder / "logs").iterdir()) == sorted(logs)
    with zipfile.ZipFile(logs[0]) as archive:
        names = archive.namelist()
        summaries = json.loads(archive.read("summaries.json"))
        samples = [json.loads(archive.read(each)) for each in names if each.startswith("samples/")]
    assert len(samples) == len(summaries) == 10
    assert {(each["id"], each["epoch"]) for each in samples} == {
        (row["task"], row["trial"] + 1) for row in run.episodes.filter(agent="gold").to_dicts()
    }
    (shown,) = (each for each in summaries if each["uuid"] == samples[0]["uuid"])
    assert "messages" not in shown
    assert shown["message_count"] == len(samples[0]["messages"])


def test_only_the_agent_that_is_named_is_written(run: dragoman.RunResult, tmp_path: Path) -> None:
    with open_run(run.folder, write=False) as store:
        (path,) = write_inspect_logs(store, (run.rules, run.judge), tmp_path, "gold")
    assert "gold" in path.name


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_inspect_reads_scores_epochs_usage_and_errors_as_ours(
    run: dragoman.RunResult, logs: tuple[Path, ...]
) -> None:
    import pandas as pd
    from inspect_ai.analysis import messages_df, samples_df
    from inspect_ai.log import read_eval_log

    read = {log.eval.model: log for log in map(read_eval_log, map(str, logs))}
    assert set(read) == set(run.episodes["agent"])
    frame = samples_df(str(run.folder / "logs"))
    ours = {row["key"]: row for row in run.episodes.to_dicts()}
    assert set(frame["sample_id"]) == set(ours)
    for row in frame.to_dict("records"):
        mine = ours[row["sample_id"]]
        assert (row["id"], row["epoch"]) == (mine["task"], mine["trial"] + 1)
        assert row["metadata_standing"] == mine["standing"]
        value = None if pd.isna(row["score_reward"]) else row["score_reward"]
        assert value == (mine["reward"] if not mine["undecided"] else None)
        assert row["error"] == (
            f"code_error: {mine['ending_detail']}" if mine["standing"] == "code" else ""
        )
    for agent, log in read.items():
        assert log.results is not None
        assert log.eval.config.epochs == 2
        assert log.stats.started_at < log.stats.completed_at
        assert log.eval.task_args["voice"] == "text"
        for figure in run.cells.filter(agent=agent).drop_nulls("pass_hat").to_dicts():
            metric = log.results.scores[0].metrics[f"pass^{figure['k']}"]
            assert metric.value == figure["pass_hat"]
        _require_usage(run.frames["consumed"].filter(agent=agent), log)
    assert read[f"{__name__}:broken"].samples is not None
    assert {len(sample.scores or {}) for sample in read[f"{__name__}:broken"].samples or ()} == {0}
    messages = messages_df(str(run.folder / "logs"))
    assert "<b>Goodbye</b> \x1b[31m" in set(messages["content"])
    assert set(messages["role"]) == {"assistant", "user", "tool"}


def _require_usage(consumed: pl.DataFrame, log: Any) -> None:  # noqa: ANN401 - Inspect's
    """Require the tokens of our own frame in each conversation; unknowns are in neither."""
    known = consumed.drop_nulls(["input_tokens", "output_tokens"])
    ours = {row["key"]: (row["input_tokens"], row["output_tokens"]) for row in known.to_dicts()}
    theirs: Mapping[str, tuple[int, int]] = {
        sample.uuid: (usage.input_tokens, usage.output_tokens)
        for sample in log.samples
        for usage in sample.model_usage.values()
    }
    assert theirs == ours
    assert bool(theirs) == log.eval.model.endswith(":counted")
