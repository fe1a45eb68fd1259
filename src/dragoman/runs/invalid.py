"""Conversations whose simulated user failed its part: which they are, to play them again."""

from collections.abc import Collection

from dragoman.core.scores import METRIC_VERSION
from dragoman.store.run import RunStore


def invalid_cells(store: RunStore) -> frozenset[str]:
    """Return the keys of cells whose simulated user failed, by each one's newest scoring."""
    scores = store.newest_scores(METRIC_VERSION)
    return frozenset(key for key, score in scores.items() if score.invalid)


def count_valid(store: RunStore, rules: str, judge: str, cells: Collection[str]) -> int:
    """Return how many of some cells hold a conversation whose simulated user played its part.

    One that infrastructure ended was not checked and does not count.
    """
    scores = store.scores(rules, judge, METRIC_VERSION)
    found = [scores[key] for key in cells if key in scores]
    return sum(bool(score.simulator) and not score.invalid for score in found)
