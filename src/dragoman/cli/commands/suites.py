"""Commands about suites, their data and their translations."""

from typing import Annotated

import typer

from dragoman.cli.commands.declaring import (
    Json,
    Suite,
    command,
    fields_of,
    group,
    leave,
    run_options,
)

app = group()


@command(app, "check", "check tau2:retail", is_long=True)
@run_options("check")
def check(
    suite: Suite,
    *,
    as_json: Json = False,
    **given: object,
) -> None:
    """Prove a suite: gold must pass; lists free, unpassable and undecidable tasks and the floor.

    With --language (and --scenario, domain where none is named): gold must pass and end in the
    English state there too, and every tool must take every label that it shows.
    """
    from dragoman.cli.checking import check_command

    leave(check_command(suite, fields_of(given), as_json=as_json))


@command(app, "lint", "lint seataubench --language th")
def lint(
    assets: Annotated[
        str,
        typer.Argument(
            metavar="ASSETS",
            help="A folder with DOMAIN/LANGUAGE, courier, or seataubench as pulled.",
        ),
    ],
    domain: Annotated[list[str] | None, typer.Option(help="Only this domain; repeatable.")] = None,
    language: Annotated[
        list[str] | None, typer.Option(help="Only this language; repeatable.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Name every place.")] = False,
    as_json: Json = False,
) -> None:
    """Find defects of translated artifacts, by domain and language; exit 1 where there are any."""
    from dragoman.cli.linting import LintRequest, print_lint

    wanted = LintRequest(assets, tuple(domain or ()), tuple(language or ()))
    leave(print_lint(wanted, full=full, as_json=as_json))
