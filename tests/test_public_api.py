"""Documents import only public names, and the page of the Python API lists each one."""

import ast
import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from dragoman.cli.python_reference import MODULES, about, page, places

ROOT = Path(__file__).resolve().parents[1]
WRITTEN = ROOT / "docs" / "reference" / "python.md"
HEAVY = {"aiohttp", "asyncio", "jinja2", "numpy", "polars", "rich", "sqlite3", "typer"}
SUBJECTS = sorted(
    f"dragoman.ext.{path.stem}" for path in (ROOT / "src/dragoman/ext").glob("[a-z]*.py")
)
NAMES = [(module, name) for module in MODULES for name in import_module(module).__all__]
BLOCK = re.compile(r"^([ \t]*)```(?:python|py|pycon)[^\n]*\n(.*?)^\1```", re.DOTALL | re.MULTILINE)
FROM_THE_SOURCE = re.compile(r"From `(?:src|tests)/[^`]+`:\s*$")
"""Text before a block that quotes code of Dragoman or of its tests.

Such a block is for those who change that code.
"""

DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "docs").rglob("*.py")),
    *sorted((ROOT / "docs").rglob("*.ipynb")),
    *sorted((ROOT / "tests" / "extending").glob("test_*.py")),
]


def code_in(document: Path) -> Iterator[str]:
    """Yield each piece of Python that a document shows to authors of extensions."""
    text = document.read_text("utf-8")
    if document.suffix == ".ipynb":
        for cell in json.loads(text)["cells"]:
            if cell["cell_type"] == "code":
                lines = "".join(cell["source"]).splitlines()
                yield "\n".join("pass" if line.startswith(("!", "%")) else line for line in lines)
    elif document.suffix == ".md":
        for found in BLOCK.finditer(text):
            if not FROM_THE_SOURCE.search(text[: found.start()]):
                yield textwrap.dedent(found[2])
    elif document.is_relative_to(ROOT / "docs"):
        yield text
    else:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and "import" in str(node.value):
                yield from python_text(node.value)


def python_text(value: object) -> Iterator[str]:
    """Yield a text of a test that is a Python module: a package that the test installs."""
    try:
        ast.parse(str(value))
    except SyntaxError:
        return
    yield str(value)


def imports_in(code: str) -> Iterator[tuple[str, str]]:
    """Yield module and name of each import from Dragoman; the name is "" for a whole module."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "dragoman":
            yield from ((str(node.module), alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            whole = (alias.name for alias in node.names if alias.name.split(".")[0] == "dragoman")
            yield from ((name, "") for name in whole)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_document_imports_public_names_alone(document: Path) -> None:
    public = {*NAMES, *((module, "") for module in MODULES)}

    imported = {each for code in code_in(document) for each in imports_in(code)}

    assert sorted(imported - public) == []


def test_documents_are_read_wherever_they_show_code() -> None:
    shown = {
        path: [each for code in code_in(path) for each in imports_in(code)] for path in DOCUMENTS
    }
    suffixes = {path.suffix for path, imports in shown.items() if imports}

    assert suffixes == {".md", ".py", ".ipynb"}
    assert {path.parent.name for path, imports in shown.items() if imports} >= {
        "how_to",
        "extending",
    }


@pytest.mark.slow
def test_the_page_of_the_python_api_is_made_from_the_docstrings() -> None:
    assert WRITTEN.read_text("utf-8") == page(), (
        "python -m dragoman.cli.python_reference > docs/reference/python.md"
    )


def test_the_page_has_every_public_module() -> None:
    assert set(MODULES) == {"dragoman", *SUBJECTS, "dragoman.testing"}


@pytest.mark.slow
def test_every_public_name_exists_and_has_a_docstring() -> None:
    assert [each for each in NAMES if not hasattr(import_module(each[0]), each[1])] == []
    assert [each for each in NAMES if not about(*each)] == []


def test_a_public_name_has_one_place() -> None:
    names = [name for _, name in NAMES]

    assert sorted({name for name in names if names.count(name) > 1}) == []


@pytest.mark.parametrize("module", [*SUBJECTS, "dragoman.testing"])
def test_a_public_module_offers_what_it_imports(module: str) -> None:
    loaded = import_module(module)
    imported = {name for name, place in places(module).items() if place.startswith("dragoman.")}

    assert imported - {"lazy_names"} == set(loaded.__all__)
    assert set(loaded.__all__) <= set(dir(loaded))


@pytest.mark.slow
def test_importing_public_modules_loads_nothing_heavy() -> None:
    program = f"import json, sys, {', '.join(MODULES)}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )

    assert HEAVY & set(json.loads(done.stdout)) == set()


def test_a_public_module_lacks_other_names() -> None:
    with pytest.raises(
        AttributeError, match=r"module 'dragoman\.ext\.models' has no attribute 'x'"
    ):
        _ = import_module("dragoman.ext.models").x
