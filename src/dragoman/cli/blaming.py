"""`dragoman blame`."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from dragoman.analysis.blame import CULPRITS, Blame, blame_counts
from dragoman.cli.output import print_json
from dragoman.cli.progressing.bars import progress
from dragoman.report.fitting import TextTable, print_table
from dragoman.studies.blame import find_blame


def print_blame(folder: Path, *, trust: bool, as_json: bool) -> None:
    """Find out what lost the conversations of a run, and print it."""
    with progress("conversations played again", None) as advance:
        rows = find_blame(folder, advance, trust=trust)
    if as_json:
        print_json({"lost": msgspec.to_builtins(rows)})
        return
    print_blames(rows)


def print_blames(rows: Sequence[Blame]) -> None:
    """Print how many conversations each stage lost, by condition and agent."""
    counts = blame_counts(rows)
    print_table(
        TextTable(
            headings=("condition", "agent", *CULPRITS),
            rows=tuple((*place, *map(str, lost.values())) for place, lost in counts.items()),
            title="lost conversations",
            numbers=frozenset(CULPRITS),
            keys=2,
        )
    )
    print()
    for culprit, about in CULPRITS.items():
        print(f"{culprit}: {about}")
