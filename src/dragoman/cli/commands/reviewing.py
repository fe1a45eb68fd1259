"""Commands with which people review translations."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.commands.declaring import Json, ReadTimeout, command, group, leave, option_of_run

app = group("Human review of translations: out, and back in.")

Suites = Annotated[
    str,
    typer.Argument(metavar="SUITE", help="A suite (`dragoman list suites`); several by commas."),
]
Language = Annotated[str, typer.Option("--to", help="The language, or its TOML file.")]
Memory = Annotated[Path, typer.Option(help="The translation memory.")]
Assets = Annotated[str, typer.Option(help="A folder whose English files come before the suite's.")]
Components = Annotated[
    list[str] | None,
    typer.Option(
        help="Only texts of schema, tools, messages, database, policy, tasks, functions; by commas."
    ),
]
_MEMORY = Path("translations") / "translation_memory.sqlite"


@command(app, "export", "review export tau2:retail --to th --out th.xlsx")
def export(  # noqa: PLR0913, PLR0917 - the options of one command
    suite: Suites,
    to: Language,
    out: Annotated[
        Path,
        typer.Option(help="A workbook (.xlsx), or a folder that gets a CSV file per artifact."),
    ],
    memory: Memory = _MEMORY,
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
    """Write the memory's translations for a reviewer, the worst first, one sheet per artifact."""
    from dragoman.cli.translations.reviewing import Export, Helpers, export_review, review_request

    asked = review_request(suite, to, memory, assets, tuple(components or ()))
    helpers = Helpers(back_translate, estimate, max_cost, prices, read_timeout)
    leave(export_review(asked, Export(out, only_new, limit), helpers, as_json=as_json))


@command(app, "import", "review import tau2:retail th.xlsx --to th --reviewer Somchai")
def import_files(  # noqa: PLR0913, PLR0917 - the options of one command
    suite: Suites,
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Workbooks, CSV files or folders of them."),
    ],
    to: Language,
    reviewer: Annotated[str, typer.Option(help="Who reviewed, as the memory names them.")] = "",
    memory: Memory = _MEMORY,
    assets: Assets = "",
    as_json: Json = False,
) -> None:
    """Take a reviewer's corrections and approvals into the memory: all of them, or none.

    Exit 1 where a row is refused, and nothing is taken. Reviewed text is never overwritten by a
    machine's; `dragoman translate` writes it into the files.
    """
    from dragoman.cli.translations.reviewing import import_review, review_request

    asked = review_request(suite, to, memory, assets, ())
    leave(import_review(asked, files, reviewer, as_json=as_json))


@command(app, "status", "review status --memory translations/translation_memory.sqlite")
def status(
    memory: Memory = _MEMORY,
    to: Annotated[str, typer.Option("--to", help="Only this language.")] = "",
    as_json: Json = False,
) -> None:
    """Print what was reviewed, by whom, and how much of it stood as it was translated."""
    from dragoman.cli.translations.reviewing import print_status

    leave(print_status(memory, to, as_json=as_json))
