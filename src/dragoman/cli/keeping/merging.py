"""`dragoman merge`."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from dragoman.cli.output import print_json, print_line
from dragoman.cli.progressing.bars import progress
from dragoman.core.errors import StoreError, UsageError
from dragoman.report import wording
from dragoman.runs.merging import merge_runs
from dragoman.store.merging.attempts import Prefer
from dragoman.store.merging.merged import Merged

MOST_TOLD = 20
"""Cells that differ and are told one by one; `--json` has all."""


def merge(folders: Sequence[Path], out: Path, prefer: str | None, *, as_json: bool) -> None:
    """Join runs and say what became of them.

    Raises:
        UsageError: Where nobody can be preferred in that way.
    """
    whose = _preferred(prefer)
    with progress("conversations", None) as advance:
        merged = merge_runs(folders, out, whose, advance)
    if as_json:
        print_json({"run": None if merged.conflicts else str(out), **msgspec.to_builtins(merged)})
    elif not merged.conflicts:
        left = f"; {merged.left:,} left: dragoman resume {out}" if merged.left else ""
        print_line(
            f"{out}: {wording.counted(merged.conversations, 'conversation')} of "
            f"{len(folders)} runs, {merged.in_several:,} of them in several, "
            f"{wording.counted(merged.sounds, 'sound')}{left}"
        )
    if merged.conflicts:
        _refuse(merged, as_json=as_json)


def _preferred(written: str | None) -> Prefer | None:
    match written:
        case None | "first" | "last":
            return written
        case other:
            raise UsageError(f"merge: --prefer is first or last, not {other!r:.40}")


def _refuse(merged: Merged, *, as_json: bool) -> None:
    if not as_json:
        for conflict in merged.conflicts[:MOST_TOLD]:
            print_line(f"{conflict.key}: {conflict.what}")
        if len(merged.conflicts) > MOST_TOLD:
            print_line(f"and {len(merged.conflicts) - MOST_TOLD:,} more")
    raise StoreError(
        f"merge: {wording.counted(len(merged.conflicts), 'conversation')} of which runs differ, nothing "
        "was written: --prefer first or last says whose stay"
    )
