"""Sessions of pages: run the commands that a page shows, and compare the lines that they print."""

import contextlib
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess

STEP = re.compile(
    r"Put this in `(?P<name>[\w.]+)`:\n\n```\w+\n(?P<text>.*?)^```|^```\n(?P<session>\$ .*?)^```",
    re.DOTALL | re.MULTILINE,
)
COMMAND = re.compile(r"^\$ ", re.MULTILINE)
PORT = re.compile(r"--port (\d+)")

Run = Callable[..., CompletedProcess[str]]


def play_page(text: str, folder: Path, in_process: Run) -> int:
    """Write the files of a page, run its commands in their order, and return their number.

    A command that ends in `&` is started as a server, which is ended with the page.
    """
    commands = 0
    with contextlib.ExitStack() as servers:
        for step in STEP.finditer(with_free_ports(text)):
            if step["name"]:
                (folder / step["name"]).write_text(step["text"], "utf-8")
                continue
            for command, shown in parts_of(step["session"]):
                commands += 1
                if command.endswith("&"):
                    servers.enter_context(served(command, shown, folder))
                    continue
                done = in_process(*shlex.split(command)[1:], cwd=folder)
                assert done.returncode == 0, (command, done.stdout, done.stderr)
                printed = [*done.stdout.splitlines(), *done.stderr.splitlines()]
                assert not_printed(shown, printed) == [], (command, printed)
    return commands


def with_free_ports(text: str) -> str:
    """Replace each port that a page serves on by a free one, wherever the page names it."""
    for port in dict.fromkeys(PORT.findall(text)):
        with socket.create_server(("127.0.0.1", 0)) as free:
            text = re.sub(rf"\b{port}\b", str(free.getsockname()[1]), text)
    return text


def parts_of(session: str) -> Iterator[tuple[str, list[str]]]:
    """Return each command of a session with the lines that are shown below it."""
    for part in COMMAND.split(session)[1:]:
        command, _, shown = part.replace("\\\n", "").partition("\n")
        yield command.strip(), shown.splitlines()


def not_printed(shown: list[str], printed: list[str]) -> list[str]:
    """Return the first block of shown lines that was not printed, or an empty list.

    Consecutive lines of the page are consecutive in the output; only `...` stands for further
    lines. Spaces at the ends of lines do not count.
    """
    text = "\n".join(["", *map(plain, printed), ""])
    place = 0
    for block in re.split(r"^\.\.\.$", "\n".join(map(plain, shown)), flags=re.MULTILINE):
        lines = block.strip("\n")
        found = text.find(f"\n{lines}\n", place)
        if lines and found < 0:
            return lines.splitlines()
        place = found + len(lines) + 1 if lines else place
    return []


def plain(line: str) -> str:
    """Return a line with plain spaces, and none at its end."""
    return line.replace("\xa0", " ").rstrip()


@contextlib.contextmanager
def served(command: str, shown: list[str], folder: Path) -> Iterator[None]:
    """Start `python ... &`, wait for the lines that it is shown to print, and end it afterwards."""
    words = shlex.split(command.removesuffix("&"))
    assert words[0] == "python", command
    server = subprocess.Popen(
        [sys.executable, *words[1:]], cwd=folder, stdout=subprocess.PIPE, text=True
    )
    with server:
        try:
            assert server.stdout is not None
            printed = [server.stdout.readline().rstrip() for _ in shown]
            assert not_printed(shown, printed) == [], (command, printed)
            yield
        finally:
            server.terminate()
