"""What is counted of a stored conversation, by a function or a judge, and the figures made of it."""

from collections.abc import Callable, Iterable, Sequence
from math import ceil, isfinite
from typing import Literal, Protocol

import msgspec

from dragoman.core.conditions import ENGLISH
from dragoman.core.episodes import Episode
from dragoman.core.judged_errors import ReportedError
from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.language.wording import ENGLISH_WORDING, Wording
from dragoman.core.personas import Habits
from dragoman.core.protocols import WorldFactory
from dragoman.core.scores import METRIC_VERSION, NO_JUDGE, Evidence, Score, Unscored
from dragoman.core.tasks import Task
from dragoman.core.texts.expected_values import ExpectedValue
from dragoman.core.usage import Usage

REWARD, REWARD_VERSION = METRIC_VERSION.split("-")
"""The measure that every run has: its evidence is a `Score`, its version part of a score's key."""

SIMULATOR = "simulator"
"""The checks of the simulated user; they are found and stored with the reward."""

Averaging = Literal["micro", "macro", "tasks"]
"""Over what a rate is taken: sums over all conversations, the conversations' own rates, or tasks of
which every played trial is known (pass^k)."""

Reads = Literal["share", "percent", "number", "seconds"]
"""How a rate reads: a share lies between 0 and 1 by its nature, the others need not."""

ROUNDING = 1e-9
"""By how much a rank may miss a whole number that it stands for: 0.95 is no binary fraction."""

MAX_WHY = 2_000
"""Characters of a reason that are kept."""


class Counted(msgspec.Struct, frozen=True, omit_defaults=True):
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


class Measured(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one measure counted in one conversation, or why it could not (`unscored_result`).

    `rules` is empty where rule sets play no part. `usage` is the judge's. `score` is set for the
    reward alone, whose evidence it is, and `errors` for a judge's review of errors.
    """

    measure: str
    version: str
    judge: str = NO_JUDGE
    rules: str = ""
    counts: dict[str, int | float] = {}
    evidence: tuple[Counted, ...] = ()
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

    A name given twice weighs double: F1 is ("hits", "hits") over ("hits", "hits", "false", "missed").
    `undecided` counts what may belong to the numerator or not: the rate then lies between two bounds.
    """

    name: str
    numerator: tuple[str, ...]
    denominator: tuple[str, ...]
    averaging: Averaging = "micro"
    part: str = ""
    reads: Reads = "share"
    undecided: tuple[str, ...] = ()


class Trend(msgspec.Struct, frozen=True, tag="trend"):
    """A figure that correlates a rate with the position in the conversation (Pearson's r)."""

    name: str
    numerator: tuple[str, ...]
    denominator: tuple[str, ...]
    part: str = ""


class Quantile(msgspec.Struct, frozen=True, tag="quantile"):
    """A figure that is the smallest value below which, or at which, a share of all values lies.

    Its values are those of one count, entry by entry: over all conversations, not over their own figures.
    """

    name: str
    count: str
    share: float
    reads: Reads = "number"
    part: str = ""

    def of(self, values: Sequence[float]) -> float:
        """Return it of some values, of which there is at least one (the nearest rank)."""
        return sorted(values)[max(0, ceil(self.share * len(values) - ROUNDING) - 1)]


Derived = Total | Rate | Trend | Quantile


class Declared(msgspec.Struct, frozen=True):
    """The figures that a measure declares: stored with a run, so that reading needs no measure."""

    measure: str
    version: str
    figures: tuple[Derived, ...]


class Setting(msgspec.Struct, frozen=True):
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


class PlayedCase(msgspec.Struct, frozen=True):
    """One stored conversation with all that a measure may look at.

    Attributes:
        task: Its task, as it is judged.
        episode: What happened.
        factory: Makes worlds in the task's initial state.
        wording: How its languages word what is compared.
        setting: The condition it was played under.
        draw: What keeps verdicts on it apart from those on other trials.
        phrases: What is said in the user's language; None where it is not known.
        expected: What its expected calls may have as arguments, where the suite says; else its plan tells.
        policy: Returns the text that the agent had to follow.
        habits: Those of its user's card; None where the user is nobody in particular.
    """

    task: Task
    episode: Episode
    factory: WorldFactory
    wording: Wording = ENGLISH_WORDING
    setting: Setting = Setting()
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
        return f"{'infrastructure' if reason == 'infrastructure_error' else 'the code raised'}: {detail}"


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
    def figures(self) -> tuple[Derived, ...]:
        """The figures to make of its counts."""
        ...

    def applies(self, setting: Setting) -> bool:
        """Whether there is anything to count under a condition."""
        ...

    async def measure(self, case: PlayedCase) -> Measured:
        """Count one conversation; what cannot be judged is unscored, with its reason."""
        ...


def metric_name(measure: str, version: str) -> str:
    """Return measure and version in one word, as stores and tables have it."""
    return f"{measure}-{version}"


def summed(entries: Iterable[Counted]) -> dict[str, int | float]:
    """Return the sums of all counts, by name."""
    sums: dict[str, int | float] = {}
    for entry in entries:
        for name, count in entry.counts.items():
            sums[name] = sums.get(name, 0) + count
    return sums


def misfit(measure: Measure, found: Measured) -> str:
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


def unmeasured(measure: Measure, why: str) -> Measured:
    """Return that a measure counted nothing, and why."""
    if measure.name == REWARD:
        return measured_reward(Score(measure.rules, measure.judge, Unscored(why), ()))
    return Measured(measure.name, measure.version, measure.judge, measure.rules, unscored=why)


def measured_reward(score: Score) -> Measured:
    """Return a score as what the measure `reward` counted."""
    reward = score.reward
    counts: dict[str, int | float] = {}
    reason = ""
    if isinstance(reward, Unscored):
        reason = reward.reason
    else:
        counts = {"conversations": 1, "reward": reward.value}
        reason = f"0 whatever {', '.join(reward.undecided)} would be" if reward.undecided else ""
    return Measured(
        REWARD,
        score.metric.removeprefix(f"{REWARD}-"),
        score.judge,
        score.rules,
        counts,
        unscored=reason,
        usage=score.usage,
        score=score,
    )


SIMULATOR_FIGURES: tuple[Derived, ...] = (
    Total("users", ("users",)),
    Rate("invalid", ("invalid",), ("users",)),
    Rate("checks undecided", ("undecided",), ("checks",)),
)


def measured_simulator(score: Score) -> Measured | None:
    """Return what the checks of a simulated user counted; None where none was checked."""
    if not score.simulator:
        return None
    found = tuple(map(_check, score.simulator))
    counts = {"users": 1, "invalid": int(bool(score.invalid)), **summed(found)}
    return Measured(SIMULATOR, "1", score.judge, score.rules, counts, found)


def _check(entry: Evidence) -> Counted:
    counts: dict[str, int | float] = {
        "checks": 1,
        "undecided": int(entry.met is None),
        f"not {entry.subject}": int(entry.met is False),
    }
    return Counted(counts, subject=entry.subject, why=entry.why)
