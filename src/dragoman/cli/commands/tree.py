"""The command tree (Typer): maps each command or subcommand to the module that declares it.

Only the module of the command that was typed is imported, so that one command starts without the
declarations of all others.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer

from dragoman.cli.commands.options import group

COMMANDS_BY_MODULE = {
    "run": ("run", "resume", "score", "demo"),
    "setup": ("doctor", "init"),
    "results": (
        *("list", "show", "report", "compare", "attribute", "leaderboard", "table"),
        *("usage", "plots", "view", "blame", "figures"),
    ),
    "suites": ("check", "lint", "translate"),
    "audio": ("speak", "heard"),
    "judges": ("judge-check", "errors", "label-check", "critical-fields", "fields"),
    "run_files": (
        *("import", "export", "bundle", "unbundle", "validate", "verify", "upgrade", "merge"),
    ),
    "training": ("finetune", "finetune-study", "tiny-model", "rows"),
}
"""The commands of each module, in the order of the help."""

MODULE_BY_GROUP = {
    "curate": ("curate", "app"),
    "review": ("suites", "review_app"),
    "world": ("world", "app"),
    "data": ("setup", "data_app"),
    "cache": ("setup", "cache_app"),
    "memory": ("suites", "memory_app"),
}
"""The groups of commands by name.

Each value is the last module that declares commands of the group, and that module's name for
it.
"""


def command_line(words: Sequence[str] = ()) -> typer.Typer:
    """Return the command line, or as much of it as the command needs that is named first.

    Args:
        words: The words that were typed. If the first one is not a command, all commands are
            loaded.
    """
    asked = words[0] if words else ""
    app = group(
        "Measure how good tool-calling agents are when users do not type English.", completes=True
    )
    app.callback(invoke_without_command=True)(_options)
    modules = [name for name, commands in COMMANDS_BY_MODULE.items() if asked in commands]
    groups = [name for name in MODULE_BY_GROUP if name == asked]
    is_known = bool(modules or groups)
    for module in modules if is_known else COMMANDS_BY_MODULE:
        app.add_typer(_load_app(module, "app"))
    for name in groups if is_known else MODULE_BY_GROUP:
        app.add_typer(_load_app(*MODULE_BY_GROUP[name]), name=name)
    return app


def _load_app(module: str, name: str) -> typer.Typer:
    found: typer.Typer = getattr(import_module(f"{__package__}.{module}"), name)
    return found


def _options(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        from dragoman.core.version import VERSION

        print(f"dragoman {VERSION}")
        raise typer.Exit
    from dragoman.cli.log_format import show_warnings

    show_warnings()
