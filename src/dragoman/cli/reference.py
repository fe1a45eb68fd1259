"""A generator of docs/reference/commands.md: run `python -m dragoman.cli.reference`."""

from collections.abc import Iterator
from typing import Any

import typer.main

from dragoman.cli.commands.panels import visible_names
from dragoman.cli.commands.tree import command_line

_HEAD = """# Every command

Each command takes `--help`, which prints the same text. The meaning of run options together is in \
[Grid files](grid.md). This page is made from the command line by `python -m \
dragoman.cli.reference`; a test holds it.
"""


def page() -> str:
    """Return the page as Markdown."""
    return "\n".join([_HEAD, *_lines(typer.main.get_command(command_line()), "dragoman")])


def _lines(command: Any, name: str) -> Iterator[str]:  # noqa: ANN401
    if hasattr(command, "commands"):
        for part, each in command.commands.items():
            if each.hidden:
                continue
            yield from _lines(each, f"{name} {part}")
        return
    yield f"## `{name}`\n"
    yield f"{command.help}\n"
    for example in (command.epilog or "").split("\n\n"):
        if example:
            yield f"{example.replace('Example: ', 'Example: `', 1)}`\n"
    shown = [each for each in command.params if not getattr(each, "hidden", False)]
    yield "| | |\n|---|---|"
    for each in shown:
        yield f"| {_spelling(each)} | {_cell(each.help or '')} |"
    yield ""


def _spelling(parameter: Any) -> str:  # noqa: ANN401 - typer's own click has no types for it
    if parameter.param_type_name == "argument":
        return f"`{_cell(parameter.metavar or parameter.name)}`"
    return ", ".join(f"`{each}`" for each in (*visible_names(parameter), *parameter.secondary_opts))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    print(page(), end="")
