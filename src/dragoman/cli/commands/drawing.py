"""Commands that draw."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.commands.declaring import JudgedBy, ScoredBy, command, group

app = group()


@command(app, "figures", "figures runs/mine --out paper/figures --format svg,pdf", is_long=True)
def figures(
    folders: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    out: Annotated[Path, typer.Option(help="The folder to write into.")] = Path("figures"),
    form: Annotated[
        str,
        typer.Option(
            "--format", help="svg, png, pdf; several by commas. png and pdf need the extra figures."
        ),
    ] = "svg",
    rules: ScoredBy = None,
    judge: JudgedBy = None,
) -> None:
    """Write the figures of a report as files, each with its data as CSV beside it."""
    from dragoman.cli.figures.writing import FiguresRequest, write_figures

    asked = FiguresRequest(tuple(folders), out, tuple(form.split(",")), rules, judge)
    for path in write_figures(asked):
        print(path)
