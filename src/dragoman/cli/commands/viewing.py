"""The command that shows runs in a browser."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.commands.declaring import command, group

app = group()


@command(app, "view", "view runs/mine --port 8000")
def view(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[RUN...]", help="Folders of runs, or a folder of them [runs]."),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where to listen; 0: any.")] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
) -> None:
    """Show runs in a browser, on this machine alone, until Ctrl-C; runs going on are followed."""
    from dragoman.cli.viewing.serving import view_runs

    view_runs(folders or [], port, browser=browser)
