"""How many conversations fit into the files that this process may have open."""

import logging
import resource

SPARE = 96
"""Files and connections that are nobody's conversation: the run, caches, modules that are loaded."""

log = logging.getLogger(__name__)


def conversations_at_once(wanted: int) -> int:
    """Return how many conversations to play at once: each may hold a connection open.

    The limit is raised as far as the system lets it be; where that is not enough, fewer are played at
    once, and a warning says so.
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
