"""The reward as a measure: its evidence is the score."""

from dragoman.core.measures import (
    REWARD,
    REWARD_VERSION,
    Derived,
    Measured,
    PlayedCase,
    Setting,
    measured_reward,
)
from dragoman.core.rules import Rules
from dragoman.scoring.reward import Scorer


class RewardMeasure:
    """Scores conversations; pass^k is made of rewards, so no other figure is declared."""

    name = REWARD
    version = REWARD_VERSION
    figures: tuple[Derived, ...] = ()

    def __init__(self, scorer: Scorer, rules: Rules) -> None:
        self._scorer = scorer
        self.judge = scorer.judge_name
        self.rules = rules.name

    def applies(self, setting: Setting) -> bool:  # noqa: ARG002 - every conversation has a reward
        """Whether there is anything to count under a condition."""
        return True

    async def measure(self, case: PlayedCase) -> Measured:
        """Score one conversation."""
        return measured_reward(
            await self._scorer.score(case.task, case.episode, case.wording, case.draw)
        )
