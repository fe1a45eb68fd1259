"""Scoring: rule sets, the components of a reward, and checks and judges of one's own."""

from dragoman.core.protocols import (
    AssertionVerdict,
    Check,
    Judge,
    JudgeContext,
    Judgement,
)
from dragoman.core.rules import DEFAULT_RULES, RULES, Rules
from dragoman.core.scores import ComponentScore, Evidence, Score, Scored, Unscored
from dragoman.scoring.required_phrases import contains_phrase
from dragoman.scoring.reward_components import communicate_component

__all__ = [
    "DEFAULT_RULES",
    "RULES",
    "AssertionVerdict",
    "Check",
    "ComponentScore",
    "Evidence",
    "Judge",
    "JudgeContext",
    "Judgement",
    "Rules",
    "Score",
    "Scored",
    "Unscored",
    "communicate_component",
    "contains_phrase",
]
