"""Commands that make audio sets."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.commands.declaring import Json, command, group, leave, option_of_run
from dragoman.core.errors import UsageError

app = group()


@command(app, "speak", "speak bfcl:non_live,bfcl:multi_turn --out bfcl-spoken --texts-only")
def speak(  # noqa: PLR0913, PLR0917 - the options of one command
    suites: Annotated[
        str,
        typer.Argument(metavar="[SUITE]", help="Suites whose users' words are fixed, by commas."),
    ] = "",
    rewriter: Annotated[
        str, typer.Option(help="rules, or PROVIDER/MODEL: who rewrites what users type as speech.")
    ] = "rules",
    topics: Annotated[
        str, typer.Option(help="PROVIDER/MODEL that names the topics of whitelists [no model].")
    ] = "",
    out: Annotated[Path | None, typer.Option(help="The set's folder.")] = None,
    texts_only: Annotated[
        bool, typer.Option("--texts-only", help="No audio: texts, whitelists and a card.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Another seed, other words.")] = 1,
    concurrency: Annotated[int, typer.Option(help="Messages under way at a time.")] = 8,
    max_cost: Annotated[
        str, typer.Option(help="Stop when so much is spent: '5 USD', '2M tokens', '90 min'.")
    ] = "",
    prices: Annotated[Path | None, option_of_run("prices")] = None,
    verify: Annotated[Path | None, typer.Option(help="Look at a set again instead.")] = None,
    as_json: Json = False,
) -> None:
    """Rewrite what a suite's users type as natural speech, and prove that no value is lost.

    Messages that fail the proof are rewritten more mildly, or stay as they are. The same command goes
    on where it was stopped. Exit 1 where --verify finds a problem.
    """
    from dragoman.cli.speaking import SpeakOptions, speak_suites, verify_set

    if verify is not None:
        return leave(verify_set(verify, as_json=as_json))
    if out is None or not texts_only:
        raise UsageError(
            "speak: needs --out SET and --texts-only: sets without audio are all there is"
        )
    asked = SpeakOptions(suites, rewriter, topics, out, seed, concurrency, max_cost, prices)
    return leave(speak_suites(asked, as_json=as_json))
