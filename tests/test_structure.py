"""The source keeps its layout: documented packages, true pictures of the layers, bounded sizes."""

import ast
import re
import statistics
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "dragoman"

MAX_MODULES = 760
MAX_FOLDERS = 90
MAX_DEPTH = 3
MIN_MEDIAN_LINES = 150
MAX_MODULE_LINES = 700
LONG_MODULES: dict[str, str] = {}
"""Modules with more lines, each with the reason."""

MAX_LINE = 100
MAX_LONG_LINES = 40
"""Lines beyond `MAX_LINE` that may remain: lower this number with each line that is fixed."""


def modules() -> dict[str, list[str]]:
    """Return the lines of each module below `dragoman`.

    An `__init__.py` holds a docstring, and a module of `ext` only names that other modules define.
    """
    paths = {path.relative_to(SOURCE): path for path in sorted(SOURCE.rglob("*.py"))}
    return {
        name.as_posix(): path.read_text("utf-8").split("\n")
        for name, path in paths.items()
        if name.name != "__init__.py" and name.parts[0] != "ext"
    }


def packages() -> list[str]:
    return sorted(path.parent.name for path in SOURCE.glob("*/__init__.py"))


def layers() -> list[set[str]]:
    """Return the rows of the linter's contract; `__main__` and private modules are not drawn."""
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = configuration["tool"]["importlinter"]["contracts"]
    (layered,) = [entry for entry in contracts if entry.get("containers") == ["dragoman"]]
    rows = [set(re.findall(r"\w+", row)) for row in layered["layers"]]
    drawn = [{name for name in row if not name.startswith("_")} for row in rows]
    return [row for row in drawn if row]


@pytest.mark.parametrize("package", packages())
def test_a_package_has_a_docstring_of_at_least_two_sentences(package: str) -> None:
    code = (SOURCE / package / "__init__.py").read_text("utf-8")
    docstring = ast.get_docstring(ast.parse(code)) or ""
    assert len(re.findall(r"\.(?:\s|$)", docstring)) >= 2


def test_the_picture_of_the_layers_equals_the_contract_of_the_linter() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    picture = text.partition("## Layers\n")[2].partition("```")[2].partition("```")[0]
    drawn = [set(re.findall(r"\w+", re.split(r"\s{2,}", line)[0])) for line in picture.split("\n")]
    assert [row for row in drawn if row] == layers()


def test_the_table_of_the_layers_equals_the_contract_of_the_linter() -> None:
    text = (ROOT / "docs" / "explanation" / "concepts.md").read_text("utf-8")
    section = text.partition("## Layers of the code\n")[2].partition("\n## ")[0]
    cells = [line.split("|")[1] for line in section.split("\n") if line.startswith("| `")]
    assert [set(re.findall(r"`(\w+)`", cell)) for cell in cells] == layers()


def test_no_module_lies_deeper_than_three_folders() -> None:
    assert [name for name in modules() if name.count("/") > MAX_DEPTH] == []


def test_there_are_few_enough_modules_and_folders() -> None:
    names = modules()
    folders = {str(Path(name).parent) for name in names}
    assert len(names) <= MAX_MODULES
    assert len(folders) <= MAX_FOLDERS


def test_modules_are_neither_tiny_nor_huge() -> None:
    lengths = {name: len(lines) - 1 for name, lines in modules().items()}
    long = {name for name, length in lengths.items() if length > MAX_MODULE_LINES}
    assert statistics.median(lengths.values()) >= MIN_MEDIAN_LINES
    assert long == set(LONG_MODULES)


def test_lines_beyond_a_hundred_characters_become_fewer() -> None:
    long = [line for lines in modules().values() for line in lines if len(line) > MAX_LINE]
    assert len(long) <= MAX_LONG_LINES
