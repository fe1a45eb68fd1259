"""Commands that make a benchmark in another language."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.commands.declaring import Json, command, group, leave, option_of_run

app = group()


@command(app, "translate", "translate tau2:retail --to th --to vi --model openai/gpt-4.1 --dry-run")
def translate(  # noqa: PLR0913, PLR0917 - the options of one command
    suite: Annotated[str, typer.Argument(help="A suite (`dragoman list suites`).")],
    to: Annotated[
        list[str],
        typer.Option(help="A language, or its TOML file; repeatable (`dragoman list languages`)."),
    ],
    model: Annotated[
        str,
        typer.Option(
            help="PROVIDER/MODEL; glossary takes what the memory and the glossary have, no more."
        ),
    ],
    out: Annotated[Path, typer.Option(help="The folder that gets DOMAIN/LANGUAGE.")] = Path(
        "translations"
    ),
    memory: Annotated[
        Path | None,
        typer.Option(help="The translation memory [translation_memory.sqlite in --out]."),
    ] = None,
    assets: Annotated[
        str, typer.Option(help="A folder whose English files come before the suite's.")
    ] = "",
    components: Annotated[
        list[str] | None,
        typer.Option(
            help="Only files for these: schema, tools, messages, database, policy, tasks, functions; by commas."
        ),
    ] = None,
    only_stale: Annotated[
        bool, typer.Option("--only-stale", help="Leave files alone that are up to date.")
    ] = False,
    batch_size: Annotated[int, typer.Option(help="Texts in one request.")] = 24,
    concurrency: Annotated[int, typer.Option(help="Requests under way at a time.")] = 8,
    max_cost: Annotated[
        str, typer.Option(help="Stop when so much is spent: '5 USD', '2M tokens', '90 min'.")
    ] = "",
    prices: Annotated[Path | None, option_of_run("prices")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would be sent and what it would cost.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Name every text that something is wrong with.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Translate a suite's tasks, policies, tools and data into other languages.

    Every text is sent once and kept in the memory: the same command goes on where it was stopped.
    Exit 1 where a text could not be translated.
    """
    from dragoman.cli.translating import Asked, translate_suite

    asked = Asked(
        suite, tuple(to), model, out, memory, assets, tuple(components or ()), only_stale,
        batch_size, concurrency, max_cost, prices,
    )  # fmt: skip
    leave(translate_suite(asked, dry_run=dry_run, full=full, as_json=as_json))
