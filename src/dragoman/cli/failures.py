"""Failures of a run by cause, and drops against the baseline, for `dragoman show RUN`."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from shlex import quote

import msgspec

from dragoman.analysis.cell_summary import PlaceInRun
from dragoman.analysis.drops import Drop
from dragoman.cli.output import print_line, print_metrics_json
from dragoman.core.scores import OUTCOME_STATUSES
from dragoman.core.texts.characters import escape_controls
from dragoman.dataframes.comparisons import drop_object, run_drops
from dragoman.dataframes.results import chosen_scoring, outcomes
from dragoman.registry.participant_names import judge_name
from dragoman.report import formatting
from dragoman.report.comparison import show_run_command
from dragoman.report.degradation import NAMES, UNASKED, drop_lines
from dragoman.report.summary import FailureGroup, failure_groups
from dragoman.runs.manifest import read_manifest
from dragoman.store.run_store import open_run


def print_drops(
    drops: Sequence[Drop], run: Path, *, is_imported: bool, corrected: int | None = None
) -> bool:
    """Print what is lost between the conditions of a run, if it has several; return whether it has.

    Args:
        drops: Those that are wanted.
        run: The run's folder.
        is_imported: Whether nobody can play it again.
        corrected: How many losses the run has, where these are not all.
    """
    from rich.console import Console

    found = drop_lines(
        drops, str(run), Console().width, is_imported=is_imported, corrected=corrected
    )
    for line in found:
        print(line)
    return bool(found)


MAX_TASKS = 5
"""Tasks of a group that are named for each agent and condition."""

MAX_CAUSE = 400
"""Characters of a cause that are shown."""

_INDENT = "    "


class FailureFilter(msgspec.Struct, frozen=True):
    """Which conversations are looked at, and by which scoring; None for all, and for the newest."""

    agent: str | None
    condition: str | None
    rules: str | None
    judge: str | None

    def takes(self, agent: str, condition: str) -> bool:
        """Whether a conversation is meant."""
        return self.agent in {None, agent} and self.condition in {None, condition}


def print_failures(folder: Path, wanted: FailureFilter, *, as_json: bool) -> None:
    """Print what is lost between a run's conditions, and what is no success, by cause and stage."""
    with open_run(folder, write=False) as store:
        rules, judge = chosen_scoring(store, wanted.rules, judge_name(wanted.judge))
        rows = list(outcomes(store, rules, judge, heads_only=True))
        lost = run_drops(store, rules, judge)
        is_imported = read_manifest(store).imported is not msgspec.UNSET
    meant = [row for row in rows if wanted.takes(row.agent, row.condition.label)]
    names = ((each, each.comparison.b) for each in lost)
    meant_drops = [each for each, b in names if wanted.takes(b.agent, b.condition.label)]
    groups = failure_groups(meant)
    if as_json:
        found = [
            {
                "standing": group.status,
                "cause": group.cause,
                "stage": group.stage,
                "conversations": group.places,
            }
            for group in groups
        ]
        about = {"run": str(folder), "planned": len(meant), "failures": found}
        print_metrics_json({**about, "losses": list(map(drop_object, meant_drops))})
        return
    if print_drops(meant_drops, folder, is_imported=is_imported, corrected=len(lost)):
        print()
    print_line(f"{folder}: {_counts(groups, len(meant))} (rules {rules}, judge {judge})")
    _print_groups(folder, groups)
    if not is_imported and any(group.stage == UNASKED for group in groups):
        print_line(f"\nwhich stage lost them was {UNASKED}: dragoman blame {quote(str(folder))}")


def _print_groups(folder: Path, groups: Sequence[FailureGroup]) -> None:
    for (status, cause), stages in groupby(groups, lambda group: (group.status, group.cause)):
        of_cause = list(stages)
        count = sum(len(group.places) for group in of_cause)
        print()
        for line in _wrap_text(
            f"{count:,} {OUTCOME_STATUSES[status]}: {formatting.truncate_text(cause, MAX_CAUSE)}",
            "",
        ):
            print(line)
        for group in of_cause:
            for line in _lines(folder, group):
                print(line)
    if meanings := _meanings(groups):
        print("\n" + "\n".join(meanings))


def _meanings(groups: Sequence[FailureGroup]) -> list[str]:
    """Return what the components mean that failed."""
    names = {word for group in groups for word in group.cause.split() if group.status == "fail"}
    return [f"{name}: {about}" for name, about in formatting.COMPONENTS.items() if name in names]


def _counts(groups: Sequence[FailureGroup], planned: int) -> str:
    """Return how many conversations there are, and how they stand."""
    counts = {
        word: sum(len(group.places) for group in groups if group.status == status)
        for status, word in OUTCOME_STATUSES.items()
    }
    passed = f"{planned - sum(counts.values()):,} passed"
    others = [f"{count:,} {word}" for word, count in counts.items() if count]
    return ", ".join((formatting.format_count(planned, "conversation"), passed, *others))


def _lines(folder: Path, group: FailureGroup) -> Iterator[str]:
    indent = _INDENT
    if group.stage is not None and group.stage != UNASKED:
        yield f"{indent}{len(group.places):,} lost by {NAMES[group.stage]}"
        indent += _INDENT
    for (agent, condition), places in _by_cell(group.places).items():
        named = [
            f"{place.task}{f' (trial {place.trial})' if place.trial else ''}"
            for place in places[:MAX_TASKS]
        ]
        more = [f"and {len(places) - MAX_TASKS:,} more"] if len(places) > MAX_TASKS else []
        yield from _wrap_text(f"{agent}, {condition}: {', '.join(named + more)}", indent)
    yield escape_controls(f"{indent}one of them: {show_run_command(str(folder), group.places[0])}")


def _wrap_text(text: str, indent: str) -> list[str]:
    from rich.console import Console

    return textwrap.wrap(
        escape_controls(text),
        Console().width,
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
