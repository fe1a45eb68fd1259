"""Outcomes by agent, and by how the agent got what users said: the axes of voice, read."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from dragoman.analysis.cells import Outcome
from dragoman.analysis.comparison import CellName, CellOutcomes
from dragoman.core.conditions import CLARIFY, ITSELF, NONE, SIMULATED, TEXT, Condition, axis_values

ALL_TASKS = "all tasks"
"""The name of what is made of all tasks together, each weighing the same."""

_AXES_OF_WAYS = frozenset({"voice", "recognizer", CLARIFY})

TaskId = tuple[str, str]
"""A suite and a task's id in it."""


class Way(msgspec.Struct, frozen=True):
    """How an agent gets what users say, and who lets its questions be answered.

    Attributes:
        voice: The line, `recorded`, errors that are simulated, or `text`.
        recognizer: Who hears; `itself` for an agent that hears the audio, `none` where nobody does.
        clarify: The judge of questions about spelling; `none` for nobody.
    """

    voice: str
    recognizer: str
    clarify: str = NONE

    @property
    def name(self) -> str:
        """Line and recognizer in one word; the judge aside."""
        return self.voice if self.recognizer == NONE else f"{self.voice}+{self.recognizer}"

    @property
    def is_text(self) -> bool:
        """Whether what users say is typed."""
        return self.voice == TEXT

    @property
    def is_simulated(self) -> bool:
        """Whether hearing errors were simulated: nobody listened to any audio."""
        return self.voice.startswith(SIMULATED) or self.recognizer.startswith(SIMULATED)


class PlayedWay(msgspec.Struct, frozen=True):
    """What one agent made of one way.

    Attributes:
        agent: Who played.
        setting: Values on all other axes that have one, as `axis=value`; empty for plain English.
        way: How it got the words.
        categories: Its conversations by category.
        pooled: All of them as one cell.
    """

    agent: str
    setting: tuple[str, ...]
    way: Way
    categories: Mapping[str, CellOutcomes]
    pooled: CellOutcomes

    @property
    def player(self) -> tuple[str, tuple[str, ...]]:
        """Who played, in which setting."""
        return self.agent, self.setting


def is_spoken(outcomes: Iterable[Outcome]) -> bool:
    """Whether anything is spoken, or misheard."""
    return any(row.condition.voice != TEXT for row in outcomes)


def played_ways(
    outcomes: Iterable[Outcome], digests: Mapping[TaskId, str], categories: Iterable[str]
) -> tuple[PlayedWay, ...]:
    """Return what was played by agent and way: agents as they come, text first, hearing agents last.

    Args:
        outcomes: Conversations of one scoring, those too that are missing.
        digests: Of the tasks.
        categories: The names that a leaderboard has for suites behind their first colon.
    """
    known = frozenset(categories)
    groups: dict[tuple[str, tuple[str, ...], Way], list[Outcome]] = {}
    for row in outcomes:
        groups.setdefault((row.agent, _setting(row.condition), way_of(row.condition)), []).append(
            row
        )
    players = list(dict.fromkeys((agent, setting) for agent, setting, _ in groups))
    found = [_played(*place, rows, digests, known) for place, rows in groups.items()]
    return tuple(sorted(found, key=lambda each: (players.index(each.player), _rank(each.way))))


def way_of(condition: Condition) -> Way:
    """Return the way of a condition."""
    return Way(condition.voice, condition.shown("recognizer"), condition.axis(CLARIFY))


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


def _rank(way: Way) -> int:
    if way.is_text:
        return 0
    if way.is_simulated:
        return 3
    return 2 if way.recognizer == ITSELF else 1


def _played(  # noqa: PLR0913, PLR0917 - a place of the grid, and what it is made of
    agent: str,
    setting: tuple[str, ...],
    way: Way,
    rows: Sequence[Outcome],
    digests: Mapping[TaskId, str],
    known: frozenset[str],
) -> PlayedWay:
    grouped: dict[str, list[Outcome]] = {}
    for row in rows:
        grouped.setdefault(category_of(row.suite, known), []).append(row)
    return PlayedWay(
        agent,
        setting,
        way,
        {
            name: _cell(
                name, found, {row.task: digests.get((row.suite, row.task), "") for row in found}
            )
            for name, found in grouped.items()
        },
        _pooled(rows, digests, is_one=len(grouped) == 1),
    )


def _cell(suite: str, rows: Sequence[Outcome], digests: dict[str, str]) -> CellOutcomes:
    first = rows[0]
    name = CellName("", suite, first.condition, first.agent)
    return CellOutcomes(name, tuple(rows), digests)


def _pooled(
    rows: Sequence[Outcome], digests: Mapping[TaskId, str], *, is_one: bool
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
