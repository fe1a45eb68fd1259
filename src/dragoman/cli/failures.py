"""Failures of a run by cause, and drops against the baseline, for `dragoman show RUN`."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from shlex import quote
from typing import NamedTuple

import msgspec

from dragoman.analysis.cell_summary import PlaceInRun
from dragoman.analysis.drops import Drop
from dragoman.cli.output import print_line, print_metrics_json
from dragoman.core.errors import StoreError
from dragoman.core.texts.characters import escape_controls
from dragoman.dataframes.comparisons import drop_object
from dragoman.dataframes.results import chosen_scoring
from dragoman.dataframes.run_failures import RunFailures, kept_failures, run_failures
from dragoman.registry.participant_names import judge_name
from dragoman.report import formatting
from dragoman.report.comparison import show_run_command
from dragoman.report.degradation import UNASKED, drop_lines
from dragoman.report.labels import STAGE_NAMES, STATUS_NAMES, outcome_words, status_name
from dragoman.report.summary import FailureGroup, failure_groups
from dragoman.runs.manifest import read_manifest
from dragoman.store.run_store import RunStore, open_run, peek_run


def print_drops(
    drops: Sequence[Drop], run: Path, *, is_imported: bool, most: int | None = None
) -> bool:
    """Print the drops between the conditions of a run; return whether there are any.

    Args:
        drops: The drops to print.
        run: The run's folder.
        is_imported: Whether the run is imported, so that it cannot be replayed.
        most: Maximum number of lines; None for any number.
    """
    found = drop_lines(drops, str(run), _width(), is_imported=is_imported, most=most)
    for line in found:
        print(line)
    return bool(found)


def _width() -> int:
    """Return the width of the terminal in columns."""
    from rich.console import Console

    return Console().width


def print_not_played(reasons: Mapping[str, str]) -> None:
    """Print the conditions of a grid that are not played, with the reasons."""
    for line in formatting.not_played_lines(reasons):
        print_line(f"Not played: {line}")


MAX_TASKS = 5
"""Tasks of a group that are named for each agent and condition."""

MAX_CAUSE = 400
"""Characters of a cause that are shown."""

_INDENT = "    "


class FailureFilter(msgspec.Struct, frozen=True):
    """The conversations to show and the scoring to read them by.

    None stands for all conversations, and for the newest scoring.
    """

    agent: str | None
    condition: str | None
    rules: str | None
    judge: str | None

    def takes(self, agent: str, condition: str) -> bool:
        """Return whether the filter selects a conversation."""
        return self.agent in {None, agent} and self.condition in {None, condition}


def print_failures(folder: Path, wanted: FailureFilter, *, as_json: bool) -> None:
    """Print the drops between a run's conditions, and the failures by cause and stage."""
    (rules, judge, is_imported, not_played, in_shard), lost = _read_failures(folder, wanted)
    planned = sum(count for agent, label, count in lost.planned if wanted.takes(agent, label))
    names = ((each, each.comparison.b) for each in lost.drops)
    meant_drops = [each for each, b in names if wanted.takes(b.agent, b.condition.label)]
    groups = failure_groups(
        each for each in lost.failures if wanted.takes(each.place.agent, each.place.condition)
    )
    if as_json:
        listed = [
            {
                "standing": group.status,
                "cause": group.cause,
                "stage": group.stage,
                "conversations": group.places,
            }
            for group in groups
        ]
        about = {"run": str(folder), "planned": planned, "failures": listed}
        about["not_played"] = dict(not_played)
        print_metrics_json({**about, "losses": list(map(drop_object, meant_drops))})
        return
    if print_drops(meant_drops, folder, is_imported=is_imported):
        print()
    print_line(
        f"{folder}: {_counts(groups, planned, in_shard=in_shard)} (rules {rules}, judge {judge})"
    )
    _print_groups(folder, groups, in_shard=in_shard)
    print_not_played(not_played)
    if not is_imported and any(group.stage == UNASKED for group in groups):
        print_line(f"\nCause not analyzed yet; run: dragoman attribute {quote(str(folder))}")


class _Scoring(NamedTuple):
    """The scoring of a run, and facts on the run.

    These are whether it is imported, its conditions that are not played, and whether it is a shard.
    """

    rules: str
    judge: str
    is_imported: bool
    not_played: Mapping[str, str]
    in_shard: bool


def _read_scoring(store: RunStore, wanted: FailureFilter) -> _Scoring:
    rules, judge = chosen_scoring(store, wanted.rules, judge_name(wanted.judge))
    manifest = read_manifest(store)
    is_imported = manifest.imported is not msgspec.UNSET
    in_shard = bool(manifest.config.shard)
    return _Scoring(rules, judge, is_imported, manifest.not_applicable, in_shard)


def _read_failures(folder: Path, wanted: FailureFilter) -> tuple[_Scoring, RunFailures]:
    """Return the failures of a run: the stored ones, or by reading its conversations."""
    with suppress(StoreError), peek_run(folder) as store:
        scoring = _read_scoring(store, wanted)
        kept = kept_failures(store, scoring.rules, scoring.judge)
        if kept is not None:
            return scoring, kept
    with open_run(folder, write=False) as store:
        scoring = _read_scoring(store, wanted)
        return scoring, run_failures(store, scoring.rules, scoring.judge)


MAX_CAUSES = 2
"""Causes that are shown below the answer of a run."""


def cause_lines(folder: Path, groups: Sequence[FailureGroup], width: int = 80) -> list[str]:
    """Return the most frequent causes in two lines each: the count, and an example."""
    causes: dict[str, list[FailureGroup]] = {}
    for group in groups:
        causes.setdefault(outcome_words(group.status, group.cause), []).append(group)
    counts = {key: sum(len(group.places) for group in found) for key, found in causes.items()}
    lines = []
    for key in sorted(counts, key=lambda each: -counts[each])[:MAX_CAUSES]:
        about = f"{counts[key]:,} {key}"
        place = causes[key][0].places[0]
        lines += [
            escape_controls(textwrap.shorten(about, width, placeholder=" …")),
            escape_controls(f"{_INDENT}{show_run_command(str(folder), place)}"),
        ]
    if len(counts) > MAX_CAUSES:
        more = formatting.format_count(len(counts) - MAX_CAUSES, "more cause")
        lines.append(f"and {more}: --full")
    return lines


def _print_groups(folder: Path, groups: Sequence[FailureGroup], *, in_shard: bool) -> None:
    width = _width()
    for (status, cause), stages in groupby(groups, lambda group: (group.status, group.cause)):
        of_cause = list(stages)
        count = sum(len(group.places) for group in of_cause)
        print()
        words = outcome_words(status, cause, in_shard=in_shard)
        about = f"{count:,} {formatting.truncate_text(words, MAX_CAUSE)}"
        for line in _wrap_text(about, "", width):
            print(line)
        for group in of_cause:
            for line in _lines(folder, group, width):
                print(line)


def _counts(groups: Sequence[FailureGroup], planned: int, *, in_shard: bool) -> str:
    """Return the numbers of conversations by status, as one line."""
    counts = {
        status_name(status, in_shard=in_shard): sum(
            len(group.places) for group in groups if group.status == status
        )
        for status in STATUS_NAMES
        if status != "pass"
    }
    passed = f"{planned - sum(counts.values()):,} passed"
    others = [f"{count:,} {word}" for word, count in counts.items() if count]
    return ", ".join((formatting.format_count(planned, "conversation"), passed, *others))


def _lines(folder: Path, group: FailureGroup, width: int) -> Iterator[str]:
    indent = _INDENT
    if group.stage is not None and group.stage != UNASKED:
        yield f"{indent}{len(group.places):,} at stage: {STAGE_NAMES[group.stage]}"
        indent += _INDENT
    for (agent, condition), places in _by_cell(group.places).items():
        named = [
            f"{place.task}{f' (trial {place.trial})' if place.trial else ''}"
            for place in places[:MAX_TASKS]
        ]
        more = [f"and {len(places) - MAX_TASKS:,} more"] if len(places) > MAX_TASKS else []
        yield from _wrap_text(f"{agent}, {condition}: {', '.join(named + more)}", indent, width)
    yield escape_controls(f"{indent}one of them: {show_run_command(str(folder), group.places[0])}")


def _wrap_text(text: str, indent: str, width: int) -> list[str]:
    return textwrap.wrap(
        escape_controls(text),
        width,
        initial_indent=indent,
        subsequent_indent=indent + _INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _by_cell(places: Iterable[PlaceInRun]) -> dict[tuple[str, str], list[PlaceInRun]]:
    cells: dict[tuple[str, str], list[PlaceInRun]] = {}
    for place in places:
        cells.setdefault((place.agent, place.condition), []).append(place)
    return cells
