"""What is lost between conditions, which stands before all other figures of a run."""

from collections.abc import Sequence
from pathlib import Path

from dragoman.analysis.losses.records import Loss
from dragoman.report.losses import loss_lines


def print_losses(
    losses: Sequence[Loss], run: Path, *, is_imported: bool, corrected: int | None = None
) -> bool:
    """Print what is lost between the conditions of a run, if it has several; return whether it has.

    Args:
        losses: Those that are wanted.
        run: The run's folder.
        is_imported: Whether nobody can play it again.
        corrected: How many losses the run has, where these are not all.
    """
    from rich.console import Console

    found = loss_lines(
        losses, str(run), Console().width, is_imported=is_imported, corrected=corrected
    )
    for line in found:
        print(line)
    return bool(found)
