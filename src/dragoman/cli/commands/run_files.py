"""Declarations of the commands on run files: `import`, `export`, `bundle`, `verify`, `merge`..."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.commands.options import (
    Json,
    JudgedBy,
    RunFolder,
    ScoredBy,
    command,
    exit_with_status,
    group,
)

app = group()


@command(app, "import", "import results.json --out runs/theirs", is_long=True)
def import_results(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="FILE|FOLDER",
            help="A tau2-bench result file or its folder form; BFCL result files; a run folder of "
            "MM-tau-p2.",
        ),
    ],
    out: Annotated[Path, typer.Option(help="The run's folder.")],
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="BFCL: the form of calls in a model's texts; told from the texts unless it is "
            "named.",
        ),
    ] = None,
    suite: Annotated[
        str | None,
        typer.Option(
            help="MM-tau-p2: what was played, as tau2:telecom; told by the folder if we wrote it."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a run of tau2-bench, BFCL or MM-tau-p2 results: to show, to compare, to score again."""
    from dragoman.cli.import_export import import_file

    import_file(path, out, form, suite, as_json=as_json)


@command(app, "export", "export runs/mine --to tau2 --out results.json --agent gold", is_long=True)
def export_results(  # noqa: PLR0913, PLR0917 - the options of one command
    folder: RunFolder,
    to: Annotated[
        str,
        typer.Option(
            help="tau2 (a result file), parquet or csv (all tables), jsonl (conversations), "
            "inspect (logs of Inspect), junit (a file for CI), mm-tau-p2 (run folders of its "
            "code); of an audio set: audiofolder."
        ),
    ],
    out: Annotated[
        str,
        typer.Option(
            help="A folder for tables, logs and run folders; a file for junit; for tau2 a file, "
            "or a folder: one there, or a name with / at its end."
        ),
    ],
    agent: Annotated[str | None, typer.Option(help="Only this agent's conversations.")] = None,
    rules: ScoredBy = None,
    judge: JudgedBy = None,
) -> None:
    """Write a run as a tau2-bench result file or as tables.

    The newest verdicts are used if none are named. An audio set becomes a folder that Hugging
    Face datasets can open.
    """
    from dragoman.cli.import_export import export_run

    export_run(folder, to, out, rules=rules, judge=judge, agent=agent)


@command(app, "bundle", "bundle runs/mine --out mine.zip")
def bundle_run(
    folder: RunFolder,
    out: Annotated[Path | None, typer.Option(help="The file to write [RUN.zip].")] = None,
    rules: ScoredBy = None,
    judge: JudgedBy = None,
) -> None:
    """Write a run as one file to send: report, data, audio. Unpacked, its report opens anywhere."""
    from dragoman.cli.import_export import bundle

    bundle(folder, out, rules, judge)


@command(app, "unbundle", "unbundle mine.zip --out runs/mine")
def unbundle_run(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="What `bundle` wrote.")],
    out: Annotated[
        Path | None, typer.Option(help="The run's folder [the file's name without .zip].")
    ] = None,
) -> None:
    """Make a run of a bundle, whoever sent it: checked, bounded, nothing in it is run."""
    from dragoman.cli.import_export import unbundle

    unbundle(path, out)


@command(app, "validate", "validate experiments.csv --against printed.csv")
def validate(  # noqa: PLR0913, PLR0917 - the options of one command
    table: Annotated[
        Path, typer.Argument(metavar="RESULTS", help="A table of results: .csv, or .parquet.")
    ],
    against: Annotated[
        Path | None, typer.Option(help="Another table of the same cells, to compare with.")
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(help="Trials per task, where no column says so [the highest k printed]."),
    ] = None,
    tasks: Annotated[
        int | None, typer.Option(help="Tasks of every cell, where no column says so.")
    ] = None,
    tolerance: Annotated[
        float, typer.Option(help="How far a printed figure may lie from the true one.")
    ] = 0.001,
    as_json: Json = False,
) -> None:
    """Check printed results: figures that cannot be, copies, mixed routes, incomplete tables."""
    from dragoman.cli.validate import AssumedCounts, print_validation

    exit_with_status(
        print_validation(table, against, AssumedCounts(trials, tasks), tolerance, as_json=as_json)
    )


@command(app, "verify", "verify runs/mine")
def verify_run(folder: RunFolder, as_json: Json = False) -> None:
    """Check a run from end to end: records, plan, scores, counts, sounds. Exits 1 if any is wrong.

    It reads the folder alone and runs nothing: suites and data need not be there.
    """
    from dragoman.cli.run_maintenance import verify

    exit_with_status(verify(folder, as_json=as_json))


@command(app, "upgrade", "upgrade runs/old")
def upgrade_run(folder: RunFolder) -> None:
    """Bring a run of an older format to the newest: checksums, and counts that show it at once."""
    from dragoman.cli.run_maintenance import upgrade

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
            help="Whose conversation stays where runs have different ones [they are listed, and "
            "nothing "
            "is written].",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Merge runs of one plan into one new run.

    The runs are parts from several machines (`run --shard`), or copies that were continued. A
    conversation in several runs counts once. A conversation that infrastructure or the
    simulated user spoilt gives way to a complete one. Scores, measures, sounds and usage are
    included; the input runs stay as they are, and the new run is written completely or not at
    all.
    """
    from dragoman.cli.run_maintenance import merge

    merge(folders, out, prefer, as_json=as_json)
