import asyncio
import sys
from pathlib import Path

import msgspec
import pytest

from dragoman.composition.setup import build_setup, scoring_setup
from dragoman.config.run_config import RunConfig
from dragoman.core.episodes import Episode
from dragoman.core.errors import RunHalted, StoreError
from dragoman.core.scores import METRIC_VERSION, Score, Scored, Unscored
from dragoman.core.usage import Usage
from dragoman.dataframes.results import results_object, summary
from dragoman.models.budget import Budget, RecordingSpendTracker, parse_spend_limit
from dragoman.runs.conversation_player import Player
from dragoman.runs.executor import RunSpending, execute, pending_cells
from dragoman.runs.jobs import Job, resume_job, start_job
from dragoman.runs.manifest import read_manifest
from dragoman.runs.measure_runner import Choice, rescore
from dragoman.runs.runner import play as play_job
from dragoman.store.conversation_writes import StoredEpisode
from dragoman.store.run_store import open_run

GOOD = """
import pathlib
def agent(messages, tools):
    if pathlib.Path("down").exists():
        raise ConnectionError("the wire was cut")
    return "All done."
"""


@pytest.fixture
def flaky(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An agent that breaks while a file named `down` exists; returns that file's path."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "flaky_agent", raising=False)
    (tmp_path / "flaky_agent.py").write_text(GOOD)
    return tmp_path / "down"


def started(folder: Path, *agents: str, **fields: object) -> Job:
    config = msgspec.structs.replace(RunConfig("sample:shop", agents or ("gold",)), **fields)
    return start_job(build_setup(config), folder, 0.0)


def play(job: Job, limit: int | None = None) -> int:
    """Play the pending conversations, or the first part of them, and return their number."""
    with job.store:
        pending = pending_cells(job.cells, job.store)[:limit]
        asyncio.run(execute(job.setup, pending, job.store, lambda *_: None))
        return len(pending)


def stored(folder: Path) -> dict[str, tuple[int, Episode]]:
    """Return attempt and episode by cell, without the differences between runs."""
    with open_run(folder, write=False) as store:
        return {
            key: (attempt, msgspec.structs.replace(episode, started=0.0, seconds=0.0))
            for key, attempt, episode in store.episodes()
        }


def rewards(folder: Path, rules: str = "dragoman-2", judge: str = "none") -> dict[str, object]:
    with open_run(folder, write=False) as store:
        scores = store.scores(rules, judge, METRIC_VERSION)
        return {
            cell.task: getattr(scores[cell.key].reward, "value", None)
            for cell in store.cells()
            if cell.key in scores
        }


def test_a_run_plays_scores_and_stores_every_cell(tmp_path: Path) -> None:
    assert play(started(tmp_path / "run", judge="rule")) == 5
    assert rewards(tmp_path / "run", judge="rule-1") == {
        "larger-jacket": 1.0,
        "return-poles": 1.0,
        "two-swaps": 1.0,
        "too-late": 1.0,
        "cancel-by-mistake": None,
    }


def test_a_finished_run_has_nothing_left(tmp_path: Path) -> None:
    play(started(tmp_path / "run"))
    assert play(resume_job(tmp_path / "run")) == 0


@pytest.mark.parametrize("concurrency", [1, 3, 64])
def test_a_run_in_pieces_is_the_run_in_one_piece(tmp_path: Path, concurrency: int) -> None:
    whole, pieces = tmp_path / "whole", tmp_path / "pieces"
    play(started(whole, "gold", "silent", trials=2))
    play(started(pieces, "gold", "silent", trials=2, concurrency=concurrency), limit=3)
    assert play(resume_job(pieces), limit=4) == 4
    assert play(resume_job(pieces)) == 13
    assert stored(pieces) == stored(whole)
    assert rewards(pieces) == rewards(whole)


def test_what_infrastructure_broke_is_tried_again_and_replaced(tmp_path: Path, flaky: Path) -> None:
    folder = tmp_path / "run"
    flaky.touch()
    play(started(folder, "flaky_agent:agent", tasks=("larger-jacket", "two-swaps")))
    broken = stored(folder)
    assert {episode.ending.reason for _, episode in broken.values()} == {"infrastructure_error"}
    assert all("the wire was cut" in episode.ending.detail for _, episode in broken.values())
    assert rewards(folder) == {"larger-jacket": None, "two-swaps": None}
    flaky.unlink()
    assert play(resume_job(folder)) == 2
    mended = stored(folder)
    assert [attempt for attempt, _ in mended.values()] == [1, 1]
    assert {episode.ending.reason for _, episode in mended.values()} == {"user_stop"}
    assert rewards(folder) == {"larger-jacket": 0.0, "two-swaps": 0.0}
    assert play(resume_job(folder)) == 0


def test_an_attempt_that_breaks_again_counts_as_the_next(tmp_path: Path, flaky: Path) -> None:
    folder = tmp_path / "run"
    flaky.touch()
    play(started(folder, "flaky_agent:agent", tasks=("two-swaps",)))
    play(resume_job(folder))
    assert [attempt for attempt, _ in stored(folder).values()] == [1]


def test_infrastructure_errors_are_counted_apart(tmp_path: Path, flaky: Path) -> None:
    flaky.touch()
    play(started(tmp_path / "run", "flaky_agent:agent", tasks=("two-swaps",)))
    with open_run(tmp_path / "run", write=False) as store:
        cells = summary(store, "dragoman-2", "none")
    results = results_object("run", cells, {})
    assert results["infrastructure_errors"] == 1
    assert cells[0].result.figures[0].value is None
    assert cells[0].result.left_out == 1


def test_a_run_whose_agent_changed_is_not_played_on(tmp_path: Path, flaky: Path) -> None:
    folder = tmp_path / "run"
    play(started(folder, "flaky_agent:agent", tasks=("two-swaps", "too-late")), limit=1)
    module = flaky.with_name("flaky_agent.py")
    module.write_text(module.read_text() + "# changed\n")
    with pytest.raises(StoreError, match="have changed since this run was started"):
        resume_job(folder)
    assert len(stored(folder)) == 1
    open_run(folder, write=True).close()


def test_a_manifest_says_what_a_run_was_started_with(tmp_path: Path) -> None:
    started(tmp_path / "run", trials=2, judge="rule").store.close()
    with open_run(tmp_path / "run", write=False) as store:
        manifest = read_manifest(store)
    assert (manifest.config.trials, manifest.judge) == (2, "rule-1")
    assert manifest.provenance.licence == "Apache-2.0"
    assert manifest.provenance.digest


def test_every_finished_conversation_is_told(tmp_path: Path) -> None:
    job = started(tmp_path / "run", trials=2)
    reported: list[tuple[str, int]] = []
    with job.store:
        pending = pending_cells(job.cells, job.store)
        work = execute(
            job.setup,
            pending,
            job.store,
            lambda cell, *_: reported.append((cell.task.id, cell.trial)),
        )
        asyncio.run(work)
    assert sorted(reported) == sorted((cell.task.id, cell.trial) for cell in job.cells)


def rescored(folder: Path, *, anew: bool = False, **changes: str) -> int:
    with open_run(folder, write=True) as store:
        config = msgspec.structs.replace(read_manifest(store).config, **changes)
        choice: Choice = "all" if anew else "open"
        return asyncio.run(rescore(scoring_setup(config), store, lambda: None, choice))


def test_other_judges_scores_stand_beside_the_old_ones(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    play(started(folder))
    before = rewards(folder)
    assert rescored(folder, judge="assume-met") == 5
    assert rewards(folder) == before
    assert set(rewards(folder, judge="assume-met").values()) == {1.0}


def test_other_rules_scores_stand_beside_the_old_ones(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    play(started(folder, "silent"))
    episodes = stored(folder)
    assert rescored(folder, rules="tau2-1.0.1") == 5
    assert set(rewards(folder)) == set(rewards(folder, rules="tau2-1.0.1"))
    assert stored(folder) == episodes
    with open_run(folder, write=False) as store:
        assert store.scorings() == (("dragoman-2", "none"), ("tau2-1.0.1", "none"))


def test_a_result_that_other_rules_do_not_repeat_is_unscored(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    play(started(folder, tasks=("two-swaps",)))
    rescored(folder, rules="tau2-1.0.1")
    with open_run(folder, write=False) as store:
        (score,) = store.scores("tau2-1.0.1", "none", METRIC_VERSION).values()
    assert isinstance(score.reward, Unscored)
    assert score.reward.reason.startswith("replay: modify_pending_order_items")


def test_what_is_scored_is_not_scored_again_unless_it_is_asked_for(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    play(started(folder, tasks=("two-swaps", "larger-jacket")))
    assert rescored(folder) == 0
    assert rescored(folder, anew=True) == 2
    assert rewards(folder) == {"two-swaps": 1.0, "larger-jacket": 1.0}


def test_a_score_that_a_judge_left_open_is_tried_again(tmp_path: Path) -> None:
    folder, script = tmp_path / "run", tmp_path / "judge.json"
    script.write_text('{"*": [{"content": "I cannot say"}]}')
    judge = f"scripted/{script}"
    play(started(folder, "gold", "silent", judge=judge, tasks=("cancel-by-mistake",)))
    script.write_text('{"*": [{"content": "{\\"verdicts\\": [{\\"id\\": 1, \\"met\\": true}]}"}]}')
    assert rescored(folder) == 2
    with open_run(folder, write=False) as store:
        rules, name = store.scorings()[-1]
        scores = store.scores(rules, name, METRIC_VERSION).values()
    assert {score.reward for score in scores} == {Scored(1.0), Scored(0.0)}
    assert rescored(folder) == 0


def test_scoring_the_stored_conversation_is_scoring_the_live_one(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    play(started(folder, "gold", "literal", "silent", judge="rule"))
    with open_run(folder, write=False) as store:
        live = store.scores("dragoman-2", "rule-1", METRIC_VERSION)
    rescored(folder, anew=True)
    with open_run(folder, write=False) as store:
        assert store.scores("dragoman-2", "rule-1", METRIC_VERSION) == live


class Broken:
    name = "broken"
    assumes = False
    costs = False

    async def judge(self, assertions: object, events: object, case: object) -> object:  # noqa: ARG002 - a judge's signature
        raise RuntimeError("a bug in the judge")


def test_a_finished_conversation_is_stored_even_if_scoring_breaks(tmp_path: Path) -> None:
    job = started(tmp_path / "run", tasks=("cancel-by-mistake",))
    setup = msgspec.structs.replace(job.setup, judge=Broken())
    with job.store:
        pending = pending_cells(job.cells, job.store)
        scores: list[Score] = []
        asyncio.run(
            execute(setup, pending, job.store, lambda _cell, _episode, score: scores.append(score))
        )
    assert len(stored(tmp_path / "run")) == 1
    assert [type(score.reward) for score in scores] == [Unscored]


def test_conversations_are_not_scored_again_with_other_data(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    play(started(folder, tasks=("two-swaps",)))
    with open_run(folder, write=True) as store:
        setup = scoring_setup(read_manifest(store).config)
        task = msgspec.structs.replace(setup.tasks[0], criteria=None, digest="other")
        other = msgspec.structs.replace(setup, tasks=(task,))
        with pytest.raises(StoreError, match="changed"):
            asyncio.run(rescore(other, store, lambda: None, choice="all"))


def test_a_player_plays_without_a_store() -> None:
    setup = build_setup(RunConfig("sample:shop", ("silent",), tasks=("two-swaps",)))
    from dragoman.runs.plan import plan_cells

    (cell,) = plan_cells(setup)
    episode, score = asyncio.run(Player(setup).play(cell))
    assert episode.ending.reason == "user_stop"
    assert score.reward == Scored(0.0)


def test_a_conversation_stored_without_a_score_is_scored_when_the_run_goes_on(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "run"
    job = started(folder, tasks=("two-swaps",))
    (cell,) = job.cells
    with job.store:
        episode, score = asyncio.run(Player(job.setup).play(cell))
        job.store.put([StoredEpisode(cell.key, 0, episode)])
        assert job.store.has_unscored(score.rules, score.judge, score.metric)
    play_job(resume_job(folder), lambda *_: None)
    with open_run(folder, write=False) as store:
        assert store.scores(score.rules, score.judge, score.metric) == {cell.key: score}


def test_what_was_spent_elsewhere_counts_for_the_budget() -> None:
    spending = RunSpending(Budget(parse_spend_limit("30 tokens"), lambda _model: None))
    call = Usage("agent", "far/model", calls=1, input_tokens=20, output_tokens=5)

    async def played() -> None:
        async with spending.reserve():
            spending.add((call,))

    asyncio.run(played())
    asyncio.run(played())
    with pytest.raises(RunHalted, match="the budget of 30 tokens is spent"):
        asyncio.run(played())


def test_conversations_that_are_played_elsewhere_pass_a_budget_by_one_of_them() -> None:
    budget = Budget(parse_spend_limit("100 tokens"), lambda _model: None)
    spending = RunSpending(budget)
    most_at_once = now = 0

    async def played() -> None:
        nonlocal most_at_once, now
        async with spending.reserve():
            now += 1
            most_at_once = max(most_at_once, now)
            for _ in range(20):
                await asyncio.sleep(0)
            spending.add((Usage("agent", "far/model", input_tokens=5, output_tokens=2),))
            now -= 1

    async def all_of_them() -> list[BaseException | None]:
        return await asyncio.gather(*(played() for _ in range(40)), return_exceptions=True)

    outcomes = asyncio.run(all_of_them())
    assert (int(budget.spent), outcomes.count(None)) == (105, 15)
    assert most_at_once == (100 - 7) // 14
    assert {type(outcome) for outcome in outcomes} == {type(None), RunHalted}


def test_receipts_allow_everything_and_are_handed_over_once() -> None:
    spend_records = RecordingSpendTracker()
    call = Usage("agent", "far/model", calls=1)
    spend_records.require_prices(["far/model"])
    spend_records.record(call)

    assert (spend_records.take(), spend_records.take()) == ((call,), ())
