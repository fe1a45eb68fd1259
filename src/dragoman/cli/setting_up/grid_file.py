"""A grid file as text: what was chosen, and every other key with an example behind a `#`."""

import textwrap
from collections.abc import Mapping

import tomlkit

from dragoman.wiring.grid.config import RunRequest
from dragoman.wiring.grid.options import Key, keys_of

_WIDTH = 78

_HEAD = """\
# A grid: every agent is played under every condition, on every task.
#
#   dragoman run {name} --dry-run    what would be played
#   dragoman run {name}              play it
#
# The same names are options of `dragoman run`, which go before these.
"""
_REST = "# What else can be said. These lines are off; their values are examples."


def grid_text(name: str, chosen: Mapping[str, object]) -> str:
    """Return a grid file.

    Args:
        name: The file's name, for its own head.
        chosen: Values by the names of fields; lists as lists.
    """
    keys = {key.name: key for key in keys_of(RunRequest)}
    on = [_entry(keys[field], value) for field, value in chosen.items()]
    off = [_off(key) for field, key in keys.items() if field not in chosen]
    return "\n".join((_HEAD.format(name=name), *on, f"{_REST}\n", *off))


def _entry(key: Key, value: object) -> str:
    return f"{_about(key)}\n{key.name} = {tomlkit.item(value).as_string()}\n"


def _off(key: Key) -> str:
    return f"{_about(key)}\n# {key.name} = {key.option.example}\n"


def _about(key: Key) -> str:
    usual = f" [{key.shown_default}]" if key.shown_default else ""
    return textwrap.fill(
        f"{key.option.help}{usual}.",
        _WIDTH,
        initial_indent="# ",
        subsequent_indent="# ",
        break_long_words=False,
        break_on_hyphens=False,
    )
