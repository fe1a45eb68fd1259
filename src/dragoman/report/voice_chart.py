"""The chart of voices against text: accuracy by category, a bar for each input."""

from collections.abc import Iterator, Sequence

import msgspec

from dragoman.analysis.aggregates import Standing
from dragoman.analysis.voice.board import VoiceBoard, WayFigures
from dragoman.analysis.voice.ways import ALL_TASKS
from dragoman.core.conditions import NONE
from dragoman.report.voice_tables import OVERALL, player, points
from dragoman.report.wording import counted, share

COLOURS = 6
"""How many inputs a chart tells apart by colour; more begin anew, and every bar bears its name."""


class Bar(msgspec.Struct, frozen=True):
    """One input's accuracy.

    Attributes:
        name: The input.
        colour: The number of its colour, the same in all charts of a board.
        standing: The figure.
        below: The difference to text in points, or nothing.
    """

    name: str
    colour: int
    standing: Standing
    below: str

    @property
    def words(self) -> str:
        """The bar in words, for readers who do not see it."""
        interval = self.standing.interval
        ends = (
            ""
            if interval is None
            else f", 95 % interval {share(interval.low)} to {share(interval.high)}"
        )
        to_text = f", {self.below} points to text" if self.below else ""
        tasks = counted(self.standing.tasks, "task")
        return f"{self.name}: {share(self.standing.value)}{ends}, {tasks}{to_text}"


class Chart(msgspec.Struct, frozen=True):
    """One agent's accuracies under one judge of questions: what is over all categories comes first."""

    title: str
    groups: tuple[tuple[str, tuple[Bar, ...]], ...]


def charts(board: VoiceBoard) -> tuple[Chart, ...]:
    """Return a chart for each agent and judge of questions."""
    names = list(dict.fromkeys(row.way.name for row in board.ways))
    order = sorted(board.names, key=lambda name: (name != OVERALL, name != ALL_TASKS))
    rows: dict[tuple[str, str], list[WayFigures]] = {}
    for row in board.ways:
        rows.setdefault((player(row), row.way.clarify), []).append(row)
    has_judges = any(row.way.clarify != NONE for row in board.ways)
    return tuple(
        Chart(
            f"{name}, clarify {clarify}" if has_judges else name,
            tuple(_groups(found, order, names)),
        )
        for (name, clarify), found in rows.items()
    )


def _groups(
    rows: Sequence[WayFigures], order: Sequence[str], names: Sequence[str]
) -> Iterator[tuple[str, tuple[Bar, ...]]]:
    """Yield names with the bars of all inputs that have a figure; a name without any is left out."""
    for name in order:
        bars = tuple(
            Bar(
                row.way.name,
                names.index(row.way.name) % COLOURS,
                standing,
                points(row.to_text.get(name)) if row.to_text else "",
            )
            for row in rows
            if (standing := row.standings.get(name)) is not None and standing.value is not None
        )
        if bars:
            yield name, bars
