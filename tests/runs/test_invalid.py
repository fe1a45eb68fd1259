import json
import sys
from pathlib import Path

import msgspec
import pytest

from dragoman.composition.setup import build_setup
from dragoman.config.run_config import RunConfig
from dragoman.core.errors import UsageError
from dragoman.core.scores import METRIC_VERSION
from dragoman.dataframes.results import chosen_scoring, summary
from dragoman.runs.jobs import count_valid, invalid_cells, resume_job, start_job
from dragoman.runs.runner import MeasureRequest, PlayedRun, play, score
from dragoman.store.run_store import open_run

USER = """
import pathlib
from dragoman.core.protocols import SessionReply
from dragoman.core.replies import text_reply

class Session:
    def __init__(self, opening):
        self.words = iter(["I want to talk about my order.", "###STOP###"])
        if pathlib.Path("down").exists():
            raise OSError("the wire was cut")
        if opening.task.id in pathlib.Path("moody").read_text().split():
            self.words = iter(["How may I assist you today?", "###STOP###"])
        with pathlib.Path("seeds").open("a") as seeds:
            seeds.write(f"{opening.task.id} {opening.seed}\\n")

    async def reply(self, heard, tools):
        return SessionReply(text_reply(next(self.words)))

    async def close(self):
        pass

class User:
    name = "moody"

    async def open(self, opening):
        return Session(opening)
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a user that swaps roles on the tasks named in the file `moody`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "moody_user", raising=False)
    (tmp_path / "moody_user.py").write_text(USER)
    (tmp_path / "moody").write_text("")
    return tmp_path


def config(**fields: object) -> RunConfig:
    base = RunConfig("sample:shop", ("silent",), user="moody_user:User", limit=3)
    return msgspec.structs.replace(base, **fields)


def started(folder: Path, **fields: object) -> PlayedRun:
    return play(start_job(build_setup(config(**fields)), folder, 0.0), lambda *_: None)


def retried(folder: Path) -> tuple[int, int]:
    """Play invalid conversations again; return how many there were and how many are valid now."""
    job = resume_job(folder)
    again = invalid_cells(job.store)
    result = play(job, lambda *_: None, again)
    with open_run(folder, write=False) as store:
        return len(again), count_valid(store, result.rules, result.judge, again)


def invalid(folder: Path) -> int | None:
    with open_run(folder, write=False) as store:
        (cell,) = summary(store, *chosen_scoring(store, None, None))
        return cell.invalid


def seeds(home: Path, task: str) -> list[str]:
    rows = [line.split() for line in (home / "seeds").read_text().splitlines()]
    return [seed for name, seed in rows if name == task]


def test_invalid_conversations_are_played_again_until_they_are_valid(home: Path) -> None:
    folder = home / "run"
    (home / "moody").write_text("larger-jacket two-swaps")
    started(folder)
    assert invalid(folder) == 2
    assert retried(folder) == (2, 0)
    (home / "moody").write_text("two-swaps")
    assert retried(folder) == (2, 1)
    assert invalid(folder) == 1
    (home / "moody").write_text("")
    assert retried(folder) == (1, 1)
    assert retried(folder) == (0, 0)
    assert invalid(folder) == 0


def test_a_conversation_is_played_again_with_another_seed_each_time(home: Path) -> None:
    (home / "moody").write_text("two-swaps")
    started(home / "run")
    retried(home / "run")
    retried(home / "run")
    started(home / "twin")
    retried(home / "twin")
    drawn = seeds(home, "two-swaps")
    assert len(set(drawn[:3])) == 3
    assert drawn[3:] == drawn[:2]
    assert len(seeds(home, "return-poles")) == 2


def test_a_fault_keeps_the_seed_of_the_conversation_that_it_cut(home: Path) -> None:
    folder = home / "run"
    (home / "moody").write_text("two-swaps")
    (home / "down").touch()
    started(folder)
    (home / "down").unlink()
    play(resume_job(folder), lambda *_: None)
    (home / "down").touch()
    assert retried(folder) == (1, 0)
    (home / "down").unlink()
    play(resume_job(folder), lambda *_: None)
    started(home / "twin")
    retried(home / "twin")
    drawn = seeds(home, "two-swaps")
    assert drawn[2:] == drawn[:2]


def test_a_plain_resume_leaves_invalid_conversations_as_they_are(home: Path) -> None:
    (home / "moody").write_text("two-swaps")
    started(home / "run")
    play(resume_job(home / "run"), lambda *_: None)
    assert invalid(home / "run") == 1
    assert len(seeds(home, "two-swaps")) == 1


@pytest.mark.parametrize("user", ["", "offline", "gold"])
def test_users_that_play_a_script_are_not_checked(home: Path, user: str) -> None:
    started(home / "run", user=user, agents=("gold",))
    assert invalid(home / "run") is None
    assert retried(home / "run") == (0, 0)


def judge(path: Path, **met: bool) -> str:
    """Write the script of a user judge with the given findings, and return its name."""
    checks = ("goal", "nothing_invented", "nothing_leaked", "not_ended_early", "own_language")
    verdicts = [
        {"id": at, "met": met.get(check, True), "why": "so it is"}
        for at, check in enumerate(checks, 1)
    ]
    reply = {"content": json.dumps({"verdicts": verdicts})}
    path.write_text(json.dumps({"*": [reply]}))
    return f"scripted/{path}"


def test_a_judge_of_users_is_named_in_scores_and_counted(home: Path) -> None:
    started(home / "run", user_judge=judge(home / "judge.json"), judge="assume-met")
    with open_run(home / "run", write=False) as store:
        ((_, name),) = store.scorings()
        (cell,) = summary(store, "dragoman-2", name)
        assert chosen_scoring(store, None, "assume-met") == ("dragoman-2", name)
    assert name.startswith("assume-met+users:chat-1:scripted/")
    assert cell.invalid == 0
    assert {entry.purpose: entry.calls for entry in cell.usage}["user judge"] == 3


def test_scoring_again_with_a_judge_of_users_finds_more(home: Path) -> None:
    folder = home / "run"
    (home / "moody").write_text("two-swaps")
    started(folder)
    script = judge(home / "judge.json", nothing_invented=False)
    result = score(folder, MeasureRequest({"user_judge": script}), lambda: None)
    with open_run(folder, write=False) as store:
        scores = store.scores(result.rules, result.judge, METRIC_VERSION)
        kinds = sorted(entry.invalid for entry in scores.values())
    assert kinds == [
        ("goal_kept", "nothing_invented"),
        ("nothing_invented",),
        ("nothing_invented",),
    ]
    assert retried(folder) == (3, 2)


def test_a_judge_that_failed_is_asked_again(home: Path) -> None:
    asked: list[str] = []
    started(home / "run", judge="assume-met", user_judge=judge(home / "judge.json"))
    score(home / "run", MeasureRequest(), lambda: asked.append("one that answered"))
    (home / "mute.json").write_text('{"*": [{"content": "no idea"}]}')
    mute = f"scripted/{home / 'mute.json'}"
    started(home / "other", judge="assume-met", user_judge=mute)
    score(home / "other", MeasureRequest(), lambda: asked.append("one that failed"))
    assert asked == ["one that failed"] * 3


@pytest.mark.parametrize("name", ["rule", "assume-met", "nobody"])
def test_an_unknown_judge_of_users_is_refused(home: Path, name: str) -> None:
    with pytest.raises(UsageError, match=f"unknown user judge '{name}'"):
        started(home / "run", user_judge=name)


def test_a_judge_has_nobody_to_judge_where_the_user_plays_a_script(home: Path) -> None:
    script = judge(home / "judge.json")
    with pytest.raises(UsageError, match="the user 'offline' plays a script"):
        started(home / "run", user="offline", user_judge=script)
