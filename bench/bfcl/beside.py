"""The published BFCL package doing the same work as ours, in a separate process."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Peer:
    """A process that runs a named measure for each input line and reports its cost."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._answer("ready")

    def spent(self, measure: str) -> tuple[float, int]:
        """Return the CPU seconds of one round in that process, and how many items succeeded."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{measure}\n")
        self._process.stdin.flush()
        seconds, succeeded = self._answer("took")
        return float(seconds), int(succeeded)

    def _answer(self, word: str) -> list[str]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            first, *rest = line.split() or [""]
            if first == word:
                return rest
        raise RuntimeError(f"PEER_BFCL: the peer ended without {word!r}")


@contextmanager
def beside(script: str, arguments: tuple[str, ...], folder: Path) -> Iterator[Peer | None]:
    """Start a script of this folder in the interpreter that PEER_BFCL names.

    Yield None if the variable names no interpreter.
    """
    interpreter = os.environ.get("PEER_BFCL")
    if not interpreter:
        print("  PEER_BFCL names no interpreter: the published package's figures are quoted")
        yield None
        return
    command = (interpreter, str(Path(__file__).with_name(script)), *arguments)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder
    ) as process:
        try:
            yield Peer(process)
        finally:
            process.terminate()
