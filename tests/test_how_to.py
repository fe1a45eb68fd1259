"""The how-to guides for extending run as they are written, and quote existing code."""

import contextlib
import io
import re
import runpy
import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

ROOT = Path(__file__).resolve().parents[1]


def extending_pages() -> list[Path]:
    """Return the pages in the group `Extend` of the site's navigation."""
    nav = tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]["nav"]
    (guides,) = [entry["How-to guides"] for entry in nav if "How-to guides" in entry]
    (names,) = [entry["Extend"] for entry in guides if "Extend" in entry]
    return sorted(ROOT / "docs" / name for name in names)


PAGES = extending_pages()
FILE = re.compile(r"\bWrite `([^`]+)`:\n\n```\w*\n(.*?)^```", re.DOTALL | re.MULTILINE)
QUOTED = re.compile(r"^From `([^`]+)`:\n\n```\w*\n(.*?)^```", re.DOTALL | re.MULTILINE)
SESSION = re.compile(r"^```\n(\$ .*?)^```", re.DOTALL | re.MULTILINE)
FENCE = re.compile(r"^```\w*$", re.MULTILINE)

Cli = Callable[..., CompletedProcess[str]]


def install(folder: Path) -> None:
    """Leave the files in a folder that installing the project in it leaves."""
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    about = folder / f"{project['name']}-{project['version']}.dist-info"
    about.mkdir()
    named = f"Name: {project['name']}\nVersion: {project['version']}\n"
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\n{named}", "utf-8")
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in entries.items())
        for group, entries in project["entry-points"].items()
    ]
    (about / "entry_points.txt").write_text("".join(lines), "utf-8")


def printed_by(command: str, folder: Path, in_process: Cli) -> list[str]:
    """Run a command of a page and return the lines that it prints."""
    program, *words = shlex.split(command)
    if (program, *words) == ("pip", "install", "-e", "."):
        install(folder)
        return []
    if program == "python":
        (script,) = words
        output = io.StringIO()
        with contextlib.chdir(folder), contextlib.redirect_stdout(output):
            runpy.run_path(script, run_name="__main__")
        return output.getvalue().splitlines()
    assert program == "dragoman", command
    done = in_process(*words, cwd=folder, XDG_CACHE_HOME=str(folder / "cache"))
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return [line.rstrip() for line in [*done.stdout.splitlines(), *done.stderr.splitlines()]]


def missing(shown: list[str], printed: list[str]) -> list[str]:
    """Return the lines that were not printed, in this order."""
    rest = iter(printed)
    return [line for line in shown if line != "..." and line not in rest]


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_a_page_prints_what_stands_in_it(page: Path, tmp_path: Path, in_process: Cli) -> None:
    text = page.read_text("utf-8")
    for name, content in FILE.findall(text):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, "utf-8")
    commands = [part for block in SESSION.findall(text) for part in block.split("$ ")[1:]]

    assert commands
    for part in commands:
        command, *shown = part.splitlines()
        printed = printed_by(command, tmp_path, in_process)
        assert missing(shown, printed) == [], (command, printed)


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_a_page_quotes_what_the_files_hold(page: Path) -> None:
    text = page.read_text("utf-8")

    quoted = QUOTED.findall(text)
    blocks = len(FILE.findall(text)) + len(quoted) + len(SESSION.findall(text))
    assert blocks * 2 == len(FENCE.findall(text)), "a block that nothing holds"
    for name, content in quoted:
        pieces = content.split("...\n")
        held = (ROOT / name).read_text("utf-8")
        assert [piece for piece in pieces if piece not in held] == []


def test_every_kind_of_extension_has_its_page() -> None:
    table = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Extending Dragoman")[2]
    rows = [line for line in table.partition("\n## ")[0].splitlines() if line.startswith("| ")][1:]
    linked = [re.findall(r"docs/how_to/(\w+\.md)", row) for row in rows]

    assert [row for row, links in zip(rows, linked, strict=True) if not links] == []
    assert sorted({name for links in linked for name in links}) == [page.name for page in PAGES]
