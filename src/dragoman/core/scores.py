"""Scores of conversations: a value or the reason for none, evidence, and outcome status."""

from collections.abc import Iterator
from typing import Literal

import msgspec

from dragoman.core.episodes import COMPLETE, Episode
from dragoman.core.tasks import Component
from dragoman.core.usage import Usage

NO_JUDGE = "none"
"""The judge's name in scores without a judge."""

IMPORTED = "imported"
"""The name of both rules and judge in scores that came with an imported file."""

USER_JUDGE = "+users:"
"""Separator between the judge's name and that of the judge of simulated users."""

METRIC_VERSION = "reward-1"
"""The version of the formula of a reward; part of every score's key."""

SUCCESS_TOLERANCE = 1e-6

UNREADABLE_CALLS = "unreadable"
"""The kind of evidence for a reply without readable calls."""


class Scored(msgspec.Struct, frozen=True, tag="scored", omit_defaults=True):
    """A value between 0 and 1.

    `undecided` names components that could not be judged although the value is known (a product
    with a factor 0). Averages exclude such values, as they exclude Unscored ones: the tasks in a
    figure must not depend on the agent's success. Bounds use them.
    """

    value: float
    undecided: tuple[str, ...] = ()


class Unscored(msgspec.Struct, frozen=True, tag="unscored"):
    """A missing value, with the reason."""

    reason: str


Verdict = Scored | Unscored


def is_success(value: float) -> bool:
    """Return whether a reward counts as a success."""
    return abs(value - 1) <= SUCCESS_TOLERANCE


class Evidence(msgspec.Struct, frozen=True, omit_defaults=True):
    """One check: `met` is None if it could not be decided.

    `raw` is the verdict on the text as written, if a language may word it differently from the
    world; None if it was not computed. `met` is the verdict on the meaning.
    """

    subject: str
    met: bool | None
    why: str = ""
    kind: str = ""
    raw: bool | None = None


class ComponentScore(msgspec.Struct, frozen=True, omit_defaults=True):
    """One component of a reward, whether or not the task's basis counts it.

    `verdict` is None if the task gives this component nothing to judge.
    """

    component: Component
    in_basis: bool
    verdict: Verdict | None
    evidence: tuple[Evidence, ...] = ()
    assumed: bool = False


class Score(msgspec.Struct, frozen=True, omit_defaults=True):
    """The score of one episode under one rule set and one judge; `usage` is the judge's.

    `simulator` holds the findings of the simulated user's checks, one entry per check; it is empty
    without a simulated user. `simulator_usage` is the usage of a judge of users.
    """

    rules: str
    judge: str
    reward: Verdict
    components: tuple[ComponentScore, ...]
    metric: str = METRIC_VERSION
    note: str = ""
    usage: Usage | None = None
    simulator: tuple[Evidence, ...] = ()
    simulator_usage: Usage | None = None

    @property
    def invalid(self) -> tuple[str, ...]:
        """The checks that the simulated user failed.

        If there are any, the score says nothing about the agent.
        """
        return tuple(entry.subject for entry in self.simulator if entry.met is False)

    @property
    def is_open(self) -> bool:
        """Whether a judge, asked again, may decide what it left undecided."""
        if USER_JUDGE in self.judge and any(entry.met is None for entry in self.simulator):
            return True
        return not isinstance(self.reward, Scored) or bool(self.reward.undecided)

    @property
    def judges_usage(self) -> tuple[Usage, ...]:
        """The usage of the judges, if there were any."""
        return tuple(entry for entry in (self.usage, self.simulator_usage) if entry is not None)

    @property
    def assumed(self) -> bool:
        """Whether the reward rests on something assumed instead of judged."""
        return any(part.assumed and part.in_basis for part in self.components)


OutcomeStatus = Literal["pass", "fail", "unscored", "code", "infrastructure", "missing"]
"""Status of a planned conversation.

`code` is for an exception in a participant's code. Infrastructure faults never count against the
agent.
"""

OUTCOME_STATUSES: dict[OutcomeStatus, str] = {
    "code": "raised in code of one's own",
    "infrastructure": "ended by infrastructure",
    "fail": "failed",
    "unscored": "unscored",
    "missing": "not run",
}
"""The statuses of a conversation that is not a success, with their descriptions.

Statuses that must be fixed first come first.
"""


def outcome_status(episode: Episode | None, score: Score | None) -> OutcomeStatus:
    """Return the status of a conversation; an argument is None if it does not exist."""
    if episode is None:
        return "missing"
    if episode.is_fault:
        return "code" if episode.ending.reason == "code_error" else "infrastructure"
    if score is None or isinstance(score.reward, Unscored):
        return "unscored"
    return "pass" if is_success(score.reward.value) else "fail"


def failure_causes(episode: Episode | None, score: Score | None) -> Iterator[str]:
    """Yield the reasons why a conversation is not a success; a success has none."""
    state = outcome_status(episode, score)
    if state == "pass":
        return
    if episode is None:
        yield "not run"
    elif state in {"code", "infrastructure"}:
        yield episode.ending.detail or "no detail was recorded"
    elif score is None:
        yield "not scored yet"
    elif isinstance(score.reward, Unscored):
        yield score.reward.reason
    else:
        yield from _failures(episode, score)


def _failures(episode: Episode, score: Score) -> Iterator[str]:
    if episode.ending.reason not in COMPLETE:
        yield f"ended early: {episode.ending.reason}"
        return
    failed = [
        part.component
        for part in score.components
        if part.in_basis and isinstance(part.verdict, Scored) and not is_success(part.verdict.value)
    ]
    yield from failed or ("reward below 1",)
