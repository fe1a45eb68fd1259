"""The README is short, its sessions print what it shows, and every command in it is one that exists."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from tests.shown_sessions import Run, play_page
from typer.main import get_command

from dragoman.cli.commands.tree import command_line

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
MAX_LINES = 150

LISTED = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")


def listed_commands() -> list[str]:
    """Return the commands that are shown without output."""
    return [line for block in LISTED.findall(README) for line in block.splitlines()]


def test_it_has_at_most_150_lines() -> None:
    assert len(README.splitlines()) <= MAX_LINES


def test_its_links_lead_to_files() -> None:
    links = [link for link in LINK.findall(README) if "://" not in link]

    assert len(links) > 25
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_its_sessions_print_what_it_shows(tmp_path: Path, in_process: Run) -> None:
    assert play_page(README, tmp_path, in_process) >= 3


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
