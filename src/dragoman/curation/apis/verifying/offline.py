"""Rounds in which it was the monitor that had no line, not the APIs that were down."""

from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

from dragoman.curation.apis.verifying.judging import NO_WAY
from dragoman.curation.apis.verifying.records import CheckHistory

FEWEST_HOSTS = 4
"""With fewer hosts than these, no share of them tells a line from what is behind it."""

_State = Literal["good", "no way", "bad"]


class SetAside(msgspec.Struct, frozen=True):
    """A round that counts for nothing.

    Attributes:
        lost: Hosts without a connection that had one before, and have one later where there is a later.
        hosts: All that had one before.
    """

    round: str
    lost: int
    hosts: int

    @property
    def reason(self) -> str:
        """Why."""
        return (
            f"the monitor had no line: {self.lost} of {self.hosts} hosts that answer otherwise had no "
            "connection at once"
        )


def rounds_aside(histories: Iterable[CheckHistory], share: float) -> dict[str, SetAside]:
    """Return the rounds that are set aside, by name.

    Hosts are counted, not APIs: a server that is down takes all of its APIs along, and that is no
    fault of the line.

    Args:
        histories: Of all that was checked.
        share: Of otherwise healthy hosts; where more than this have no connection at once, the round
            is set aside.
    """
    states = _by_round(histories)
    names = sorted(states)
    last_good = _last_good(states)
    known: dict[str, _State] = {}
    found: dict[str, SetAside] = {}
    for name in names:
        now = states[name]
        healthy = [
            host
            for host, state in now.items()
            if known.get(host, "good") == "good"
            and (state == "good" or name == names[-1] or last_good.get(host, "") > name)
        ]
        lost = sum(1 for host in healthy if now[host] == "no way")
        if _is_line(now, lost, len(healthy), share):
            found[name] = SetAside(name, lost, len(healthy))
        else:
            known.update(now)
    return found


def _is_line(now: Mapping[str, _State], lost: int, healthy: int, share: float) -> bool:
    """Whether what was lost in a round is a line.

    Of few hosts nobody can tell whether they or the line were down: where nothing at all answered, the
    round counts for nothing until a later one has an answer.
    """
    nothing = all(state == "no way" for state in now.values())
    if len(now) < FEWEST_HOSTS:
        return nothing and lost > 0
    return nothing or (healthy >= FEWEST_HOSTS and lost > share * healthy)


def _by_round(histories: Iterable[CheckHistory]) -> dict[str, dict[str, _State]]:
    """Return how each host did in each round: good where anything of it was answered well."""
    states: dict[str, dict[str, _State]] = {}
    for history in histories:
        for check in history.checks:
            hosts = states.setdefault(check.round, {})
            state: _State = (
                "good" if check.kind == "good" else "no way" if check.kind in NO_WAY else "bad"
            )
            if _better(state, hosts.get(history.host)):
                hosts[history.host] = state
    return states


def _better(state: _State, than: _State | None) -> bool:
    order: tuple[_State | None, ...] = (None, "no way", "bad", "good")
    return order.index(state) > order.index(than)


def _last_good(states: Mapping[str, Mapping[str, _State]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in sorted(states):
        found.update({host: name for host, state in states[name].items() if state == "good"})
    return found
