"""The overview of a large run, from status counts that were stored while it was written.

It reads no conversation, so that `dragoman show` answers at once for a run of any size.
"""

from collections.abc import Iterator
from pathlib import Path
from shlex import quote

import msgspec

from dragoman.cli.output import print_line
from dragoman.core.conditions import condition_from
from dragoman.core.scores import METRIC_VERSION, OUTCOME_STATUSES, OutcomeStatus, outcome_status
from dragoman.report.labels import outcome_words, status_name
from dragoman.runs.manifest import read_manifest
from dragoman.store.run_plan import StoredCell
from dragoman.store.run_store import RunStore, peek_run
from dragoman.store.status_counts import UNSCORED, StatusCount, StatusGroup

MOST_READ = 20_000
"""Runs with at most this many conversations are read whole when they are shown."""

MOST_CAUSES = 20
MOST_CELLS = 5

_INDENT = "    "


class _Cause(msgspec.Struct):
    """Conversations with the same status and cause, by agent and condition."""

    status: OutcomeStatus
    text: str
    cells: dict[tuple[str, str], int] = {}
    places: list[int] = []

    @property
    def count(self) -> int:
        return sum(self.cells.values())


class RunCounts(msgspec.Struct, frozen=True):
    """The number of planned conversations, and of those without success by status."""

    planned: int
    status: dict[OutcomeStatus, int]

    @property
    def successes(self) -> int:
        """The number of passed conversations."""
        return self.planned - sum(self.status.values())


def print_run_overview(
    folder: Path, agent: str | None, condition: str | None, named: tuple[str | None, str | None]
) -> RunCounts | None:
    """Print the overview of a large run; print nothing and return None for a small one.

    Args:
        folder: The run's folder.
        agent: The selected agent; None for all.
        condition: The selected condition; None for all.
        named: The requested rules and judge.
    """
    with peek_run(folder) as store:
        status_counts = store.status_counts()
        if status_counts is None or _count_planned(status_counts) <= MOST_READ:
            return None
        rules, judge = _scoring(store, status_counts, named)
        meant = {
            group: status_count
            for group, status_count in _with_labels(status_counts)
            if agent in {None, group.agent} and condition in {None, group.condition}
        }
        scoring = (rules, judge, METRIC_VERSION)
        causes = sorted(_causes(meant, scoring), key=_rank)
        counts = _counts(causes, _count_planned(meant))
        manifest = read_manifest(store)
        in_shard = bool(manifest.config.shard)
        statuses = _other_statuses(counts, in_shard=in_shard)
        print_line(f"{folder}: {statuses} (rules {rules}, judge {judge})")
        for cause in causes[:MOST_CAUSES]:
            print()
            for line in _lines(store, cause, scoring, in_shard=in_shard):
                print_line(line)
        not_played = manifest.not_applicable
    if len(causes) > MOST_CAUSES:
        print_line(f"\nand {len(causes) - MOST_CAUSES:,} more causes")
    if not_played:
        from dragoman.report.formatting import not_played_lines

        print()
        for each in not_played_lines(not_played):
            print_line(f"Not played: {each}")
    print_line(
        f"\nFailure stages and drops (reads all conversations): "
        f"dragoman show {quote(str(folder))} --full"
    )
    return counts


def _count_planned(status_counts: dict[StatusGroup, StatusCount]) -> int:
    return sum(
        status_count.count
        for group, status_count in status_counts.items()
        if group.status == "planned"
    )


def _scoring(
    store: RunStore,
    status_counts: dict[StatusGroup, StatusCount],
    named: tuple[str | None, str | None],
) -> tuple[str, str]:
    known = {
        (group.rules, group.judge) for group in status_counts if group.metric == METRIC_VERSION
    }
    rules, judge = named
    if rules is not None and judge is not None and (rules, judge) in known:
        return rules, judge
    if len(known) == 1 and named == (None, None):
        return known.pop()
    from dragoman.dataframes.results import chosen_scoring

    return chosen_scoring(store, *named)


def _with_labels(
    status_counts: dict[StatusGroup, StatusCount],
) -> Iterator[tuple[StatusGroup, StatusCount]]:
    """Yield groups with the labels of their conditions."""
    labels = {
        text: condition_from(text).label for text in {each.condition for each in status_counts}
    }
    for group, status_count in status_counts.items():
        yield msgspec.structs.replace(group, condition=labels[group.condition]), status_count


def _causes(
    meant: dict[StatusGroup, StatusCount], scoring: tuple[str, str, str]
) -> Iterator[_Cause]:
    """Yield all causes, unscored and missing conversations among them."""
    found: dict[tuple[str, str], _Cause] = {}
    unscored, missing = _Cause("unscored", "not scored yet"), _Cause("missing", "not run")
    for group, status_count in meant.items():
        cell = (group.agent, group.condition)
        of_scoring = group.scoring == scoring
        if group.status == "planned":
            _count(missing, cell, status_count.count)
        elif group.status == "played":
            _count(missing, cell, -status_count.count)
            _count(unscored, cell, status_count.count)
        elif of_scoring or group.scoring == UNSCORED:
            _count(unscored if of_scoring else missing, cell, -status_count.count)
            if group.status != "pass":
                key = (group.status, group.cause)
                cause = found.setdefault(key, _Cause(group.status, group.cause))
                _count(cause, cell, status_count.count)
                cause.places.append(status_count.place)
    for cause in (*found.values(), unscored, missing):
        cause.cells = {cell: count for cell, count in cause.cells.items() if count}
        if cause.cells:
            yield cause


def _count(cause: _Cause, cell: tuple[str, str], number: int) -> None:
    cause.cells[cell] = cause.cells.get(cell, 0) + number


def _rank(cause: _Cause) -> tuple[int, int, str]:
    return tuple(OUTCOME_STATUSES).index(cause.status), -cause.count, cause.text


def _counts(causes: list[_Cause], planned: int) -> RunCounts:
    of = {
        status: sum(each.count for each in causes if each.status == status)
        for status in OUTCOME_STATUSES
    }
    return RunCounts(planned, of)


def _other_statuses(counts: RunCounts, *, in_shard: bool) -> str:
    others = [
        f"{count:,} {status_name(status, in_shard=in_shard)}"
        for status, count in counts.status.items()
        if count
    ]
    return ", ".join((f"{counts.planned:,} conversations", f"{counts.successes:,} passed", *others))


def _lines(
    store: RunStore, cause: _Cause, scoring: tuple[str, str, str], *, in_shard: bool
) -> Iterator[str]:
    yield f"{cause.count:,} {outcome_words(cause.status, cause.text, in_shard=in_shard)}"
    most = sorted(cause.cells.items(), key=lambda each: (-each[1], each[0]))
    for (agent, condition), count in most[:MOST_CELLS]:
        yield f"{_INDENT}{agent}, {condition}: {count:,}"
    if len(most) > MOST_CELLS:
        yield f"{_INDENT}and {len(most) - MOST_CELLS:,} more agents and conditions"
    found = _example(store, cause, scoring)
    if found is not None:
        words = ["dragoman", "show", str(store.folder), found.task, "--agent", found.agent]
        words += ["--condition", found.condition.label]
        words += ["--trial", str(found.trial)] if found.trial else []
        yield f"{_INDENT}one of them: {' '.join(map(quote, words))}"


def _example(store: RunStore, cause: _Cause, scoring: tuple[str, str, str]) -> StoredCell | None:
    """Return a conversation that has this status now.

    The counted conversation may have been replayed in the meantime.
    """
    for place in cause.places[:MOST_CELLS]:
        cell = store.cell_at(place)
        found = None if cell is None else store.conversation(cell.key)
        if found is None:
            continue
        of_scoring = (
            each for each in found.scores if (each.rules, each.judge, each.metric) == scoring
        )
        if outcome_status(found.episode, next(of_scoring, None)) == cause.status:
            return found.cell
    return None
