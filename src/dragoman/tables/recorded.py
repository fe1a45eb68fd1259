"""Verdicts that came with an imported run, beside those of another scoring."""

import msgspec

from dragoman.core.scores import IMPORTED, METRIC_VERSION, Scored
from dragoman.store.run_store import RunStore


class RewardDifference(msgspec.Struct, frozen=True):
    """One conversation whose recorded reward is another than the scoring's; None for no value."""

    suite: str
    agent: str
    task: str
    trial: int
    recorded: float
    scored: float | None
    why: str


class Agreement(msgspec.Struct, frozen=True):
    """How many recorded rewards a scoring repeats, and the conversations where it does not.

    `compare_cells` counts conversations with a recorded reward that were scored.
    """

    compared: int
    agreeing: int
    differences: tuple[RewardDifference, ...]


def agreement(store: RunStore, rules: str, judge: str) -> Agreement | None:
    """Return how a scoring agrees with recorded verdicts; None where a run came with none."""
    if rules == IMPORTED:
        return None
    recorded = store.scores(IMPORTED, IMPORTED, METRIC_VERSION)
    if not recorded:
        return None
    scores = store.scores(rules, judge, METRIC_VERSION)
    compared, differences = 0, []
    for cell in store.cells():
        then, score = recorded.get(cell.key), scores.get(cell.key)
        if then is None or score is None or not isinstance(then.reward, Scored):
            continue
        compared += 1
        now = score.reward
        value = now.value if isinstance(now, Scored) else None
        if value != then.reward.value:
            why = score.note if isinstance(now, Scored) else now.reason
            place = (cell.suite, cell.agent, cell.task, cell.trial)
            differences.append(RewardDifference(*place, then.reward.value, value, why))
    return Agreement(compared, compared - len(differences), tuple(differences))
