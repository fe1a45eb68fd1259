"""`dragoman upgrade`."""

from pathlib import Path

from dragoman.cli.output import print_line
from dragoman.cli.progressing.bars import progress
from dragoman.store.run_file import FORMAT
from dragoman.store.upgrading import upgrade_run


def upgrade(folder: Path) -> None:
    """Bring a run to the newest format and say so."""
    with progress("conversations", None) as advance:
        before = upgrade_run(folder, advance)
    told = "is of the newest format" if before == FORMAT else f"upgraded from format {before}"
    print_line(f"{folder}: {told} ({FORMAT})")
