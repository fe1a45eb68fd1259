"""Commands that build datasets of web APIs."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.commands.declaring import Json, command, group

app = group("Datasets of web APIs: collect, verify, filter, generate, answer, split.")

DatasetFolder = Annotated[Path, typer.Argument(metavar="DATASET", help="Folder of a dataset.")]


@command(app, "status", "curate status mine --step collect")
def status(
    dataset: DatasetFolder,
    step: Annotated[
        str, typer.Option(help="Only this step, and why it did not keep what it did not keep.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Show the funnel: what each step saw, kept, dropped and merged, by source."""
    from dragoman.cli.curating.status import show_status

    show_status(dataset, step=step, as_json=as_json)
