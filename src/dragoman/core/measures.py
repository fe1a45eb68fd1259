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
"""Severity of an error.

`minor` and `critical` are for the agent. A critical error of the user either helped or hindered the
agent.
"""

Level = Literal["minor", "critical"]
"""The two severities that tables distinguish."""


class ReportedError(msgspec.Struct, frozen=True, omit_defaults=True):
    """One error as a judge reported it, with the judge's own tags.

    Attributes:
        by: The side that made the error.
        severity: The severity.
        tags: The judge's own words for the kind of error.
        position: The position of the turn among the conversation's events.
        why: The judge's explanation.
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
        by: The side that made the error.
        severity: The severity; None if the judge's word for it is unknown.
        tags: The kinds of error, each tag once.
        unscored_tags: Number of the judge's tags that could not be read.
    """

    by: Role
    severity: Severity | None
    tags: tuple[str, ...] = ()
    unscored_tags: int = 0

    @property
    def level(self) -> Level | None:
        """The severity for tables."""
        if self.severity is None:
            return None
        return "minor" if self.severity == "minor" else "critical"


class ErrorReview(msgspec.Struct, frozen=True):
    """All errors that a judge found in one conversation."""

    errors: tuple[JudgedError, ...]

    def errors_of(self, side: Role) -> tuple[JudgedError, ...]:
        """Return the errors of one side."""
        return tuple(error for error in self.errors if error.by == side)


REWARD, REWARD_VERSION = METRIC_VERSION.split("-")
"""The measure of every run.

Its evidence is a `Score`; its version is part of a score's key.
"""

SIMULATOR = "simulator"
"""The measure of the simulated user's checks; they are made and stored with the reward."""

Averaging = Literal["micro", "macro", "tasks"]
"""The averaging of a rate.

`micro`: sums over all conversations. `macro`: the conversations' own rates. `tasks`: tasks of which
every played trial is known (pass^k).
"""

MetricFormat = Literal["share", "percent", "number", "seconds"]
"""The format of a figure; only a share always lies between 0 and 1."""

ROUNDING = 1e-9
"""Tolerance of a rank against a whole number, since 0.95 is not exact in binary."""

MAX_WHY = 2_000
"""Longest reason that is kept, in characters."""


class CountedItem(msgspec.Struct, frozen=True, omit_defaults=True):
    """The counts of one turn, call or question.

    Attributes:
        counts: Numbers by name; empty if the item does not count.
        position: The position among the conversation's events, from 0; None for the whole
            conversation.
        subject: The subject that was examined.
        why: The finding, or the reason why the item does not count.
    """

    counts: dict[str, int | float] = {}
    position: int | None = None
    subject: str = ""
    why: str = ""


class MeasureResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """The counts of one measure in one conversation, or why there are none (`unscored`).

    `rules` is empty if rule sets play no part. `usage` is the judge's. `score` is set only for the
    reward, whose evidence it is, and `errors` only for a judge's review of errors.
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
    """A figure that is a sum of counts; `part` names its side, if sides are separate."""

    name: str
    counts: tuple[str, ...]
    part: str = ""


class Rate(msgspec.Struct, frozen=True, tag="rate", omit_defaults=True):
    """A figure that divides one sum of counts by another.

    A name given twice weighs double: F1 is ("hits", "hits") over ("hits", "hits", "false",
    "missed"). `undecided` names counts that may or may not belong to the numerator; the rate then
    lies between two bounds.
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
    """A figure that is the smallest value at or below which a share of all values lies.

    Its values are those of one count, entry by entry: over all conversations, not over their own
    figures.
    """

    name: str
    count: str
    share: float
    reads: MetricFormat = "number"
    part: str = ""

    def of(self, values: Sequence[float]) -> float:
        """Return the quantile (the nearest rank) of at least one value."""
        return sorted(values)[max(0, ceil(self.share * len(values) - ROUNDING) - 1)]


MetricDefinition = Total | Rate | Trend | Quantile


class DeclaredMetrics(msgspec.Struct, frozen=True):
    """The figures that a measure declares.

    They are stored with a run, so that readers do not need the measure.
    """

    measure: str
    version: str
    figures: tuple[MetricDefinition, ...]


class MeasureSetting(msgspec.Struct, frozen=True):
    """The facts about a condition that measures need.

    Attributes:
        language: The tag of the spoken language.
        label: The label of the language in language detection.
        relatives: Other labels that detection may give it.
        is_localized: Whether any surface is in a language other than English.
        is_spoken: Whether anybody speaks aloud.
        is_clarified: Whether a judge may allow answers to the agent's questions.
    """

    language: str = ENGLISH
    label: str = ENGLISH
    relatives: tuple[str, ...] = ()
    is_localized: bool = False
    is_spoken: bool = False
    is_clarified: bool = False


class ScoringContext(msgspec.Struct, frozen=True):
    """One stored conversation with everything that a measure may use.

    Attributes:
        task: Its task, as it is judged.
        episode: The finished conversation.
        factory: A function that makes worlds in the task's initial state.
        wording: The wording of compared values in its languages.
        setting: The condition it was played under.
        draw: The draw of the trial; it keeps cached verdicts apart from those of other trials.
        phrases: The phrases of the user's language; None if unknown.
        expected: The right values of the arguments of its expected calls, if the suite states them;
            otherwise its plan gives them.
        policy: A function that returns the text that the agent had to follow.
        habits: The habits of its user's persona card; None without a card.
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
        """The fault that prevents any statement about its participants; "" without a fault."""
        if not self.episode.is_fault:
            return ""
        reason, detail = self.episode.ending.reason, self.episode.ending.detail
        return (
            f"{'infrastructure' if reason == 'infrastructure_error' else 'the code raised'}: "
            f"{detail}"
        )


class Measure(Protocol):
    """Counter of events in stored conversations."""

    @property
    def name(self) -> str:
        """The name on the command line and in tables."""
        ...

    @property
    def version(self) -> str:
        """The version; every change of a count changes it."""
        ...

    @property
    def judge(self) -> str:
        """The judge, with a version; `none` without a judge."""
        ...

    @property
    def rules(self) -> str:
        """The rule set it judges by; empty if rule sets play no part."""
        ...

    @property
    def figures(self) -> tuple[MetricDefinition, ...]:
        """The figures that are made from its counts."""
        ...

    def applies(self, setting: MeasureSetting) -> bool:
        """Return whether there is anything to count under a condition."""
        ...

    async def measure(self, case: ScoringContext) -> MeasureResult:
        """Count one conversation; return an unscored result if it cannot be judged."""
        ...


def metric_name(measure: str, version: str) -> str:
    """Return measure and version in one word, as in stores and tables."""
    return f"{measure}-{version}"


def sum_counts(entries: Iterable[CountedItem]) -> dict[str, int | float]:
    """Return the sums of all counts, by name."""
    sums: dict[str, int | float] = {}
    for entry in entries:
        for name, count in entry.counts.items():
            sums[name] = sums.get(name, 0) + count
    return sums


def result_mismatch(measure: Measure, found: MeasureResult) -> str:
    """Return why a result cannot be stored as the measure's own; "" if it can."""
    given = (found.measure, found.version, found.judge, found.rules)
    if given != (measure.name, measure.version, measure.judge, measure.rules):
        return f"the measure {measure.name} answers as {given}"[:MAX_WHY]
    for counts in (found.counts, *(entry.counts for entry in found.evidence)):
        for name, count in counts.items():
            if not _is_number(count):
                return f"the measure counts {name!r} as {count!r}, which is not a number"[:MAX_WHY]
    return ""


def _is_number(count: object) -> bool:
    return isinstance(count, int | float) and isfinite(count)


def unscored_measure(measure: Measure, why: str) -> MeasureResult:
    """Return the result of a measure that counted nothing, with the reason."""
    if measure.name == REWARD:
        return reward_result(Score(measure.rules, measure.judge, Unscored(why), ()))
    return MeasureResult(measure.name, measure.version, measure.judge, measure.rules, unscored=why)


def reward_result(score: Score) -> MeasureResult:
    """Return a score as a result of the measure `reward`."""
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
    """Return the counts of a simulated user's checks; None without any checks."""
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
