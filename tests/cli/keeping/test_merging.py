"""`dragoman merge`."""

import asyncio
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

from dragoman.composition.setup import build_setup
from dragoman.config.run_config import RunConfig
from dragoman.runs.executor import execute, pending_cells
from dragoman.runs.jobs import start_job
from dragoman.store.conversation_writes import StoredEpisode
from dragoman.store.run_store import open_run

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]


def test_shares_are_played_joined_into_one_run(dragoman: Cli, folder: Path) -> None:
    for number in (1, 2):
        shared = ("--shard", f"{number}/2", "--out", f"part{number}")
        played = dragoman("run", "sample:shop", "--agent", "gold", *shared)
        assert played.returncode == 0, played.stdout
        assert f"Shard {number}/2 complete" in played.stdout
        assert f"dragoman merge part{number} OTHER... --out FOLDER" in played.stdout

    merged = dragoman("merge", "part1", "part2", "--out", "whole")

    assert merged.returncode == 0, merged.stderr
    reported = "whole: 5 conversations of 2 runs, 0 of them in several, 0 sounds"
    assert merged.stdout.splitlines()[-1] == reported
    with open_run(folder / "whole", write=False) as store:
        assert store.counts() == (5, 5)


def test_tasks_of_other_shards_are_not_excluded(dragoman: Cli) -> None:
    """The shard is whole; its own tasks are excluded where no judge decides them."""
    shared = ("run", "sample:shop", "--agent", "gold", "--out", "part")
    played = dragoman(*shared, "--shard", "2/2").stdout
    words = " ".join(played.split())
    assert "gold, English text 100.0 [2, 100] 3 excluded, 1 in other shards" in words
    assert "4 conversations, 1 more in other shards, 3 excluded (NL_ASSERTION" in words

    shown = dragoman("show", "part").stdout
    assert "not run" not in shown
    assert "3 unscored: NL_ASSERTION" in shown
    chosen = dragoman("show", "part", "--agent", "gold").stdout
    assert "part: 5 conversations, 1 passed, 3 unscored, 1 not run, or in other shards" in chosen


def test_a_shard_that_was_stopped_counts_what_it_has_left(dragoman: Cli, folder: Path) -> None:
    setup = build_setup(RunConfig("sample:shop", ("gold",), shard="2/2"))
    job = start_job(setup, folder / "part", 1.7e9)
    with job.store:
        waiting = pending_cells(job.cells, job.store)
        asyncio.run(execute(setup, waiting[:3], job.store, lambda *_: None))

    shown = " ".join(dragoman("show", "part").stdout.split())

    assert "2 not run or in other shards" in shown
    assert "4 conversations, 1 not run, 1 more in other shards" in shown
    assert "1 conversation of shard 2/2 not run. Resume: dragoman resume part" in shown


def test_runs_that_are_joined_before_all_is_played_say_what_is_left(dragoman: Cli) -> None:
    for name in ("one", "other"):
        shared = ("--shard", "1/2", "--out", name)
        assert dragoman("run", "sample:shop", "--agent", "gold", *shared).returncode == 0

    as_json = json.loads(dragoman("merge", "one", "other", "--out", "joined", "--json").stdout)
    reported = dragoman("merge", "one", "joined", "--out", "again").stdout

    assert as_json["left"] == 5 - as_json["conversations"] > 0
    assert f"; {as_json['left']} not run: dragoman resume again" in " ".join(reported.split())


def test_a_share_that_is_scored_again_still_misses_nothing(dragoman: Cli) -> None:
    shared = ("--shard", "1/2", "--out", "part")
    assert dragoman("run", "sample:shop", "--agent", "gold", *shared).returncode == 0

    scored = dragoman("score", "part", "--judge", "rule")

    assert scored.returncode == 0, scored.stdout
    assert "Shard 1/2 complete" in scored.stdout
    assert "not run. Resume:" not in scored.stdout


def test_a_share_that_was_stopped_says_how_many_are_left_of_it(dragoman: Cli, folder: Path) -> None:
    setup = build_setup(RunConfig("courier", ("gold",), shard="1/2"))
    job = start_job(setup, folder / "part", 1.7e9)
    with job.store:
        asyncio.run(
            execute(setup, pending_cells(job.cells, job.store)[:4], job.store, lambda *_: None)
        )

    reported = " ".join(dragoman("score", "part", "--judge", "rule").stdout.split())
    resumed = dragoman("resume", "part")

    assert f"{len(job.cells) - 4} conversations of shard 1/2 not run. Resume:" in reported
    assert resumed.returncode == 0
    assert f"Shard 1/2 complete; {33 - len(job.cells)} more in other shards." in resumed.stdout


def test_a_share_of_nothing_is_done(dragoman: Cli) -> None:
    shared = ("--agent", "gold", "--shard", "1/50", "--out", "part")

    played = dragoman("run", "sample:shop", *shared)

    reported = "part: shard 1/50 has no conversation of this plan"
    assert (played.returncode, played.stdout.splitlines()) == (0, [reported])
    assert dragoman("resume", "part", "--json").returncode == 0
    assert dragoman("resume", "part", "--fail-under", "0.5").returncode == 1


def test_whose_conversations_stay_is_the_first_runs_or_the_last_ones(dragoman: Cli) -> None:
    refused = dragoman("merge", "one", "two", "--out", "whole", "--prefer", "none")

    assert refused.returncode == 2
    reported = "dragoman: merge: --prefer must be first or last, not 'none'"
    assert refused.stderr.splitlines() == [reported]


def test_what_differs_is_listed_and_ends_in_one_line(dragoman: Cli, folder: Path) -> None:
    assert dragoman("run", "sample:shop", "--agent", "gold", "--out", "one").returncode == 0
    shutil.copytree(folder / "one", folder / "two")
    with open_run(folder / "two", write=True) as store:
        key, attempt, episode = next(store.episodes())
        other = type(episode)(episode.events, episode.ending, 99, 0)
        store.put([StoredEpisode(key, attempt + 1, other)])

    refused = dragoman("merge", "one", "two", "--out", "whole")

    assert refused.returncode == 1
    assert f"{key}: the conversations differ" in refused.stdout
    assert "runs differ in 1 conversation" in refused.stderr
    assert not (folder / "whole").exists()
    assert dragoman("merge", "one", "two", "--out", "whole", "--prefer", "last").returncode == 0


def test_verify_counts_cells_and_conversations_by_their_names(
    dragoman: Cli, run_json: RunJson
) -> None:
    """A cell is a suite, a condition and an agent; two agents on five tasks are two of them."""
    shared = ("--agent", "gold,silent", "--shard", "2/2", "--out", "part")
    assert dragoman("run", "sample:shop", *shared).returncode == 0

    assert dragoman("verify", "part").stdout == (
        "part: no problems: 2 cells, 10 planned conversations, 9 recorded conversations, 9 scores, "
        "0 sounds\n"
    )
    checked = run_json("verify", "part")["checked"]
    assert checked == {"cells": 2, "planned": 10, "episodes": 9, "scores": 9, "sounds": 0}
