"""Audio sets as suites on the command line."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.registry.suites import load_suite
from dragoman.store.audio_files import audio_path

Cli = Callable[..., CompletedProcess[str]]
Refused = Callable[..., str]
RunJson = Callable[..., Any]

TASKS = ("simple_python_0", "simple_python_1", "multi_turn_base_0")


@pytest.fixture
def spoken(
    write_set: Callable[..., Path], pulled_bfcl: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A set `spoken` in the working folder, with simulated ASR errors only."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(pulled_bfcl))
    suites = [load_suite("bfcl:simple_python"), load_suite("bfcl:multi_turn_base")]
    return write_set(folder / "spoken", suites, TASKS, {"simulated:15": str.lower})


@pytest.mark.usefixtures("spoken")
def test_a_set_is_listed_checked_and_planned_like_any_suite(
    run_json: RunJson, dragoman: Cli, pulled_bfcl: Path
) -> None:
    listed = dragoman("list", "tasks", "set:spoken", cache=pulled_bfcl).stdout
    assert [line.split()[0] for line in listed.splitlines()] == list(TASKS)

    found = run_json("check", "set:spoken", cache=pulled_bfcl)
    assert (found["suite"], found["tasks"], found["gold_passed"]) == ("set:spoken", 3, 3)

    planned = run_json("run", "set:spoken", "--agent", "gold", "--dry-run", cache=pulled_bfcl)
    labels = {cell["condition"] for cell in planned["cells"]}
    assert labels == {"en/text/none", "en/recorded+simulated:15/none"}


@pytest.mark.usefixtures("spoken")
def test_a_grid_file_names_a_set_and_how_it_is_played(
    run_json: RunJson, folder: Path, pulled_bfcl: Path
) -> None:
    (folder / "grid.toml").write_text(
        'suite = "set:spoken"\nagent = "literal"\nvoices = ["recorded"]\nasr = ["simulated:15"]\n'
        'limit = 2\nout = "mine"\n'
    )
    result = run_json("run", "grid.toml", cache=pulled_bfcl)
    (cell,) = result["cells"]
    assert (cell["suite"], cell["condition"]) == (
        "bfcl:simple_python",
        "en/recorded+simulated:15/none",
    )
    shown = run_json("show", "mine", "simple_python_0", cache=pulled_bfcl)
    (said, *_) = shown["episode"]["events"]
    utterance = said["reply"]["utterance"]
    assert utterance["heard"] == utterance["intended"].lower()


@pytest.mark.slow
def test_a_run_on_a_set_that_was_moved_goes_on_where_it_is_named(
    run_json: RunJson, refused: Refused, spoken: Path, folder: Path, pulled_bfcl: Path
) -> None:
    run_json("run", "set:spoken", "--agent", "literal", "--out", "whole", cache=pulled_bfcl)
    run_json("run", "set:spoken", "--agent", "literal", "--out", "moved", cache=pulled_bfcl)
    spoken.rename(folder / "elsewhere")

    line = refused("resume", "moved", cache=pulled_bfcl, status=2)
    assert "set:spoken: no audio set lies there" in line
    named = ("--suite", "set:elsewhere")
    result = run_json("resume", "moved", *named, cache=pulled_bfcl)
    assert {cell["condition"] for cell in result["cells"]} == {
        "en/text/none",
        "en/recorded+simulated:15/none",
    }
    other = refused("resume", "moved", "--suite", "bfcl:simple_python", cache=pulled_bfcl, status=1)
    assert "data, prompts or agents have changed since this run was started" in other


@pytest.mark.slow
@pytest.mark.speech
@pytest.mark.nightly
def test_a_set_that_was_made_is_played_and_goes_on_in_the_same_voice(
    run_json: RunJson, folder: Path, speaking: Path
) -> None:
    task = "where-is-my-parcel"
    run_json(
        "speak", "courier:easy", "--tts", "us", "--asr", "generic", "--out", "made", cache=speaking
    )
    options = ("--voice", "recorded", "--tasks", task, "--out", "mine")
    run_json("run", "set:made", "--agent", "literal", *options, cache=speaking)

    lines = map(
        json.loads, (folder / "made" / "transcripts" / "generic.jsonl").read_text().splitlines()
    )
    (heard,) = [line["text"] for line in lines if line["task"] == task]
    shown = run_json("show", "mine", task, cache=speaking)
    said = [
        event["reply"]["utterance"]
        for event in shown["episode"]["events"]
        if event.get("by") == "user"
        and event["type"] == "move"
        and event["reply"]["type"] == "said"
    ]
    opening, number, *_ = said
    assert opening["heard"] == heard
    assert [stage["engine"] for stage in opening["stages"]][::2] == ["espeak-ng:us", "generic"]
    assert number["stages"][0]["engine"] == "espeak-ng:us"
    assert number["stages"][-1]["engine"] == "pocketsphinx:adapted:generic"
    for utterance in (opening, number):
        assert (folder / "mine" / audio_path(utterance["audio"]["sha256"])).is_file()
