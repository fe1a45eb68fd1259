"""Declarations of the commands that validate judges and measures, and list critical fields."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.commands.options import Json, RunFolder, command, group

app = group()


@command(app, "judge-check", "judge-check runs/mine --labels labels.csv", is_long=True)
def judge_check(
    folder: RunFolder,
    labels: Annotated[
        Path | None,
        typer.Option(
            help="Human labels: a CSV file as --template writes it, or labelled "
            "conversations (docs/how_to/judges.md)."
        ),
    ] = None,
    template: Annotated[
        Path | None, typer.Option(help="Write a CSV file for labelling instead.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Validate the judges of a run's rubrics: accuracy, agreement, and effect on metrics.

    The judges must have run: `dragoman score --rubric NAME@VERSION --judge A,B --repeat 3`. With
    labels, the command reports precision, recall, kappa, errors by place and length, and the run's
    shares of yes corrected for the judge's errors.
    """
    from dragoman.cli.judges import print_judge_check, print_template

    if template is not None:
        print_template(folder, template)
    else:
        print_judge_check(folder, labels, as_json=as_json)


@command(app, "errors", "errors runs/mine --by language,agent --out errors.md", is_long=True)
def errors(  # noqa: PLR0913, PLR0917 - the options of one command
    folders: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    by: Annotated[
        str | None,
        typer.Option(
            help="Axes to group by: agent, language, voice, ...; several by commas [each cell]."
        ),
    ] = None,
    tag_rules: Annotated[
        str | None,
        typer.Option(
            help="The rules for reading tags: dragoman-error-tags-2 [default], "
            "dragoman-error-tags-2-lenient or seatau-1d6f92a."
        ),
    ] = None,
    out: Annotated[
        list[Path] | None, typer.Option(help="A file for the tables, .md or .csv; repeatable.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Show every failure mode.")] = False,
    as_json: Json = False,
) -> None:
    """Show error tags of judges, and failure modes of calls by tool and argument.

    Error tags come from `dragoman score --rubric errors@1 --judge A,B`, failure modes from
    `dragoman score --measure modes`. Every tag of a judge is listed with its interpretation.
    """
    from dragoman.cli.judges import ErrorsRequest, print_errors

    asked = ErrorsRequest(tuple(folders), by, tag_rules, tuple(out or ()))
    print_errors(asked, full=full, as_json=as_json)


@command(app, "label-check", "label-check labelled.json", is_long=True)
def label_check(
    files: Annotated[
        list[Path],
        typer.Argument(help="tau2-bench result files with `labels` (docs/how_to/judges.md)."),
    ],
    as_json: Json = False,
) -> None:
    """Compare human labels in conversations with the counts of rule-based measures.

    Labels are repetitions, corrections, errors, recoveries, needless and missing clarifications,
    unconfirmed irreversible actions, and justified and unjustified escalations. The exit status is
    1 if anything differs.
    """
    from dragoman.cli.judges import print_label_check

    if not print_label_check(files, as_json=as_json):
        raise typer.Exit(1)


@command(app, "critical-fields", "critical-fields courier", old_name="fields")
def fields(
    suite: Annotated[str, typer.Argument(help="A suite of conversations.")],
    full: Annotated[bool, typer.Option("--full", help="Show every field of every task.")] = False,
    as_json: Json = False,
) -> None:
    """Show a suite's critical fields, irreversible actions and mandatory escalations.

    These are the fields and actions that the measures `critical` and `safety` count. The list is
    for people to check.
    """
    from dragoman.cli.judges import print_critical_fields

    print_critical_fields(suite, full=full, as_json=as_json)
