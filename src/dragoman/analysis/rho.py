"""rho^q: of what an agent solves once, how much it solves every time.

rho^q = pass^q / pass@1 (SEATauBench, equation 1), the ratio of the two means over tasks, not the
mean of the tasks' ratios. It is taken of unrounded figures; a table that divides rounded ones may
differ in its last digit. It is not defined where pass@1 is 0.
"""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.analysis.intervals import Interval, ratio_interval
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


def rho_hat(rewards: Mapping[str, Sequence[Verdict | None]], trials: int) -> list[Rho]:
    """Return rho^q for q = 2..trials, each over the tasks that pass^q is over.

    Args:
        rewards: By task, the reward of every planned trial; None where it was not played.
        trials: The most trials that are planned for a task.
    """
    counts = trial_counts(rewards)
    return [rho_of(counts, q) for q in range(2, trials + 1)]


def rho_of(counts: Sequence[tuple[int, int]], q: int) -> Rho:
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
        interval=ratio_interval(list(zip(every, first, strict=True)), is_share=True),
        tasks=len(entered),
        solved=solved,
    )
