"""Shared code of results names no paper and no benchmark: the catalog finds them."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.main import get_command

from dragoman.cli.commands.tree import command_line
from dragoman.report.capabilities import LeadsReport
from dragoman.report.catalog import BUNDLED_SECTIONS, BUNDLED_STYLES, sections, styles

SOURCE = Path(__file__).resolve().parents[1] / "src" / "dragoman"
SHARED = ("cli", "report", "viewer", "dataframes")
NAMES = re.compile(r"(?<![a-z])(?:mm.?tau|mm.?tap|itc|bfcl|international tool)", re.IGNORECASE)
ALLOWED = {
    "cli/commands": "helps and examples, which a test below holds",
    "cli/curate_steps.py": "names the suite that plays a curated dataset",
    "cli/endpoint_checks.py": "says which suites have calls written as text",
    "cli/import_export.py": "says which result files are read, where none is recognized",
    "cli/list_names.py": "says a line about each rule set",
    "cli/system_checks.py": "says which suites need the key of a search engine",
    "cli/world.py": "starts a server for tests",
    "report/catalog.py": "is the table",
}


def shared_files() -> list[Path]:
    """Return the code and templates that results of all suites share."""
    found = (path for room in SHARED for path in (SOURCE / room).rglob("*"))
    return [path for path in found if path.suffix in {".py", ".j2", ".js", ".css"}]


def words_in(path: Path) -> Iterator[str]:
    """Yield the names and texts of a file, without docstrings."""
    text = path.read_text("utf-8")
    if path.suffix != ".py":
        yield text
        return
    tree = ast.parse(text)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in docstrings:
            yield str(node.value)
        for field in ("id", "attr", "name", "module", "arg"):
            yield str(getattr(node, field, None))


def is_allowed(path: Path) -> bool:
    name = path.relative_to(SOURCE).as_posix()
    return any(name == allowed or name.startswith(f"{allowed}/") for allowed in ALLOWED)


@pytest.mark.slow
def test_shared_code_of_results_names_no_paper() -> None:
    naming = {path for path in shared_files() if any(map(NAMES.search, words_in(path)))}

    assert sorted(str(path) for path in naming if not is_allowed(path)) == []
    needed = {allowed for allowed in ALLOWED for path in naming if is_under(path, allowed)}
    assert needed == set(ALLOWED), "an exception that nothing needs any more"


def is_under(path: Path, allowed: str) -> bool:
    return path == SOURCE / allowed or (SOURCE / allowed) in path.parents


def test_a_row_of_a_table_leads_to_what_has_its_name() -> None:
    assert [style.name for style in styles()][: len(BUNDLED_STYLES)] == list(BUNDLED_STYLES)
    assert [each.key for each in sections()][: len(BUNDLED_SECTIONS)] == list(BUNDLED_SECTIONS)


def test_every_paper_offers_something_to_the_catalog() -> None:
    places = (*BUNDLED_STYLES.values(), *BUNDLED_SECTIONS.values())
    papers = {path.parent.name for path in SOURCE.glob("papers/*/__init__.py")}

    assert {place.split(".")[2] for place in places if ".papers." in place} == papers


def option_help(command: str, option: str) -> str:
    """Return the help of an option."""
    commands = getattr(get_command(command_line((command,))), "commands")  # noqa: B009 - of a group
    (found,) = (each for each in commands[command].params if each.name == option)
    return str(found.help)


def test_the_help_of_style_has_the_line_of_each_style() -> None:
    lines = (f"{style.name}: {style.about}" for style in styles() if style.name in BUNDLED_STYLES)

    assert option_help("leaderboard", "style") == f"{'; '.join(lines)}."


@pytest.mark.parametrize("option", ["weights", "averaging", "kept", "definitions"])
def test_the_help_of_an_option_names_the_styles_that_take_it(option: str) -> None:
    taking = [style.name for style in styles() if option in style.options]

    assert taking
    if option != "kept":  # of `compare`, too
        assert option_help("leaderboard", option).startswith(f"With {taking[0]}: ")


def test_the_help_of_the_report_names_the_styles_that_begin_one() -> None:
    leading = [style.name for style in styles() if isinstance(style, LeadsReport)]

    assert option_help("report", "style").split(": ")[0].split(", ") == leading


@pytest.mark.slow
def test_a_report_without_a_style_loads_no_library_of_tables() -> None:
    program = (
        "import sys; from dragoman.report.catalog import sections; list(sections()); "
        "import dragoman.dataframes.run_views, dragoman.report.html_report; "
        "print('polars' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )

    assert done.stdout == "False\n"
