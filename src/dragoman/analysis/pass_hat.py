"""The pass^k statistic and rho^q over tasks, with intervals and excluded tasks.

pass^k of a task with n trials and c successes is C(c, k) / C(n, k) (tau-bench, section 3); the
figure is the mean over tasks. rho^q is the share of what an agent solves once that it also solves
every time. pass^1 is also given for each persona that tasks state of their user.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import comb
from typing import NamedTuple

import msgspec

from dragoman.analysis.intervals import Interval, clustered_interval, ratio_interval
from dragoman.core.conditions import NONE, Condition
from dragoman.core.personas import stated_persona
from dragoman.core.scores import Scored, Verdict, is_success


class Figure(msgspec.Struct, frozen=True):
    """One pass^k: its value, its interval over tasks, and the bounds over all tasks.

    `tasks` entered it. `value` and `interval` are None if none did.
    """

    k: int
    value: float | None
    interval: Interval | None
    bounds: Interval
    tasks: int = 0


class PassHat(msgspec.Struct, frozen=True):
    """pass^k for k = 1..trials of one cell of the grid.

    `tasks` entered pass^1 and `left_out` did not; `trials` is the most that a task has.
    """

    tasks: int
    left_out: int
    trials: int
    figures: tuple[Figure, ...]


class ReferenceFigures(msgspec.Struct, frozen=True):
    """Figures as tau2-bench prints them: denominators exclude faults, without intervals.

    Attributes:
        simulations: Conversations that count.
        dropped: Conversations without a reward, which tau2-bench excludes silently.
        average_reward: Mean over the conversations that count.
        pass_hat: Figures by k, up to the smallest number of conversations that a remaining task
            has.
    """

    simulations: int
    dropped: int
    average_reward: float | None
    pass_hat: dict[int, float]


@lru_cache(maxsize=4096)
def task_pass_hat(trials: int, successes: int, k: int) -> float:
    """Return C(successes, k) / C(trials, k).

    Raises:
        ValueError: If k is below 1 or above the number of trials.
    """
    if not 1 <= k <= trials:
        raise ValueError(f"k must lie between 1 and {trials}, not {k}")
    return comb(successes, k) / comb(trials, k)


def pass_hat(rewards: Mapping[str, Sequence[Verdict | None]], trials: int) -> PassHat:
    """Compute pass^k over tasks.

    Args:
        rewards: Rewards of all planned trials by task; None for a trial that was not played.
        trials: The most trials that are planned for a task.
    """
    counts = trial_counts(rewards)
    known = [_known(row) for row in rewards.values()]
    figures = []
    for k in range(1, trials + 1):
        values = [task_pass_hat(played, passed, k) for played, passed in counts if played >= k]
        low = [_at_least(row, k) for row in known]
        high = [_at_most(row, k) for row in known]
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
    """Compute figures as tau2-bench does (reference: 1.8), to compare with published ones.

    A task without any reward disappears, and a single success among faults reads 1; `pass_hat`
    reports these cases.
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
    """Return the rewards of a task's played trials.

    The result is None if one of them is not decided.
    """
    played = [verdict for verdict in row if verdict is not None]
    decided = [each.value for each in played if isinstance(each, Scored) and not each.undecided]
    return tuple(decided) if len(decided) == len(played) else ()


class _Known(NamedTuple):
    """Numbers of a task's planned trials, of their successes, and of their failures."""

    trials: int
    successes: int
    failures: int


def _known(row: Sequence[Verdict | None]) -> _Known:
    passed = [is_success(verdict.value) for verdict in row if isinstance(verdict, Scored)]
    successes = sum(passed)
    return _Known(len(row), successes, len(passed) - successes)


def _at_least(known: _Known, k: int) -> float:
    """Return a task's pass^k where whatever is unknown fails."""
    return task_pass_hat(max(known.trials, k), known.successes, k)


def _at_most(known: _Known, k: int) -> float:
    """Return a task's pass^k where whatever is unknown passes."""
    trials = max(known.trials, k)
    return task_pass_hat(trials, trials - known.failures, k)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


class Rho(msgspec.Struct, frozen=True):
    """rho^q of one cell.

    Attributes:
        q: Number of trials that must all succeed.
        value: The value; None if no task was solved.
        interval: 95 % interval, by percentile bootstrap over tasks; None if `value` is None.
        tasks: Number of tasks in the figure: the tasks that pass^q covers.
        solved: Number of these tasks with a success; only they carry information about rho.
    """

    q: int
    value: float | None
    interval: Interval | None
    tasks: int
    solved: int


def rho_hat(rewards: Mapping[str, Sequence[Verdict | None]], trials: int) -> list[Rho]:
    """Return rho^q for q = 2..trials, each over the tasks that pass^q is over.

    Args:
        rewards: Rewards of all planned trials by task; None for a trial that was not played.
        trials: The most trials that are planned for a task.
    """
    counts = trial_counts(rewards)
    return [rho_of(counts, q) for q in range(2, trials + 1)]


def rho_of(counts: Sequence[tuple[int, int]], q: int) -> Rho:
    """Return rho^q of tasks by their trials and successes.

    Tasks with fewer trials are excluded.
    """
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


class StatedFigure(msgspec.Struct, frozen=True):
    """pass^1 over the tasks of a cell that state one persona.

    Attributes:
        persona: The persona, as `task:hard`.
        tasks: Number of tasks in the figure.
        left_out: Number of excluded tasks: a trial was not decided, or none was played.
        value: The value; None if every task is excluded.
        interval: 95 % interval over tasks.
    """

    persona: str
    tasks: int
    left_out: int
    value: float | None
    interval: Interval | None


def persona_shown(condition: Condition, task: str) -> str:
    """Return the persona of a conversation's user.

    It is the persona of the condition or, without one, of the task.

    Args:
        condition: The condition of the conversation.
        task: The id of its task.
    """
    own = condition.persona
    return own if own != NONE else stated_persona(task) or NONE


def stated_figures(
    condition: Condition, rewards: Mapping[str, Sequence[Verdict | None]]
) -> tuple[StatedFigure, ...]:
    """Return pass^1 of a cell by the personas of its tasks; nothing if these state none.

    Args:
        condition: The cell's. A cell with a card has no figures: its users are the card's.
        rewards: The rewards of every planned trial, by task.
    """
    if condition.persona != NONE:
        return ()
    groups: dict[str, dict[str, Sequence[Verdict | None]]] = {}
    for task, row in rewards.items():
        if persona := stated_persona(task):
            groups.setdefault(persona, {})[task] = row
    return tuple(
        _figure(persona, rows)
        for persona, rows in sorted(groups.items(), key=lambda group: _rank(group[0]))
    )


def _figure(persona: str, rows: Mapping[str, Sequence[Verdict | None]]) -> StatedFigure:
    found = pass_hat(rows, max(map(len, rows.values())))
    first = found.figures[0]
    return StatedFigure(persona, first.tasks, found.left_out, first.value, first.interval)


_ORDER = ("task:none", "task:easy", "task:hard")


def _rank(persona: str) -> tuple[int, str]:
    """Return the place of a persona: nobody in particular first, then those of the source."""
    return (_ORDER.index(persona) if persona in _ORDER else len(_ORDER), persona)
