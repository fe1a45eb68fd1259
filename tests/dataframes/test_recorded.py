from pathlib import Path

import pytest

from dragoman.core.conditions import Condition
from dragoman.core.episodes import Episode, Termination
from dragoman.core.measures import reward_result
from dragoman.core.scores import IMPORTED, Score, Scored, Unscored, Verdict
from dragoman.core.tasks import Scenario, Task
from dragoman.dataframes.results import Agreement, RewardDifference, agreement
from dragoman.store.conversation_writes import StoredEpisode, StoredMeasure
from dragoman.store.run_plan import NewRun, StoredCell
from dragoman.store.run_store import RunStore, create_run

PAIRS: dict[str, tuple[Verdict | None, Verdict | None]] = {
    "agrees": (Scored(1.0), Scored(1.0)),
    "differs": (Scored(1.0), Scored(0.0)),
    "lost": (Scored(0.0), Unscored("replay: it differs")),
    "never judged": (Unscored("no reward"), Scored(1.0)),
    "not scored yet": (Scored(1.0), None),
}


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    condition = Condition()
    cells = [
        StoredCell(f"{number:032x}", "tau2:shop", condition, "clerk", name, 0)
        for number, name in enumerate(PAIRS)
    ]
    tasks = {name: Task(name, "tau2:shop", "d", Scenario("Buy.")) for name in PAIRS}
    store = create_run(tmp_path / "run", NewRun(b"{}", tuple(cells), tasks))
    episode = Episode((), Termination("user_stop"), 0, 0)
    for cell, (recorded, scored) in zip(cells, PAIRS.values(), strict=True):
        then = None if recorded is None else Score(IMPORTED, IMPORTED, recorded, ())
        store.put([StoredEpisode(cell.key, 0, episode, then)])
        if scored is not None:
            score = Score("rules", "none", scored, (), note="noted")
            store.put([StoredMeasure(cell.key, 0, reward_result(score))])
    return store


def test_recorded_verdicts_are_compared_where_both_sides_have_one(store: RunStore) -> None:
    with store:
        assert agreement(store, "rules", "none") == Agreement(
            3,
            1,
            (
                RewardDifference("tau2:shop", "clerk", "differs", 0, 1.0, 0.0, "noted"),
                RewardDifference("tau2:shop", "clerk", "lost", 0, 0.0, None, "replay: it differs"),
            ),
        )


def test_a_run_is_not_compared_with_its_own_recorded_verdicts(store: RunStore) -> None:
    with store:
        assert agreement(store, IMPORTED, IMPORTED) is None
