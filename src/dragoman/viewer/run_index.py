"""Queries on the index of a run: facets of its conversations, counts and lists."""

from collections.abc import Iterable, Mapping

import msgspec

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.failure_attribution import ATTRIBUTION
from dragoman.core.conditions import Condition, axis_values, condition_text
from dragoman.core.measures import MeasureResult
from dragoman.core.scores import OutcomeStatus
from dragoman.report.formatting import truncate_text
from dragoman.report.view_model import (
    UserStatus,
    conversation_causes,
    conversation_status,
    user_status,
)
from dragoman.store.run_index import (
    MATCH_ALL,
    IndexQuery,
    ListedRow,
    ListPage,
    RunIndex,
    counts,
    filter_fields,
    row_of,
    rows,
)
from dragoman.store.run_plan import StoredCell
from dragoman.store.run_store import LastRows, PlayedCell

MAX_CAUSE = 160
"""Characters of a cause that are told apart."""

MOST_CAUSES = 500
"""How many causes an index tells apart: what broke may be worded anew each time."""

OTHER_CAUSES = "other causes"


class FilterFields(msgspec.Struct, frozen=True):
    """What conversations may have in common.

    Attributes:
        suite: The suite.
        condition: The condition's label.
        stored_condition: The condition as runs store it.
        agent: The agent.
        axes: The values on the condition's axes, as tables have them.
        outcome: Where it stands.
        causes: Why it is no success.
        failure_source: What lost it, as `dragoman attribute` found; empty where that is not known.
        user: Whether the simulated user passed its checks.
        assumed: Whether the reward rests on something assumed instead of judged.
    """

    suite: str
    condition: str
    stored_condition: str
    agent: str
    axes: dict[str, str]
    outcome: OutcomeStatus = "missing"
    causes: tuple[str, ...] = ()
    failure_source: str = msgspec.field(default="", name="blame")
    user: UserStatus = "unchecked"
    assumed: bool = False

    def values(self, name: str) -> tuple[str, ...]:
        """Return the values on one facet, by its name in addresses."""
        match name:
            case "suite" | "agent" | "condition" | "outcome" | "user":
                return (str(getattr(self, name)),)
            case "cause":
                return self.causes
            case "blame":
                return (self.failure_source,) if self.failure_source else ()
            case _:
                return (self.axes[name],) if name in self.axes else ()


OF_OUTCOMES = ("outcome", "cause", "blame", "user")
"""The facets that say what came of a conversation."""


def filter_field_names(found: Iterable[FilterFields]) -> tuple[str, ...]:
    """Return the names of all facets, those of the grid first."""
    axes = dict.fromkeys(name for each in found for name in each.axes)
    return ("suite", "agent", *axes, "condition", *OF_OUTCOMES)


class FilterFieldBuilder:
    """Makes the facets of a run's conversations; what many have in common is made once."""

    def __init__(self) -> None:
        self._planned: dict[tuple[str, Condition, str], FilterFields] = {}
        self._causes: set[str] = set()

    def planned(self, cell: StoredCell) -> FilterFields:
        """Return the facets of a conversation of which nothing is read yet."""
        place = (cell.suite, cell.condition, cell.agent)
        if place not in self._planned:
            condition = cell.condition
            self._planned[place] = FilterFields(
                cell.suite,
                condition.label,
                condition_text(condition),
                cell.agent,
                axis_values(condition),
            )
        return self._planned[place]

    def played(self, cell: StoredCell, found: PlayedCell) -> FilterFields:
        """Return the facets of a conversation that was played."""
        outcome = outcome_of(cell, found)
        return msgspec.structs.replace(
            self.planned(cell),
            outcome=conversation_status(outcome),
            causes=tuple(self._known(cause.text) for cause in conversation_causes(outcome)),
            failure_source=_attribution(found.measures),
            user=user_status(outcome),
            assumed=found.score is not None and found.score.assumed,
        )

    def _known(self, cause: str) -> str:
        reported = truncate_text(" ".join(cause.split()), MAX_CAUSE)
        if reported not in self._causes:
            if len(self._causes) >= MOST_CAUSES:
                return OTHER_CAUSES
            self._causes.add(reported)
        return reported


def outcome_of(cell: StoredCell, found: PlayedCell) -> ConversationResult:
    """Return what came of a cell."""
    return ConversationResult(
        suite=cell.suite,
        condition=cell.condition,
        agent=cell.agent,
        task=cell.task,
        trial=cell.trial,
        episode=found.episode,
        score=found.score,
        earlier=found.earlier,
        measures=found.measures,
    )


def _attribution(measures: Iterable[MeasureResult]) -> str:
    """Return what lost a conversation, by the newest finding; "" where that is not known."""
    found = [entry for entry in measures if entry.measure == ATTRIBUTION]
    return found[-1].evidence[0].subject if found and found[-1].evidence else ""


Chosen = Mapping[str, tuple[str, ...]]
"""Values that are wanted by the name of their facet: any of them, and of each facet."""


class FilterValue(msgspec.Struct, frozen=True):
    """A value of a facet, and how many conversations have it, all other facets being as chosen."""

    name: str
    count: int
    is_chosen: bool


class KindCounts(msgspec.Struct, frozen=True):
    """How many conversations there are of each kind.

    Attributes:
        total: How many are chosen.
        values: By facet, the values and how many have them.
        wanted: The numbers of the facets that are chosen.
    """

    total: int
    values: dict[str, tuple[FilterValue, ...]]
    wanted: frozenset[int]


class Listing:
    """Asks one index; belongs to the thread that answers requests."""

    def __init__(self, index: RunIndex) -> None:
        self._index = index
        self._filter_fields: dict[int, FilterFields] = {}

    @property
    def index(self) -> RunIndex:
        """The index."""
        return self._index

    def close(self) -> None:
        """Close the index."""
        self._index.close()

    def read(self) -> LastRows:
        """Return how far the run is read."""
        return self._index.read() or LastRows()

    def filter_fields(self) -> dict[int, FilterFields]:
        """Return all facets by number."""
        return {
            number: msgspec.json.decode(content, type=FilterFields)
            for number, content in filter_fields(self._index).items()
        }

    def numbers(self) -> dict[int, int]:
        """Return by number of facets how many conversations have them."""
        return counts(self._index)

    def count(self, chosen: Chosen, sought: IndexQuery = MATCH_ALL) -> KindCounts:
        """Count the conversations that are chosen, and those that another choice would give."""
        named = self.filter_fields()
        kinds = [
            (number, named[number], many) for number, many in counts(self._index, sought).items()
        ]
        total, wanted = 0, set()
        by_value: dict[str, dict[str, int]] = {
            name: {} for name in filter_field_names(named.values())
        }
        for number, entry, many in kinds:
            missed = [name for name, values in chosen.items() if not _has(entry, name, values)]
            if not missed:
                total += many
                wanted.add(number)
            for name in missed if len(missed) == 1 else () if missed else by_value:
                if name in by_value:
                    for value in entry.values(name):
                        by_value[name][value] = by_value[name].get(value, 0) + many
        return KindCounts(
            total,
            {name: _values(found, chosen.get(name, ())) for name, found in by_value.items()},
            frozenset(wanted),
        )

    def rows(
        self, counted: KindCounts, cut: ListPage, sought: IndexQuery = MATCH_ALL
    ) -> tuple[ListedRow, ...]:
        """Return rows among those that were counted as chosen."""
        return rows(self._index, counted.wanted, cut, sought)

    def row(self, key: str) -> ListedRow | None:
        """Return the row of a cell by its key."""
        return row_of(self._index, key)


def _has(entry: FilterFields, name: str, values: tuple[str, ...]) -> bool:
    return not set(values).isdisjoint(entry.values(name))


def _values(found: Mapping[str, int], chosen: tuple[str, ...]) -> tuple[FilterValue, ...]:
    """Return values, the most frequent first; chosen ones are there even with no conversation."""
    every = {**dict.fromkeys(chosen, 0), **found}
    return tuple(
        FilterValue(name, count, name in chosen)
        for name, count in sorted(every.items(), key=lambda entry: (-entry[1], entry[0]))
    )
