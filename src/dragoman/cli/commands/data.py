"""`dragoman data` and `dragoman cache`."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.commands.declaring import Json, command, group

data = group("Benchmark data: pulled once, checked, kept in the cache.")
cache = group("Replies of models, remembered for all runs.")


@command(data, "pull", "data pull tau2")
def data_pull(
    source: Annotated[str, typer.Argument(help="tau2, seataubench or bfcl.")],
    from_dir: Annotated[
        Path | None,
        typer.Option("--from", help="Read a local copy, raw or .gz; of bfcl also its wheel."),
    ] = None,
    url: Annotated[
        str | None, typer.Option(help="Download from a mirror with the same layout.")
    ] = None,
) -> None:
    """Fetch a benchmark's pinned files, check them, and keep them in the cache."""
    from dragoman.cli.pulling import pull_source

    pull_source(source, from_dir, url)


@command(cache, "info", "cache info")
def info(as_json: Json = False) -> None:
    """Say where remembered replies lie and how many there are."""
    from dragoman.cli.caching import cache_info

    cache_info(as_json=as_json)


@command(cache, "clear", "cache clear")
def clear() -> None:
    """Remove all remembered replies."""
    from dragoman.cli.caching import cache_clear

    cache_clear()
