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
    """Check a suite: gold must pass; list free, unpassable and undecidable tasks.

    The floor is the number of tasks that an agent passes by doing nothing. With --language (and
    --scenario, by default domain), gold must also pass in that language and end in the same state
    as in English, and every tool must accept every label that it shows.
    """
    from dragoman.cli.suite_checks import check_command

    exit_with_status(check_command(suite, given_options(given), as_json=as_json))


@command(app, "lint", "lint seataubench --language th", is_long=True)
def lint(
    assets: Annotated[
        str,
        typer.Argument(
            metavar="ASSETS",
            help="A folder with DOMAIN/LANGUAGE, or courier, or seataubench as pulled.",
        ),
    ],
    domain: Annotated[list[str] | None, typer.Option(help="Only this domain; repeatable.")] = None,
    language: Annotated[
        list[str] | None, typer.Option(help="Only this language; repeatable.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="List every place.")] = False,
    as_json: Json = False,
) -> None:
    """Find defects of translated artifacts, by domain and language; exit 1 if there are any."""
    from dragoman.cli.suite_checks import LintRequest, print_lint

    wanted = LintRequest(assets, tuple(domain or ()), tuple(language or ()))
    exit_with_status(print_lint(wanted, full=full, as_json=as_json))


Prices = Annotated[
    Path | None,
    typer.Option(
        help="Your own price table, which overrides the one that ships (docs/how_to/costs.md)."
    ),
]


@command(
    app,
    "translate",
    "translate tau2:retail --language th --language vi --model openai/gpt-4.1 --dry-run",
    is_long=True,
)
def translate(  # noqa: PLR0913, PLR0917 - the options of one command
    suite: Annotated[str, typer.Argument(help="A suite of `dragoman list suites`.")],
    to: Annotated[
        list[str] | None,
        typer.Option(
            *LANGUAGE_NAMES,
            help="A language of `dragoman list languages`, or its TOML file; repeatable.",
        ),
    ] = None,
    model: Annotated[
        str,
        typer.Option(
            help="The translator: PROVIDER/MODEL, or glossary to use only the memory and the"
            " glossary."
        ),
    ] = "",
    out: Annotated[Path, typer.Option(help="The output folder for DOMAIN/LANGUAGE.")] = Path(
        "translations"
    ),
    memory: Annotated[
        Path | None,
        typer.Option(help="The translation memory [translation_memory.sqlite in --out]."),
    ] = None,
    assets: Annotated[
        str, typer.Option(help="A folder whose English files replace the suite's.")
    ] = "",
    components: Annotated[
        list[str] | None,
        typer.Option(
            help="Only files of these components: schema, tools, messages, database, policy,"
            " tasks or functions; several by commas."
        ),
    ] = None,
    only_stale: Annotated[
        bool, typer.Option("--only-stale", help="Write only files that are not up to date.")
    ] = False,
    batch_size: Annotated[int, typer.Option(help="Number of texts in one request.")] = 24,
    concurrency: Annotated[int, typer.Option(help="Number of requests at the same time.")] = 8,
    max_cost: Annotated[
        str,
        typer.Option(
            help="Budget after which the command stops: '5 USD', '2M tokens' or '90 min'."
        ),
    ] = "",
    prices: Prices = None,
    retry_for: RetryFor = None,
    read_timeout: ReadTimeout = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Print the planned requests and their estimated cost, and send nothing.",
        ),
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="List every text with a problem.")] = False,
    as_json: Json = False,
) -> None:
    """Translate a suite's tasks, policies, tools and data into other languages.

    Every text is sent once and stored in the translation memory; the same command resumes after an
    interruption. The exit status is 1 if a text could not be translated.
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
    list[str] | None, typer.Option("--suite", help="A suite whose texts are used; repeatable.")
]
Languages = Annotated[
    list[str] | None, typer.Option(*LANGUAGE_NAMES, help="Only this language; repeatable.")
]


@command(memory_app, "show", "memory show thai/translation_memory.sqlite")
def memory_show(
    file: MemoryFile,
    prices: Prices = None,
    as_json: Json = False,
) -> None:
    """Count the translations by language and origin, with their usage and cost."""
    from dragoman.cli.translation_memory import show_memory

    show_memory(file, prices, as_json=as_json)


@command(memory_app, "import", "memory import theirs.tmx thai/translation_memory.sqlite")
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
    """Import translations from TMX 1.4, or from artifacts of the given suites.

    They replace machine translations, never reviewed ones.
    """
    from dragoman.cli.translation_memory import import_translations

    import_translations(source, file, suites or (), to or (), as_json=as_json)


@command(
    memory_app,
    "export",
    "memory export thai/translation_memory.sqlite --out thai.tmx --language th",
)
def memory_export(
    file: MemoryFile,
    out: Annotated[Path, typer.Option(help="The output file (TMX).")],
    to: Annotated[str, typer.Option(*LANGUAGE_NAMES, help="Only this language.")] = "",
) -> None:
    """Write translations as TMX 1.4b, which translation tools read."""
    from dragoman.cli.translation_memory import export_translations

    export_translations(file, out, to)


@command(
    memory_app,
    "compare",
    "memory compare released.sqlite thai.sqlite --suite tau2:retail --language th",
)
def memory_compare(
    file: MemoryFile,
    other: Annotated[Path, typer.Argument(metavar="OTHER", help="The memory to compare with.")],
    suites: Suites = None,
    to: Languages = None,
    as_json: Json = False,
) -> None:
    """Compare two memories on texts of suites, by component: equal translations and chrF."""
    from dragoman.cli.translation_memory import print_memory_comparison

    print_memory_comparison(file, other, suites or (), to or (), as_json=as_json)


review_app = group("Human review of translations: export, import and status.")

ReviewedSuites = Annotated[
    str,
    typer.Argument(metavar="SUITE", help="A suite of `dragoman list suites`; several by commas."),
]
Language = Annotated[str, typer.Option(*LANGUAGE_NAMES, help="The language, or its TOML file.")]
Memory = Annotated[Path, typer.Option(help="The translation memory.")]
Assets = Annotated[str, typer.Option(help="A folder whose English files replace the suite's.")]
Components = Annotated[
    list[str] | None,
    typer.Option(
        help="Only texts of these components: schema, tools, messages, database, policy, "
        "tasks or functions; several by commas."
    ),
]
_MEMORY_FILE = Path("translations") / "translation_memory.sqlite"


@command(review_app, "export", "review export tau2:retail --language th --out th.xlsx")
def review_export(  # noqa: PLR0913, PLR0917 - the options of one command
    suite: ReviewedSuites,
    to: Language,
    out: Annotated[
        Path,
        typer.Option(
            help="The output: a workbook (.xlsx), or a folder for one CSV file per artifact."
        ),
    ],
    memory: Memory = _MEMORY_FILE,
    assets: Assets = "",
    components: Components = None,
    only_new: Annotated[
        bool, typer.Option("--only-new", help="Exclude texts that are already reviewed.")
    ] = False,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of texts, the worst first.")
    ] = None,
    back_translate: Annotated[
        str,
        typer.Option(metavar="MODEL", help="PROVIDER/MODEL that first translates each text back."),
    ] = "",
    estimate: Annotated[
        str, typer.Option(metavar="MODEL", help="PROVIDER/MODEL that first rates each translation.")
    ] = "",
    max_cost: Annotated[
        str,
        typer.Option(help="Budget after which no more models are called: '5 USD' or '2M tokens'."),
    ] = "",
    prices: Annotated[Path | None, option_of_run("prices")] = None,
    read_timeout: ReadTimeout = None,
    as_json: Json = False,
) -> None:
    """Export translations for review, the worst first, one sheet per artifact.

    A missing memory is made from the translations that the suites ship.
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
        typer.Argument(metavar="FILE...", help="Workbooks, CSV files, or folders of CSV files."),
    ],
    to: Language,
    reviewer: Annotated[str, typer.Option(help="The reviewer's name in the memory.")] = "",
    memory: Memory = _MEMORY_FILE,
    assets: Assets = "",
    as_json: Json = False,
) -> None:
    """Import a reviewer's corrections and approvals into the memory: all of them, or none.

    The exit status is 1 if a row is refused; then nothing is imported. Machine translations never
    overwrite reviewed text. `dragoman translate` writes it into the files.
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
    """Print reviews by reviewer, and the share of translations that were accepted unchanged."""
    from dragoman.cli.translation_review import print_status

    exit_with_status(print_status(memory, to, as_json=as_json))
