"""Whisper from the command line: a run with a folder, and with a name that is downloaded first."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from tests.speech.local.hub_server import HubServer

from dragoman.core.episodes import Episode, Message
from dragoman.core.replies import TextReply
from dragoman.speech.local.hub_models import HubModel
from dragoman.store.run_store import open_run

RUN = (
    *("run", "courier:easy", "--agent", "literal", "--tasks", "where-is-my-parcel"),
    *("--voice", "telephone", "--speaker", "us"),
)
UNREACHABLE = "http://127.0.0.1:9"

Dragoman = Callable[..., CompletedProcess[str]]


@pytest.fixture
def dragoman(tmp_path: Path) -> Dragoman:
    """Run a command in a process, in a folder and with a cache of its own."""

    def call(*arguments: object, **more: str) -> CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "dragoman", *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    return call


@pytest.fixture
def hub(whisper_folder: Path, whisper_model: HubModel) -> Iterator[HubServer]:
    files = {file.name: (whisper_folder / file.name).read_bytes() for file in whisper_model.files}
    with HubServer(files, whisper_model.revision) as server:
        yield server


def episode_of(folder: Path) -> Episode:
    with open_run(folder, write=False) as store:
        ((_, _, episode),) = store.episodes()
    return episode


def heard_of(episode: Episode) -> list[str]:
    return [
        str(event.reply.utterance.heard)
        for event in episode.events
        if isinstance(event, Message) and event.by == "user" and isinstance(event.reply, TextReply)
    ]


def test_a_run_is_played_with_a_folder_and_again_the_same(
    dragoman: Dragoman, whisper_folder: Path, tmp_path: Path
) -> None:
    asr = ("--asr", f"whisper/{whisper_folder}?device=cpu")
    for out in ("one", "two"):
        done = dragoman(*RUN, *asr, "--out", out, HF_ENDPOINT=UNREACHABLE)
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
    one, two = (heard_of(episode_of(tmp_path / out)) for out in ("one", "two"))
    assert one == two
    assert "parcel" in one[0].lower()


def test_a_name_is_downloaded_once_and_used_without_the_network(
    dragoman: Dragoman, hub: HubServer, whisper_folder: Path, tmp_path: Path
) -> None:
    run = (*RUN, "--asr", "whisper/base?device=cpu", "--out")
    done = dragoman(*run, "named", HF_ENDPOINT=hub.endpoint)
    assert done.returncode == 0, done.stderr
    first, last, *_ = done.stderr.splitlines()
    assert first == "whisper/base: downloading 148 MB from 127.0.0.1"
    assert last == "whisper/base vocabulary.txt: 148 of 148 MB"
    again = dragoman(*run, "again", HF_ENDPOINT=UNREACHABLE)
    assert again.returncode == 0, again.stderr
    assert "download" not in again.stderr
    asr = ("--asr", f"whisper/{whisper_folder}?device=cpu")
    assert dragoman(*RUN, *asr, "--out", "folder").returncode == 0
    heard = [heard_of(episode_of(tmp_path / each)) for each in ("named", "again", "folder")]
    assert heard[0] == heard[1] == heard[2]


def test_progress_is_shown_early_and_what_is_interrupted_is_no_model(
    dragoman: Dragoman, hub: HubServer, tmp_path: Path
) -> None:
    hub.chunk_seconds = 0.001
    command = [sys.executable, "-m", "dragoman", *RUN, "--asr", "whisper/base", "--out", "cut"]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env={
            **os.environ,
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "HF_ENDPOINT": hub.endpoint,
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        line, shown = process.stderr.readline(), time.monotonic()
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        status, rest = process.wait(), process.stderr.read()
    assert line == "whisper/base: downloading 148 MB from 127.0.0.1\n"
    assert shown - hub.first_asked < 5
    assert status == 130
    assert "Traceback" not in rest
    done = dragoman(*RUN, "--asr", "whisper/base", "--out", "cut", HF_ENDPOINT=UNREACHABLE)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r".*whisper/base: model base \(148 MB\) cannot .*\n", done.stderr)
    hub.chunk_seconds = 0
    hub.asked.clear()
    done = dragoman(*RUN, "--asr", "whisper/base", "--out", "cut", HF_ENDPOINT=hub.endpoint)
    assert done.returncode == 0, done.stderr
    ((name, start), *_) = hub.asked
    assert name == "model.bin"
    assert start > 0


@pytest.mark.usefixtures("whisper_folder")
def test_a_name_that_is_misspelled_gets_one_line(dragoman: Dragoman) -> None:
    done = dragoman(*RUN, "--asr", "whisper/bass", "--out", "x", HF_ENDPOINT=UNREACHABLE)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "did you mean whisper/base?" in done.stderr
