"""Servers on this machine: how they are known, and how long they are waited for.

A model on one's own machine reads a long prompt for minutes without a word.
"""

import ipaddress
from urllib.parse import urlsplit

from dragoman.models.wire.transport import Timeouts

SLOW_TIMEOUTS = Timeouts(read=1_800.0, total=3_600.0)
"""How long a server on this machine is waited for."""

_HOSTS_OF_CONTAINERS = frozenset(
    {"host.docker.internal", "gateway.docker.internal", "host.containers.internal"}
)
"""What Docker and Podman call the machine that a container runs on."""


def is_on_this_machine(address: str) -> bool:
    """Whether an address leads to this machine, as far as it says so itself.

    Names are not looked up, and other machines of a private network are other machines.
    """
    try:
        host = (urlsplit(address).hostname or "").rstrip(".")
    except ValueError:
        return False
    if host in _HOSTS_OF_CONTAINERS or host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        found = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    found = mapped or found
    return found.is_loopback or found.is_unspecified
