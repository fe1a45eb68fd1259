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
            help="A tau2-bench result file or folder, BFCL result files, or a run folder of "
            "MM-tau-p2.",
        ),
    ],
    out: Annotated[Path, typer.Option(help="The run's folder.")],
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="BFCL: the syntax of calls in a model's texts [detected from the texts].",
        ),
    ] = None,
    suite: Annotated[
        str | None,
        typer.Option(
            help="MM-tau-p2: the suite, such as tau2:telecom [read from the folder if "
            "Dragoman wrote it]."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Import results of tau2-bench, BFCL or MM-tau-p2 as a run."""
    from dragoman.cli.import_export import import_file

    import_file(path, out, form, suite, as_json=as_json)


@command(app, "export", "export runs/mine --to tau2 --out results.json --agent gold", is_long=True)
def export_results(  # noqa: PLR0913, PLR0917 - the options of one command
    folder: RunFolder,
    to: Annotated[
        str,
        typer.Option(
            help="The format: tau2 (a result file), parquet or csv (all tables), jsonl "
            "(conversations), inspect (logs of Inspect), junit (a file for CI), "
            "mm-tau-p2 (run folders of its code); for an audio set: audiofolder."
        ),
    ],
    out: Annotated[
        str,
        typer.Option(
            help="The output: a folder for tables, logs and run folders; a file for junit; a"
            " file for tau2, or a folder if it exists or its name ends with /."
        ),
    ],
    agent: Annotated[str | None, typer.Option(help="Only this agent's conversations.")] = None,
    rules: ScoredBy = None,
    judge: JudgedBy = None,
) -> None:
    """Write a run as a tau2-bench result file or as tables.

    The newest scores are used if no rules or judge are named. An audio set becomes a folder that
    Hugging Face datasets can open.
    """
    from dragoman.cli.import_export import export_run

    export_run(folder, to, out, rules=rules, judge=judge, agent=agent)


@command(app, "bundle", "bundle runs/mine --out mine.zip", is_long=True)
def bundle_run(
    folder: RunFolder,
    out: Annotated[Path | None, typer.Option(help="The output file [RUN.zip].")] = None,
    rules: ScoredBy = None,
    judge: JudgedBy = None,
) -> None:
    """Pack a run into one file: report, data and audio.

    The report of an unpacked bundle opens on any machine.
    """
    from dragoman.cli.import_export import bundle

    bundle(folder, out, rules, judge)


@command(app, "unbundle", "unbundle mine.zip --out runs/mine", is_long=True)
def unbundle_run(
    path: Annotated[
        Path, typer.Argument(metavar="FILE", help="A file that `dragoman bundle` wrote.")
    ],
    out: Annotated[
        Path | None, typer.Option(help="The run's folder [the file's name without .zip].")
    ] = None,
) -> None:
    """Unpack a bundle into a run; it is checked and bounded, and none of its code runs."""
    from dragoman.cli.import_export import unbundle

    unbundle(path, out)


@command(app, "validate", "validate experiments.csv --against printed.csv")
def validate(  # noqa: PLR0913, PLR0917 - the options of one command
    table: Annotated[
        Path, typer.Argument(metavar="RESULTS", help="A table of results, .csv or .parquet.")
    ],
    against: Annotated[
        Path | None, typer.Option(help="Another table of the same cells to compare with.")
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(help="Trials per task if no column states them [the highest printed k]."),
    ] = None,
    tasks: Annotated[
        int | None, typer.Option(help="Tasks of every cell if no column states them.")
    ] = None,
    tolerance: Annotated[
        float,
        typer.Option(help="Largest accepted difference between a printed figure and the true one."),
    ] = 0.001,
    as_json: Json = False,
) -> None:
    """Check published results: impossible figures, copies, mixed routes, incomplete tables."""
    from dragoman.cli.validate import AssumedCounts, print_validation

    exit_with_status(
        print_validation(table, against, AssumedCounts(trials, tasks), tolerance, as_json=as_json)
    )


@command(app, "verify", "verify runs/mine", is_long=True)
def verify_run(folder: RunFolder, as_json: Json = False) -> None:
    """Check a stored run: records, plan, scores, counts and sounds.

    The exit status is 1 if anything is wrong. The command only reads the folder and runs nothing:
    suites and data need not be installed.
    """
    from dragoman.cli.run_maintenance import verify

    exit_with_status(verify(folder, as_json=as_json))


@command(app, "upgrade", "upgrade runs/old", is_long=True)
def upgrade_run(folder: RunFolder) -> None:
    """Upgrade a run to the newest format, with checksums and stored counts."""
    from dragoman.cli.run_maintenance import upgrade

    upgrade(folder)


@command(app, "merge", "merge runs/part1 runs/part2 --out runs/whole", is_long=True)
def merge_runs(
    folders: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    *,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="The folder of the new run.")],
    prefer: Annotated[
        str | None,
        typer.Option(
            metavar="first|last",
            help="The run whose conversation is kept if runs have different ones [list them "
            "and write nothing].",
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
