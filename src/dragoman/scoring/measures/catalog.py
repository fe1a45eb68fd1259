"""Catalog of the bundled measures, one line each, the reward among them.

Other packages add measures as entry points `dragoman.measures`.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from dragoman.core.measures import (
    REWARD,
    REWARD_VERSION,
    Measure,
    MeasureResult,
    MeasureSetting,
    MetricDefinition,
    ScoringContext,
    reward_result,
)
from dragoman.core.rules import Rules
from dragoman.core.tasks import RiskProfile
from dragoman.scoring.language_detection import load_detector, load_langid
from dragoman.scoring.measures.agent_questions import CLARIFICATIONS, QUESTIONS
from dragoman.scoring.measures.api_calls import CALLS, EARLIER_CALLS, thoughts_measure
from dragoman.scoring.measures.call_failure_modes import EARLIER_MODES, failure_modes_measure
from dragoman.scoring.measures.clarity import CLARITY
from dragoman.scoring.measures.critical_fields import CRITICAL
from dragoman.scoring.measures.effort import EARLIER_EFFORT, EFFORT
from dragoman.scoring.measures.language_use import language_measure
from dragoman.scoring.measures.persona_adherence import PERSONA_ADHERENCE
from dragoman.scoring.measures.recovery import EARLIER_RECOVERY, recovery_measure
from dragoman.scoring.measures.safety import earlier_safety, safety_measure
from dragoman.scoring.measures.speech_recognition import (
    EARLIER_RECOGNITION,
    EARLIER_VALUES,
    RECOGNITION,
    VALUES,
)
from dragoman.scoring.measures.turn_timing import TIMING
from dragoman.scoring.reward import Scorer


class RewardMeasure:
    """Scores conversations; pass^k is made of rewards, so no other figure is declared."""

    name = REWARD
    version = REWARD_VERSION
    figures: tuple[MetricDefinition, ...] = ()

    def __init__(self, scorer: Scorer, rules: Rules) -> None:
        self._scorer = scorer
        self.judge = scorer.judge_name
        self.rules = rules.name

    def applies(self, setting: MeasureSetting) -> bool:  # noqa: ARG002
        """Return whether there is anything to count under a condition."""
        return True

    async def measure(self, case: ScoringContext) -> MeasureResult:
        """Score one conversation."""
        return reward_result(
            await self._scorer.score(case.task, case.episode, case.wording, case.draw)
        )


class MeasureSetup(NamedTuple):
    """Settings that measures are made with.

    Attributes:
        scorer: Scorer of rewards.
        rules: The rule set.
        risk_profile: The risk profile of the suite.
    """

    scorer: Scorer
    rules: Rules
    risk_profile: RiskProfile = RiskProfile()


class BundledMeasure(NamedTuple):
    """One bundled measure.

    Attributes:
        about: Short description of the counts.
        make: Makes the measure; raises UsageError if an extra that it needs is missing.
        is_due: Whether a run with a condition is summarized with the measure by default.
    """

    about: str
    make: Callable[[MeasureSetup], Measure]
    is_due: Callable[[MeasureSetting], bool]


BUNDLED_MEASURES: Mapping[str, BundledMeasure] = {
    REWARD: BundledMeasure(
        "success by the task's criteria, and whether the simulated user played its part",
        lambda scoring: RewardMeasure(scoring.scorer, scoring.rules),
        lambda _: True,
    ),
    "hearing": BundledMeasure(
        "recognized share of what users said: words, characters, values that calls need",
        lambda _: RECOGNITION,
        lambda setting: setting.is_spoken,
    ),
    "values": BundledMeasure(
        "values that calls need and recognition lost, by kind, and those that answers restored",
        lambda _: VALUES,
        lambda setting: setting.is_spoken,
    ),
    "clarity": BundledMeasure(
        "spoken replies of the agent that are fit for the ear",
        lambda _: CLARITY,
        lambda setting: setting.is_spoken,
    ),
    "timing": BundledMeasure(
        "response times of the agent, and duration of the conversation",
        lambda _: TIMING,
        lambda setting: setting.is_spoken,
    ),
    "clarifications": BundledMeasure(
        "questions of the agent about how something is written, and the answers",
        lambda _: CLARIFICATIONS,
        lambda setting: setting.is_clarified,
    ),
    "critical": BundledMeasure(
        "critical fields of planned actions that came out right",
        lambda _: CRITICAL,
        lambda _: False,
    ),
    "safety": BundledMeasure(
        "irreversible actions that the user agreed to before, or not, or undecided; escalations",
        lambda scoring: safety_measure(scoring.risk_profile),
        lambda _: False,
    ),
    "effort": BundledMeasure(
        "turns of the user, and values that it repeated or corrected",
        lambda _: EFFORT,
        lambda _: False,
    ),
    "recovery": BundledMeasure(
        "errors of the agent's calls, and errors that it corrected",
        lambda scoring: recovery_measure(scoring.risk_profile),
        lambda _: False,
    ),
    "modes": BundledMeasure(
        "failure modes of calls by tool and argument: not made, other arguments, refused, "
        "unplanned",
        lambda scoring: failure_modes_measure(scoring.risk_profile),
        lambda _: False,
    ),
    "questions": BundledMeasure(
        "the agent's questions: needless ones, and those that were missing",
        lambda _: QUESTIONS,
        lambda _: False,
    ),
    "persona_kept": BundledMeasure(
        "persona fidelity of simulated users: habits of their card that they showed",
        lambda _: PERSONA_ADHERENCE,
        lambda _: False,
    ),
    "language": BundledMeasure(
        "turns of each side in its expected language",
        lambda _: language_measure(load_detector()),
        lambda setting: setting.is_localized,
    ),
    "calls": BundledMeasure(
        "calls of APIs against gold calls: tools, arguments, format, and what is wrong",
        lambda _: CALLS,
        lambda _: False,
    ),
    "thoughts": BundledMeasure(
        "thoughts of the agent in the language of the query, by two detectors",
        lambda _: thoughts_measure({"lid.176": load_detector(), "langid": load_langid()}),
        lambda _: False,
    ),
}

EARLIER_MEASURES: Mapping[str, Callable[[MeasureSetup], Measure]] = {
    "hearing@3": lambda _: EARLIER_RECOGNITION,
    "effort@2": lambda _: EARLIER_EFFORT,
    "values@2": lambda _: EARLIER_VALUES,
    "safety@2": lambda scoring: earlier_safety(scoring.risk_profile),
    "recovery@2": lambda _: EARLIER_RECOVERY,
    "modes@1": lambda _: EARLIER_MODES,
    "calls@1": lambda _: EARLIER_CALLS,
}
"""Earlier versions of measures, by name and version.

Figures that are compared with older ones use them.
"""


def due_measures(settings: Mapping[str, MeasureSetting]) -> tuple[str, ...]:
    """Return the measures that a run is summarized with, the reward first.

    Args:
        settings: Its conditions; plain English text may be absent.
    """
    every = (MeasureSetting(), *settings.values())
    return tuple(name for name, entry in BUNDLED_MEASURES.items() if any(map(entry.is_due, every)))
