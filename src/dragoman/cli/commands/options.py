"""Decorators that declare a command, shared options, and shell completion of option values.

The options of `dragoman run` are generated from the option table of `RunConfig`.
"""

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, get_args

import typer

from dragoman.cli.commands.panels import OUTPUT, PANEL_BY_FIELD, PanelCommand, PanelGroup
from dragoman.cli.output import INTERRUPTED, ReportedInterrupt, print_error, set_mode
from dragoman.config.options import Command, Key, keys_of
from dragoman.config.run_config import Function, RunRequest, keyword_parameter, with_parameters
from dragoman.core.progress import PROGRESS_DISPLAY, RUNNING_STEPS, ProgressCallback, RunningSteps

KIND_BY_OPTION = {
    "suite": "suites",
    "agents": "agents",
    "user": "users",
    "judge": "judges",
    "user_judge": "judges",
    "rules": "rules",
    "languages": "languages",
    "scenarios": "scenarios",
    "voices": "voices",
    "personas": "personas",
    "measures": "measures",
    "backend": "backends",
}
"""The kind of `dragoman list` names that an option of a run takes."""

_TYPED = re.compile(r"[a-z0-9][a-z0-9_:@.-]*")
"""A name, and no pattern such as PROVIDER/MODEL."""


def name_completer(kind: str) -> Callable[[str], list[str]]:
    """Return a function that completes a text with names of one kind.

    In a list separated by commas, it completes the last name.
    """

    def complete(incomplete: str) -> list[str]:
        from dragoman.cli.list_names import names

        before, comma, begun = incomplete.rpartition(",")
        # A line that begins with an option's name is of a name for that other option.
        known = (
            name
            for name, about in names(kind).items()
            if _TYPED.fullmatch(name) and not about.startswith("--")
        )
        return [f"{before}{comma}{name}" for name in known if name.startswith(begun)]

    return complete


_TYPER_DEFAULTS = {"help": False, "install_completion": False, "show_completion": False}
"""Unused settings of typer as False: for a setting of None, typer loads pydantic."""

_OF_THE_RUN = "as the run was started"
_FIRST = "suite"
"""The field that is the first argument of `run`, and therefore not an option."""


RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")]
Suite = Annotated[str, typer.Argument(help="A suite.", autocompletion=name_completer("suites"))]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object.", rich_help_panel=OUTPUT)
]

_Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        help="Print only results and errors: no progress and no notices.",
        rich_help_panel=OUTPUT,
    ),
]
_Plain = Annotated[
    bool,
    typer.Option(
        "--plain",
        help="Print no colours, and lines of progress instead of a bar.",
        rich_help_panel=OUTPUT,
    ),
]

Trust = Annotated[
    bool,
    typer.Option(
        "--trust",
        help="Trust a run from someone else: run the code and call the endpoints that it names.",
    ),
]
ReadTimeout = Annotated[
    float | None,
    typer.Option(
        "--read-timeout",
        metavar="SECONDS",
        help="Longest silence of a model's server during a call, in seconds [300; 1800 on "
        "this machine].",
    ),
]
RetryFor = Annotated[
    float | None,
    typer.Option(
        "--retry-for",
        "--patience",
        metavar="SECONDS",
        help="Longest time that a request is retried while an endpoint is down or busy, in "
        "seconds [1800].",
    ),
]
LANGUAGE_NAMES = ("--language", "--to")
"""The option that names a language; the second is the old name."""

ScoredBy = Annotated[
    str | None,
    typer.Option("--rules", help="Use the scores of this rule set [the newest scoring]."),
]
JudgedBy = Annotated[
    str | None, typer.Option("--judge", help="Use the scores of this judge [the newest scoring].")
]


def group(help_text: str | None = None, *, completes: bool = False) -> typer.Typer:
    """Return a group of commands; a group without help text adds its commands to the parent.

    Args:
        help_text: The purpose of the group.
        completes: Whether it has options that set completion up in a shell.
    """
    return typer.Typer(
        cls=PanelGroup,
        help=help_text,
        no_args_is_help=True,
        add_completion=completes,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "default_map": _TYPER_DEFAULTS},
    )


def command(
    app: typer.Typer, name: str, *examples: str, is_long: bool = False, old_name: str = ""
) -> Callable[[Function], Function]:
    """Add a command; the function's docstring is its help text.

    Args:
        app: The group that it is added to.
        name: Its name.
        examples: Example command lines, without `dragoman`.
        is_long: Whether it may run for long, so that it prints a heartbeat.
        old_name: An older name, which is still accepted and which help does not show.
    """

    def add(function: Function) -> Function:
        first, _, _ = (inspect.getdoc(function) or "").partition("\n\n")
        for each in filter(None, (name, old_name)):
            app.command(
                each,
                cls=PanelCommand,
                epilog="\n\n".join(f"Example: dragoman {example}" for example in examples),
                short_help=" ".join(first.split()),
                hidden=each == old_name,
            )(_with_output_options(function, name if is_long else ""))
        return function

    return add


def _run(function: Function, given: dict[str, object], long_title: str) -> object:
    if not long_title:
        return function(**given)
    from dragoman.cli.progress import heartbeat

    with heartbeat(long_title):
        return function(**given)


def _with_output_options(function: Function, long_title: str) -> Callable[..., Any]:
    """Return a command that also takes `--quiet` and `--plain`.

    Args:
        function: The command.
        long_title: The command's name in the lines that say that it is at work; "" for no such
            lines.
    """

    @functools.wraps(function)
    def shown(*, quiet: bool, plain: bool, **given: object) -> object:
        set_mode("quiet" if quiet else "plain" if plain else "usual")
        PROGRESS_DISPLAY.set(_show_download)
        RUNNING_STEPS.set(RunningSteps())
        try:
            return _run(function, given, long_title)
        except ReportedInterrupt:
            raise typer.Exit(INTERRUPTED) from None
        except KeyboardInterrupt:
            print_error("stopped")
            raise typer.Exit(INTERRUPTED) from None

    signature = inspect.signature(function)
    more = (keyword_parameter("quiet", False, _Quiet), keyword_parameter("plain", False, _Plain))
    shown.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*signature.parameters.values(), *more]
    )
    return shown


def _show_download(line: str) -> AbstractContextManager[ProgressCallback]:
    """Return the display of a download; its code is imported only if there is a download."""
    from dragoman.cli.progress import progress_download

    return progress_download(line)


def option_of_run(name: str) -> Any:  # noqa: ANN401 - what typer.Option returns
    """Return the declaration of a run option that replaces the run's own value."""
    return _build_option(next(key for key in keys_of(RunRequest) if key.name == name), _OF_THE_RUN)


def run_options(only: Command | None = None) -> Callable[[Function], Function]:
    """Replace the `**given` of a function with the options of a run.

    Args:
        only: The command whose options they are; None for all that `run` takes.
    """

    def default(key: Key) -> str | None:
        is_kept = only in {"resume", "score", "attribute"} and only not in key.option.anew
        return _OF_THE_RUN if is_kept else None

    return with_parameters(
        keyword_parameter(
            key.name,
            None,
            Annotated[_kind(key), _build_option(key, default(key), PANEL_BY_FIELD[key.name])],
        )
        for key in keys_of(RunRequest)
        if (key.name != _FIRST if only is None else only in key.option.commands)
    )


def typed_options(*names: str) -> Callable[[Function], Function]:
    """Replace the `**given` of a function with options of a run, as typed texts."""
    keys = {key.name: key for key in keys_of(RunRequest)}
    return with_parameters(
        keyword_parameter(name, None, Annotated[str | None, _build_option(keys[name], "")])
        for name in names
    )


def given_options(given: Mapping[str, object]) -> dict[str, object]:
    """Return the given options by field name; lists separated by commas are split."""
    keys = {key.name: key for key in keys_of(RunRequest)}
    return {
        name: _normalize_list(keys[name], value)
        for name, value in given.items()
        if value not in (None, [])
    }


def exit_with_status(status: int) -> None:
    """End the command with a status, unless that is 0."""
    if status:
        raise typer.Exit(status)


def _build_option(key: Key, default: str | None, panel: str | None = None) -> Any:  # noqa: ANN401 - what typer.Option returns
    kind = KIND_BY_OPTION.get(key.name)
    return typer.Option(
        *key.flags,
        metavar=key.option.value or None,
        rich_help_panel=panel,
        help=key.summary(default),
        autocompletion=None if kind is None else name_completer(kind),
    )


def _kind(key: Key) -> Any:  # noqa: ANN401 - a type made of another
    values = [each for each in get_args(key.kind) if each not in {NoneType, ...}] or [key.kind]
    return list[values[0]] | None if key.is_list else values[0] | None  # type: ignore[valid-type]


def _normalize_list(key: Key, value: object) -> object:
    if not isinstance(value, list):
        return value
    if not key.option.commas:
        return tuple(value)
    return tuple(name.strip() for entry in value for name in entry.split(","))
