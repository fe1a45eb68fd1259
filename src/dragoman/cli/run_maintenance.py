"""Implementation of `dragoman verify`, `upgrade` and `merge`: maintenance of stored runs."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import msgspec

from dragoman.cli.output import print_json, print_line
from dragoman.cli.progress import progress
from dragoman.core.errors import StoreError, UsageError
from dragoman.report import formatting
from dragoman.runs.merging import merge_runs
from dragoman.store.run_file import FORMAT
from dragoman.store.run_merge import MergeResult, Prefer
from dragoman.store.run_upgrade import upgrade_run
from dragoman.store.run_verification import RunProblem, VerificationCounts, verify_run

MOST_PROBLEMS_SHOWN = 100
"""Maximum number of printed problems; the rest is counted."""

MOST_CHARS = 300


def verify(folder: Path, *, as_json: bool) -> int:
    """Check a run and print its problems, one per line; return the exit status."""
    checked = VerificationCounts()
    with progress("records", None) as advance:
        found = verify_run(folder, checked, advance)
        reported = list(islice(found, MOST_PROBLEMS_SHOWN))
        more = sum(1 for _ in found)
    if as_json:
        problems = [{"where": each.where, "what": each.what[:MOST_CHARS]} for each in reported]
        counts = msgspec.to_builtins(checked)
        print_json(
            {"run": str(folder), "checked": counts, "problems": problems, "more_problems": more}
        )
    else:
        _print(folder, checked, reported, more)
    return 1 if reported else 0


def _print(
    folder: Path, checked: VerificationCounts, reported: list[RunProblem], more: int
) -> None:
    for each in reported:
        print_line(f"{each.where}: {each.what[:MOST_CHARS]}")
    if more:
        print_line(f"and {more:,} more")
    counts = (
        (checked.cells, "cell"),
        (checked.planned, "planned conversation"),
        (checked.episodes, "recorded conversation"),
        (checked.scores, "score"),
        (checked.sounds, "sound"),
    )
    about = ", ".join(formatting.format_count(count, what) for count, what in counts)
    problems = formatting.format_count(len(reported) + more, "problem")
    what = f"{problems} in" if reported else "no problems:"
    print_line(f"{folder}: {what} {about}")


def upgrade(folder: Path) -> None:
    """Upgrade a run to the newest format and print the result."""
    with progress("conversations", None) as advance:
        before = upgrade_run(folder, advance)
    reported = "has the newest format" if before == FORMAT else f"upgraded from format {before}"
    print_line(f"{folder}: {reported} ({FORMAT})")


MOST_CONFLICTS_SHOWN = 20
"""Maximum number of printed conflicting cells; `--json` has all."""


def merge(folders: Sequence[Path], out: Path, prefer: str | None, *, as_json: bool) -> None:
    """Merge runs and print the result.

    Raises:
        UsageError: If `prefer` is not `first` or `last`.
    """
    whose = _parse_preference(prefer)
    with progress("conversations", None) as advance:
        merged = merge_runs(folders, out, whose, advance)
    if as_json:
        print_json({"run": None if merged.conflicts else str(out), **msgspec.to_builtins(merged)})
    elif not merged.conflicts:
        left = f"; {merged.left:,} not run: dragoman resume {out}" if merged.left else ""
        print_line(
            f"{out}: {formatting.format_count(merged.conversations, 'conversation')} of "
            f"{formatting.format_count(len(folders), 'run')}, "
            f"{merged.in_several:,} of them in several, "
            f"{formatting.format_count(merged.sounds, 'sound')}{left}"
        )
    if merged.conflicts:
        _refuse(merged, as_json=as_json)


def _parse_preference(written: str | None) -> Prefer | None:
    match written:
        case None | "first" | "last":
            return written
        case other:
            raise UsageError(f"merge: --prefer must be first or last, not {other!r:.40}")


def _refuse(merged: MergeResult, *, as_json: bool) -> None:
    if not as_json:
        for conflict in merged.conflicts[:MOST_CONFLICTS_SHOWN]:
            print_line(f"{conflict.key}: {conflict.what}")
        if len(merged.conflicts) > MOST_CONFLICTS_SHOWN:
            print_line(f"and {len(merged.conflicts) - MOST_CONFLICTS_SHOWN:,} more")
    raise StoreError(
        f"merge: runs differ in {formatting.format_count(len(merged.conflicts), 'conversation')}; "
        "nothing was written: choose which to keep with --prefer first or last"
    )
