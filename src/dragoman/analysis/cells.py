"""Rows of the summary: one per cell of the grid (suite, condition, agent, rules, judge)."""

from collections.abc import Iterable

import msgspec

from dragoman.analysis.pass_hat import PassHat, pass_hat
from dragoman.core.episodes import Episode
from dragoman.core.keys import content_key, derive_seed
from dragoman.core.scores import Score, Scored, Unscored, Verdict
from dragoman.core.usage import Usage, total_usage


class Outcome(msgspec.Struct, frozen=True):
    """One planned conversation: where it stands in the grid, and what came of it so far."""

    suite: str
    condition: str
    agent: str
    task: str
    trial: int
    episode: Episode | None = None
    score: Score | None = None


class CellSummary(msgspec.Struct, frozen=True):
    """The figures of one cell.

    `tasks` entered the figures, `left_out` did not. `assumed` says that a figure rests on verdicts
    that were assumed. `unscored` counts reasons; `tool_errors` are the agent's and user's own.
    """

    suite: str
    condition: str
    agent: str
    rules: str
    judge: str
    planned_tasks: int
    result: PassHat
    assumed: bool
    episodes: int
    missing: int
    infrastructure_errors: int
    tool_errors: int
    unscored: dict[str, int]
    endings: dict[str, int]
    seconds: float
    usage: tuple[Usage, ...]


def summarize(outcomes: Iterable[Outcome], rules: str, judge: str) -> tuple[CellSummary, ...]:
    """Group outcomes into cells and compute their figures, in order of first appearance."""
    cells: dict[tuple[str, str, str], list[Outcome]] = {}
    for outcome in outcomes:
        key = (outcome.suite, outcome.condition, outcome.agent)
        cells.setdefault(key, []).append(outcome)
    return tuple(_summary(key, rows, rules, judge) for key, rows in cells.items())


def _summary(key: tuple[str, str, str], rows: list[Outcome], rules: str, judge: str) -> CellSummary:
    suite, condition, agent = key
    rewards: dict[str, list[Verdict | None]] = {}
    for row in rows:
        rewards.setdefault(row.task, []).append(row.score.reward if row.score else None)
    episodes = [row.episode for row in rows if row.episode is not None]
    trials = max(len(column) for column in rewards.values())
    return CellSummary(
        suite=suite,
        condition=condition,
        agent=agent,
        rules=rules,
        judge=judge,
        planned_tasks=len(rewards),
        result=pass_hat(rewards, trials, derive_seed(content_key(*key), "bootstrap")),
        assumed=any(row.score is not None and row.score.assumed for row in rows),
        episodes=len(episodes),
        missing=len(rows) - len(episodes),
        infrastructure_errors=sum(episode.is_infrastructure_fault for episode in episodes),
        tool_errors=sum(episode.errors for episode in episodes),
        unscored=_reasons(rows),
        endings=_count(episode.ending.reason for episode in episodes),
        seconds=sum(episode.seconds for episode in episodes),
        usage=_usage(rows),
    )


def _usage(rows: Iterable[Outcome]) -> tuple[Usage, ...]:
    entries = [entry for row in rows if row.episode is not None for entry in row.episode.usage]
    judged = [row.score.usage for row in rows if row.score is not None and row.score.usage]
    return total_usage([*entries, *judged])


def _reasons(rows: Iterable[Outcome]) -> dict[str, int]:
    reasons = []
    for row in rows:
        match row.score.reward if row.score is not None else None:
            case Unscored(reason=reason):
                reasons.append(reason)
            case Scored(undecided=undecided) if undecided:
                reasons.append(f"0 whatever {', '.join(undecided)} would be")
    return _count(reasons)


def _count(names: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))
