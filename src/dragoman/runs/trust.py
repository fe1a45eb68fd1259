"""Trust prompt for stored runs of other people that would run code or reach the network."""

import logging
from collections.abc import Collection
from shlex import quote

from dragoman.config.environment import state_folder
from dragoman.core.errors import UsageError
from dragoman.store.run_store import RunStore
from dragoman.store.trusted_runs import FILE, TrustStore

MOST_NAMED = 6
MOST_CHARS = 200

log = logging.getLogger(__name__)


def remember_own_run(manifest: bytes, reached: Collection[str]) -> None:
    """Record a run that was made here, if it runs or reaches anything."""
    if not reached:
        return
    try:
        _own_runs().add(_content(manifest, reached))
    except OSError as error:
        log.warning(
            "%s: cannot note that this run is yours (%s): going on with it will need --trust",
            error.filename,
            error.strerror,
        )


def require_trust(
    store: RunStore, reached: Collection[str], now: Collection[str], *, trust: bool
) -> None:
    """Refuse to resume a run of somebody else that would run or reach something.

    Args:
        store: The run.
        reached: Descriptions of the programs and addresses that the run uses where it is played.
        now: Descriptions of the programs and addresses that it would use now.
        trust: Whether the user trusts the run, which is then recorded.

    Raises:
        UsageError: With the programs and addresses, and the option.
    """
    if not now:
        return
    manifest = store.manifest()
    if trust:
        remember_own_run(manifest, reached)
    elif not is_trusted(store, reached):
        named = [words[:MOST_CHARS] for words in now][:MOST_NAMED]
        more = ["..."] if len(now) > MOST_NAMED else []
        raise UsageError(
            f"{quote(str(store.folder))} is not known as made by you on this machine, and it "
            f"{', '.join(named + more)}: give --trust if you know where it comes from"
        )


def is_trusted(store: RunStore, reached: Collection[str]) -> bool:
    """Return whether a run was made or approved on this machine.

    `reached` are the programs and addresses that the run uses.
    """
    return _content(store.manifest(), reached) in _own_runs()


def _content(manifest: bytes, reached: Collection[str]) -> bytes:
    """Return the content that identifies a trusted run.

    Another set of programs and addresses is another run.
    """
    return b"\0".join((manifest, *(words.encode() for words in sorted(reached))))


def _own_runs() -> TrustStore:
    return TrustStore(state_folder() / FILE)
