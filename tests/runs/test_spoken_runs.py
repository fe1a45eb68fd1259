"""Whole spoken runs by real engines: no result depends on the player or other cells."""

import asyncio
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from dragoman.composition.setup import build_setup
from dragoman.config.run_config import RunConfig
from dragoman.core.episodes import Episode, Message
from dragoman.core.replies import AudioRef, TextReply, Utterance
from dragoman.runs.executor import execute, pending_cells
from dragoman.runs.jobs import start_job
from dragoman.runs.manifest import read_manifest
from dragoman.runs.plan import plan_cells
from dragoman.store.audio_files import FOLDER, audio_path
from dragoman.store.run_file import FILE
from dragoman.store.run_store import open_run

SPOKEN = RunConfig(
    "courier:easy",
    ("literal",),
    tasks=("where-is-my-parcel", "saturday-morning"),
    voices=("bad-line",),
    asr=("generic",),
    speakers=("us",),
    concurrency=1,
)
TIME_LIMIT = 300


def changed(**fields: object) -> RunConfig:
    return msgspec.structs.replace(SPOKEN, **fields)


def keys(config: RunConfig) -> dict[tuple[str, str, str, int], str]:
    """Return the keys of a plan by condition, agent, task and trial."""
    return {
        (cell.condition.label, cell.agent.name, cell.task.id, cell.trial): cell.key
        for cell in plan_cells(build_setup(config))
    }


def play(config: RunConfig, folder: Path) -> Path:
    async def work() -> None:
        try:
            await execute(
                job.setup, pending_cells(job.cells, job.store), job.store, lambda *_: None
            )
        finally:
            await job.setup.close()

    job = start_job(build_setup(config), folder, 0.0)
    with job.store:
        asyncio.run(work())
    return folder


def stored(folder: Path) -> dict[str, Episode]:
    """Return the conversations by cell, without the differences between runs."""
    with open_run(folder, write=False) as store:
        return {
            key: msgspec.structs.replace(episode, started=0.0, seconds=0.0)
            for key, _, episode in store.episodes()
        }


def utterances(episode: Episode, side: str = "user") -> list[Utterance]:
    return [
        event.reply.utterance
        for event in episode.events
        if isinstance(event, Message) and event.by == side and isinstance(event.reply, TextReply)
    ]


def audio_of(utterance: Utterance) -> tuple[AudioRef | None, AudioRef | None]:
    return utterance.clean_audio, utterance.audio


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in (folder / FOLDER).rglob("*.wav")}


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two tasks, one after the other."""
    return play(SPOKEN, tmp_path_factory.mktemp("spoken") / "run")


@pytest.mark.slow
@pytest.mark.speech
def test_all_that_was_said_lies_beside_the_run(unbroken: Path) -> None:
    episodes = stored(unbroken)
    assert len(episodes) == 2
    assert {episode.ending.reason for episode in episodes.values()} == {"user_stop"}
    said = [
        utterance
        for episode in episodes.values()
        for side in ("agent", "user")
        for utterance in utterances(episode, side)
    ]
    assert _named(unbroken) == files(unbroken)
    assert all(utterance.heard is not None for utterance in said)
    with open_run(unbroken, write=False) as store:
        record = read_manifest(store).voices["en/bad-line+generic/none"]
    assert record["speakers"] == ["espeak-ng:us"]
    assert record["recognizer"] == "pocketsphinx:adapted:generic"


@pytest.mark.nightly
@pytest.mark.speech
def test_workers_and_order_change_neither_audio_nor_transcripts(
    unbroken: Path, tmp_path: Path
) -> None:
    config = changed(concurrency=4, tasks=tuple(reversed(SPOKEN.tasks)))
    other = play(config, tmp_path / "run")

    assert stored(other) == stored(unbroken)
    assert files(other) == files(unbroken)


@pytest.mark.nightly
@pytest.mark.speech
def test_another_agent_and_another_recognizer_hear_the_same_audio(
    unbroken: Path, tmp_path: Path
) -> None:
    task = SPOKEN.tasks[0]
    config = changed(agents=("literal", "silent"), asr=("generic", "understood"), tasks=(task,))
    other = stored(play(config, tmp_path / "run"))

    before, now = keys(SPOKEN), keys(config)
    own = ("en/bad-line+generic/none", "literal", task, 0)
    assert now[own] == before[own]
    assert other[now[own]] == stored(unbroken)[before[own]]
    openings = [utterances(episode)[0] for episode in other.values()]
    assert len(openings) == 4
    assert len({audio_of(opening) for opening in openings}) == 1
    assert len({opening.heard for opening in openings}) == 2


@pytest.mark.nightly
@pytest.mark.speech
def test_a_run_killed_in_mid_call_ends_as_one_never_killed(unbroken: Path, tmp_path: Path) -> None:
    begun = [
        *("run", SPOKEN.suite, "--agent", "literal", "--tasks", ",".join(SPOKEN.tasks)),
        *("--voice", "bad-line", "--asr", "generic", "--speaker", "us"),
        *("--concurrency", "1", "--out", "killed"),
    ]
    folder = tmp_path / "killed"
    with subprocess.Popen(
        [sys.executable, "-m", "dragoman", *begun], cwd=tmp_path, stderr=subprocess.DEVNULL
    ) as process:
        # One call is over and another has begun: there is more audio than that of the first call.
        while process.poll() is None and not _episodes(folder):
            time.sleep(0.02)
        known = _named(folder)
        while process.poll() is None and files(folder) <= known:
            time.sleep(0.02)
        process.kill()
    assert _episodes(folder) == 1

    done = subprocess.run(
        [sys.executable, "-m", "dragoman", "resume", "killed"],
        cwd=tmp_path,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert stored(folder) == stored(unbroken)
    assert files(folder) == files(unbroken)


def _episodes(folder: Path) -> int:
    if not (folder / FILE).is_file():
        return 0
    connection = sqlite3.connect(f"{(folder / FILE).as_uri()}?mode=ro", uri=True)
    try:
        return int(connection.execute("SELECT count(*) FROM episodes").fetchone()[0])
    except sqlite3.Error:
        # The tables are being made.
        return 0
    finally:
        connection.close()


def _named(folder: Path) -> set[str]:
    """Return the files of audio that stored conversations name."""
    return {
        audio_path(reference.sha256)
        for episode in stored(folder).values()
        for side in ("agent", "user")
        for utterance in utterances(episode, side)
        for reference in audio_of(utterance)
        if reference is not None
    }


@pytest.mark.parametrize(
    "more",
    [
        {"agents": ("careful", "literal")},
        {"asr": ("understood", "generic")},
        {"voices": ("text", "street", "bad-line")},
        {"trials": 2},
        {"tasks": ()},
    ],
)
def test_more_of_anything_changes_no_other_cell(more: dict[str, object]) -> None:
    before, now = keys(SPOKEN), keys(changed(**more))
    assert len(now) > len(before)
    assert before.items() <= now.items()


@pytest.mark.parametrize(
    "other",
    [
        {"speakers": ("british",)},
        {"speakers": ("us", "british")},
        {"voices": ("bad-line-without-loss",)},
        {"asr": ("understood",)},
    ],
)
def test_what_can_change_what_is_heard_is_part_of_every_key(other: dict[str, object]) -> None:
    before, now = keys(SPOKEN), keys(changed(**other))
    assert len(now) == len(before)
    assert not set(before.values()) & set(now.values())


def test_text_has_the_keys_that_it_has_without_voices() -> None:
    plain = keys(changed(voices=(), asr=(), speakers=()))
    beside = keys(changed(voices=("text", "bad-line")))
    assert {"en/text/none"} == {place[0] for place in plain}
    assert plain.items() <= beside.items()
