"""Commands that look after stored runs."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.commands.declaring import Json, RunFolder, command, group, leave

app = group()


@command(app, "verify", "verify runs/mine")
def verify_run(folder: RunFolder, as_json: Json = False) -> None:
    """Check a run from end to end: records, plan, scores, counts, sounds. Exits 1 if any is wrong.

    It reads the folder alone and runs nothing: suites and data need not be there.
    """
    from dragoman.cli.keeping.verifying import verify

    leave(verify(folder, as_json=as_json))


@command(app, "upgrade", "upgrade runs/old")
def upgrade_run(folder: RunFolder) -> None:
    """Bring a run of an older format to the newest: checksums, and counts that show it at once."""
    from dragoman.cli.keeping.upgrading import upgrade

    upgrade(folder)


@command(app, "merge", "merge runs/part1 runs/part2 --out runs/whole")
def merge_runs(
    folders: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    *,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="The folder of the new run.")],
    prefer: Annotated[
        str | None,
        typer.Option(
            metavar="first|last",
            help="Whose conversation stays where runs have different ones [they are listed, and nothing "
            "is written].",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Join runs of one plan into one: parts of several machines (`run --shard`), copies that went on.

    A conversation that several have is counted once. One that infrastructure or the simulated user spoilt
    gives way to a whole one. Scores, measures, sounds and what was consumed come along; the runs stay as
    they are, and the new one is there whole or not at all.
    """
    from dragoman.cli.keeping.merging import merge

    merge(folders, out, prefer, as_json=as_json)
