"""`dragoman blame`."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from dragoman.analysis.blame import CULPRITS, Blame, blame_counts
from dragoman.cli.output import print_json, progress
from dragoman.report.visible import visible
from dragoman.studies.blame import find_blame


def print_blame(folder: Path, *, as_json: bool) -> None:
    """Find out what lost the conversations of a run, and print it."""
    with progress("conversations played again", None) as advance:
        rows = find_blame(folder, advance)
    if as_json:
        print_json({"lost": msgspec.to_builtins(rows)})
        return
    print_blames(rows)


def print_blames(rows: Sequence[Blame]) -> None:
    """Print how many conversations each stage lost, by condition and agent."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(title="lost conversations", title_justify="left", box=box.SIMPLE_HEAD)
    for name in ("condition", "agent"):
        table.add_column(name, overflow="fold")
    for culprit in CULPRITS:
        table.add_column(culprit, justify="right")
    for (condition, agent), counts in blame_counts(rows).items():
        table.add_row(visible(condition), visible(agent), *map(str, counts.values()))
    console = Console()
    console.print(table, markup=False)
    for culprit, about in CULPRITS.items():
        console.print(f"{culprit}: {about}", markup=False, highlight=False, soft_wrap=True)
