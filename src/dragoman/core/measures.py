"""Measures: counts from one stored conversation, and the metrics computed from the counts.

Errors that a judge reports follow the taxonomy of SEATauBench.
"""

from collections.abc import Callable, Iterable, Sequence
from math import ceil, isfinite
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

from dragoman.core.conditions import ENGLISH
from dragoman.core.episodes import Episode
from dragoman.core.language.localized_values import ENGLISH_VALUES, LocalizedValues
from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.lazy_names import old_names
from dragoman.core.personas import Habits
from dragoman.core.protocols import EnvironmentFactory
from dragoman.core.scores import METRIC_VERSION, NO_JUDGE, Evidence, Score, Unscored
from dragoman.core.tasks import Task
from dragoman.core.texts.expected_values import ExpectedValue
from dragoman.core.tools import Role
from dragoman.core.usage import Usage

Severity = Literal["minor", "critical", "critical_helped", "critical_hindered"]
"""How grave an error is. `minor` and `critical` are for the agent; a critical error of the user
either helped or hindered the agent."""

Level = Literal["minor", "critical"]
"""The two severities that tables tell apart."""


class ReportedError(msgspec.Struct, frozen=True, omit_defaults=True):
    """One error as a judge reported it, with its tags as it wrote them.

    Attributes:
        by: Whose error it is.
        severity: How grave it is.
        tags: The judge's own words for what kind of error it is.
        position: The place of the turn among the conversation's events.
        why: What the judge says of it.
        quote: A passage of the conversation that shows it.
    """

    by: Role
    severity: Severity
    tags: tuple[str, ...]
    position: int
    why: str = ""
    quote: str = ""


class JudgedError(msgspec.Struct, frozen=True, omit_defaults=True):
    """One error of one side.

    Attributes:
        by: Whose error it is.
        severity: How grave it is; None where the judge's word for it is not known.
        tags: What kind of error it is, each tag once.
        unscored_tags: How many of the judge's tags could not be read.
    """

    by: Role
    severity: Severity | None
    tags: tuple[str, ...] = ()
    unscored_tags: int = 0

    @property
    def level(self) -> Level | None:
        """The severity as tables have it."""
        if self.severity is None:
            return None
        return "minor" if self.severity == "minor" else "critical"


class ErrorReview(msgspec.Struct, frozen=True):
    """Everything that a judge found in one conversation."""

    errors: tuple[JudgedError, ...]

    def errors_of(self, side: Role) -> tuple[JudgedError, ...]:
        """Return the errors of one side."""
        return tuple(error for error in self.errors if error.by == side)


REWARD, REWARD_VERSION = METRIC_VERSION.split("-")
"""The measure that every run has: its evidence is a `Score`, its version part of a score's key."""

SIMULATOR = "simulator"
"""The checks of the simulated user; they are found and stored with the reward."""

Averaging = Literal["micro", "macro", "tasks"]
"""Over what a rate is taken: sums over all conversations, the conversations' own rates, or tasks of
which every played trial is known (pass^k)."""

MetricFormat = Literal["share", "percent", "number", "seconds"]
"""How a rate reads: a share lies between 0 and 1 by its nature, the others need not."""

ROUNDING = 1e-9
"""By how much a rank may miss a whole number that it stands for: 0.95 is no binary fraction."""

MAX_WHY = 2_000
"""Characters of a reason that are kept."""


class CountedItem(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one turn, call or question counts for.

    Attributes:
        counts: Numbers by the names of what is counted; empty where it does not count.
        position: Its place among the conversation's events, from 0; None for the whole.
        subject: What was looked at.
        why: What was found, or why it does not count.
    """

    counts: dict[str, int | float] = {}
    position: int | None = None
    subject: str = ""
    why: str = ""


class MeasureResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one measure counted in one conversation, or why it could not (`unscored`).

    `rules` is empty where rule sets play no part. `usage` is the judge's. `score` is set for the
    reward alone, whose evidence it is, and `errors` for a judge's review of errors.
    """

    measure: str
    version: str
    judge: str = NO_JUDGE
    rules: str = ""
    counts: dict[str, int | float] = {}
    evidence: tuple[CountedItem, ...] = ()
    unscored: str = ""
    usage: Usage | None = None
    score: Score | None = None
    errors: tuple[ReportedError, ...] = ()

    @property
    def metric(self) -> str:
        """Measure and version in one word."""
        return metric_name(self.measure, self.version) if self.score is None else self.score.metric

    @property
    def is_open(self) -> bool:
        """Whether a judge left something undecided that it may decide when asked again."""
        if self.score is not None:
            return self.score.is_open
        return bool(self.unscored) and self.judge != NO_JUDGE


class Total(msgspec.Struct, frozen=True, tag="total"):
    """A figure that is a sum of counts; `part` says of which side it is, where sides are apart."""

    name: str
    counts: tuple[str, ...]
    part: str = ""


class Rate(msgspec.Struct, frozen=True, tag="rate", omit_defaults=True):
    """A figure that is one sum of counts for each of another.

    A name given twice weighs double: F1 is ("hits", "hits") over ("hits", "hits", "false",
    "missed"). `undecided` counts what may belong to the numerator or not: the rate then lies
    between two bounds.
    """

    name: str
    numerator: tuple[str, ...]
    denominator: tuple[str, ...]
    averaging: Averaging = "micro"
    part: str = ""
    reads: MetricFormat = "share"
    undecided: tuple[str, ...] = ()


class Trend(msgspec.Struct, frozen=True, tag="trend"):
    """A figure that correlates a rate with the position in the conversation (Pearson's r)."""

    name: str
    numerator: tuple[str, ...]
    denominator: tuple[str, ...]
    part: str = ""


class Quantile(msgspec.Struct, frozen=True, tag="quantile"):
    """A figure that is the smallest value below which, or at which, a share of all values lies.

    Its values are those of one count, entry by entry: over all conversations, not over their own
    figures.
    """

    name: str
    count: str
    share: float
    reads: MetricFormat = "number"
    part: str = ""

    def of(self, values: Sequence[float]) -> float:
        """Return it of some values, of which there is at least one (the nearest rank)."""
        return sorted(values)[max(0, ceil(self.share * len(values) - ROUNDING) - 1)]


MetricDefinition = Total | Rate | Trend | Quantile


class DeclaredMetrics(msgspec.Struct, frozen=True):
    """The figures that a measure declares: stored with a run, so that reading needs no measure."""

    measure: str
    version: str
    figures: tuple[MetricDefinition, ...]


class MeasureSetting(msgspec.Struct, frozen=True):
    """What measures need to know of a condition.

    Attributes:
        language: The tag of the language that is spoken.
        label: What language detection calls it.
        relatives: What else it may call it.
        is_localized: Whether anything is in another language than English.
        is_spoken: Whether anybody speaks aloud.
        is_clarified: Whether a judge may have the agent's questions answered.
    """

    language: str = ENGLISH
    label: str = ENGLISH
    relatives: tuple[str, ...] = ()
    is_localized: bool = False
    is_spoken: bool = False
    is_clarified: bool = False


class ScoringContext(msgspec.Struct, frozen=True):
    """One stored conversation with all that a measure may look at.

    Attributes:
        task: Its task, as it is judged.
        episode: What happened.
        factory: Makes worlds in the task's initial state.
        wording: How its languages word what is compared.
        setting: The condition it was played under.
        draw: What keeps verdicts on it apart from those on other trials.
        phrases: What is said in the user's language; None where it is not known.
        expected: What its expected calls may have as arguments, where the suite says; else its plan
            tells.
        policy: Returns the text that the agent had to follow.
        habits: Those of its user's card; None where the user is nobody in particular.
    """

    task: Task
    episode: Episode
    factory: EnvironmentFactory
    wording: LocalizedValues = ENGLISH_VALUES
    setting: MeasureSetting = MeasureSetting()
    draw: str = ""
    phrases: Phrasebook | None = None
    expected: Sequence[ExpectedValue] = ()
    policy: Callable[[], str] = str
    habits: Habits | None = None

    @property
    def fault(self) -> str:
        """What broke it, so that nothing can be said of its participants; "" where nothing did."""
        if not self.episode.is_fault:
            return ""
        reason, detail = self.episode.ending.reason, self.episode.ending.detail
        return (
            f"{'infrastructure' if reason == 'infrastructure_error' else 'the code raised'}: "
            f"{detail}"
        )


class Measure(Protocol):
    """Counts something in stored conversations."""

    @property
    def name(self) -> str:
        """What it is called on the command line and in tables."""
        ...

    @property
    def version(self) -> str:
        """Its version: whatever changes a count changes it."""
        ...

    @property
    def judge(self) -> str:
        """Who judges, with a version; `none` where nobody does."""
        ...

    @property
    def rules(self) -> str:
        """The rule set it judges by; empty where rule sets play no part."""
        ...

    @property
    def figures(self) -> tuple[MetricDefinition, ...]:
        """The figures to make of its counts."""
        ...

    def applies(self, setting: MeasureSetting) -> bool:
        """Whether there is anything to count under a condition."""
        ...

    async def measure(self, case: ScoringContext) -> MeasureResult:
        """Count one conversation; what cannot be judged is unscored, with its reason."""
        ...


def metric_name(measure: str, version: str) -> str:
    """Return measure and version in one word, as stores and tables have it."""
    return f"{measure}-{version}"


def sum_counts(entries: Iterable[CountedItem]) -> dict[str, int | float]:
    """Return the sums of all counts, by name."""
    sums: dict[str, int | float] = {}
    for entry in entries:
        for name, count in entry.counts.items():
            sums[name] = sums.get(name, 0) + count
    return sums


def result_mismatch(measure: Measure, found: MeasureResult) -> str:
    """Return why what a measure gave cannot be kept as its own; "" where it can."""
    given = (found.measure, found.version, found.judge, found.rules)
    if given != (measure.name, measure.version, measure.judge, measure.rules):
        return f"the measure {measure.name} answers as {given}"[:MAX_WHY]
    for counts in (found.counts, *(entry.counts for entry in found.evidence)):
        for name, count in counts.items():
            if not _is_number(count):
                return f"the measure counts {name!r} as {count!r}, which is no number"[:MAX_WHY]
    return ""


def _is_number(count: object) -> bool:
    return isinstance(count, int | float) and isfinite(count)


def unscored_measure(measure: Measure, why: str) -> MeasureResult:
    """Return that a measure counted nothing, and why."""
    if measure.name == REWARD:
        return reward_result(Score(measure.rules, measure.judge, Unscored(why), ()))
    return MeasureResult(measure.name, measure.version, measure.judge, measure.rules, unscored=why)


def reward_result(score: Score) -> MeasureResult:
    """Return a score as what the measure `reward` counted."""
    reward = score.reward
    counts: dict[str, int | float] = {}
    reason = ""
    if isinstance(reward, Unscored):
        reason = reward.reason
    else:
        counts = {"conversations": 1, "reward": reward.value}
        reason = f"0 whatever {', '.join(reward.undecided)} would be" if reward.undecided else ""
    return MeasureResult(
        REWARD,
        score.metric.removeprefix(f"{REWARD}-"),
        score.judge,
        score.rules,
        counts,
        unscored=reason,
        usage=score.usage,
        score=score,
    )


SIMULATOR_METRICS: tuple[MetricDefinition, ...] = (
    Total("users", ("users",)),
    Rate("invalid", ("invalid",), ("users",)),
    Rate("checks undecided", ("undecided",), ("checks",)),
)


def simulator_result(score: Score) -> MeasureResult | None:
    """Return what the checks of a simulated user counted; None where none was checked."""
    if not score.simulator:
        return None
    found = tuple(map(_count_check, score.simulator))
    counts = {"users": 1, "invalid": int(bool(score.invalid)), **sum_counts(found)}
    return MeasureResult(SIMULATOR, "1", score.judge, score.rules, counts, found)


def _count_check(entry: Evidence) -> CountedItem:
    counts: dict[str, int | float] = {
        "checks": 1,
        "undecided": int(entry.met is None),
        f"not {entry.subject}": int(entry.met is False),
    }
    return CountedItem(counts, subject=entry.subject, why=entry.why)


if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
