"""Declarations of the commands that play and score: `run`, `resume`, `score` and `demo`."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.commands.options import (
    Json,
    RunFolder,
    Trust,
    command,
    exit_with_status,
    given_options,
    group,
    name_completer,
    run_options,
)
from dragoman.cli.commands.panels import LIMITS, OUTPUT, WHERE

Full = Annotated[
    bool,
    typer.Option(
        "--full",
        help="Print every figure, or every conversation of a plan.",
        rich_help_panel=OUTPUT,
    ),
]
View = Annotated[
    bool,
    typer.Option(
        "--view",
        help="Show the run's page in a browser while it plays. The page closes with the run;"
        " in a terminal it closes after Enter.",
        rich_help_panel=OUTPUT,
    ),
]
FailUnder = Annotated[
    float | None,
    typer.Option(
        metavar="X",
        help="Exit 1 if pass^1 of any cell is below X, or could be once excluded tasks are "
        "counted as failures.",
        rich_help_panel=OUTPUT,
    ),
]

app = group()


@command(
    app,
    "run",
    "run tau2:retail --agent gold --trials 3 --judge assume-met",
    "run courier --agent openai/gpt-5 --dry-run --like runs/few",
)
@run_options()
def run(  # noqa: PLR0913 - the options of one command
    target: Annotated[
        str,
        typer.Argument(
            metavar="SUITE|GRID.toml",
            help="A suite, or a grid file.",
            autocompletion=name_completer("suites"),
        ),
    ],
    *,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Print the planned cells and stop.", rich_help_panel=LIMITS),
    ] = False,
    like: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="RUN",
            help="With --dry-run: estimate cost and time from this recorded run; repeatable.",
            rich_help_panel=LIMITS,
        ),
    ] = None,
    averages: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="With --dry-run: a TOML file of averages for conversations that are unlike "
            "all --like runs.",
            rich_help_panel=LIMITS,
        ),
    ] = None,
    fail_under: FailUnder = None,
    preflight: Annotated[
        bool | None,
        typer.Option(
            help="First try one exchange with each participant and judge [if 100 "
            "conversations or more call an endpoint].",
            rich_help_panel=WHERE,
        ),
    ] = None,
    view: View = False,
    full: Full = False,
    as_json: Json = False,
    **given: object,
) -> None:
    """Run a suite or a grid: play, score and store every conversation."""
    from dragoman.cli.forecast import EstimateRequest
    from dragoman.cli.run import RunOutcomeRequest, run_grid

    exit_with_status(
        run_grid(
            target,
            given_options(given),
            RunOutcomeRequest(as_json, fail_under, preflight, full, view),
            EstimateRequest(like or (), averages),
            dry_run=dry_run,
        )
    )


@command(app, "resume", "resume runs/tau2-retail-20260131-101500")
@run_options("resume")
def resume(  # noqa: PLR0913 - the options of one command
    folder: RunFolder,
    *,
    retry_invalid: Annotated[
        bool,
        typer.Option(
            "--retry-invalid", help="Replay conversations whose simulated user failed a check."
        ),
    ] = False,
    trust: Trust = False,
    fail_under: FailUnder = None,
    view: View = False,
    full: Full = False,
    as_json: Json = False,
    **given: object,
) -> None:
    """Resume a stopped run, and retry conversations that infrastructure errors ended."""
    from dragoman.cli.run import RunOutcomeRequest, resume_run

    asked = RunOutcomeRequest(as_json, fail_under, is_full=full, is_viewed=view)
    exit_with_status(
        resume_run(folder, given_options(given), asked, retry_invalid=retry_invalid, trust=trust)
    )


@command(app, "score", "score runs/mine --rules tau2-1.0.1 --judge rule", is_long=True)
@run_options("score")
def score(  # noqa: PLR0913 - the options of one command
    folder: RunFolder,
    *,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            help="Compute only this measure (`dragoman list measures`) or rubric "
            "NAME@VERSION.toml; repeatable."
        ),
    ] = None,
    rubric: Annotated[
        list[str] | None,
        typer.Option(
            help="The rubric for --judge: one that ships (`mm_tau_p2@2`), or a "
            "NAME@VERSION.toml; repeatable."
        ),
    ] = None,
    anew: Annotated[
        bool,
        typer.Option("--recompute", "--anew", help="Recompute measures that are already stored."),
    ] = False,
    repeat: Annotated[
        int, typer.Option(min=1, help="Number of answers from each judge of a rubric.")
    ] = 1,
    trust: Trust = False,
    full: Full = False,
    as_json: Json = False,
    **given: object,
) -> None:
    """Score a run's stored conversations with other rules, another judge, or further measures.

    Without --measure, it computes the reward and the other measures of the run's summary. For a
    rubric --judge takes several models by commas; `dragoman judge-check` says how far they agree.
    With --measure safety the judge settles the irreversible actions that the rule leaves undecided.
    """
    from dragoman.cli.run import ScoringOptions, score_run

    options = ScoringOptions(
        given_options(given), measure or (), anew, trust, repeat, rubrics=rubric or ()
    )
    score_run(folder, options.request(), full=full, as_json=as_json)


@command(app, "demo", "demo --out demo", is_long=True)
def demo(
    out: Annotated[
        Path | None, typer.Option(help="The run's folder [a new one under runs/].")
    ] = None,
) -> None:
    """Play the bundled parcel service as text and as speech, and write a report.

    The report shows the causes of failures.
    """
    from dragoman.cli.run import demo_run

    demo_run(out)
