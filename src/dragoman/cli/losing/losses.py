"""What is lost between conditions, which stands before all other figures of a run."""

from collections.abc import Sequence
from pathlib import Path

from dragoman.analysis.losses.records import Loss
from dragoman.report.losses import loss_lines


def print_losses(losses: Sequence[Loss], run: Path, *, is_imported: bool) -> bool:
    """Print what is lost between the conditions of a run, if it has several; return whether it has."""
    from rich.console import Console

    found = loss_lines(losses, str(run), Console().width, is_imported=is_imported)
    for line in found:
        print(line)
    return bool(found)
