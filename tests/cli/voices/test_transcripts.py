"""`--transcript`: the recognizer's transcript that the agent receives, and its record."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dragoman as python
from dragoman.composition.setup import build_setup
from dragoman.config.run_config import RunConfig
from dragoman.core.replies import NORMALIZED, WORDS
from dragoman.runs.manifest import read_manifest
from dragoman.runs.runner import start
from dragoman.store.run_store import open_run

RunJson = Callable[..., Any]
Refused = Callable[..., str]

TASK = "where-is-my-parcel"
RUN = ("run", "courier", "--agent", "literal", "--tasks", TASK)
SPOKEN = (*RUN, "--voice", "simulated:10")


def utterances(run_json: RunJson, folder: str) -> list[dict[str, Any]]:
    """Return the utterances of the user in a run's only conversation."""
    events = run_json("show", folder, TASK)["episode"]["events"]
    return [
        event["reply"]["utterance"]
        for event in events
        if event.get("by") == "user" and event.get("reply", {}).get("type") == "said"
    ]


@pytest.mark.slow
def test_an_agent_receives_raw_transcripts_where_that_is_chosen(run_json: RunJson) -> None:
    run_json(*SPOKEN, "--out", "usual")
    run_json(*SPOKEN, "--transcript", "raw", "--out", "raw")
    run_json(*SPOKEN, "--transcript", "normalized", "--out", "named")

    usual, raw = utterances(run_json, "usual"), utterances(run_json, "raw")
    assert utterances(run_json, "named") == usual
    for said, key in ((usual, NORMALIZED), (raw, WORDS)):
        assert [each["heard"] for each in said] == [
            each["stages"][-1]["settings"][key] for each in said
        ]
    assert raw[0]["spoken"] == usual[0]["spoken"]
    assert [each["heard"] for each in raw] != [each["heard"] for each in usual]


def test_only_raw_transcripts_have_other_keys(run_json: RunJson) -> None:
    def keys(*more: str) -> list[str]:
        return sorted(each["key"] for each in run_json(*SPOKEN, *more, "--dry-run")["cells"])

    assert keys("--transcript", "normalized") == keys()
    assert set(keys("--transcript", "raw")).isdisjoint(keys())


def test_the_run_s_record_and_its_summary_say_that_transcripts_are_raw(
    dragoman: Callable[..., Any], folder: Path
) -> None:
    raw = dragoman(*SPOKEN, "--transcript", "raw", "--out", "raw", "--full").stdout
    usual = dragoman(*SPOKEN, "--out", "usual", "--full").stdout

    assert "agents receive: raw transcripts" in raw
    assert "agents receive" not in usual
    with open_run(folder / "raw", write=False) as store:
        assert read_manifest(store).voices["en/simulated:10/none"]["transcript"] == "raw"
    with open_run(folder / "usual", write=False) as store:
        assert "transcript" not in read_manifest(store).voices["en/simulated:10/none"]
    assert "the agent received raw transcripts" in dragoman("show", "raw", TASK).stdout
    assert "transcripts" not in dragoman("show", "usual", TASK).stdout
    assert dragoman("report", "raw").returncode == 0
    assert "raw transcripts" in (folder / "raw" / "report.html").read_text("utf-8")


def test_a_run_that_was_stopped_goes_on_with_raw_transcripts(
    run_json: RunJson, folder: Path
) -> None:
    run_json(*SPOKEN, "--transcript", "raw", "--out", "whole")
    config = RunConfig(
        "courier", ("literal",), tasks=(TASK,), voices=("simulated:10",), transcript="raw"
    )
    start(build_setup(config), folder / "stopped").store.close()
    run_json("resume", "stopped")
    assert utterances(run_json, "stopped") == utterances(run_json, "whole")


def test_a_grid_file_and_python_choose_transcripts_too(run_json: RunJson, folder: Path) -> None:
    run_json(*SPOKEN, "--transcript", "raw", "--out", "raw")
    (folder / "grid.toml").write_text(
        f'suite = "courier"\nagent = "literal"\ntask = "{TASK}"\n'
        'voice = "simulated:10"\ntranscript = "raw"\nout = "file"\n'
    )
    run_json("run", "grid.toml")
    python.run(
        "courier",
        "literal",
        task=TASK,
        voice="simulated:10",
        transcript="raw",
        out=folder / "python",
    )
    assert (
        utterances(run_json, "file")
        == utterances(run_json, "python")
        == utterances(run_json, "raw")
    )


@pytest.mark.parametrize(
    "options", [(), ("--voice", "text"), ("--voice", "studio", "--asr", "understood")]
)
def test_raw_transcripts_are_refused_where_there_are_none(
    refused: Refused, options: tuple[str, ...]
) -> None:
    line = refused(*RUN, *options, "--transcript", "raw", status=2)
    assert "--transcript raw needs a recognizer: --voice telephone" in line


def test_another_form_than_there_is_is_refused(refused: Refused) -> None:
    line = refused(*SPOKEN, "--transcript", "tidy", status=2)
    assert line == "dragoman: --transcript tidy: choose normalized or raw"
