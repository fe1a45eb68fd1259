"""Declarations of the commands on suites and translations: `check`, `translate`, `review`..."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.commands.options import (
    LANGUAGE_NAMES,
    Json,
    ReadTimeout,
    RetryFor,
    Suite,
    command,
    exit_with_status,
    given_options,
    group,
    option_of_run,
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
    from dragoman.cli.suite_checks import check_command

    exit_with_status(check_command(suite, given_options(given), as_json=as_json))


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
    from dragoman.cli.suite_checks import LintRequest, print_lint

    wanted = LintRequest(assets, tuple(domain or ()), tuple(language or ()))
    exit_with_status(print_lint(wanted, full=full, as_json=as_json))


Prices = Annotated[
    Path | None, typer.Option(help="Your own prices, laid over those that ship (docs/costs.md).")
]


@command(
    app,
    "translate",
    "translate tau2:retail --language th --language vi --model openai/gpt-4.1 --dry-run",
    is_long=True,
)
def translate(  # noqa: PLR0913, PLR0917 - the options of one command
    suite: Annotated[str, typer.Argument(help="A suite (`dragoman list suites`).")],
    to: Annotated[
        list[str] | None,
        typer.Option(
            *LANGUAGE_NAMES,
            help="A language, or its TOML file; repeatable (`dragoman list languages`).",
        ),
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
            help="Only files for these: schema, tools, messages, database, policy, tasks, "
            "functions; by commas."
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
    retry_for: RetryFor = None,
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
    from dragoman.cli.translate import TranslateOptions, translate_suite

    asked = TranslateOptions(
        suite, tuple(to or ()), model, out, memory, assets, tuple(components or ()), only_stale,
        batch_size, concurrency, max_cost, prices, retry_for, read_timeout,
    )  # fmt: skip
    exit_with_status(translate_suite(asked, dry_run=dry_run, full=full, as_json=as_json))


memory_app = group("Translation memories: show, import, export, compare.")

MemoryFile = Annotated[Path, typer.Argument(metavar="MEMORY", help="A translation memory.")]
Suites = Annotated[
    list[str] | None, typer.Option("--suite", help="A suite whose texts are meant; repeatable.")
]
Languages = Annotated[
    list[str] | None, typer.Option(*LANGUAGE_NAMES, help="Only this language; repeatable.")
]


@command(memory_app, "show", "memory show mine/translation_memory.sqlite")
def memory_show(
    file: MemoryFile,
    prices: Prices = None,
    as_json: Json = False,
) -> None:
    """Count the translations by language and origin, and say what they consumed."""
    from dragoman.cli.translation_memory import show_memory

    show_memory(file, prices, as_json=as_json)


@command(memory_app, "import", "memory import theirs.tmx mine/translation_memory.sqlite")
def memory_import(
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
    from dragoman.cli.translation_memory import import_translations

    import_translations(source, file, suites or (), to or (), as_json=as_json)


@command(
    memory_app,
    "export",
    "memory export mine/translation_memory.sqlite --out mine.tmx --language th",
)
def memory_export(
    file: MemoryFile,
    out: Annotated[Path, typer.Option(help="The TMX file to write.")],
    to: Annotated[str, typer.Option(*LANGUAGE_NAMES, help="Only this language.")] = "",
) -> None:
    """Write translations as TMX 1.4b, which programs for translators read."""
    from dragoman.cli.translation_memory import export_translations

    export_translations(file, out, to)


@command(
    memory_app,
    "compare",
    "memory compare released.sqlite mine.sqlite --suite tau2:retail --language th",
)
def memory_compare(
    file: MemoryFile,
    other: Annotated[Path, typer.Argument(metavar="OTHER", help="Another memory.")],
    suites: Suites = None,
    to: Languages = None,
    as_json: Json = False,
) -> None:
    """Say how alike two memories are in the texts of suites, by component: equal ones, and chrF."""
    from dragoman.cli.translation_memory import print_memory_comparison

    print_memory_comparison(file, other, suites or (), to or (), as_json=as_json)


review_app = group("Human review of translations: out, and back in.")

ReviewedSuites = Annotated[
    str,
    typer.Argument(metavar="SUITE", help="A suite (`dragoman list suites`); several by commas."),
]
Language = Annotated[str, typer.Option(*LANGUAGE_NAMES, help="The language, or its TOML file.")]
Memory = Annotated[Path, typer.Option(help="The translation memory.")]
Assets = Annotated[str, typer.Option(help="A folder whose English files come before the suite's.")]
Components = Annotated[
    list[str] | None,
    typer.Option(
        help="Only texts of schema, tools, messages, database, policy, tasks, functions; by commas."
    ),
]
_MEMORY_FILE = Path("translations") / "translation_memory.sqlite"


@command(review_app, "export", "review export tau2:retail --language th --out th.xlsx")
def review_export(  # noqa: PLR0913, PLR0917 - the options of one command
    suite: ReviewedSuites,
    to: Language,
    out: Annotated[
        Path,
        typer.Option(help="A workbook (.xlsx), or a folder that gets a CSV file per artifact."),
    ],
    memory: Memory = _MEMORY_FILE,
    assets: Assets = "",
    components: Components = None,
    only_new: Annotated[
        bool, typer.Option("--only-new", help="Leave out what somebody has reviewed.")
    ] = False,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only so many texts, the worst of all.")
    ] = None,
    back_translate: Annotated[
        str, typer.Option(metavar="MODEL", help="PROVIDER/MODEL that translates back first.")
    ] = "",
    estimate: Annotated[
        str, typer.Option(metavar="MODEL", help="PROVIDER/MODEL that rates translations first.")
    ] = "",
    max_cost: Annotated[
        str, typer.Option(help="Stop asking when so much is spent: '5 USD', '2M tokens'.")
    ] = "",
    prices: Annotated[Path | None, option_of_run("prices")] = None,
    read_timeout: ReadTimeout = None,
    as_json: Json = False,
) -> None:
    """Write the memory's translations for a reviewer, the worst first, one sheet per artifact.

    Without a memory, one is made of the translations that the suites ship.
    """
    from dragoman.cli.translation_review import export_review, review_request
    from dragoman.curation.review.second_opinions import OpinionModels
    from dragoman.curation.review.steps import ReviewExport

    asked = review_request(suite, to, memory, assets, tuple(components or ()))
    helpers = OpinionModels(back_translate, estimate, max_cost, prices, read_timeout)
    exit_with_status(
        export_review(
            asked,
            ReviewExport(out, only_new, limit),
            helpers,
            may_make_memory=memory == _MEMORY_FILE,
            as_json=as_json,
        )
    )


@command(review_app, "import", "review import tau2:retail th.xlsx --language th --reviewer Somchai")
def review_import(  # noqa: PLR0913, PLR0917 - the options of one command
    suite: ReviewedSuites,
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Workbooks, CSV files or folders of them."),
    ],
    to: Language,
    reviewer: Annotated[str, typer.Option(help="Who reviewed, as the memory names them.")] = "",
    memory: Memory = _MEMORY_FILE,
    assets: Assets = "",
    as_json: Json = False,
) -> None:
    """Take a reviewer's corrections and approvals into the memory: all of them, or none.

    Exit 1 where a row is refused, and nothing is taken. Reviewed text is never overwritten by a
    machine's; `dragoman translate` writes it into the files.
    """
    from dragoman.cli.translation_review import import_review, review_request

    asked = review_request(suite, to, memory, assets, ())
    exit_with_status(import_review(asked, files, reviewer, as_json=as_json))


@command(review_app, "status", "review status --memory translations/translation_memory.sqlite")
def review_status(
    memory: Memory = _MEMORY_FILE,
    to: Annotated[str, typer.Option(*LANGUAGE_NAMES, help="Only this language.")] = "",
    as_json: Json = False,
) -> None:
    """Print what was reviewed, by whom, and how much of it stood as it was translated."""
    from dragoman.cli.translation_review import print_status

    exit_with_status(print_status(memory, to, as_json=as_json))
