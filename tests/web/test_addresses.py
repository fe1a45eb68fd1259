"""An address counts by its meaning, in any spelling."""

import ipaddress

import pytest

from dragoman.web.address_guard import numeric_host, why_blocked, why_blocked_locally


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("127.0.0.1", "loopback address"),
        ("::1", "loopback address"),
        ("::ffff:127.0.0.1", "loopback address"),
        ("::127.0.0.1", "loopback address"),
        ("10.1.2.3", "private address"),
        ("172.31.0.1", "private address"),
        ("192.168.0.1", "private address"),
        ("fd00::1", "private address"),
        ("2002:a00:1::", "private address"),
        ("64:ff9b::a00:1", "private address"),
        ("64:ff9b:1::7f00:1", "loopback address"),
        ("100.64.0.1", "address that a provider shares out"),
        ("169.254.1.1", "link-local address"),
        ("fe80::1", "link-local address"),
        ("169.254.169.254", "metadata address"),
        ("::ffff:169.254.169.254", "metadata address"),
        ("fd00:ec2::254", "metadata address"),
        ("168.63.129.16", "metadata address"),
        ("224.0.0.1", "multicast address"),
        ("ff02::1", "multicast address"),
        ("2001:0:1::1", "address of a tunnel"),
        ("0.0.0.0", "address that is not public"),  # noqa: S104 - nothing is bound
        ("::", "address that is not public"),
        ("255.255.255.255", "address that is not public"),
        ("192.0.2.1", "address that is not public"),
        ("fec0::1", "address that is not public"),
        ("4000::1", "address that is not public"),
        ("3fff::1", "address that is not public"),
        ("93.184.216.34", ""),
        ("2606:2800:220:1::1", ""),
        ("::ffff:93.184.216.34", ""),
    ],
)
def test_an_address_that_is_not_public_says_why(address: str, why: str) -> None:
    assert why_blocked(ipaddress.ip_address(address)) == why


@pytest.mark.parametrize(
    ("address", "why"),
    [
        *(("127.0.0.1", ""), ("::1", ""), ("10.0.0.1", ""), ("fd00::1", ""), ("100.64.0.1", "")),
        ("169.254.169.254", "metadata address"),
        ("100.100.100.200", "metadata address"),
        ("fe80::1", "link-local address"),
        ("224.0.0.1", "multicast address"),
        ("0.0.0.0", "address that is not public"),  # noqa: S104 - nothing is bound
    ],
)
def test_who_may_reach_local_addresses_may_not_reach_those_of_clouds(
    address: str, why: str
) -> None:
    assert why_blocked_locally(ipaddress.ip_address(address)) == why


@pytest.mark.parametrize(
    "host",
    ["2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "127.1", "127.0.1", "127.0.0.1."],
)
def test_an_address_is_known_in_every_way_of_writing_it(host: str) -> None:
    assert numeric_host(host) == ipaddress.ip_address("127.0.0.1")


@pytest.mark.parametrize(
    "host", ["localhost", "1.example", "0x7g", "127.0.0.1.example", "1.2.3.4.5"]
)
def test_a_name_is_no_address(host: str) -> None:
    assert numeric_host(host) is None
