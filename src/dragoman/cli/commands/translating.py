"""Commands that make a benchmark in another language."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.commands.declaring import Json, ReadTimeout, command, group, leave

app = group()

Prices = Annotated[
    Path | None, typer.Option(help="Your own prices, laid over those that ship (docs/costs.md).")
]


@command(
    app,
    "translate",
    "translate tau2:retail --to th --to vi --model openai/gpt-4.1 --dry-run",
    is_long=True,
)
def translate(  # noqa: PLR0913, PLR0917 - the options of one command
    suite: Annotated[str, typer.Argument(help="A suite (`dragoman list suites`).")],
    to: Annotated[
        list[str] | None,
        typer.Option(help="A language, or its TOML file; repeatable (`dragoman list languages`)."),
    ] = None,
    model: Annotated[
        str,
        typer.Option(
            help="PROVIDER/MODEL; glossary takes what the memory and the glossary have, no more."
        ),
    ] = "",
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
    prices: Prices = None,
    patience: Annotated[
        float | None,
        typer.Option(help="Seconds to wait for a request, or a silent endpoint [1800]."),
    ] = None,
    read_timeout: ReadTimeout = None,
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
    from dragoman.cli.translations.translating import Asked, translate_suite

    asked = Asked(
        suite, tuple(to or ()), model, out, memory, assets, tuple(components or ()), only_stale,
        batch_size, concurrency, max_cost, prices, patience, read_timeout,
    )  # fmt: skip
    leave(translate_suite(asked, dry_run=dry_run, full=full, as_json=as_json))


memory = group("Translation memories: show, import, export, compare.")

MemoryFile = Annotated[Path, typer.Argument(metavar="MEMORY", help="A translation memory.")]
Suites = Annotated[
    list[str] | None, typer.Option("--suite", help="A suite whose texts are meant; repeatable.")
]
Languages = Annotated[
    list[str] | None, typer.Option("--to", help="Only this language; repeatable.")
]


@command(memory, "show", "memory show mine/translation_memory.sqlite")
def show(
    file: MemoryFile,
    prices: Prices = None,
    as_json: Json = False,
) -> None:
    """Count the translations by language and origin, and say what they consumed."""
    from dragoman.cli.translations.memories import show_memory

    show_memory(file, prices, as_json=as_json)


@command(memory, "import", "memory import theirs.tmx mine/translation_memory.sqlite")
def import_into(
    source: Annotated[
        str,
        typer.Argument(help="A TMX file; a folder with DOMAIN/LANGUAGE, or seataubench as pulled."),
    ],
    file: MemoryFile,
    suites: Suites = None,
    to: Languages = None,
    as_json: Json = False,
) -> None:
    """Read translations of others: TMX 1.4, or artifacts of suites that are named.

    They take the place of a machine's, never of reviewed ones.
    """
    from dragoman.cli.translations.memories import import_translations

    import_translations(source, file, suites or (), to or (), as_json=as_json)


@command(memory, "export", "memory export mine/translation_memory.sqlite --out mine.tmx --to th")
def export_from(
    file: MemoryFile,
    out: Annotated[Path, typer.Option(help="The TMX file to write.")],
    to: Annotated[str, typer.Option(help="Only this language.")] = "",
) -> None:
    """Write translations as TMX 1.4b, which programs for translators read."""
    from dragoman.cli.translations.memories import export_translations

    export_translations(file, out, to)


@command(
    memory, "compare", "memory compare released.sqlite mine.sqlite --suite tau2:retail --to th"
)
def compare_with(
    file: MemoryFile,
    other: Annotated[Path, typer.Argument(metavar="OTHER", help="Another memory.")],
    suites: Suites = None,
    to: Languages = None,
    as_json: Json = False,
) -> None:
    """Say how alike two memories are in the texts of suites, by component: equal ones, and chrF."""
    from dragoman.cli.translations.memories import compare_memories

    compare_memories(file, other, suites or (), to or (), as_json=as_json)
