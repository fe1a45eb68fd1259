"""A stored run may come from anybody: its names are used only on its owner's word."""

import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from dragoman.composition.setup import build_setup
from dragoman.config.environment import state_folder
from dragoman.config.run_config import RunConfig
from dragoman.core.conditions import condition_of
from dragoman.core.errors import UsageError
from dragoman.runs.jobs import resume_job
from dragoman.runs.manifest import Manifest
from dragoman.runs.runner import MeasureRequest, play, score, start
from dragoman.store.checksums import strip_checksum, with_checksum
from dragoman.store.run_file import FILE
from dragoman.store.run_plan import NewRun
from dragoman.store.run_store import RunStore, create_run, open_run
from dragoman.store.trusted_runs import FILE as OWN

AGENT = """
from pathlib import Path

Path("imported").touch()


def agent(messages, tools):
    return "I cannot help you with that."
"""
JUDGE = "openai/judge?base_url=http://127.0.0.1:9/v1&key_env=AWS_SECRET_ACCESS_KEY"


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with an agent in it."""
    (tmp_path / "received_agent.py").write_text(AGENT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "received_agent", raising=False)
    return tmp_path


def made(folder: Path, agent: str = "received_agent:agent") -> Path:
    config = RunConfig("sample:shop", (agent,), limit=1)
    play(start(build_setup(config), folder), lambda *_: None)
    return folder


def received(monkeypatch: pytest.MonkeyPatch, work: Path) -> None:
    """Become another user, who has not run anything yet."""
    monkeypatch.setenv("XDG_STATE_HOME", str(work / "other-state"))
    monkeypatch.delitem(sys.modules, "received_agent", raising=False)
    (work / "imported").unlink(missing_ok=True)


def with_judge(folder: Path) -> None:
    """Change a run as any sender of it could."""
    with closing(sqlite3.connect(folder / FILE)) as file, file:
        (stored,) = file.execute("SELECT value FROM meta WHERE name = 'manifest'").fetchone()
        manifest = msgspec.json.decode(strip_checksum(stored, "manifest"), type=Manifest)
        config = msgspec.structs.replace(manifest.config, judge=JUDGE)
        changed = msgspec.structs.replace(manifest, config=config)
        value = with_checksum(msgspec.json.encode(changed), "manifest")
        file.execute("UPDATE meta SET value = ? WHERE name = 'manifest'", (value,))


def test_who_made_a_run_goes_on_with_it_unasked(work: Path) -> None:
    folder = made(work / "mine")
    resume_job(folder).store.close()
    score(folder, MeasureRequest(), lambda: None)


def test_a_received_run_runs_no_code(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = made(work / "theirs")
    received(monkeypatch, work)
    with pytest.raises(UsageError) as caught:
        resume_job(folder)
    assert str(caught.value) == (
        f"{folder} is not known as made by you on this machine, and it runs code, received_agent:agent: "
        "give --trust if you know where it comes from"
    )
    assert not (work / "imported").exists()


def test_a_persons_word_is_asked_for_once(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = made(work / "theirs")
    received(monkeypatch, work)
    resume_job(folder, trust=True).store.close()
    resume_job(folder).store.close()
    assert (work / "imported").exists()


def test_a_run_that_was_changed_is_no_longer_ones_own(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = made(work / "mine")
    with_judge(folder)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "aws-31415926535897")
    reported = "asks openai/judge at http://127.0.0.1:9/v1 with the key in AWS_SECRET_ACCESS_KEY"
    with pytest.raises(UsageError, match=reported):
        score(folder, MeasureRequest(), lambda: None)
    with pytest.raises(UsageError, match=reported):
        resume_job(folder)


def test_a_plan_that_was_changed_is_no_longer_ones_own(work: Path) -> None:
    recognizer = f"openai/whisper-1?{JUDGE.partition('?')[2]}"
    spoken = condition_of({"voice": "studio", "recognizer": recognizer})
    with open_run(made(work / "mine"), write=False) as store:
        cells = tuple(replace(cell, condition=spoken) for cell in store.cells())
        changed = NewRun(store.manifest(), cells, store.tasks())
    create_run(work / "changed", changed).close()
    with pytest.raises(UsageError, match=re.escape("asks openai/whisper-1 at http://127.0.0.1:9/")):
        resume_job(work / "changed")


def test_a_judge_that_the_person_names_takes_the_stored_ones_place(work: Path) -> None:
    folder = made(work / "mine")
    with_judge(folder)
    assert score(folder, MeasureRequest({"judge": "rule"}), lambda: None).judge == "rule-1"


def test_a_received_run_of_what_ships_needs_no_word(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    received(monkeypatch, work)
    folder = made(work / "gold", "gold")
    assert not (state_folder() / OWN).exists()
    resume_job(folder).store.close()


def test_a_state_folder_that_cannot_be_written_stops_no_run(
    work: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (work / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(work / "file"))
    made(work / "mine")
    assert "going on with it will need --trust" in caplog.text


def test_a_run_that_is_killed_when_it_was_made_is_known_as_ones_own(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(store: RunStore, *_: object) -> None:
        store.close()
        raise KeyboardInterrupt

    config = RunConfig("sample:shop", ("received_agent:agent",), limit=1)
    with monkeypatch.context() as patch:
        patch.setattr("dragoman.runs.jobs._note_made_of", killed)
        with pytest.raises(KeyboardInterrupt):
            start(build_setup(config), work / "mine")

    job = resume_job(work / "mine")

    with job.store:
        assert len(job.cells) == 1
