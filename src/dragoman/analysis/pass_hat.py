"""pass^k over tasks: the figure, how sure it is, and what was left out.

pass^k of a task with n trials and c successes is C(c, k) / C(n, k) (tau-bench, section 3); the figure
is the mean over tasks. Only tasks enter whose n trials are all scored without anything undecided:
which tasks enter must not depend on how the agent did. Bounds take every task of the cell in, with
what is unknown counted as failed and as passed.
"""

from collections.abc import Mapping, Sequence
from math import comb

import msgspec

from dragoman.analysis.intervals import Interval, clustered_interval
from dragoman.core.scores import Scored, Verdict

SUCCESS_TOLERANCE = 1e-6


class Figure(msgspec.Struct, frozen=True):
    """One pass^k: its value, its interval over tasks, and the bounds over all tasks.

    `value` and `interval` are None where no task is complete.
    """

    k: int
    value: float | None
    interval: Interval | None
    bounds: Interval


class PassHat(msgspec.Struct, frozen=True):
    """pass^k for k = 1..trials of one cell of the grid."""

    tasks: int
    left_out: int
    trials: int
    figures: tuple[Figure, ...]


class ReferenceFigures(msgspec.Struct, frozen=True):
    """What tau2-bench itself would print: faults leave its denominators, and no interval is given.

    Attributes:
        simulations: Conversations that count.
        dropped: Conversations without a reward, which it leaves out unseen.
        average_reward: Mean over the conversations that count.
        pass_hat: By k, up to the smallest number of conversations that a remaining task has.
    """

    simulations: int
    dropped: int
    average_reward: float | None
    pass_hat: dict[int, float]


def is_success(value: float) -> bool:
    """Whether a reward counts as a success."""
    return abs(value - 1) <= SUCCESS_TOLERANCE


def task_pass_hat(trials: int, successes: int, k: int) -> float:
    """Return C(successes, k) / C(trials, k).

    Raises:
        ValueError: Where k is below 1 or above the number of trials.
    """
    if not 1 <= k <= trials:
        raise ValueError(f"k must lie between 1 and {trials}, not {k}")
    return comb(successes, k) / comb(trials, k)


def pass_hat(rewards: Mapping[str, Sequence[Verdict | None]], trials: int, seed: int) -> PassHat:
    """Compute pass^k over tasks.

    Args:
        rewards: By task, the reward of every trial that ran; missing trials may be None or absent.
        trials: How many trials were planned for each task.
        seed: Of the bootstrap; derive it from the cell.
    """
    complete = [_successes(row) for row in rewards.values() if is_complete(row, trials)]
    figures = []
    for k in range(1, trials + 1):
        values = [task_pass_hat(trials, successes, k) for successes in complete]
        low = [task_pass_hat(trials, _successes(row), k) for row in rewards.values()]
        high = [task_pass_hat(trials, _at_most(row, trials), k) for row in rewards.values()]
        figures.append(
            Figure(
                k=k,
                value=_mean(values),
                interval=clustered_interval(values, seed + k) if values else None,
                bounds=Interval(_mean(low) or 0.0, 1.0 if not high else _mean(high) or 0.0),
            )
        )
    return PassHat(len(complete), len(rewards) - len(complete), trials, tuple(figures))


def reference_figures(
    rewards: Mapping[str, Sequence[Verdict | None]], trials: int
) -> ReferenceFigures:
    """Compute figures as tau2-bench does (reference: 1.8), to be set beside published ones.

    A task without any reward disappears, and a lone success among faults reads 1: `pass_hat` tells
    what that hides.
    """
    rows = [[entry.value for entry in row if isinstance(entry, Scored)] for row in rewards.values()]
    remaining = [row for row in rows if row]
    values = [value for row in remaining for value in row]
    most = min([trials, *map(len, remaining)]) if remaining else 0
    return ReferenceFigures(
        simulations=len(values),
        dropped=sum(len(row) for row in rewards.values()) - len(values),
        average_reward=_mean(values),
        pass_hat={
            k: sum(task_pass_hat(len(row), sum(map(is_success, row)), k) for row in remaining)
            / len(remaining)
            for k in range(1, most + 1)
        },
    )


def is_complete(row: Sequence[Verdict | None], trials: int) -> bool:
    """Whether all of a task's trials are scored with nothing undecided: only then it is counted."""
    decided = [verdict for verdict in row if isinstance(verdict, Scored) and not verdict.undecided]
    return len(decided) == trials


def _successes(row: Sequence[Verdict | None]) -> int:
    return sum(isinstance(verdict, Scored) and is_success(verdict.value) for verdict in row)


def _at_most(row: Sequence[Verdict | None], trials: int) -> int:
    failures = sum(isinstance(verdict, Scored) and not is_success(verdict.value) for verdict in row)
    return trials - failures


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
