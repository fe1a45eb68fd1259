"""Summaries of the cells of a run's grid (suite, condition, agent, rules, judge), with costs."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

import msgspec

from dragoman.analysis.pass_hat import (
    PassHat,
    ReferenceFigures,
    Rho,
    StatedFigure,
    pass_hat,
    reference_figures,
    rho_hat,
    stated_figures,
)
from dragoman.core.conditions import Condition
from dragoman.core.costs import Cost, PriceOf, cost_of, no_price, total_cost
from dragoman.core.episodes import COMPLETE, Episode, TerminationReason
from dragoman.core.measures import MeasureResult
from dragoman.core.rules import RULES
from dragoman.core.scores import UNREADABLE_CALLS, Score, Scored, Unscored, Verdict, is_success
from dragoman.core.usage import Usage, total_usage


class LedgerLine(msgspec.Struct, frozen=True):
    """Usage of one model for one purpose; `cost` is None if it is not known."""

    usage: Usage
    cost: Cost | None


def ledger(entries: Iterable[Usage], price_of: PriceOf) -> tuple[LedgerLine, ...]:
    """Add usage up by purpose and model, and price it."""
    return tuple(LedgerLine(usage, cost_of(usage, price_of)) for usage in total_usage(entries))


def merge_ledgers(lines: Iterable[LedgerLine]) -> tuple[LedgerLine, ...]:
    """Add lines of several ledgers up by purpose and model."""
    lines = tuple(lines)
    costs: dict[tuple[str, str], list[Cost | None]] = {}
    for line in lines:
        costs.setdefault((line.usage.purpose, line.usage.model), []).append(line.cost)
    return tuple(
        LedgerLine(usage, total_cost(costs[usage.purpose, usage.model]))
        for usage in total_usage(line.usage for line in lines)
    )


def ledger_cost(lines: Iterable[LedgerLine]) -> Cost | None:
    """Return what a ledger costs; None if it is empty or one line's cost is not known."""
    costs = [line.cost for line in lines]
    return total_cost(costs) if costs else None


NO_PREFLIGHT: Mapping[str, tuple[Usage, ...]] = MappingProxyType({})
"""For runs of which nothing was tried out."""

_NO_SCORE = Unscored("not scored yet")

CellKey = tuple[str, Condition, str]
"""Suite, condition and agent."""

Name = TypeVar("Name", bound=str)


class ConversationResult(msgspec.Struct, frozen=True):
    """One planned conversation: its place in the grid and its results so far.

    `earlier` is the usage of all attempts before the last one and of their judges. `measures` holds
    the results of the measures other than the reward, the oldest first. `key` is the key of the
    conversation's cell in the run's store.
    """

    suite: str
    condition: Condition
    agent: str
    task: str
    trial: int
    episode: Episode | None = None
    score: Score | None = None
    earlier: tuple[Usage, ...] = ()
    measures: tuple[MeasureResult, ...] = ()
    key: str = ""

    @property
    def reward(self) -> Verdict | None:
        """The reward of the conversation.

        None if the conversation was not played; unscored if it was played but has no score yet.
        """
        if self.score is not None:
            return self.score.reward
        return None if self.episode is None else _NO_SCORE

    @property
    def usage(self) -> tuple[Usage, ...]:
        """Usage of all attempts at the conversation and of all its judges."""
        return (
            *self.earlier,
            *(self.episode.usage if self.episode is not None else ()),
            *(self.score.judges_usage if self.score is not None else ()),
            *(entry.usage for entry in self.measures if entry.usage is not None),
        )


class CellSummary(msgspec.Struct, frozen=True):
    """The figures of one cell.

    `planned_tasks` are all its tasks; `result` says how many of them entered each figure.
    `reference` holds the figures as the reference computes them, under its rules. `assumed` says
    that a figure rests on verdicts that were assumed. `ending_details` is the commonest detail of
    each ending that is not a regular one, `code_errors` counts conversations in which a
    participant's own code raised. `unscored` counts reasons; `tool_errors` are the agent's and
    user's own, and `malformed_calls` those among them whose arguments could not be read.
    `calls_in_text` counts replies in words that hold a call, and `near_tokens` conversations that
    ended by a stop token that was written almost right. `unreadable` counts conversations in whose
    deciding reply no calls could be read. `invalid` counts conversations whose simulated user
    failed a check (None if none was checked) and `invalid_kinds` the checks that failed.
    `without_invalid` gives the figures once more with nothing decided in these conversations; it is
    None if there are none. `ledger` counts every attempt at every conversation, also those that
    were played again, and a preflight. `rho` holds rho^q for q from 2 on. `successes` counts
    conversations that earned all; it is None if one has no verdict. `stated` is pass^1 by the
    personas that tasks state themselves; empty if they state none.
    """

    suite: str
    condition: Condition
    agent: str
    rules: str
    judge: str
    planned_tasks: int
    result: PassHat
    assumed: bool
    episodes: int
    missing: int
    infrastructure_errors: int
    code_errors: int
    tool_errors: int
    malformed_calls: int
    unscored: dict[str, int]
    endings: dict[TerminationReason, int]
    ending_details: dict[TerminationReason, str]
    seconds: float
    ledger: tuple[LedgerLine, ...]
    unreadable: int = 0
    calls_in_text: int = 0
    near_tokens: int = 0
    reference: ReferenceFigures | None = None
    invalid: int | None = None
    invalid_kinds: dict[str, int] = {}
    without_invalid: PassHat | None = None
    rho: tuple[Rho, ...] = ()
    successes: int | None = None
    stated: tuple[StatedFigure, ...] = ()

    @property
    def is_mostly_unreadable(self) -> bool:
        """Whether the figures may say more of how replies are read than of the agent."""
        return 2 * self.unreadable > self.answered

    @property
    def answered(self) -> int:
        """Conversations that no fault ended."""
        return self.episodes - self.infrastructure_errors - self.code_errors

    @property
    def usage(self) -> tuple[Usage, ...]:
        """Usage by purpose and model."""
        return tuple(line.usage for line in self.ledger)

    @property
    def cost(self) -> Cost | None:
        """Cost of the usage; None if no usage was recorded or a part of the cost is not known."""
        return ledger_cost(self.ledger)


def summarize(
    outcomes: Iterable[ConversationResult],
    rules: str,
    judge: str,
    price_of: PriceOf = no_price,
    preflight: Mapping[str, Sequence[Usage]] = NO_PREFLIGHT,
) -> tuple[CellSummary, ...]:
    """Group outcomes into cells and compute their figures, in order of first appearance.

    Args:
        outcomes: The outcomes.
        rules: The rule set of the figures.
        judge: Their judge.
        price_of: Returns prices.
        preflight: Usage of the trial conversations before the run, by the keys of conversations.
    """
    cells: dict[CellKey, list[ConversationResult]] = {}
    for outcome in outcomes:
        key = (outcome.suite, outcome.condition, outcome.agent)
        cells.setdefault(key, []).append(outcome)
    return tuple(
        _summary(
            key,
            rows,
            (rules, judge),
            ledger(
                (used for row in rows for used in (*row.usage, *preflight.get(row.key, ()))),
                price_of,
            ),
        )
        for key, rows in cells.items()
    )


def _summary(
    key: CellKey,
    rows: list[ConversationResult],
    scoring: tuple[str, str],
    lines: tuple[LedgerLine, ...],
) -> CellSummary:
    suite, condition, agent = key
    rules, judge = scoring
    rewards = cell_rewards(rows)
    invalid = [row for row in rows if _is_invalid(row)]
    valid = [_without_verdict(row) if _is_invalid(row) else row for row in rows]
    is_checked = any(row.score is not None and row.score.simulator for row in rows)
    episodes = [row.episode for row in rows if row.episode is not None]
    trials = max(len(column) for column in rewards.values())
    return CellSummary(
        suite=suite,
        condition=condition,
        agent=agent,
        rules=rules,
        judge=judge,
        planned_tasks=len(rewards),
        result=cell_pass_hat(rewards),
        assumed=any(row.score is not None and row.score.assumed for row in rows),
        episodes=len(episodes),
        missing=len(rows) - len(episodes),
        infrastructure_errors=sum(
            episode.ending.reason == "infrastructure_error" for episode in episodes
        ),
        code_errors=sum(episode.ending.reason == "code_error" for episode in episodes),
        tool_errors=sum(episode.errors for episode in episodes),
        malformed_calls=sum(episode.malformed_calls for episode in episodes),
        unscored=_reasons(rows),
        endings=_count(episode.ending.reason for episode in episodes),
        ending_details=_commonest_details(episodes),
        seconds=sum(episode.seconds for episode in episodes),
        ledger=lines,
        successes=_successes(rewards),
        stated=stated_figures(condition, rewards),
        unreadable=sum(_is_unreadable(row) for row in rows),
        calls_in_text=sum(episode.calls_in_text for episode in episodes),
        near_tokens=sum(bool(episode.ending.near_token) for episode in episodes),
        reference=reference_figures(rewards, trials) if _follows_reference(rules) else None,
        invalid=len(invalid) if is_checked else None,
        invalid_kinds=_count(kind for row in invalid if row.score for kind in row.score.invalid),
        without_invalid=cell_pass_hat(cell_rewards(valid)) if invalid else None,
        rho=tuple(rho_hat(rewards, trials)),
    )


def cell_pass_hat(rewards: Mapping[str, Sequence[Verdict | None]]) -> PassHat:
    """Return pass^k of a cell from the rewards of every planned trial by task.

    The value is the same wherever it is requested.
    """
    return pass_hat(rewards, max(len(column) for column in rewards.values()))


def _successes(rewards: Mapping[str, Sequence[Verdict | None]]) -> int | None:
    played = [verdict for row in rewards.values() for verdict in row if verdict is not None]
    scored = [verdict for verdict in played if isinstance(verdict, Scored)]
    return sum(is_success(each.value) for each in scored) if len(scored) == len(played) else None


def cell_rewards(rows: Iterable[ConversationResult]) -> dict[str, list[Verdict | None]]:
    """Return the rewards of every planned trial by task."""
    rewards: dict[str, list[Verdict | None]] = {}
    for row in rows:
        rewards.setdefault(row.task, []).append(row.reward)
    return rewards


def _is_unreadable(row: ConversationResult) -> bool:
    """Return whether the calls were unreadable under the rules themselves."""
    components = row.score.components if row.score is not None else ()
    return any(entry.kind == UNREADABLE_CALLS for part in components for entry in part.evidence)


def _is_invalid(row: ConversationResult) -> bool:
    return row.score is not None and bool(row.score.invalid)


def _without_verdict(row: ConversationResult) -> ConversationResult:
    """Return a conversation whose user failed as one that says nothing, whatever came of it."""
    score = None if row.score is None else _mark_unscored(row.score)
    return msgspec.structs.replace(row, score=score)


def _mark_unscored(score: Score) -> Score:
    return msgspec.structs.replace(score, reward=Unscored("the simulated user failed"))


def _follows_reference(rules: str) -> bool:
    return rules in RULES and RULES[rules].faults_leave_figures


def _reasons(rows: Iterable[ConversationResult]) -> dict[str, int]:
    reasons = []
    for row in rows:
        match row.reward:
            case Unscored(reason=reason):
                reasons.append(reason)
            case Scored(undecided=undecided) if undecided:
                reasons.append(f"0 whatever {', '.join(undecided)} would be")
    return _count(reasons)


def _commonest_details(episodes: Iterable[Episode]) -> dict[TerminationReason, str]:
    details: dict[TerminationReason, list[str]] = {}
    for episode in episodes:
        if episode.ending.reason not in COMPLETE and episode.ending.detail:
            details.setdefault(episode.ending.reason, []).append(episode.ending.detail)
    return {reason: next(iter(_count(texts))) for reason, texts in details.items()}


def _count(names: Iterable[Name]) -> dict[Name, int]:
    counts: dict[Name, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))


class PlaceInRun(msgspec.Struct, frozen=True, order=True, omit_defaults=True):
    """Place of a conversation in its run; `key` is the key of its cell in the run's store."""

    agent: str
    condition: str
    task: str
    trial: int
    key: str = ""


def place_in_run(row: ConversationResult) -> PlaceInRun:
    """Return where an outcome stands."""
    return PlaceInRun(row.agent, row.condition.label, row.task, row.trial, row.key)
