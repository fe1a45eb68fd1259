"""rho^q: of what an agent solves once, how much it solves every time.

rho^q = pass^q / pass@1 (SEATauBench, equation 1), the ratio of the two means over tasks, not the
mean of the tasks' ratios. It is taken of unrounded figures; a table that divides rounded ones may
differ in its last digit. It is not defined where pass@1 is 0.
"""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.analysis.intervals import LEVEL, RESAMPLES, Interval, clustered_interval
from dragoman.analysis.pass_hat import is_complete, is_success, task_pass_hat
from dragoman.core.scores import Scored, Verdict


class Rho(msgspec.Struct, frozen=True):
    """rho^q of one cell.

    Attributes:
        q: How many trials must all succeed.
        value: None where no task was solved.
        interval: 95 %, by percentile bootstrap over tasks; None as `value`.
        tasks: Tasks that entered: those whose trials are all graded.
        solved: Those among them with a success; only they say something of rho.
    """

    q: int
    value: float | None
    interval: Interval | None
    tasks: int
    solved: int


def rho_hat(rewards: Mapping[str, Sequence[Verdict | None]], trials: int, seed: int) -> list[Rho]:
    """Return rho^q for q = 2..trials, over the tasks that pass^k is over.

    Args:
        rewards: By task, the reward of every trial that ran.
        trials: How many trials were planned for each task.
        seed: Of the bootstrap; derive it from the cell.
    """
    complete = [row for row in rewards.values() if is_complete(row, trials)]
    successes = [
        sum(isinstance(verdict, Scored) and is_success(verdict.value) for verdict in row)
        for row in complete
    ]
    return [rho_of(successes, trials, q, seed + q) for q in range(2, trials + 1)]


def rho_of(successes: Sequence[int], trials: int, q: int, seed: int) -> Rho:
    """Return rho^q of tasks of which it is known how many of their trials succeeded."""
    first = [task_pass_hat(trials, count, 1) for count in successes]
    every = [task_pass_hat(trials, count, q) for count in successes]
    solved = sum(count > 0 for count in successes)
    if not solved:
        return Rho(q, None, None, len(successes), 0)
    return Rho(
        q=q,
        value=sum(every) / sum(first),
        interval=_interval(first, every, seed),
        tasks=len(successes),
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
