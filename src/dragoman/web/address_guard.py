"""SSRF guard: decides which machine addresses may be reached.

An address counts by the machine that it denotes, in any notation or embedding.
"""

import ipaddress
import re
import socket

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_NAT64_LOCAL = ipaddress.ip_network("64:ff9b:1::/48")
_EMBEDDED = ipaddress.ip_network("::/96")
_PRIVATE = tuple(
    map(ipaddress.ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"))
)
_ALLOCATED = ipaddress.ip_network("2000::/3")
_EXAMPLES = ipaddress.ip_network("3fff::/20")
_SHARED = ipaddress.ip_network("100.64.0.0/10")
_METADATA = frozenset(
    map(
        ipaddress.ip_address,
        ("169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192",
        "fd00:ec2::254"),
    )
)  # fmt: skip
"""Addresses at which the large clouds serve a machine's own secrets."""

_LOW = 0xFFFFFFFF
_looks_numeric = re.compile(r"(?:0[xX][0-9a-fA-F]*|[0-9]+)(?:\.(?:0[xX][0-9a-fA-F]*|[0-9]+))*\.?")


def why_blocked(address: IpAddress, *, allow_local: bool = False) -> str:
    """Return why an address must not be reached; "" if it is allowed.

    Args:
        address: The address.
        allow_local: Whether loopback and private addresses are allowed. Link-local addresses and
            cloud metadata addresses are never allowed.
    """
    inner = _inner(address) if isinstance(address, ipaddress.IPv6Address) else None
    if inner is not None:
        return why_blocked(inner, allow_local=allow_local)
    why = _never(address)
    if why:
        return why
    why = _local(address)
    if why:
        return "" if allow_local else why
    return "" if _is_allocated(address) else "address that is not public"


def why_blocked_locally(address: IpAddress) -> str:
    """Return why an address must not be reached even if local addresses are allowed, or ""."""
    return why_blocked(address, allow_local=True)


def numeric_host(host: str) -> IpAddress | None:
    """Return the address of a host, in any notation (decimal, octal, hex, short).

    The result is None for a name.
    """
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        pass
    if not _looks_numeric.fullmatch(host):
        return None
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host.removesuffix(".")))
    except OSError:
        return None


def _never(address: IpAddress) -> str:
    if address in _METADATA:
        return "metadata address"
    if address.is_link_local:
        return "link-local address"
    if isinstance(address, ipaddress.IPv6Address) and address.teredo is not None:
        return "address of a tunnel"
    return "multicast address" if address.is_multicast else ""


def _is_allocated(address: IpAddress) -> bool:
    """Return whether an address belongs to the public internet.

    Only a small part of IPv6 is allocated to it.
    """
    if isinstance(address, ipaddress.IPv6Address) and (
        address not in _ALLOCATED or address in _EXAMPLES
    ):
        return False
    return address.is_global


def _local(address: IpAddress) -> str:
    if address.is_loopback:
        return "loopback address"
    if address in _SHARED:
        return "address that a provider shares out"
    return "private address" if any(address in network for network in _PRIVATE) else ""


def _inner(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address inside an IPv6 address; None if there is none."""
    if address in _NAT64 or address in _NAT64_LOCAL:
        return ipaddress.IPv4Address(int(address) & _LOW)
    if address in _EMBEDDED and int(address) > 1:
        return ipaddress.IPv4Address(int(address) & _LOW)
    return address.ipv4_mapped or address.sixtofour
