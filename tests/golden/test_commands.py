"""Freeze the commands and options, because users' scripts name them."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
import typer.main

from dragoman.cli.commands.tree import command_line


@pytest.mark.slow
def test_commands_and_options_are_those_of_before(
    same_lines: Callable[[str, Iterable[str]], None],
) -> None:
    """Compare every command with its options, hidden ones too, with the golden list."""
    same_lines("commands.txt", _lines("dragoman", typer.main.get_command(command_line())))


def _lines(name: str, command: Any) -> Iterator[str]:  # noqa: ANN401 - of click or of typer's copy of it
    kinds = [each.param_type_name for each in command.params]
    yield f"{name}: {kinds.count('argument')} arguments"
    for option in (each for each in command.params if each.param_type_name == "option"):
        takes = "" if option.is_flag else " VALUE"
        for flag in (*option.opts, *option.secondary_opts):
            yield f"{name} {flag}{takes}{' ...' if option.multiple else ''}"
    for sub, below in getattr(command, "commands", {}).items():
        yield from _lines(f"{name} {sub}", below)
