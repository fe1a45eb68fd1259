"""`dragoman show RUN`: what failed in a run, by cause."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from shlex import quote

import msgspec

from dragoman.cli.output import print_json, print_line
from dragoman.report import wording
from dragoman.report.failures import STANDINGS, FailureGroup, PlaceInRun, failure_groups
from dragoman.store.run import open_run
from dragoman.tables.outcomes import chosen_scoring, outcomes
from dragoman.wiring.participants import judge_name

MAX_TASKS = 5
"""Tasks of a group that are named for each agent and condition."""

MAX_CAUSE = 400
"""Characters of a cause that are shown."""


class Filter(msgspec.Struct, frozen=True):
    """Which conversations are looked at, and by which scoring; None for all, and for the newest."""

    agent: str | None
    condition: str | None
    rules: str | None
    judge: str | None

    def takes(self, place: PlaceInRun) -> bool:
        """Whether a conversation is meant."""
        return self.agent in {None, place.agent} and self.condition in {None, place.condition}


def print_failures(folder: Path, wanted: Filter, *, as_json: bool) -> None:
    """Print the conversations of a run that are no success, grouped by cause."""
    with open_run(folder, write=False) as store:
        rules, judge = chosen_scoring(store, wanted.rules, judge_name(wanted.judge))
        rows = list(outcomes(store, rules, judge, heads_only=True))
    meant = [
        row
        for row in rows
        if wanted.takes(PlaceInRun(row.agent, row.condition.label, row.task, row.trial))
    ]
    groups = failure_groups(meant)
    if as_json:
        found = [
            {"standing": group.standing, "cause": group.cause, "conversations": group.places}
            for group in groups
        ]
        print_json({"run": str(folder), "planned": len(meant), "failures": found})
        return
    print(f"{folder}: {_counts(groups, len(meant))} (rules {rules}, judge {judge})")
    for group in groups:
        print()
        for line in _lines(group):
            print_line(line)
    components = {
        word for group in groups for word in group.cause.split() if group.standing == "fail"
    }
    meanings = {name: about for name, about in wording.COMPONENTS.items() if name in components}
    if meanings:
        print("\n" + "\n".join(f"{name}: {about}" for name, about in meanings.items()))
    if groups:
        print_line(f"\none of them: {_command(folder, groups[0].places[0])}")


def _counts(groups: Sequence[FailureGroup], planned: int) -> str:
    """Return how many conversations there are, and how they stand."""
    counts = {
        word: sum(len(group.places) for group in groups if group.standing == standing)
        for standing, word in STANDINGS.items()
    }
    passed = f"{planned - sum(counts.values()):,} passed"
    others = [f"{count:,} {word}" for word, count in counts.items() if count]
    return ", ".join((wording.counted(planned, "conversation"), passed, *others))


def _lines(group: FailureGroup) -> Iterator[str]:
    cause = wording.shortened(group.cause, MAX_CAUSE)
    yield f"{len(group.places):,} {STANDINGS[group.standing]}: {cause}"
    for (agent, condition), places in _by_cell(group.places).items():
        named = [
            f"{place.task}{f' (trial {place.trial})' if place.trial else ''}"
            for place in places[:MAX_TASKS]
        ]
        more = [f"and {len(places) - MAX_TASKS:,} more"] if len(places) > MAX_TASKS else []
        yield f"    {agent}, {condition}: {', '.join(named + more)}"


def _by_cell(places: Iterable[PlaceInRun]) -> dict[tuple[str, str], list[PlaceInRun]]:
    cells: dict[tuple[str, str], list[PlaceInRun]] = {}
    for place in places:
        cells.setdefault((place.agent, place.condition), []).append(place)
    return cells


def _command(folder: Path, place: PlaceInRun) -> str:
    """Return the command that shows one conversation."""
    words = ["dragoman", "show", str(folder), place.task, "--agent", place.agent]
    words += ["--condition", place.condition]
    if place.trial:
        words += ["--trial", str(place.trial)]
    return " ".join(map(quote, words))
