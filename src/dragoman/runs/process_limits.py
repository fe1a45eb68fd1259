"""Process limits of large runs: number of open files, and garbage collection thresholds.

Python's cyclic collector would otherwise traverse databases and live conversations all the time,
and every conversation may hold a connection.
"""

import gc
import logging
import resource
from collections.abc import Iterator
from contextlib import contextmanager

_THRESHOLD = (200_000, 20, 100)


@contextmanager
def infrequent_gc() -> Iterator[None]:
    """Collect garbage rarely while many conversations are alive, and exempt the earlier objects.

    At a concurrency of 1,000, the default thresholds take a quarter of all CPU time. The caller's
    settings are restored.
    """
    threshold, freezes = gc.get_threshold(), gc.get_freeze_count() == 0
    if freezes:
        gc.freeze()
    gc.set_threshold(*_THRESHOLD)
    try:
        yield
    finally:
        gc.set_threshold(*threshold)
        if freezes:
            gc.unfreeze()


SPARE = 96
"""Number of files and connections that do not belong to a conversation.

They belong to the run, to caches, and to loaded modules.
"""

log = logging.getLogger(__name__)


def fit_open_files(wanted: int) -> int:
    """Return how many conversations to play at once, as each may hold a connection.

    The function raises the limit as far as the system allows. If that is not enough, fewer
    conversations are played at once, and a warning reports it.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if _fits(wanted, soft):
        return wanted
    needed = wanted + SPARE
    raised = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    if raised > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
    if _fits(wanted, raised):
        return wanted
    fitting = max(1, raised - SPARE)
    log.warning(
        "%d conversations at once instead of %d: this process may have %d files open (ulimit -n)",
        fitting,
        wanted,
        raised,
    )
    return fitting


def _fits(wanted: int, files: int) -> bool:
    return files == resource.RLIM_INFINITY or wanted + SPARE <= files
