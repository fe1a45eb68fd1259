"""Recorded verdicts beside those of a scoring, for people."""

from dragoman.cli.output import print_line
from dragoman.tables.recorded import Agreement

MAX_SHOWN = 20
"""Conversations that differ; `--json` has all."""


def print_recorded(found: Agreement) -> None:
    """Print how many recorded verdicts are repeated, and which are not."""
    print(f"\nrecorded verdicts: {found.agreeing:,} of {found.compared:,} agree")
    for entry in found.differences[:MAX_SHOWN]:
        now = "unscored" if entry.scored is None else f"{entry.scored:g}"
        why = f": {entry.why}" if entry.why else ""
        print_line(
            f"    {entry.agent}, task {entry.task}, trial {entry.trial}: recorded "
            f"{entry.recorded:g}, now {now}{why}"
        )
    more = len(found.differences) - MAX_SHOWN
    if more > 0:
        print(f"    and {more:,} more: --json has all")
