"""Asking for help must cost next to nothing: no library that only running needs is loaded."""

import json
import subprocess
import sys
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from dragoman import run
from dragoman.cli.commands.tree import COMMANDS_BY_MODULE, MODULE_BY_GROUP, command_line

HEAVY = (
    *("polars", "numpy", "jinja2", "aiohttp", "zstandard", "altair", "pandas"),
    *("rich.progress", "sqlite3"),
)

ONLY_FOR_VALUES = {"pydantic"}
"""Packages that typer loads to convert values that are not plain: `dragoman.cli.plain_values`."""

DESCRIPTION = {
    *("dragoman.config", "dragoman.config.options", "dragoman.config.run_config"),
}
"""Modules with the options of a run; help loads no others except `cli` and `core`."""

_PROBE = """
import json, sys
sys.argv = ["dragoman", *json.loads(sys.argv[1])]
from dragoman.cli.main import main
try:
    main()
except SystemExit as end:
    assert end.code in (0, None), end.code
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""

Modules = Callable[..., set[str]]


@pytest.fixture
def modules_after(tmp_path: Path) -> Modules:
    """Return a function that runs a command in a fresh interpreter and returns its imports."""

    def call(*arguments: str) -> set[str]:
        done = subprocess.run(
            [sys.executable, "-c", _PROBE, json.dumps(arguments)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return set(json.loads(done.stderr.splitlines()[-1]))

    return call


@pytest.mark.parametrize(
    "arguments", [("--help",), ("run", "--help"), ("data", "pull", "--help"), ("--version",)]
)
def test_help_loads_nothing_that_only_running_needs(
    modules_after: Modules, arguments: tuple[str, ...]
) -> None:
    loaded = modules_after(*arguments)

    assert loaded.isdisjoint({*HEAVY, *ONLY_FOR_VALUES}), loaded.intersection(HEAVY)
    own = {name for name in loaded if name.startswith("dragoman.")} - DESCRIPTION
    assert {name.split(".")[1] for name in own} <= {"cli", "core"}


def test_listing_names_loads_nothing_that_makes_what_they_name(modules_after: Modules) -> None:
    loaded = modules_after("list", "agents")

    assert loaded.isdisjoint(HEAVY), loaded.intersection(HEAVY)
    own = {name for name in loaded if name.startswith("dragoman.")} - DESCRIPTION
    assert {name.split(".")[1] for name in own - {"dragoman.config.builtin_names"}} <= {
        "cli",
        "core",
    }


def test_showing_a_run_loads_nothing_that_plays_one(modules_after: Modules, tmp_path: Path) -> None:
    run("courier", "gold", limit=1, out=tmp_path / "run")

    loaded = modules_after("show", str(tmp_path / "run"), "--trial", "0")

    playing = {"dragoman.composition.setup", "dragoman.registry.participants"}
    unwanted = {"numpy", "aiohttp", "asyncio", "polars", *ONLY_FOR_VALUES, *playing}
    assert loaded & unwanted == set()


def test_a_command_declares_no_others_than_those_beside_it(modules_after: Modules) -> None:
    loaded = modules_after("show", "--help")

    declaring = {name for name in loaded if name.startswith("dragoman.cli.commands.")}
    assert declaring == {
        f"dragoman.cli.commands.{name}" for name in ("options", "panels", "results", "tree")
    }


def test_a_command_is_the_same_alone_as_among_all() -> None:
    def commands(*words: str) -> dict[str, Any]:
        found: Any = get_command(command_line(words))
        return dict(found.commands)

    whole = commands()

    assert set(whole) == {*chain(*COMMANDS_BY_MODULE.values()), *MODULE_BY_GROUP}
    for name, command in whole.items():
        alone = commands(name)[name]
        assert alone.help == command.help
        assert [each.name for each in alone.params] == [each.name for each in command.params]
        assert set(getattr(alone, "commands", ())) == set(getattr(command, "commands", ()))
