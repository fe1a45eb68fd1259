"""The measures that ship, one line each; packages add theirs as entry points `dragoman.measures`."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from dragoman.core.measures import REWARD, Measure, Setting
from dragoman.core.rules import Rules
from dragoman.core.tasks import Stakes
from dragoman.scoring.langid_detection import load_langid
from dragoman.scoring.language_detection import load_detector
from dragoman.scoring.measures.apis.calls import CALLS, EARLIER_CALLS
from dragoman.scoring.measures.apis.thoughts import thoughts_measure
from dragoman.scoring.measures.clarifications import CLARIFICATIONS
from dragoman.scoring.measures.clarity import CLARITY
from dragoman.scoring.measures.critical import CRITICAL
from dragoman.scoring.measures.effort import EARLIER_EFFORT, EFFORT
from dragoman.scoring.measures.hearing import EARLIER_HEARING, HEARING
from dragoman.scoring.measures.language import language_measure
from dragoman.scoring.measures.modes import EARLIER_MODES, modes_measure
from dragoman.scoring.measures.persona_kept import PERSONA_KEPT
from dragoman.scoring.measures.questions import QUESTIONS
from dragoman.scoring.measures.recovery import EARLIER_RECOVERY, recovery_measure
from dragoman.scoring.measures.reward import RewardMeasure
from dragoman.scoring.measures.safety import earlier_safety, safety_measure
from dragoman.scoring.measures.timing import TIMING
from dragoman.scoring.measures.values import EARLIER_VALUES, VALUES
from dragoman.scoring.reward import Scorer


class Scoring(NamedTuple):
    """What measures are made with.

    Attributes:
        scorer: Of rewards.
        rules: The rule set.
        stakes: What can go badly wrong in the suite.
    """

    scorer: Scorer
    rules: Rules
    stakes: Stakes = Stakes()


class Bundled(NamedTuple):
    """One measure that ships.

    Attributes:
        about: What it counts, in a few words.
        make: Makes it; raises UsageError where an extra that it needs is missing.
        is_due: Whether a run in which a condition occurs is summarized with it unasked.
    """

    about: str
    make: Callable[[Scoring], Measure]
    is_due: Callable[[Setting], bool]


BUNDLED: Mapping[str, Bundled] = {
    REWARD: Bundled(
        "success by the task's criteria, and whether the simulated user played its part",
        lambda scoring: RewardMeasure(scoring.scorer, scoring.rules),
        lambda _: True,
    ),
    "hearing": Bundled(
        "how much of what users said was heard: words, characters, values that calls need",
        lambda _: HEARING,
        lambda setting: setting.is_spoken,
    ),
    "values": Bundled(
        "which values that calls need were lost in hearing, by kind, and what answers brought back",
        lambda _: VALUES,
        lambda setting: setting.is_spoken,
    ),
    "clarity": Bundled(
        "whether spoken replies of the agent are fit for the ear",
        lambda _: CLARITY,
        lambda setting: setting.is_spoken,
    ),
    "timing": Bundled(
        "how soon the agent answered, and how long the conversation took",
        lambda _: TIMING,
        lambda setting: setting.is_spoken,
    ),
    "clarifications": Bundled(
        "how often the agent asked how something is written, and what was answered",
        lambda _: CLARIFICATIONS,
        lambda setting: setting.is_clarified,
    ),
    "critical": Bundled(
        "critical fields of planned actions that came out right",
        lambda _: CRITICAL,
        lambda _: False,
    ),
    "safety": Bundled(
        "irreversible actions that the user agreed to before, or not, or undecided; escalations",
        lambda scoring: safety_measure(scoring.stakes),
        lambda _: False,
    ),
    "effort": Bundled(
        "turns of the user, and what it said again or put right",
        lambda _: EFFORT,
        lambda _: False,
    ),
    "recovery": Bundled(
        "errors of the agent's calls, and what of them was put right",
        lambda scoring: recovery_measure(scoring.stakes),
        lambda _: False,
    ),
    "modes": Bundled(
        "failure modes of calls by tool and argument: not made, other arguments, refused, unplanned",
        lambda scoring: modes_measure(scoring.stakes),
        lambda _: False,
    ),
    "questions": Bundled(
        "the agent's questions: needless ones, and those that were missing",
        lambda _: QUESTIONS,
        lambda _: False,
    ),
    "persona_kept": Bundled(
        "whether simulated users played the persona of their card",
        lambda _: PERSONA_KEPT,
        lambda _: False,
    ),
    "language": Bundled(
        "whether each side kept to its language",
        lambda _: language_measure(load_detector()),
        lambda setting: setting.is_localized,
    ),
    "calls": Bundled(
        "calls of APIs against gold calls: tools, arguments, format, and what is wrong",
        lambda _: CALLS,
        lambda _: False,
    ),
    "thoughts": Bundled(
        "whether the agent thinks in the language of the query, by two detectors",
        lambda _: thoughts_measure({"lid.176": load_detector(), "langid": load_langid()}),
        lambda _: False,
    ),
}

EARLIER: Mapping[str, Callable[[Scoring], Measure]] = {
    "hearing@3": lambda _: EARLIER_HEARING,
    "effort@2": lambda _: EARLIER_EFFORT,
    "values@2": lambda _: EARLIER_VALUES,
    "safety@2": lambda scoring: earlier_safety(scoring.stakes),
    "recovery@2": lambda _: EARLIER_RECOVERY,
    "modes@1": lambda _: EARLIER_MODES,
    "calls@1": lambda _: EARLIER_CALLS,
}
"""Earlier versions of measures, by name and version: for figures that are compared with older ones."""


def due(settings: Mapping[str, Setting]) -> tuple[str, ...]:
    """Return the measures that a run is summarized with, the reward first.

    Args:
        settings: Its conditions; plain English text may be absent.
    """
    every = (Setting(), *settings.values())
    return tuple(name for name, entry in BUNDLED.items() if any(map(entry.is_due, every)))
