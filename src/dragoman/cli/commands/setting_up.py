"""Commands that set up: what is there, and a first grid file."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.commands.declaring import Json, command, group, leave, typed_options

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

    With --model, NAME as in `run --agent`, tiny requests go to its endpoint, and each line says what
    works and what to do where it does not. Exit 0 only if words and a tool call work.
    """
    from dragoman.cli.setting_up.doctor import examine, examine_model

    leave(examine_model(model, timeout, as_json=as_json) if model else examine(as_json=as_json))


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
        bool, typer.Option("--yes", help="Ask nothing: take what options leave open as usual.")
    ] = False,
    **given: str | None,
) -> None:
    """Write a commented grid file for `dragoman run`, by asking.

    A file that is there is never replaced.
    """
    from dragoman.cli.setting_up.answers import typed
    from dragoman.cli.setting_up.asking import make_grid

    said = {name: value for name, value in given.items() if value is not None}
    make_grid(path or Path("grid.toml"), said, None if yes else typed)
