"""Runs that played parts of one plan become the run of the whole plan."""

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from dragoman.composition.setup import build_setup
from dragoman.config.run_config import RunConfig, validated_config
from dragoman.core.audio import Audio
from dragoman.core.episodes import Episode, Message, Termination
from dragoman.core.errors import StoreError, UsageError
from dragoman.core.measures import MeasureResult
from dragoman.core.replies import AudioRef, TextReply, Utterance
from dragoman.core.scores import METRIC_VERSION, Score, Scored, Unscored
from dragoman.core.usage import Usage
from dragoman.runs import jobs
from dragoman.runs.executor import execute, pending_cells
from dragoman.runs.jobs import Job, resume_job, start_job
from dragoman.runs.manifest import read_manifest
from dragoman.runs.merging import merge_runs
from dragoman.runs.plan import lazy_plan
from dragoman.store import run_merge as merging
from dragoman.store.audio_files import AudioFiles, audio_path
from dragoman.store.conversation_writes import StoredEpisode, StoredMeasure
from dragoman.store.run_file import FILE, Lock
from dragoman.store.run_merge import MergeResult, Prefer
from dragoman.store.run_store import open_run
from dragoman.store.run_verification import VerificationCounts, verify_run

GRID = RunConfig(
    "courier:easy",
    ("attentive", "gold"),
    languages=("en", "th"),
    scenarios=("interaction",),
    limit=4,
    trials=2,
)


def started(folder: Path, **fields: object) -> Job:
    return start_job(build_setup(msgspec.structs.replace(GRID, **fields)), folder, 0.0)


def play(job: Job, start: int = 0, stop: int | None = None) -> None:
    with job.store:
        pending = pending_cells(job.cells, job.store)[start:stop]
        asyncio.run(execute(job.setup, pending, job.store, lambda *_: None))


def merge(out: Path, *parts: Path, prefer: Prefer | None = None) -> MergeResult:
    return merge_runs(parts, out, prefer, lambda: None)


@pytest.fixture
def copied_run(half: Path) -> Path:
    """A copy of the half."""
    return Path(shutil.copytree(half, half.with_name("twin")))


def timeless(episode: Episode) -> Episode:
    return msgspec.structs.replace(episode, started=0.0, seconds=0.0)


class Stored(NamedTuple):
    attempt: int
    episode: Episode
    score: Score | None
    measures: tuple[MeasureResult, ...]


def stored(folder: Path) -> dict[str, Stored]:
    """Return the stored content of each cell, without clock times."""
    with open_run(folder, write=False) as store:
        scores = store.scores("dragoman-2", "none", METRIC_VERSION)
        measured = store.measured()
        return {
            key: Stored(attempt, timeless(episode), scores.get(key), measured.get(key, ()))
            for key, attempt, episode in store.episodes()
        }


def problems(folder: Path) -> list[object]:
    return list(verify_run(folder, VerificationCounts(), lambda: None))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "whole"
    play(started(folder))
    return folder


@pytest.fixture
def half(tmp_path: Path) -> Path:
    """A run that was stopped after three conversations."""
    play(started(tmp_path / "half"), 0, 3)
    return tmp_path / "half"


def test_shares_of_a_plan_are_joined_to_what_one_run_plays(whole: Path, tmp_path: Path) -> None:
    parts = [tmp_path / f"part{number}" for number in (1, 2, 3)]
    for number, part in enumerate(parts, 1):
        play(started(part, shard=f"{number}/3"))
        assert 0 < len(stored(part)) < len(stored(whole))

    merged = merge(tmp_path / "out", *parts)

    assert (merged.conversations, merged.in_several, merged.conflicts) == (32, 0, [])
    assert stored(tmp_path / "out") == stored(whole)
    assert problems(tmp_path / "out") == []
    with resume_job(tmp_path / "out").store as store:
        assert read_manifest(store).config.shard == ""
        with open_run(whole, write=False) as own:
            assert store.cells() == own.cells()
            assert store.scorings() == own.scorings()
            counts = {
                group: status_count.count
                for group, status_count in (store.status_counts() or {}).items()
            }
            assert counts == {
                g: status_count.count for g, status_count in (own.status_counts() or {}).items()
            }


def test_each_share_had_a_preflight_of_its_own_and_copies_of_a_run_one_together(
    tmp_path: Path,
) -> None:
    parts = []
    for number, seconds in ((1, 0.25), (2, 0.5)):
        setup = build_setup(msgspec.structs.replace(GRID, shard=f"{number}/2"))
        first = lazy_plan(setup)[0].key
        used = Usage("preflight", "m", input_tokens=3, output_tokens=1, seconds=seconds)
        parts.append(tmp_path / f"part{number}")
        start_job(setup, parts[-1], 0.0, preflight={first: (used,)}).store.close()
    shutil.copytree(parts[0], tmp_path / "copy")

    merge(tmp_path / "out", *parts, tmp_path / "copy")

    with open_run(tmp_path / "out", write=False) as store:
        (((both,),),) = [read_manifest(store).preflight.values()]
    assert (both.calls, both.input_tokens, both.seconds) == (2, 6, 0.75)


def test_runs_stopped_at_different_places_are_joined_and_gone_on_with(
    whole: Path, half: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    play(started(other), 2, 9)

    merged = merge(tmp_path / "out", half, other)

    assert (merged.conversations, merged.in_several) == (9, 1)
    job = resume_job(tmp_path / "out")
    assert len(pending_cells(job.cells, job.store)) == 32 - 9
    play(job)
    assert stored(tmp_path / "out") == stored(whole)
    assert problems(tmp_path / "out") == []


def test_a_share_is_the_same_whatever_else_is_in_the_plan(tmp_path: Path) -> None:
    def keys(name: str, shard: str, trials: int) -> set[str]:
        job = started(tmp_path / name, shard=shard, trials=trials)
        with job.store:
            return {cell.key for cell in job.cells}

    small, large = keys("a", "1/2", 1), keys("b", "1/2", 4)
    others = keys("c", "2/2", 4)
    assert small < large
    assert len(large | others) == 64
    assert not large & others


@pytest.mark.parametrize("shard", ["0/2", "3/2", "1", "x/y", "1/20000"])
def test_what_is_no_share_is_refused(shard: str) -> None:
    with pytest.raises(UsageError, match="such as 2/4"):
        validated_config(msgspec.structs.replace(GRID, shard=shard))


def test_another_plan_or_scoring_is_refused_with_what_differs(half: Path, tmp_path: Path) -> None:
    for fields, reported in (
        ({"trials": 3}, "trials 3 in place of 2"),
        ({"languages": ("en",)}, "languages en in place of en,th"),
        ({"judge": "assume-met"}, "judge assume-met in place of none"),
    ):
        started(tmp_path / reported, **fields).store.close()
        with pytest.raises(StoreError, match=reported):
            merge(tmp_path / "out", half, tmp_path / reported)
    assert not (tmp_path / "out").exists()


def test_how_fast_and_where_it_was_played_may_differ(half: Path, tmp_path: Path) -> None:
    started(tmp_path / "other", concurrency=2, workers=2, cache=False).store.close()
    assert merge(tmp_path / "out", half, tmp_path / "other").conversations == 3


def played_again(folder: Path, **fields: object) -> str:
    """Store the first cell's conversation once more, with other fields; return its key."""
    with open_run(folder, write=True) as store:
        key, attempt, episode = next(store.episodes())
        score = store.scores("dragoman-2", "none", METRIC_VERSION)[key]
        other = msgspec.structs.replace(episode, **fields)
        store.put([StoredEpisode(key, attempt + 1, other, score)])
        return key


def test_conversations_that_differ_are_listed_and_nothing_is_written(
    half: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    shutil.copytree(half, other)
    key = played_again(other, steps=99)

    merged = merge(tmp_path / "out", half, other)

    assert [(each.key, each.what) for each in merged.conflicts] == [
        (key, "the conversations differ")
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["half", "other"]
    steps_of: dict[Prefer, int] = {"first": stored(half)[key].episode.steps, "last": 99}
    for prefer, steps in steps_of.items():
        out = tmp_path / prefer
        assert merge(out, half, other, prefer=prefer).conflicts == []
        assert stored(out)[key].episode.steps == steps
        assert problems(out) == []


def test_a_conversation_that_broke_gives_way_and_is_still_counted_as_an_attempt(
    half: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    shutil.copytree(half, other)
    key = played_again(other, ending=Termination("infrastructure_error", "cut"), events=())

    assert merge(tmp_path / "out", other, half).conflicts == []

    attempt, episode, *_ = stored(tmp_path / "out")[key]
    assert episode.ending.reason != "infrastructure_error"
    with open_run(tmp_path / "out", write=False) as store:
        assert (attempt, store.tries(key)) == (1, (2, 1))
    assert problems(tmp_path / "out") == []


def test_a_verdict_that_one_run_left_open_is_the_other_ones(half: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(half, other)
    with open_run(other, write=True) as store:
        key, attempt, _ = next(store.episodes())
        score = store.scores("dragoman-2", "none", METRIC_VERSION)[key]
        is_open = msgspec.structs.replace(score, reward=Unscored("nobody was asked"))
        store.put([measured(key, attempt, is_open)])

    assert merge(tmp_path / "out", other, half).conflicts == []
    assert stored(tmp_path / "out")[key].score == score
    assert problems(tmp_path / "out") == []


def test_scores_that_differ_are_listed(half: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(half, other)
    with open_run(other, write=True) as store:
        key, attempt, _ = next(store.episodes())
        score = store.scores("dragoman-2", "none", METRIC_VERSION)[key]
        store.put([measured(key, attempt, msgspec.structs.replace(score, reward=Scored(0.25)))])

    (conflict,) = merge(tmp_path / "out", half, other).conflicts
    assert (conflict.key, conflict.what) == (key, "the scores by dragoman-2 none reward-1 differ")
    merge(tmp_path / "out", half, other, prefer="last")
    chosen = stored(tmp_path / "out")[key].score
    assert isinstance(chosen, Score)
    assert chosen.reward == Scored(0.25)


def measured(key: str, attempt: int, score: Score) -> StoredMeasure:
    return StoredMeasure(key, attempt, MeasureResult("reward", "1", score=score))


def test_scores_of_both_runs_are_there_and_the_newest_stays_the_newest(
    half: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    shutil.copytree(half, other)
    with open_run(other, write=True) as store:
        for key, attempt, _ in store.episodes():
            score = store.scores("dragoman-2", "none", METRIC_VERSION)[key]
            again = msgspec.structs.replace(score, rules="tau2-1.0.1", judge="somebody")
            store.put([measured(key, attempt, again)])

    merge(tmp_path / "out", half, other)

    with open_run(tmp_path / "out", write=False) as store:
        assert store.scorings() == (("dragoman-2", "none"), ("tau2-1.0.1", "somebody"))
        assert len(store.scores("tau2-1.0.1", "somebody", METRIC_VERSION)) == 3
        assert len(store.scores("dragoman-2", "none", METRIC_VERSION)) == 3


def spoken(half: Path, other: Path) -> AudioRef:
    """Copy a run and let its first conversation have a sound there, in both."""
    reference = AudioFiles(half).keep(Audio(b"\1\0" * 800, 8_000))
    said = Message("user", TextReply(Utterance("hi", "hi", audio=reference)))
    with open_run(half, write=True) as store:
        key, attempt, episode = next(store.episodes())
        with_sound = msgspec.structs.replace(episode, events=(*episode.events, said))
        store.put([StoredEpisode(key, attempt + 1, with_sound)])
    shutil.copytree(half, other)
    return reference


def test_sounds_are_copied_once_by_what_they_are(half: Path, tmp_path: Path) -> None:
    reference = spoken(half, tmp_path / "other")
    assert merge(tmp_path / "out", half, tmp_path / "other").sounds == 1
    path = audio_path(reference.sha256)
    assert (tmp_path / "out" / path).read_bytes() == (half / path).read_bytes()


@pytest.mark.parametrize("how", ["changed", "missing", "a link"])
def test_sounds_that_are_not_what_they_were_stop_the_merge(
    half: Path, tmp_path: Path, how: str
) -> None:
    reference = spoken(half, tmp_path / "other")
    for run in (half, tmp_path / "other"):
        path = run / audio_path(reference.sha256)
        path.unlink()
        if how == "changed":
            path.write_bytes(b"RIFF")
        elif how == "a link":
            path.symlink_to(half / FILE)
    with pytest.raises(StoreError):
        merge(tmp_path / "out", half, tmp_path / "other")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["half", "other"]


def test_a_merge_that_is_stopped_leaves_no_run_and_can_be_made_again(
    half: Path, copied_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = tmp_path / ".out.merging" / "out"

    def killed(draft: Path) -> None:
        # A kill leaves the files that exist at this moment.
        shutil.copytree(draft, tmp_path / "kept")
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(merging, "_require_sound", killed)
        with pytest.raises(KeyboardInterrupt):
            merge(tmp_path / "out", half, copied_run)
    assert not (tmp_path / "out").exists()
    left.parent.mkdir()
    (tmp_path / "kept").rename(left)

    assert merge(tmp_path / "out", half, copied_run).conversations == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["half", "out", "twin"]
    with pytest.raises(StoreError, match="is there already"):
        merge(tmp_path / "out", half, copied_run)


def test_a_merge_into_a_folder_that_another_one_makes_is_refused(
    half: Path, copied_run: Path, tmp_path: Path
) -> None:
    (tmp_path / ".out.merging").mkdir()
    lock = Lock(tmp_path / ".out.merging")
    with pytest.raises(StoreError, match="another process"):
        merge(tmp_path / "out", half, copied_run)
    lock.release()


def test_one_run_is_not_joined(half: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="two or more"):
        merge(tmp_path / "out", half)


def test_a_run_that_is_named_twice_is_refused(half: Path, tmp_path: Path) -> None:
    again = half / ".." / half.name

    with pytest.raises(UsageError, match="is named twice"):
        merge_runs([half, again], tmp_path / "out", None, lambda: None)

    assert not (tmp_path / "out").exists()


def test_a_run_of_an_older_format_is_refused_with_the_command(
    half: Path, copied_run: Path, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(half / FILE)) as file, file:
        file.execute("DROP TABLE tallies")
        file.execute("DROP INDEX episodes_that_broke")
        file.execute("UPDATE meta SET value = '3' WHERE name = 'format'")
    with pytest.raises(StoreError, match="first `dragoman upgrade"):
        merge(tmp_path / "out", half, copied_run)


def test_a_large_plan_is_compared_by_what_it_is_made_of(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "MOST_COMPARED", 0)
    play(started(tmp_path / "large"), 0, 9)
    play(resume_job(tmp_path / "large"))
    assert stored(tmp_path / "large") == stored(whole)
    assert problems(tmp_path / "large") == []
    with open_run(tmp_path / "large", write=True) as store:
        store.store_plan_fingerprint("of other data")
    with pytest.raises(StoreError, match="data, prompts or agents have changed"):
        resume_job(tmp_path / "large")


def test_a_plan_of_before_is_compared_cell_by_cell_once(
    half: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "MOST_COMPARED", 0)
    with open_run(half, write=False) as store:
        assert store.plan_fingerprint() == ""
    with resume_job(half).store as store:
        assert store.plan_fingerprint() != ""
