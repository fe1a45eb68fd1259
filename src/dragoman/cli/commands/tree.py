"""Which module declares which commands, so that one command starts without declaring all others."""

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer

from dragoman.cli.commands.declaring import group

BESIDE_EACH_OTHER = {
    "running": ("run", "resume", "score", "demo"),
    "setting_up": ("doctor", "init"),
    "reading": ("list", "show", "report", "compare", "blame", "leaderboard", "usage"),
    "drawing": ("figures",),
    "viewing": ("view",),
    "suites": ("check", "lint"),
    "translating": ("translate",),
    "speaking": ("speak",),
    "hearing": ("heard",),
    "judging": ("judge-check", "errors", "label-check", "fields"),
    "exchanging": ("import", "export", "bundle", "unbundle", "validate"),
    "keeping": ("verify", "upgrade", "merge"),
    "finetuning": ("finetune", "finetune-study", "tiny-model", "rows"),
}
"""By module the commands that stand beside each other, in the order of the help."""

IN_GROUPS = {
    "curate": ("calling_apis", "app"),
    "review": ("reviewing", "app"),
    "world": ("worlds", "app"),
    "data": ("data", "data"),
    "cache": ("data", "cache"),
    "memory": ("translating", "memory"),
}
"""By name the groups of commands: the last module that declares some, and what it calls the group."""


def command_line(words: Sequence[str] = ()) -> typer.Typer:
    """Return the command line, or as much of it as the command needs that is named first.

    Args:
        words: What was typed; where it names no command first, all are there.
    """
    asked = words[0] if words else ""
    app = group(
        "How good is a tool-calling agent when its user does not type English?", completes=True
    )
    app.callback(invoke_without_command=True)(_options)
    modules = [name for name, commands in BESIDE_EACH_OTHER.items() if asked in commands]
    groups = [name for name in IN_GROUPS if name == asked]
    is_known = bool(modules or groups)
    for module in modules if is_known else BESIDE_EACH_OTHER:
        app.add_typer(_declared(module, "app"))
    for name in groups if is_known else IN_GROUPS:
        app.add_typer(_declared(*IN_GROUPS[name]), name=name)
    return app


def _declared(module: str, name: str) -> typer.Typer:
    found: typer.Typer = getattr(import_module(f"{__package__}.{module}"), name)
    return found


def _options(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        from dragoman.core.version import VERSION

        print(f"dragoman {VERSION}")
        raise typer.Exit
    from dragoman.cli.warned import show_warnings

    show_warnings()
