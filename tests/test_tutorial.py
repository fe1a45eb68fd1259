"""The tutorial runs as it is written, and prints what stands in it."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "tutorial.md").read_text("utf-8")
FILE = re.compile(r"Put this in `([\w.]+)`:\n\n```\w+\n(.*?)```", re.DOTALL)
SESSION = re.compile(r"^```\n(\$ .*?)^```", re.DOTALL | re.MULTILINE)


def missing(shown: list[str], printed: list[str]) -> list[str]:
    """Return the lines that were not printed, in this order."""
    rest = iter(printed)
    return [line for line in shown if line != "..." and line not in rest]


@pytest.mark.slow
@pytest.mark.nightly
def test_the_tutorial_prints_what_stands_in_it(
    tmp_path: Path, in_process: Callable[..., CompletedProcess[str]]
) -> None:
    for name, text in FILE.findall(PAGE):
        (tmp_path / name).write_text(text, "utf-8")
    commands = [part for block in SESSION.findall(PAGE) for part in block.split("$ ")[1:]]

    assert len(commands) >= 8
    for part in commands:
        command, *shown = part.splitlines()
        done = in_process(*shlex.split(command)[1:], cwd=tmp_path)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        printed = [*done.stdout.splitlines(), *done.stderr.splitlines()]
        assert missing(shown, printed) == [], (command, printed)
