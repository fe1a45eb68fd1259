"""Declarations of `doctor`, `init`, `data` and `cache`: checks, a first grid file, data sets."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.commands.options import Json, command, exit_with_status, group, typed_options

app = group()


@command(
    app,
    "doctor",
    "doctor --json",
    "doctor --model 'compatible/qwen3?base_url=http://127.0.0.1:8080/v1'",
)
def doctor(
    model: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Check this model's endpoint instead: words, a tool call and a stream.",
        ),
    ] = "",
    timeout: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", min=0.1, help="With --model: timeout of one answer, in seconds."
        ),
    ] = 120,
    as_json: Json = False,
) -> None:
    """Check the installation: packages, API keys, benchmark data, prices and storage.

    API keys are looked up by name; their values are never shown. The exit status is 1 if something
    is wrong, such as a file that differs from its pinned version; missing things are not failures.

    With --model NAME (as in `run --agent`), the command sends tiny requests to the model's
    endpoint. Each line says what works, and what to do if it does not. The exit status is then 0
    only if words and a tool call work.
    """
    from dragoman.cli.doctor import diagnose, diagnose_model

    exit_with_status(
        diagnose_model(model, timeout, as_json=as_json) if model else diagnose(as_json=as_json)
    )


@command(app, "init", "init grid.toml --suite courier --agent careful --yes")
@typed_options(
    *("suite", "agents", "user", "judge", "languages", "scenarios", "voices", "trials", "limit")
)
def init(
    path: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="The output file [grid.toml].")
    ] = None,
    *,
    yes: Annotated[
        bool,
        typer.Option(
            "--yes", help="Ask nothing, and use the defaults of options that are not given."
        ),
    ] = False,
    **given: str | None,
) -> None:
    """Ask questions, and write a commented grid file for `dragoman run`.

    An existing file is never replaced.
    """
    from dragoman.cli.init import ask_for_line, make_grid

    said = {name: value for name, value in given.items() if value is not None}
    make_grid(path or Path("grid.toml"), said, None if yes else ask_for_line)


data_app = group("Benchmark data: downloaded once, verified, and kept in the cache.")
cache_app = group("Cached replies of models, shared by all runs.")


@command(data_app, "pull", "data pull tau2")
def data_pull(
    source: Annotated[str, typer.Argument(help="tau2, seataubench or bfcl.")],
    from_dir: Annotated[
        Path | None,
        typer.Option("--from", help="Read a local copy, raw or .gz; for bfcl also its wheel."),
    ] = None,
    url: Annotated[
        str | None, typer.Option(help="Download from a mirror with the same layout.")
    ] = None,
) -> None:
    """Download a benchmark's pinned files, verify them, and keep them in the cache."""
    from dragoman.cli.data import pull_source

    pull_source(source, from_dir, url)


@command(cache_app, "info", "cache info")
def cache_info(as_json: Json = False) -> None:
    """Show the file, the number and the size of cached replies."""
    from dragoman.cli.data import cache_info

    cache_info(as_json=as_json)


@command(cache_app, "clear", "cache clear")
def cache_clear() -> None:
    """Remove all cached replies."""
    from dragoman.cli.data import cache_clear

    cache_clear()
