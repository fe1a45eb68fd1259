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
            help="What people said of the same: a CSV file, see --template, or labelled "
            "conversations, docs/labels.md."
        ),
    ] = None,
    template: Annotated[
        Path | None, typer.Option(help="Write a CSV file to label instead.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Say how far judges of a run's rubrics are right, agree, and distort its figures.

    Rubrics are answered by `dragoman score --rubric NAME@VERSION --judge A,B --repeat 3`. Against
    labels: precision, recall, kappa, errors by place and length, and the run's shares of yes
    without the judge's errors.
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
        typer.Option(help="Groups by axis: agent, language, voice, ..., by commas [each cell]."),
    ] = None,
    tag_rules: Annotated[
        str | None,
        typer.Option(
            help="How tags are read: dragoman-error-tags-2 [default], "
            "dragoman-error-tags-2-lenient or seatau-1d6f92a."
        ),
    ] = None,
    out: Annotated[
        list[Path] | None, typer.Option(help="A file to write too, .md or .csv; repeatable.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Every failure mode.")] = False,
    as_json: Json = False,
) -> None:
    """Show judges' named errors, and failure modes of calls by tool and argument.

    Errors are named by `dragoman score --rubric errors@1 --judge A,B`, failure modes counted by
    `dragoman score --measure modes`. Every tag of a judge is listed with its interpretation.
    """
    from dragoman.cli.judges import ErrorsRequest, print_errors

    asked = ErrorsRequest(tuple(folders), by, tag_rules, tuple(out or ()))
    print_errors(asked, full=full, as_json=as_json)


@command(app, "label-check", "label-check labelled.json", is_long=True)
def label_check(
    files: Annotated[
        list[Path], typer.Argument(help="tau2-bench result files with `labels`; docs/labels.md.")
    ],
    as_json: Json = False,
) -> None:
    """Compare what people labelled in conversations with what measures count by rules.

    Repetitions, corrections, errors, recoveries, needless and missing clarifications, unconfirmed
    irreversible actions, justified and unjustified escalations. Exits with 1 where anything
    differs.
    """
    from dragoman.cli.judges import print_label_check

    if not print_label_check(files, as_json=as_json):
        raise typer.Exit(1)


@command(app, "critical-fields", "critical-fields courier", old_name="fields")
def fields(
    suite: Annotated[str, typer.Argument(help="A suite of conversations.")],
    full: Annotated[bool, typer.Option("--full", help="Every field of every task.")] = False,
    as_json: Json = False,
) -> None:
    """Show a suite's critical fields, irreversible actions and mandatory escalations.

    What the measures `critical` and `safety` count, for people to look over.
    """
    from dragoman.cli.judges import print_critical_fields

    print_critical_fields(suite, full=full, as_json=as_json)
