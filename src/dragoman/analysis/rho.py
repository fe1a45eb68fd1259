"""rho^q: of what an agent solves once, how much it solves every time.

rho^q = pass^q / pass@1 (SEATauBench, equation 1), the ratio of the two means over tasks, not the
mean of the tasks' ratios. It is taken of unrounded figures; a table that divides rounded ones may
differ in its last digit. It is not defined where pass@1 is 0.
"""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.analysis.intervals import LEVEL, RESAMPLES, Interval, clustered_interval
from dragoman.analysis.pass_hat import task_pass_hat, trial_counts
from dragoman.core.scores import Verdict


class Rho(msgspec.Struct, frozen=True):
    """rho^q of one cell.

    Attributes:
        q: How many trials must all succeed.
        value: None where no task was solved.
        interval: 95 %, by percentile bootstrap over tasks; None as `value`.
        tasks: Tasks that entered: those that pass^q is over.
        solved: Those among them with a success; only they say something of rho.
    """

    q: int
    value: float | None
    interval: Interval | None
    tasks: int
    solved: int


def rho_hat(rewards: Mapping[str, Sequence[Verdict | None]], trials: int, seed: int) -> list[Rho]:
    """Return rho^q for q = 2..trials, each over the tasks that pass^q is over.

    Args:
        rewards: By task, the reward of every planned trial; None where it was not played.
        trials: The most trials that are planned for a task.
        seed: Of the bootstrap; derive it from the cell.
    """
    counts = trial_counts(rewards)
    return [rho_of(counts, q, seed + q) for q in range(2, trials + 1)]


def rho_of(counts: Sequence[tuple[int, int]], q: int, seed: int) -> Rho:
    """Return rho^q of tasks by their trials and successes; those with fewer trials are left out."""
    entered = [(trials, passed) for trials, passed in counts if trials >= q]
    first = [task_pass_hat(trials, passed, 1) for trials, passed in entered]
    every = [task_pass_hat(trials, passed, q) for trials, passed in entered]
    solved = sum(passed > 0 for _, passed in entered)
    if not solved:
        return Rho(q, None, None, len(entered), 0)
    return Rho(
        q=q,
        value=sum(every) / sum(first),
        interval=_interval(first, every, seed),
        tasks=len(entered),
        solved=solved,
    )


def _interval(first: Sequence[float], every: Sequence[float], seed: int) -> Interval:
    """Draw tasks anew; a draw without a solved task has no ratio and is left out.

    Where all solved tasks have one ratio, drawing would claim certainty: the exact limit over
    these tasks stands in, as for pass^k.
    """
    import numpy as np

    ratios = [all_of / one for one, all_of in zip(first, every, strict=True) if one]
    if min(ratios) == max(ratios):
        return clustered_interval(ratios, seed)
    count = len(first)
    generator = np.random.default_rng(seed)
    drawn = generator.multinomial(count, [1 / count] * count, size=RESAMPLES)
    of_first, of_every = drawn @ np.asarray(first), drawn @ np.asarray(every)
    there = of_first > 0
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(of_every[there] / of_first[there], [tail, 1 - tail])
    return Interval(float(low), float(high))
