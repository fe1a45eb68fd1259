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
        help="Price of the training machine for an hour, in US dollars [unknown].",
    ),
]


@command(app, "finetune", "finetune recipe.toml --dry-run")
def finetune(  # noqa: PLR0913, PLR0917 - the options of one command
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE", help="A TOML file.")],
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Read all inputs, print the requirements, and train nothing."
        ),
    ] = False,
    forbid_apis: Annotated[
        bool | None,
        typer.Option(
            "--forbid-apis/--allow-apis",
            help="Refuse rows that call APIs of the evaluation [as in the recipe].",
        ),
    ] = None,
    measure: Annotated[
        bool,
        typer.Option(
            "--measure", help="Play the recipe's evaluation before and after training, and compare."
        ),
    ] = False,
    outside: Annotated[
        list[str] | None,
        typer.Option("--suite", help="With --measure: an out-of-domain suite; repeatable."),
    ] = None,
    before: Annotated[
        str, typer.Option(help="With --measure: the agent before training [local/MODEL].")
    ] = "",
    after: Annotated[
        str,
        typer.Option(help="With --measure: the agent after training [the trained weights]."),
    ] = "",
    calls: Annotated[
        str,
        typer.Option(
            help="With --measure: the syntax of calls, native or thought-action (in text)."
        ),
    ] = "native",
    price_per_hour: PricePerHour = None,
    as_json: Json = False,
) -> None:
    """Train a causal model on rows; rows that also occur in its evaluation are refused.

    The refused rows are listed. The same command resumes after an interruption. Training needs the
    extra `dragoman[train]`.
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
        bool, typer.Option("--dry-run", help="Read all inputs, and print the plan.")
    ] = False,
    price_per_hour: PricePerHour = None,
    as_json: Json = False,
) -> None:
    """Train a model in several ways on equally many rows, and compare on the same suites.

    The same command resumes after an interruption, and repeats no finished work.
    """
    from dragoman.cli.training import study_plan

    study_plan(plan, price_per_hour, dry_run=dry_run, as_json=as_json)


@command(app, "tiny-model", "tiny-model base --rows rows.jsonl", is_long=True)
def tiny_model(  # noqa: PLR0913, PLR0917 - the options of one command
    out: Annotated[Path, typer.Argument(metavar="OUT", help="A new folder.")],
    rows: Annotated[list[Path], typer.Option(help="Rows to train the tokenizer on; repeatable.")],
    size: Annotated[
        str,
        typer.Option(
            help="The size: xs, s, m or l (0.4 to 12 million parameters), or xl (70 million,"
            " for a GPU)."
        ),
    ] = "s",
    vocabulary: Annotated[
        int, typer.Option(help="Maximum number of tokens in the vocabulary.", min=300, max=200_000)
    ] = 2048,
    passages: Annotated[
        bool,
        typer.Option(
            "--passages", help="Make a single token of each passage that many prompts share."
        ),
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of the weights.", min=0)] = 0,
) -> None:
    """Make a tiny untrained causal model, with a tokenizer trained on the given rows.

    Nothing is downloaded.
    """
    from dragoman.cli.training import make_tiny

    make_tiny(out, rows, size, vocabulary, seed, passages=passages)


@command(app, "rows", "rows runs/mine --out rows.jsonl --only passed", is_long=True)
def rows(  # noqa: PLR0913, PLR0917 - the options of one command
    folder: RunFolder,
    out: Annotated[Path, typer.Option(help="The output file.")],
    only: Annotated[
        str, typer.Option(help="The conversations to write: passed (reward 1) or all.")
    ] = "passed",
    calls: Annotated[
        str,
        typer.Option(
            help="The syntax of calls: native, or thought-action (native calls become text) "
            "[native]."
        ),
    ] = "",
    rules: ScoredBy = None,
    judge: JudgedBy = None,
    as_json: Json = False,
) -> None:
    """Write conversations of a run as training rows.

    The rows keep the calls in the syntax in which they were made, natively or in text.
    """
    from dragoman.cli.training import write_rows

    write_rows(folder, out, only, (rules, judge), calls, as_json=as_json)
