"""`dragoman verify`."""

from itertools import islice
from pathlib import Path

import msgspec

from dragoman.cli.output import print_json, print_line
from dragoman.cli.progressing.bars import progress
from dragoman.store.verifying import Problem, Verified, verify_run

MOST_TOLD = 100
"""Problems that are told; the rest is counted."""

MOST_CHARS = 300


def verify(folder: Path, *, as_json: bool) -> int:
    """Check a run and say what is wrong with it, a line each; return the exit status."""
    checked = Verified()
    with progress("records", None) as advance:
        found = verify_run(folder, checked, advance)
        told = list(islice(found, MOST_TOLD))
        more = sum(1 for _ in found)
    if as_json:
        problems = [{"where": each.where, "what": each.what[:MOST_CHARS]} for each in told]
        counts = msgspec.to_builtins(checked)
        print_json(
            {"run": str(folder), "checked": counts, "problems": problems, "more_problems": more}
        )
    else:
        _print(folder, checked, told, more)
    return 1 if told else 0


def _print(folder: Path, checked: Verified, told: list[Problem], more: int) -> None:
    for each in told:
        print_line(f"{each.where}: {each.what[:MOST_CHARS]}")
    if more:
        print_line(f"and {more:,} more")
    about = (
        f"{checked.cells:,} cells, {checked.episodes:,} conversations, {checked.scores:,} scores, "
        f"{checked.sounds:,} sounds"
    )
    what = f"{len(told) + more:,} problems in" if told else "sound:"
    print_line(f"{folder}: {what} {about}")
