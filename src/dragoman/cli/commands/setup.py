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
            help="Try this model's endpoint instead: words, a tool call, a stream.",
        ),
    ] = "",
    timeout: Annotated[
        float,
        typer.Option(metavar="SECONDS", min=0.1, help="Of --model: how long one answer may take."),
    ] = 120,
    as_json: Json = False,
) -> None:
    """Say what is installed, which keys are set, which data are pulled, and what to do.

    Keys are looked for by name: nothing of a value is shown. Exit 1 where something is wrong, as a
    file that is not what is pinned; what is only missing is no failure.

    With --model, NAME as in `run --agent`, tiny requests go to its endpoint, and each line says
    what works and what to do where it does not. Exit 0 only if words and a tool call work.
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
        Path | None, typer.Argument(metavar="FILE", help="The file to write [grid.toml].")
    ] = None,
    *,
    yes: Annotated[
        bool,
        typer.Option("--yes", help="Ask nothing: take what options leave open as usual."),
    ] = False,
    **given: str | None,
) -> None:
    """Write a commented grid file for `dragoman run`, by asking.

    A file that is there is never replaced.
    """
    from dragoman.cli.init import ask_for_line, make_grid

    said = {name: value for name, value in given.items() if value is not None}
    make_grid(path or Path("grid.toml"), said, None if yes else ask_for_line)


data_app = group("Benchmark data: pulled once, checked, kept in the cache.")
cache_app = group("Replies of models, remembered for all runs.")


@command(data_app, "pull", "data pull tau2")
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
    from dragoman.cli.data import pull_source

    pull_source(source, from_dir, url)


@command(cache_app, "info", "cache info")
def cache_info(as_json: Json = False) -> None:
    """Say where remembered replies lie and how many there are."""
    from dragoman.cli.data import cache_info

    cache_info(as_json=as_json)


@command(cache_app, "clear", "cache clear")
def cache_clear() -> None:
    """Remove all remembered replies."""
    from dragoman.cli.data import cache_clear

    cache_clear()
