"""Queries on the index of a run: filter values of its conversations, counts and lists."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import Concatenate, ParamSpec, TypeVar, cast

import msgspec

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.failure_attribution import ATTRIBUTION
from dragoman.core.conditions import Condition, axis_values, condition_from, condition_text
from dragoman.core.measures import MeasureResult
from dragoman.core.scores import OutcomeStatus
from dragoman.report.formatting import truncate_text
from dragoman.report.labels import condition_label
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
"""Longest part of a cause that is distinguished, in characters."""

MOST_CAUSES = 500
"""Maximum number of causes that an index distinguishes: error messages may differ each time."""

OTHER_CAUSES = "other causes"


class FilterFields(msgspec.Struct, frozen=True):
    """Filter values that conversations may share.

    Attributes:
        suite: The suite.
        condition: The condition's label.
        stored_condition: The condition as runs store it.
        agent: The agent.
        axes: The values on the condition's axes, as tables have them.
        outcome: The outcome status.
        causes: Why it did not succeed.
        failure_source: The failure source that `dragoman attribute` found; empty if it is not
            known.
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
        """Return the values of one filter, by its name in addresses."""
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
"""The filters on the result of a conversation."""


def filter_field_names(found: Iterable[FilterFields]) -> tuple[str, ...]:
    """Return the names of all filters, those of the grid first."""
    axes = dict.fromkeys(name for each in found for name in each.axes)
    return ("suite", "agent", *axes, "condition", *OF_OUTCOMES)


class FilterFieldBuilder:
    """Builder of the filter values of a run's conversations; shared values are made once."""

    def __init__(self) -> None:
        self._planned: dict[tuple[str, Condition, str], FilterFields] = {}
        self._causes: set[str] = set()

    def planned(self, cell: StoredCell) -> FilterFields:
        """Return the filter values of a conversation that is not read yet."""
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
        """Return the filter values of a conversation that was played."""
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
    """Return the result of a cell."""
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
    """Return the failure source of a conversation, by the newest result; "" if unknown."""
    found = [entry for entry in measures if entry.measure == ATTRIBUTION]
    return found[-1].evidence[0].subject if found and found[-1].evidence else ""


Chosen = Mapping[str, tuple[str, ...]]
"""Wanted values by filter: a conversation has any of the values of each filter."""


class FilterValue(msgspec.Struct, frozen=True):
    """A value of a filter, and the number of conversations with it under the other filters."""

    name: str
    count: int
    is_chosen: bool


class KindCounts(msgspec.Struct, frozen=True):
    """The numbers of conversations, by filter value.

    Attributes:
        total: The number of selected conversations.
        values: By filter, the values and their numbers of conversations.
        wanted: The numbers of the selected filter values.
        is_all: Whether no conversation is excluded by its filter values.
    """

    total: int
    values: dict[str, tuple[FilterValue, ...]]
    wanted: frozenset[int]
    is_all: bool


Computed = TypeVar("Computed")
Given = ParamSpec("Given")

Compute = Callable[Concatenate[RunIndex, Given], Computed]
"""A function that computes a value from an index; its result must not be changed."""

MOST_VALUES = 64
"""Maximum number of values that are kept; the counts of each search are one value."""


class SnapshotCache:
    """A cache of values of the newest version of an index, for all threads that read it.

    Every page of a run needs the same decoded filter fields, counts and figures. They change only
    when the index changes.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._version = b""
        self._values: OrderedDict[Hashable, object] = OrderedDict()

    def value(
        self,
        index: RunIndex,
        version: bytes,
        compute: Compute[Given, Computed],
        *given: Given.args,
        **named: Given.kwargs,
    ) -> Computed:
        """Return a value of this version of the index; compute it if it is not known.

        Args:
            index: The index, inside a block that reads one version of it.
            version: The version.
            compute: The function that computes the value.
            given: Further arguments of the function; all of them together identify the value.
            named: Further arguments by name.
        """
        key = (compute, given, tuple(named.items()))
        with self._lock:
            if version == self._version and key in self._values:
                self._values.move_to_end(key)
                return cast("Computed", self._values[key])
        made = compute(index, *given, **named)
        with self._lock:
            if version != self._version:
                self._version, self._values = version, OrderedDict()
            self._values[key] = made
            while len(self._values) > MOST_VALUES:
                self._values.popitem(last=False)
        return made


class _Kind(msgspec.Struct, frozen=True):
    """Filter fields that some conversations share, with their values by filter."""

    number: int
    values: dict[str, tuple[str, ...]]


class _Kinds:
    """All kinds of conversations of an index; a record without equality, which identifies it.

    Attributes:
        names: The names of all filters.
        all: The kinds.
    """

    def __init__(self, names: tuple[str, ...], kinds: tuple[_Kind, ...]) -> None:
        self.names = names
        self.all = kinds


class Listing:
    """Queries of one index; it belongs to the thread that answers requests.

    Args:
        index: The index.
        snapshots: The cache of values that all threads share.
    """

    def __init__(self, index: RunIndex, snapshots: SnapshotCache) -> None:
        self._index = index
        self._snapshots = snapshots
        self._version = b""

    @property
    def index(self) -> RunIndex:
        """The index."""
        return self._index

    def close(self) -> None:
        """Close the index."""
        self._index.close()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read one version of the index in the block, whatever other processes write meanwhile."""
        with self._index.reading():
            self._version = self._index.version()
            yield

    def once(
        self, compute: Compute[Given, Computed], *given: Given.args, **named: Given.kwargs
    ) -> Computed:
        """Return a value of the version that is read; it is computed once for all threads."""
        return self._snapshots.value(self._index, self._version, compute, *given, **named)

    def read(self) -> LastRows:
        """Return the position up to which the run is read."""
        return self._index.read() or LastRows()

    def filter_fields(self) -> Mapping[int, FilterFields]:
        """Return all filter values by number."""
        return self.once(decoded_filter_fields)

    def numbers(self) -> Mapping[int, int]:
        """Return by number of filter values the number of conversations with them."""
        return self.once(counts, MATCH_ALL)

    def varying(self) -> tuple[str, ...]:
        """Return the names of the filters on which the run's conversations differ."""
        return self.once(_varying)

    def count(self, chosen: Chosen, sought: IndexQuery = MATCH_ALL) -> KindCounts:
        """Count the selected conversations, and those of every other filter value."""
        return self.once(_kind_counts, self.once(_kinds), tuple(chosen.items()), sought)

    def rows(
        self, counted: KindCounts, cut: ListPage, sought: IndexQuery = MATCH_ALL
    ) -> tuple[ListedRow, ...]:
        """Return rows of the selected conversations."""
        # A condition that all rows meet would cost as much as the whole search.
        return rows(self._index, None if counted.is_all else counted.wanted, cut, sought)

    def row(self, key: str) -> ListedRow | None:
        """Return the row of a cell by its key."""
        return row_of(self._index, key)


def condition_labels(index: RunIndex) -> dict[str, str]:
    """Return the words for each condition of an index, by its name in addresses."""
    fields = decoded_filter_fields(index).values()
    stored = {entry.condition: entry.stored_condition for entry in fields}
    return {name: condition_label(condition_from(text)) for name, text in stored.items()}


def decoded_filter_fields(index: RunIndex) -> dict[int, FilterFields]:
    """Return all filter values of an index by number."""
    return {
        number: msgspec.json.decode(content, type=FilterFields)
        for number, content in filter_fields(index).items()
    }


def _kinds(index: RunIndex) -> _Kinds:
    named = decoded_filter_fields(index)
    names = filter_field_names(named.values())
    return _Kinds(
        names,
        tuple(
            _Kind(number, {name: entry.values(name) for name in names})
            for number, entry in named.items()
        ),
    )


def _kind_counts(
    index: RunIndex,
    kinds: _Kinds,
    chosen: tuple[tuple[str, tuple[str, ...]], ...],
    sought: IndexQuery,
) -> KindCounts:
    many_of = counts(index, sought)
    total, wanted = 0, set()
    by_value: dict[str, dict[str, int]] = {name: {} for name in kinds.names}
    sets = {name: frozenset(values) for name, values in chosen}
    for kind in kinds.all:
        many = many_of.get(kind.number)
        if many is None:
            continue
        missed = [name for name, each in sets.items() if each.isdisjoint(kind.values.get(name, ()))]
        if not missed:
            total += many
            wanted.add(kind.number)
        for name in missed if len(missed) == 1 else () if missed else by_value:
            if name in by_value:
                for value in kind.values[name]:
                    by_value[name][value] = by_value[name].get(value, 0) + many
    selected = dict(chosen)
    return KindCounts(
        total,
        {name: _values(found, selected.get(name, ())) for name, found in by_value.items()},
        frozenset(wanted),
        is_all=len(wanted) == len(many_of),
    )


def _varying(index: RunIndex) -> tuple[str, ...]:
    kinds = _kinds(index)
    return tuple(name for name in kinds.names if len({kind.values[name] for kind in kinds.all}) > 1)


def _values(found: Mapping[str, int], chosen: tuple[str, ...]) -> tuple[FilterValue, ...]:
    """Return values, the most frequent first; selected ones also with no conversation."""
    every = {**dict.fromkeys(chosen, 0), **found}
    return tuple(
        FilterValue(name, count, name in chosen)
        for name, count in sorted(every.items(), key=lambda entry: (-entry[1], entry[0]))
    )
