"""Declarations of `dragoman world`: the bundled server of invented web APIs."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.commands.options import command, group

app = group("The bundled world of invented web APIs.")

_PORT = 8790


@command(app, "serve", "world serve --faults schedule --at 2026-03-13T01:00:00Z")
def serve(
    port: Annotated[int, typer.Option(help="The port; 0 takes a free one.")] = _PORT,
    faults: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Faults as a JSON file, or `schedule` for the bundled schedule."
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="The time of the server's clock, for faults [2026-03-16T10:00:00Z].",
        ),
    ] = None,
) -> None:
    """Serve the bundled web APIs and their documents until interrupted."""
    from dragoman.cli.world import serve_simulated_apis

    serve_simulated_apis(port, faults, at)


@command(app, "documents", "world documents --out documents")
def documents(
    out: Annotated[Path, typer.Option(help="The output folder.")],
    port: Annotated[int, typer.Option(help="The port of the server in the documents.")] = _PORT,
) -> None:
    """Write the documents of the APIs: an OpenAPI file for each country, and a catalogue."""
    from dragoman.cli.world import print_documents

    print_documents(out, port)
