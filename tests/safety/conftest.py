"""A place of one's own whose every variable for keys holds a canary, and servers that say them back."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from tests.safety.canaries import canaries, environment
from tests.safety.echoing import EchoServer
from tests.safety.looking import found_in, named_in

Cli = Callable[..., CompletedProcess[str]]


@pytest.fixture
def echo() -> Iterator[EchoServer]:
    """A server that answers with the request that it got."""
    with EchoServer() as server:
        yield server


class Watched:
    """Commands with canaries as keys; their output and files are searched for canaries.

    Attributes:
        home: Folder of all files that commands write; they run in its folder `work`.
        variables: Environment variables of the commands.
        printed: Output of each command, by its words.
    """

    def __init__(self, home: Path, run: Cli, server: EchoServer) -> None:
        self.home = home
        self.work = home / "work"
        self.variables = {
            **environment(server.origin.removeprefix("http://")),
            "COLUMNS": "200",
            **{f"XDG_{kind}_HOME": str(home / kind) for kind in ("CACHE", "STATE")},
            "TMPDIR": str(home / "tmp"),
        }
        self.printed: dict[str, str] = {}
        self._run = run
        for name in ("work", "tmp"):
            (home / name).mkdir()

    def __call__(self, *words: object, **more: str) -> CompletedProcess[str]:
        """Run a command in this process."""
        done = self._run(*words, cwd=self.work, **{**self.variables, **more})
        said = f"{done.stdout}\n{done.stderr}"
        self.printed[f"{len(self.printed)} {' '.join(map(str, words))}"] = said
        return done

    def found(self) -> list[str]:
        """Return the found canaries with their places."""
        texts = canaries()
        printed = [
            f"{name} printed by {words}"
            for words, said in self.printed.items()
            for name in named_in(said.encode(), texts)
        ]
        return printed + found_in(self.home, texts)


@pytest.fixture
def watched(
    tmp_path: Path, in_process: Cli, echo: EchoServer, monkeypatch: pytest.MonkeyPatch
) -> Watched:
    """Commands among canaries, in this process."""
    watching = Watched(tmp_path, in_process, echo)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    return watching
