"""Asks for a person's word before a stored run that somebody else made runs or reaches anything."""

import logging
from collections.abc import Collection
from shlex import quote

from dragoman.core.errors import UsageError
from dragoman.store.own_runs import FILE, OwnRuns
from dragoman.store.run import RunStore
from dragoman.wiring.environment import state_folder

MOST_NAMED = 6
MOST_CHARS = 200

log = logging.getLogger(__name__)


def note_own(manifest: bytes, reached: Collection[str]) -> None:
    """Note a run that was made here, if it runs or reaches anything."""
    if not reached:
        return
    try:
        _own_runs().add(manifest)
    except OSError as error:
        log.warning(
            "%s: cannot note that this run is yours (%s): going on with it will need --trust",
            error.filename,
            error.strerror,
        )


def require_trust(store: RunStore, reached: Collection[str], *, trust: bool) -> None:
    """Refuse to go on with a run of somebody else's that would run or reach something.

    Args:
        store: The run.
        reached: What it would run or reach, in words.
        trust: Whether the person vouches for it, which is noted.

    Raises:
        UsageError: Naming what it would do, and the option.
    """
    if not reached:
        return
    manifest = store.manifest()
    if trust:
        note_own(manifest, reached)
    elif manifest not in _own_runs():
        named = [words[:MOST_CHARS] for words in reached][:MOST_NAMED]
        more = ["..."] if len(reached) > MOST_NAMED else []
        raise UsageError(
            f"{quote(str(store.folder))} was not made by you on this machine, and it "
            f"{', '.join(named + more)}: give --trust if you know where it comes from"
        )


def _own_runs() -> OwnRuns:
    return OwnRuns(state_folder() / FILE)
