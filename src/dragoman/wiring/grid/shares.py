"""A share of a plan, as it is written: `2/4` is the second of four."""

import re

import msgspec

from dragoman.core.errors import UsageError

MOST = 10_000

_WRITTEN = re.compile(r"([1-9][0-9]{0,4})/([1-9][0-9]{0,4})")


class PlanShare(msgspec.Struct, frozen=True):
    """One of several shares; numbers begin at 1."""

    number: int = 1
    of: int = 1

    @property
    def is_all(self) -> bool:
        """Whether there is no other."""
        return self.of == 1


def share_of(written: str) -> PlanShare:
    """Return the share that a text names; all of the plan for an empty one.

    Raises:
        UsageError: Where it names none.
    """
    if not written:
        return PlanShare()
    found = _WRITTEN.fullmatch(written)
    share = PlanShare(*map(int, found.groups())) if found else PlanShare(1, 0)
    if not share.number <= share.of <= MOST:
        raise UsageError(
            f"--shard {written:.40}: not I/N, such as 2/4 for the second of four shares"
        )
    return share
