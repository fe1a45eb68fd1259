"""What goes wrong with the world's APIs: of which, how, when, and how often."""

from collections import Counter
from datetime import UTC, datetime, time
from fnmatch import fnmatchcase
from importlib.resources import files
from pathlib import Path
from typing import Literal

import msgspec

from dragoman.testing.behaviour import load_behaviour
from dragoman.testing.faults import chance

BUNDLED = "schedule"
"""The name of the schedule that is shipped, in the place of a file."""

WorldFaultKind = Literal[
    "not_found_json",
    "not_found_html",
    "server_error",
    "bad_gateway_html",
    "error_in_body",
    "empty",
    "empty_list",
    "half",
    "endless",
    "slow",
    "limited",
    "json_as_text",
    "csv_as_json",
    "bom",
    "windows_1251",
    "redirect",
    "needs",
    "renamed",
    "number_as_text",
    "unreachable",
]
"""How an answer is spoilt; `docs/world.md` says each in words."""


class WorldFault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One fault.

    Attributes:
        api: Whose answers it hits: an id, or a pattern such as `br-*` or `*`.
        since: From when on; None for always.
        until: Up to when, that instant left out; None for ever.
        daily: Only between these hours of each day, UTC.
        rate: The share of requests that it hits.
        field: The parameter that is newly needed, or the field that is renamed or becomes text.
        to: The field's new name, or where a redirect leads.
        seconds: How long a slow answer takes.
        retry_after: What a 429 says; None for nothing.
    """

    api: str
    kind: WorldFaultKind
    since: datetime | None = None
    until: datetime | None = None
    daily: tuple[time, time] | None = None
    rate: float = 1.0
    field: str = ""
    to: str = ""
    seconds: float = 10.0
    retry_after: int | None = None

    def __post_init__(self) -> None:
        """Refuse what no clock can be compared with, and a rate that is no share."""
        if not 0 <= self.rate <= 1:
            raise ValueError(f"a rate is from 0 to 1, not {self.rate}")
        if any(moment is not None and moment.tzinfo is None for moment in (self.since, self.until)):
            raise ValueError("since and until need an offset: 2026-03-16T10:00:00Z")
        if self.kind in {"needs", "renamed"} and not self.field:
            raise ValueError(f"{self.kind} needs a field")
        if self.kind in {"redirect", "renamed"} and not self.to:
            raise ValueError(f"{self.kind} needs to")

    def holds(self, api: str, now: datetime) -> bool:
        """Whether it may hit a request to an API at an instant."""
        return (
            fnmatchcase(api, self.api)
            and (self.since is None or now >= self.since)
            and (self.until is None or now < self.until)
            and (self.daily is None or _within(self.daily, now.astimezone(UTC).time()))
        )


class WorldFaults(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that may go wrong; the first that hits is the one. Another seed draws other requests."""

    faults: tuple[WorldFault, ...] = ()
    seed: int = 0


class WorldFaultDraws:
    """Draws faults: with equal seed, requests and times, equal ones."""

    def __init__(self, faults: WorldFaults) -> None:
        self._faults = faults
        self._times: Counter[str] = Counter()

    def hitting(self, api: str, target: str, now: datetime) -> WorldFault | None:
        """Return what hits the next request for a target (method, path and query), if anything."""
        content = f"{target} {now.isoformat()}"
        times = self._times[content]
        self._times[content] += 1
        for place, fault in enumerate(self._faults.faults):
            drawn = chance(self._faults.seed, content, f"{place}/{times}")
            if fault.holds(api, now) and drawn < fault.rate:
                return fault
        return None


def load_faults(name: str | Path | None) -> WorldFaults:
    """Read faults from a file of JSON, or the bundled schedule by its name; None for none.

    Raises:
        UsageError: Where the file cannot be read or says something else.
    """
    if name is None:
        return WorldFaults()
    if str(name) == BUNDLED:
        content = files("dragoman.testing.world").joinpath("schedule.json").read_bytes()
        return msgspec.json.decode(content, type=WorldFaults)
    return load_behaviour(Path(name), WorldFaults)


def _within(hours: tuple[time, time], now: time) -> bool:
    start, end = hours
    return start <= now < end if start <= end else now >= start or now < end
