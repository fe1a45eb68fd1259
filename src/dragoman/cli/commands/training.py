"""Declarations of the commands that fine-tune models and write training examples."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.commands.options import Json, JudgedBy, RunFolder, ScoredBy, command, group

app = group()


PricePerHour = Annotated[
    float | None,
    typer.Option(
        metavar="USD",
        help="What the machine that trains costs in an hour, in US dollars [unknown].",
    ),
]


@command(app, "finetune", "finetune recipe.toml --dry-run")
def finetune(  # noqa: PLR0913, PLR0917 - the options of one command
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE", help="A TOML file.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Read everything, say what it needs, train nothing.")
    ] = False,
    forbid_apis: Annotated[
        bool | None,
        typer.Option(
            "--forbid-apis/--allow-apis",
            help="Whether rows that call APIs of the evaluation are refused [as in the recipe].",
        ),
    ] = None,
    measure: Annotated[
        bool,
        typer.Option(
            "--measure", help="Play the recipe's evaluation before and after, and compare."
        ),
    ] = False,
    outside: Annotated[
        list[str] | None,
        typer.Option("--suite", help="With --measure: a suite out of domain; repeatable."),
    ] = None,
    before: Annotated[
        str, typer.Option(help="With --measure: who is played untrained [local/MODEL].")
    ] = "",
    after: Annotated[
        str,
        typer.Option(help="With --measure: who is played in the place of weights trained here."),
    ] = "",
    calls: Annotated[
        str, typer.Option(help="With --measure: native, or thought-action for calls in text.")
    ] = "native",
    price_per_hour: PricePerHour = None,
    as_json: Json = False,
) -> None:
    """Train a causal model on rows; rows that its evaluation has too are refused and listed.

    The same command goes on where it was cut off. Training needs the extra `dragoman[train]`.
    """
    from dragoman.cli.training import TrainingRequest, run_recipe

    asked = None
    if measure:
        from dragoman.experiments.training_plan import Measuring, playing_of

        asked = Measuring(tuple(outside or ()), before, after, playing_of(calls))
    request = TrainingRequest(dry_run, forbid_apis, price_per_hour, as_json)
    run_recipe(recipe, asked, request)


@command(app, "finetune-study", "finetune-study plan.toml --dry-run", is_long=True)
def finetune_study(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="A TOML file.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Read everything, say what would be done.")
    ] = False,
    price_per_hour: PricePerHour = None,
    as_json: Json = False,
) -> None:
    """Train a model in several ways on as many rows, play all on the same suites, and compare.

    The same command goes on where it was cut off, and does nothing twice.
    """
    from dragoman.cli.training import study_plan

    study_plan(plan, price_per_hour, dry_run=dry_run, as_json=as_json)


@command(app, "tiny-model", "tiny-model base --rows rows.jsonl")
def tiny_model(  # noqa: PLR0913, PLR0917 - the options of one command
    out: Annotated[Path, typer.Argument(metavar="OUT", help="A new folder.")],
    rows: Annotated[
        list[Path], typer.Option(help="Rows whose words its tokenizer is made of; repeatable.")
    ],
    size: Annotated[
        str,
        typer.Option(
            help="xs, s, m, l (0.4 to 12 million parameters), or xl (70 million, for a GPU)."
        ),
    ] = "s",
    vocabulary: Annotated[int, typer.Option(help="Tokens at most.", min=300, max=200_000)] = 2048,
    passages: Annotated[
        bool, typer.Option("--passages", help="What many rows' prompts share is one token each.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of its weights.", min=0)] = 0,
) -> None:
    """Make a tiny untrained causal model, with a tokenizer trained on the given rows.

    Nothing is downloaded.
    """
    from dragoman.cli.training import make_tiny

    make_tiny(out, rows, size, vocabulary, seed, passages=passages)


@command(app, "rows", "rows runs/mine --out rows.jsonl --only passed")
def rows(  # noqa: PLR0913, PLR0917 - the options of one command
    folder: RunFolder,
    out: Annotated[Path, typer.Option(help="The file that gets them.")],
    only: Annotated[str, typer.Option(help="passed: those with reward 1; all.")] = "passed",
    calls: Annotated[
        str, typer.Option(help="thought-action: native calls are written so [native].")
    ] = "",
    rules: ScoredBy = None,
    judge: JudgedBy = None,
    as_json: Json = False,
) -> None:
    """Write conversations of a run as training rows.

    The rows have the calls as they were made, natively or in text.
    """
    from dragoman.cli.training import write_rows

    write_rows(folder, out, only, (rules, judge), calls, as_json=as_json)
