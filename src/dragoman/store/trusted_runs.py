"""Trust store: the runs that a user made or approved on this machine, by content."""

import hashlib
from pathlib import Path

FILE = "own_runs"


class TrustStore:
    """A list with one line for each run; lines are only added. A run that was changed is not on it.

    Args:
        path: The file; it is made with the first run.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, run: bytes) -> None:
        """Add a run.

        Raises:
            OSError: If the file cannot be written.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with self._path.open("a") as lines:
            lines.write(f"{_digest(run)}\n")

    def __contains__(self, run: bytes) -> bool:
        try:
            lines = self._path.read_text("ascii", "replace")
        except OSError:
            return False
        return _digest(run) in lines.splitlines()


def _digest(run: bytes) -> str:
    return hashlib.blake2b(run, digest_size=32).hexdigest()
