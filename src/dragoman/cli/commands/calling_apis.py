"""Commands that call the web APIs of a dataset, and drop what does not answer."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.commands.curating import DatasetFolder, Keys, app
from dragoman.cli.commands.declaring import Json, command, leave

AllowLocal = Annotated[
    bool,
    typer.Option(
        "--allow-local",
        help="Call loopback and private addresses too, such as a world of one's own.",
    ),
]
CallsAtOnce = Annotated[int, typer.Option("--concurrency", help="Operations under way at a time.")]
Seconds = Annotated[float, typer.Option(help="For one whole answer.")]
MaxBytes = Annotated[int, typer.Option(help="Of one answer, also unpacked.")]
Pause = Annotated[float, typer.Option(help="Seconds between two requests to one host.")]
Recorded = Annotated[
    Path | None,
    typer.Option(
        "--cassettes",
        help="Ask recorded exchanges in the place of the network: a dataset, or files of VCR.",
    ),
]


@command(app, "verify", "curate verify mine --calls 2", is_long=True)
def verify(  # noqa: PLR0913, PLR0917 - the options of one command
    dataset: DatasetFolder,
    calls: Annotated[int, typer.Option(help="Calls of one operation, at most.")] = 2,
    cassettes: Recorded = None,
    concurrency: CallsAtOnce = 16,
    seconds: Seconds = 20.0,
    max_bytes: MaxBytes = 2_000_000,
    pause: Pause = 0.5,
    allow_local: AllowLocal = False,
    key: Keys = None,
    as_json: Json = False,
) -> None:
    """Call operations with values that their documents state, and store what they answer.

    Exit 1 where some gave no answer that decides; the same command calls these again.
    """
    from dragoman.cli.curating.checking import verify_operations
    from dragoman.cli.curating.numbers import variables_by_target
    from dragoman.curation.apis.verifying.line import CallTerms

    keys = variables_by_target(key or ())
    terms = CallTerms(allow_local, concurrency, seconds, max_bytes, pause, cassettes, keys)
    leave(verify_operations(dataset, calls, terms, as_json=as_json))


@command(app, "monitor", "curate monitor mine", is_long=True)
def monitor(  # noqa: PLR0913, PLR0917 - the options of one command
    dataset: DatasetFolder,
    reports: Annotated[
        list[Path] | None,
        typer.Option(
            "--import", help="Take rounds from such reports of link checks (JSON) instead."
        ),
    ] = None,
    concurrency: CallsAtOnce = 16,
    seconds: Seconds = 20.0,
    max_bytes: MaxBytes = 2_000_000,
    pause: Pause = 0.5,
    allow_local: AllowLocal = False,
    key: Keys = None,
    as_json: Json = False,
) -> None:
    """Check each operation once, as one round; run it every day or week.

    A round that was interrupted is gone on with for twelve hours.
    """
    from dragoman.cli.curating.checking import import_reports, monitor_operations
    from dragoman.cli.curating.numbers import variables_by_target
    from dragoman.curation.apis.verifying.line import CallTerms

    if reports:
        leave(import_reports(dataset, reports, as_json=as_json))
    keys = variables_by_target(key or ())
    terms = CallTerms(allow_local, concurrency, seconds, max_bytes, pause, keys=keys)
    leave(monitor_operations(dataset, terms, as_json=as_json))


@command(app, "filter", "curate filter mine --good 0.9 --rounds 4", is_long=True)
def filter_command(  # noqa: PLR0913, PLR0917 - the options of one command
    dataset: DatasetFolder,
    good: Annotated[float, typer.Option(help="The share of good rounds that is needed.")] = 0.8,
    rounds: Annotated[int, typer.Option(help="With fewer rounds nothing is decided.")] = 1,
    least_bad: Annotated[
        int, typer.Option(help="Bad rounds from which on the share is looked at.")
    ] = 2,
    last_bad: Annotated[
        int, typer.Option(help="So many last rounds, all bad, drop it; 0 for never.")
    ] = 1,
    last_drift: Annotated[
        int,
        typer.Option(
            help="So many last answers, all unlike the verified one, drop it; 0 for never."
        ),
    ] = 1,
    offline: Annotated[
        float,
        typer.Option(
            help="A round in which more than this share of healthy hosts vanish counts for nothing."
        ),
    ] = 0.2,
    as_json: Json = False,
) -> None:
    """Drop operations that were not good over time, each with its reason; calls nothing.

    Exit 1 where some were checked too seldom, or never.
    """
    from dragoman.cli.curating.checking import filter_operations
    from dragoman.curation.apis.verifying.filtering import FilterRules

    rules = FilterRules(rounds, good, least_bad, last_bad, last_drift, offline)
    leave(filter_operations(dataset, rules, as_json=as_json))
