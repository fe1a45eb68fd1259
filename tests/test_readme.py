"""The README is short, its sessions print what it shows, and every command in it is one that exists."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from typer.main import get_command

from dragoman.cli.commands.tree import command_line

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
MAX_LINES = 150

FILE = re.compile(r"Put this in `([\w.]+)`:\n\n```\w+\n(.*?)```", re.DOTALL)
SESSION = re.compile(r"^```\n(\$ .*?)^```", re.DOTALL | re.MULTILINE)
LISTED = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")

Cli = Callable[..., CompletedProcess[str]]


def sessions() -> list[str]:
    """Return the commands that are shown with their output, each with the lines that follow it."""
    return [part for block in SESSION.findall(README) for part in block.split("$ ")[1:]]


def listed_commands() -> list[str]:
    """Return the commands that are shown without output."""
    return [line for block in LISTED.findall(README) for line in block.splitlines()]


def missing(shown: list[str], printed: list[str]) -> list[str]:
    """Return the shown lines that were not printed in this order; `...` stands for any lines."""
    rest = iter(printed)
    return [line for line in shown if line != "..." and line not in rest]


def test_it_has_at_most_150_lines() -> None:
    assert len(README.splitlines()) <= MAX_LINES


def test_its_links_lead_to_files() -> None:
    links = [link for link in LINK.findall(README) if "://" not in link]

    assert len(links) > 25
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_its_sessions_print_what_it_shows(tmp_path: Path, in_process: Cli) -> None:
    for name, text in FILE.findall(README):
        (tmp_path / name).write_text(text, "utf-8")

    assert len(sessions()) >= 3
    for part in sessions():
        command, *shown = part.splitlines()
        done = in_process(*shlex.split(command)[1:], cwd=tmp_path)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        printed = [line.rstrip() for line in (done.stdout + done.stderr).splitlines()]
        assert missing(shown, printed) == [], (command, printed)


def test_it_lists_commands() -> None:
    assert len(listed_commands()) >= 10


@pytest.mark.parametrize("line", listed_commands())
def test_every_listed_command_and_its_options_exist(line: str) -> None:
    program, *words = shlex.split(line, comments=True)
    assert program == "dragoman"
    group: Any = get_command(command_line(words[:1]))

    with group.make_context("dragoman", [*words[:1], "--help"], resilient_parsing=True) as context:
        name, found, rest = group.resolve_command(context, words)
        # Parsing refuses unknown options, missing arguments and values of another type.
        found.make_context(name, rest, parent=context)
