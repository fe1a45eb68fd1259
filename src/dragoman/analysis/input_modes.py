"""Input modes of agents (text, a recognizer, native audio), with measure totals per mode."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import msgspec

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.comparison import CellName, CellOutcomes
from dragoman.analysis.intervals import Interval, ratio_interval
from dragoman.analysis.measure_metrics import newest
from dragoman.core.clarifications import REJECTIONS, Reason
from dragoman.core.conditions import CLARIFY, ITSELF, NONE, SIMULATED, TEXT, Condition, axis_values
from dragoman.core.measures import MeasureResult

ALL_TASKS = "all tasks"
"""The name of what is made of all tasks together, each weighing the same."""

_AXES_OF_WAYS = frozenset({"voice", "recognizer", CLARIFY})

TaskId = tuple[str, str]
"""A suite and a task's id in it."""


class InputMode(msgspec.Struct, frozen=True):
    """The input mode of an agent, and the judge of its clarification questions.

    Attributes:
        voice: The channel: its name, `recorded`, simulated errors, or `text`.
        recognizer: The recognizer; `itself` for an agent that receives the audio, `none` without
            audio.
        clarify: The judge of questions about spelling; `none` without a judge.
    """

    voice: str
    recognizer: str
    clarify: str = NONE

    @property
    def name(self) -> str:
        """Channel and recognizer in one word, without the judge."""
        return self.voice if self.recognizer == NONE else f"{self.voice}+{self.recognizer}"

    @property
    def is_text(self) -> bool:
        """Whether what users say is typed."""
        return self.voice == TEXT

    @property
    def is_simulated(self) -> bool:
        """Whether hearing errors were simulated: nobody listened to any audio."""
        return self.voice.startswith(SIMULATED) or self.recognizer.startswith(SIMULATED)


class PlayedInputMode(msgspec.Struct, frozen=True):
    """The conversations of one agent in one input mode.

    Attributes:
        agent: The agent.
        setting: Values on all other axes that have one, as `axis=value`; empty for plain English.
        input_mode: The input mode.
        categories: The conversations by category.
        pooled: All conversations as one cell.
    """

    agent: str
    setting: tuple[str, ...]
    input_mode: InputMode
    categories: Mapping[str, CellOutcomes]
    pooled: CellOutcomes

    @property
    def player(self) -> tuple[str, tuple[str, ...]]:
        """The agent and the setting it played in."""
        return self.agent, self.setting


def is_spoken(outcomes: Iterable[ConversationResult]) -> bool:
    """Return whether any conversation is spoken or has simulated recognition errors."""
    return any(row.condition.voice != TEXT for row in outcomes)


def played_input_modes(
    outcomes: Iterable[ConversationResult], digests: Mapping[TaskId, str], categories: Iterable[str]
) -> tuple[PlayedInputMode, ...]:
    """Return the played input modes by agent.

    Agents keep the order of the conversations; text comes first and hearing agents last.

    Args:
        outcomes: Conversations of one scoring, those too that are missing.
        digests: Digests of the tasks.
        categories: The names that a leaderboard has for suites behind their first colon.
    """
    known = frozenset(categories)
    of_condition = cache(lambda condition: (_setting(condition), input_mode(condition)))
    groups: dict[tuple[str, tuple[str, ...], InputMode], list[ConversationResult]] = {}
    for row in outcomes:
        groups.setdefault((row.agent, *of_condition(row.condition)), []).append(row)
    players = list(dict.fromkeys((agent, setting) for agent, setting, _ in groups))
    found = [_build_played_mode(*place, rows, digests, known) for place, rows in groups.items()]
    return tuple(
        sorted(found, key=lambda each: (players.index(each.player), _rank(each.input_mode)))
    )


def input_mode(condition: Condition) -> InputMode:
    """Return the way of a condition."""
    return InputMode(condition.voice, condition.shown("recognizer"), condition.axis(CLARIFY))


def category_of(suite: str, categories: Iterable[str]) -> str:
    """Return a suite's name on a leaderboard; where it has none there, its own."""
    name = suite.partition(":")[2]
    return name if name in categories else suite


def _setting(condition: Condition) -> tuple[str, ...]:
    plain = axis_values(Condition())
    return tuple(
        f"{axis}={value}"
        for axis, value in axis_values(condition).items()
        if axis not in _AXES_OF_WAYS and value != plain.get(axis, NONE)
    )


def _rank(input_mode: InputMode) -> int:
    if input_mode.is_text:
        return 0
    if input_mode.is_simulated:
        return 3
    return 2 if input_mode.recognizer == ITSELF else 1


def _build_played_mode(  # noqa: PLR0913, PLR0917 - a place of the grid, and what it is made of
    agent: str,
    setting: tuple[str, ...],
    input_mode: InputMode,
    rows: Sequence[ConversationResult],
    digests: Mapping[TaskId, str],
    known: frozenset[str],
) -> PlayedInputMode:
    grouped: dict[str, list[ConversationResult]] = {}
    for row in rows:
        grouped.setdefault(category_of(row.suite, known), []).append(row)
    return PlayedInputMode(
        agent,
        setting,
        input_mode,
        {
            name: _cell(
                name, found, {row.task: digests.get((row.suite, row.task), "") for row in found}
            )
            for name, found in grouped.items()
        },
        _pool_suites(rows, digests, is_one=len(grouped) == 1),
    )


def _cell(suite: str, rows: Sequence[ConversationResult], digests: dict[str, str]) -> CellOutcomes:
    first = rows[0]
    name = CellName("", suite, first.condition, first.agent)
    return CellOutcomes(name, tuple(rows), digests)


def _pool_suites(
    rows: Sequence[ConversationResult], digests: Mapping[TaskId, str], *, is_one: bool
) -> CellOutcomes:
    """Return the conversations of several suites as one cell, each task by a name of its own."""
    names = {
        (row.suite, row.task): row.task if is_one else f"{row.suite}/{row.task}" for row in rows
    }
    renamed = [
        msgspec.structs.replace(row, suite=ALL_TASKS, task=names[row.suite, row.task])
        for row in rows
    ]
    return _cell(
        ALL_TASKS, renamed, {name: digests.get(place, "") for place, name in names.items()}
    )


UNASKED: frozenset[Reason] = frozenset({"no question", "nothing to clarify", "spent"})
"""Reasons of decisions that say of no words that they ask how something is written."""


class MeasureCount(msgspec.Struct, frozen=True):
    """The counts of one measure over conversations.

    Attributes:
        measure: The measure.
        version: Its version.
        judge: The judge.
        conversations: Number of counted conversations.
        unscored: Number of conversations that could not be counted.
        counts: Sums of all counts, by name.
    """

    measure: str
    version: str
    judge: str
    conversations: int
    unscored: int
    counts: dict[str, int | float]


class Share(msgspec.Struct, frozen=True):
    """In how many conversations something happened; the interval is 95 %, over tasks."""

    name: str
    conversations: int
    of: int
    interval: Interval | None

    @property
    def value(self) -> float | None:
        """The share; None if no conversation was counted."""
        return self.conversations / self.of if self.of else None


def measure_counts(rows: Iterable[ConversationResult]) -> tuple[MeasureCount, ...]:
    """Return what each measure counted, by its newest version."""
    groups: dict[tuple[str, str, str], list[MeasureResult]] = {}
    for row in rows:
        for entry in newest(row.measures):
            groups.setdefault((entry.measure, entry.version, entry.judge), []).append(entry)
    return tuple(
        MeasureCount(
            *place,
            sum(not entry.unscored for entry in found),
            sum(bool(entry.unscored) for entry in found),
            _sums(found),
        )
        for place, found in groups.items()
    )


def measure_count_of(found: Sequence[MeasureCount], measure: str) -> MeasureCount | None:
    """Return the counts of a measure; None if it counted nothing."""
    return next((entry for entry in found if entry.measure == measure), None)


def question_shares(rows: Sequence[ConversationResult]) -> tuple[Share, ...]:
    """Return in how many conversations a question was judged, allowed and rejected.

    A question is what was allowed, or rejected for another reason than `UNASKED`. Empty where
    nobody judged.

    """
    counted = [
        (row.task, _questions(entry.counts))
        for row in rows
        for entry in newest(row.measures)
        if entry.measure == "clarifications" and not entry.unscored
    ]
    if not counted:
        return ()
    return tuple(
        _share(name, [(task, bool(found[name])) for task, found in counted])
        for name in ("judged", "allowed", "rejected")
    )


def _questions(counts: Mapping[str, int | float]) -> dict[str, float]:
    allowed = counts.get("allowed", 0)
    rejected = sum(
        counts.get(f"rejected: {reason}", 0) for reason in REJECTIONS if reason not in UNASKED
    )
    return {"judged": allowed + rejected, "allowed": allowed, "rejected": rejected}


def _share(name: str, found: Sequence[tuple[str, bool]]) -> Share:
    tasks: dict[str, tuple[float, float]] = {}
    for task, happened in found:
        above, below = tasks.get(task, (0, 0))
        tasks[task] = above + happened, below + 1
    interval = ratio_interval(list(tasks.values()), is_share=True)
    return Share(name, sum(happened for _, happened in found), len(found), interval)


def _sums(found: Iterable[MeasureResult]) -> dict[str, int | float]:
    sums: dict[str, int | float] = {}
    for entry in found:
        for name, count in entry.counts.items():
            sums[name] = sums.get(name, 0) + count
    return sums
