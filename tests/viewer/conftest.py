"""A viewer that really serves."""

import contextlib
import html
import re
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from dragoman.testing.local_server import ServingThread
from dragoman.viewer.open_runs import Library
from dragoman.viewer.server import serving

Cli = Callable[..., CompletedProcess[str]]


class Answered(NamedTuple):
    """Response of the viewer."""

    status: int
    headers: dict[str, str]
    text: str


class Viewer:
    """A server over runs on a free port."""

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")
        self.port = urlsplit(address).port

    def get(self, path: str, method: str = "GET", **headers: str) -> Answered:
        """Send one request unchanged, and return the response."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        with contextlib.closing(HTTPConnection("127.0.0.1", self.port, timeout=30)) as wire:
            wire.request(method, path, headers=named)
            answer = wire.getresponse()
            return Answered(answer.status, dict(answer.headers), answer.read().decode())

    def first_run(self) -> str:
        """Return the address of the first run that is listed."""
        (found, *_) = re.findall(r'href="(/run/[^"/]+)"', self.get("/").text)
        return html.unescape(found)

    def made(self, path: str, shows: str = "") -> str:
        """Return a page when index and figures are ready and it shows an expected text."""
        text = self.get(path).text
        patience = time.monotonic() + 20
        while any(said in text for said in UNFINISHED) or shows not in text:
            assert time.monotonic() < patience, text
            time.sleep(0.02)
            text = self.get(path).text
        return text


UNFINISHED = ("is being read", "Figures are being computed")
"""Texts of a page while a part of its data is unknown."""

View = Callable[..., Viewer]


@pytest.fixture
def view(tmp_path: Path) -> Iterator[View]:
    """Serve runs, or folders of them; everything is closed in the end."""
    with contextlib.ExitStack() as stack:

        def start(*places: Path) -> Viewer:
            found: list[str] = []

            @contextlib.asynccontextmanager
            async def held() -> Any:  # noqa: ANN401 - an asynchronous generator
                async with serving(Library(places, tmp_path / "views")) as address:
                    found.append(address)
                    yield

            thread = ServingThread(held())
            thread.enter()
            stack.callback(thread.leave)
            return Viewer(found[0])

        yield start


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory, in_process: Cli) -> Path:
    """A finished run of two agents on the sample shop."""
    folder = tmp_path_factory.mktemp("played")
    done = in_process(
        *("run", "sample:shop", "--agent", "gold", "--agent", "silent", "--trials", "2"),
        *("--out", "mine"),
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    return folder / "mine"
