"""The worker processes of a command that spreads its work."""

import subprocess
from pathlib import Path


def workers_of(process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> list[int]:
    """Return the ids of those that are there now."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    found = []
    for child in children:
        words = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
        if b"dragoman.distributed.worker" in words:
            found.append(int(child))
    return found
