"""Links from numbers of a report to the conversations they were computed from."""

from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlencode

import msgspec

from dragoman.analysis.cell_summary import ConversationResult, PlaceInRun
from dragoman.analysis.comparison import Comparison, TaskPair
from dragoman.analysis.drops import CountedShare, Drop
from dragoman.report import degradation
from dragoman.report.labels import condition_chips, stage_of
from dragoman.report.overview import (
    Failures,
    MatrixCell,
    MatrixRow,
    RunOverview,
    remaining_drops,
)
from dragoman.report.view_model import RunView

MAX_FLIPPED = 20
"""Maximum number of named tasks of a comparison on each side."""

ConversationKey = tuple[str, str, str, str, str, int]
"""Run, suite, condition, agent, task and trial."""


class Drilldown(msgspec.Struct, frozen=True):
    """The conversations behind a number, by their places in the report, and the filter's label."""

    label: str
    places: tuple[int, ...]


class LinkedFigure(msgspec.Struct, frozen=True):
    """A number in words, a description of it, and the filter for its conversations.

    The filter is -1 if there is none.
    """

    words: str
    about: str
    filter: int


class LinkedDrop(msgspec.Struct, frozen=True):
    """A drop as a report shows it.

    Attributes:
        run: The run's name.
        loss: The drop.
        failed: The conversations that failed.
        stages: The parts, the largest first.
        values: Kinds of misrecognized values.
        shares: The word error rate, and turns in another language.
        misrecognized: Failures with a misrecognized value.
    """

    run: str
    loss: Drop
    failed: LinkedFigure
    stages: tuple[LinkedFigure, ...]
    values: tuple[LinkedFigure, ...]
    shares: tuple[LinkedFigure, ...]
    misrecognized: LinkedFigure | None

    @property
    def base(self) -> str:
        """The values that only the base has, in words."""
        found = self.loss.comparison
        return ", ".join(condition_chips(found.a.condition, found.b.condition))

    @property
    def other(self) -> str:
        """The values that only the other condition has, in words."""
        found = self.loss.comparison
        return ", ".join(condition_chips(found.b.condition, found.a.condition))


class FlippedTask(msgspec.Struct, frozen=True):
    """A task on which two cells differ, with conversations of both that tell them apart."""

    task: str
    side: str


class DrilldownLinks:
    """Provider of the filters for numbers, which show the conversations behind them.

    Filters are numbered in the order of the requests.

    Args:
        runs: The runs of a report, whose conversations are numbered as `pack` numbers them.
    """

    def __init__(self, runs: Sequence[RunView]) -> None:
        every = ((run.name, row) for run in runs for row in run.outcomes)
        self._numbers = {_key(run, row): number for number, (run, row) in enumerate(every)}
        self.behind: list[Drilldown] = []

    def drops(self, run: RunView) -> tuple[LinkedDrop, ...]:
        """Return the drops that the first screen does not show, the largest one first."""
        found = run.drops
        if run.overview is not None:
            found = remaining_drops(run.overview, found)
        return tuple(self._drop(run.name, loss) for loss in degradation.by_size(found))

    def flipped(self, entry: Comparison) -> tuple[tuple[FlippedTask, ...], tuple[FlippedTask, ...]]:
        """Return the first tasks on which B is better, and those on which it is worse."""
        won, lost = (
            tuple(self._task(entry, pair) for pair in pairs[:MAX_FLIPPED])
            for pairs in (entry.won, entry.lost)
        )
        return won, lost

    def list_of(self, run: str, suite: str, label: str, places: Iterable[PlaceInRun]) -> str:
        """Return the address of these conversations in the report; "" for none of them."""
        number = self._number(run, suite, label, places)
        return f"#?behind={number}" if number >= 0 else ""

    def conversation(self, run: str, suite: str, place: PlaceInRun) -> str:
        """Return the address of a conversation in the report; "" if the report does not have it."""
        found = self._numbers.get(_place_key(run, suite, place))
        return "" if found is None else f"#conversation-{found}"

    def _task(self, entry: Comparison, pair: TaskPair) -> FlippedTask:
        keys = (
            (side.run, side.suite, side.condition.label, side.agent, pair.task, trial)
            for side, trial in zip((entry.a, entry.b), pair.apart, strict=True)
        )
        found = [str(self._numbers[key]) for key in keys if key in self._numbers]
        return FlippedTask(pair.task, ".".join(found))

    def _drop(self, run: str, loss: Drop) -> LinkedDrop:
        def linked(words: str, about: str, name: str, places: Iterable[PlaceInRun]) -> LinkedFigure:
            return LinkedFigure(words, about, self._filter(run, loss, name, places))

        def share(each: CountedShare) -> LinkedFigure:
            return linked(
                degradation.share_words(each), "", f"misrecognized: {each.name}", each.behind
            )

        stages = tuple(
            linked(
                f"{stage_of(part.stage)} {degradation.points(part.value)}",
                degradation.points_interval(part.interval),
                stage_of(part.stage),
                part.behind,
            )
            for part in degradation.largest_first(loss.parts)
        )
        amount = "" if loss.value is None else degradation.points(abs(loss.value))
        misrecognized = degradation.misrecognized_words(loss)
        return LinkedDrop(
            run,
            loss,
            linked(f"{amount} points", "", "failed", loss.failed),
            stages,
            tuple(map(share, loss.values)),
            tuple(
                linked(words, "", name, side.behind)
                for name, words, side in degradation.stated_shares(loss)
            ),
            linked(misrecognized, "", "a value misrecognized", loss.misrecognized)
            if loss.misrecognized
            else None,
        )

    def _filter(self, run: str, loss: Drop, name: str, places: Iterable[PlaceInRun]) -> int:
        """Return the number of the filter that shows these conversations; -1 for none of them."""
        about = (
            f"{degradation.describe_agent(loss)}, {degradation.other_name(loss)} vs. "
            f"{degradation.base_name(loss)}"
        )
        return self._number(run, loss.comparison.b.suite, f"{about}: {name}", places)

    def _number(self, run: str, suite: str, label: str, places: Iterable[PlaceInRun]) -> int:
        keys = (_place_key(run, suite, place) for place in places)
        found = tuple(self._numbers[key] for key in keys if key in self._numbers)
        if not found:
            return -1
        self.behind.append(Drilldown(label, found))
        return len(self.behind) - 1


class ReportLinks:
    """Provider of addresses within a report for the first screen of one run.

    All lists are requested at once, since a report packs its filters before it is written.

    Args:
        links: The filters of the report.
        run: The run's name.
        found: Its answer.
    """

    def __init__(self, links: DrilldownLinks, run: str, found: RunOverview) -> None:
        self._links, self._run = links, run
        self._lists: dict[str, str] = {}
        for row in (*found.rows, *found.folded):
            about = f"{row.label}, {', '.join(row.chips)}"
            self._lists[row.failures.name] = links.list_of(
                run, row.suite, f"{about}: failures", row.failures.places
            )
            for part in row.parts:
                self._lists[part.failures.name] = links.list_of(
                    run, row.suite, f"{about}: {part.stage}", part.failures.places
                )
            for value in row.values:
                self._lists[value.conversations.name] = links.list_of(
                    run,
                    row.suite,
                    f"{about}: misrecognized {value.name}",
                    value.conversations.places,
                )

    def failures(self, found: Failures) -> str:
        """Return the address of a list of conversations."""
        return self._lists.get(found.name, "")

    def conversation(self, suite: str, place: PlaceInRun) -> str:
        """Return the address of one conversation."""
        return self._links.conversation(self._run, suite, place)

    def cell(self, row: MatrixRow, cell: MatrixCell) -> str:
        """Return the address of the conversations of one cell."""
        wanted = {
            "run": self._run,
            "suite": row.suite,
            "agent": row.agent,
            "condition": cell.condition,
        }
        return f"#?{urlencode(wanted)}"


def filters_by_place(behind: Sequence[Drilldown]) -> Mapping[int, list[int]]:
    """Return for each conversation which filters show it."""
    found: dict[int, list[int]] = {}
    for number, each in enumerate(behind):
        for place in each.places:
            found.setdefault(place, []).append(number)
    return found


def _place_key(run: str, suite: str, place: PlaceInRun) -> ConversationKey:
    return run, suite, place.condition, place.agent, place.task, place.trial


def _key(run: str, row: ConversationResult) -> ConversationKey:
    return run, row.suite, row.condition.label, row.agent, row.task, row.trial
