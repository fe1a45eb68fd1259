"""pass^k over tasks: the figure, how sure it is, and what was left out.

pass^k of a task with n trials and c successes is C(c, k) / C(n, k) (tau-bench, section 3); the figure
is the mean over tasks. A task enters pass^k with at least k played trials, all of them scored without
anything undecided: a trial that was not played takes nothing away, and one that was played without a
verdict (a judge that failed, infrastructure that broke) takes its task out of every figure, for
that may depend on how the agent did. Bounds take every task of the cell in, with what is unknown,
trials not played among it, counted as failed and as passed.
"""

from collections.abc import Mapping, Sequence
from math import comb

import msgspec

from dragoman.analysis.intervals import Interval, clustered_interval
from dragoman.core.scores import Scored, Verdict, is_success


class Figure(msgspec.Struct, frozen=True):
    """One pass^k: its value, its interval over tasks, and the bounds over all tasks.

    `tasks` entered it. `value` and `interval` are None where none did.
    """

    k: int
    value: float | None
    interval: Interval | None
    bounds: Interval
    tasks: int = 0


class PassHat(msgspec.Struct, frozen=True):
    """pass^k for k = 1..trials of one cell of the grid.

    `tasks` entered pass^1 and `exclusion_reason` did not; `trials` is the most that a task has.
    """

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


def task_pass_hat(trials: int, successes: int, k: int) -> float:
    """Return C(successes, k) / C(trials, k).

    Raises:
        ValueError: Where k is below 1 or above the number of trials.
    """
    if not 1 <= k <= trials:
        raise ValueError(f"k must lie between 1 and {trials}, not {k}")
    return comb(successes, k) / comb(trials, k)


def pass_hat(rewards: Mapping[str, Sequence[Verdict | None]], trials: int) -> PassHat:
    """Compute pass^k over tasks.

    Args:
        rewards: By task, the reward of every planned trial; None where it was not played.
        trials: The most trials that are planned for a task.
    """
    counts = trial_counts(rewards)
    figures = []
    for k in range(1, trials + 1):
        values = [task_pass_hat(played, passed, k) for played, passed in counts if played >= k]
        low = [_at_least(row, k) for row in rewards.values()]
        high = [_at_most(row, k) for row in rewards.values()]
        figures.append(
            Figure(
                k=k,
                value=_mean(values),
                interval=clustered_interval(values) if values else None,
                bounds=Interval(_mean(low) or 0.0, 1.0 if not high else _mean(high) or 0.0),
                tasks=len(values),
            )
        )
    return PassHat(len(counts), len(rewards) - len(counts), trials, tuple(figures))


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


def trial_counts(rewards: Mapping[str, Sequence[Verdict | None]]) -> list[tuple[int, int]]:
    """Return of each task that can be counted how many trials were played, and how many passed."""
    rows = [played for row in rewards.values() if (played := played_rewards(row))]
    return [(len(row), sum(map(is_success, row))) for row in rows]


def played_rewards(row: Sequence[Verdict | None]) -> tuple[float, ...]:
    """Return the rewards of a task's played trials; none where one of them has nothing decided."""
    played = [verdict for verdict in row if verdict is not None]
    decided = [each.value for each in played if isinstance(each, Scored) and not each.undecided]
    return tuple(decided) if len(decided) == len(played) else ()


def _at_least(row: Sequence[Verdict | None], k: int) -> float:
    """Return a task's pass^k where whatever is unknown fails."""
    return task_pass_hat(max(len(row), k), _successes(row), k)


def _at_most(row: Sequence[Verdict | None], k: int) -> float:
    """Return a task's pass^k where whatever is unknown passes."""
    failures = sum(isinstance(verdict, Scored) and not is_success(verdict.value) for verdict in row)
    trials = max(len(row), k)
    return task_pass_hat(trials, trials - failures, k)


def _successes(row: Sequence[Verdict | None]) -> int:
    return sum(isinstance(verdict, Scored) and is_success(verdict.value) for verdict in row)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
