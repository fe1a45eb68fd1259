"""Packages that build data, train or serve tests are loaded only by their commands."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"
LAZY = re.compile(
    r"dragoman\.(?:curation|finetuning|testing|formats\.api_dataset_|experiments\.training_)"
)
"""These packages, and the modules that the linter lets know them."""

OPENED_BY_COMMANDS = (
    "dragoman.cli.audio_sets",
    "dragoman.cli.curate_",
    "dragoman.cli.training",
    "dragoman.cli.translat",
    "dragoman.cli.world",
)
"""Modules of the command line that have no other work: commands import them inside their functions."""


@cache
def modules() -> dict[str, Path]:
    """Return the files of the command line by the names of modules."""
    found = {}
    for path in (SOURCE / "dragoman" / "cli").rglob("*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts).removesuffix(".__init__")] = path
    return found


@cache
def imported_at_once(module: str) -> frozenset[str]:
    """Return the names that a module imports outside of functions."""
    return frozenset(_imports(ast.parse(modules()[module].read_text("utf-8"))))


def _imports(node: ast.AST) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (each.name for each in child.names)
        elif isinstance(child, ast.ImportFrom) and child.module:
            yield child.module
            yield from (f"{child.module}.{each.name}" for each in child.names)
        elif not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _imports(child)


def loaded_with(module: str) -> set[str]:
    """Return the imports that importing a module of the command line causes, its own included."""
    seen: set[str] = set()
    left = [module]
    while left:
        name = left.pop()
        if name not in seen:
            seen.add(name)
            left += imported_at_once(name) if name in modules() else ()
    return seen


def test_only_what_commands_for_data_open_loads_any_of_it() -> None:
    others = [name for name in modules() if not name.startswith(OPENED_BY_COMMANDS)]
    assert {"dragoman.cli.main", "dragoman.cli.commands.curate"} <= {*others}
    wrong = {name: sorted(filter(LAZY.match, loaded_with(name))) for name in others}
    assert {name: found for name, found in wrong.items() if found} == {}


def test_each_of_these_is_still_needed() -> None:
    for prefix in OPENED_BY_COMMANDS:
        held = [name for name in modules() if name.startswith(prefix)]
        assert any(filter(LAZY.match, loaded_with(name)) for name in held), prefix
