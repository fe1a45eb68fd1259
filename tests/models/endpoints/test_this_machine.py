"""Addresses that lead to this machine."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.models.http.transport import is_local_address


@pytest.mark.parametrize(
    "address",
    [
        "http://localhost:11434/v1",
        "http://LOCALHOST./v1",
        "http://models.localhost:8080/v1",
        "http://127.0.0.1:8000/v1/chat/completions",
        "http://[::1]:8000/v1",
        "http://[::ffff:127.0.0.1]:8000/v1",
        "http://0.0.0.0:11434/v1",
        "http://host.docker.internal:1234/v1",
        "http://host.containers.internal:1234/v1",
        "ws://localhost:8000/v1/realtime",
    ],
)
def test_loopback_addresses_and_names_of_a_containers_host_are_on_this_machine(
    address: str,
) -> None:
    assert is_local_address(address)


@pytest.mark.parametrize(
    "address",
    [
        "https://api.openai.com/v1",
        "http://192.168.1.20:8000/v1",
        "http://10.0.0.5:8000/v1",
        "http://gpu.local:8000/v1",
        "http://ollama:11434/v1",
        "http://localhost.example.com/v1",
        "http://127.0.0.1.example.com/v1",
        "http://example.com/127.0.0.1",
        "http://localhost@example.com/v1",
        "http://[fe80::1%25eth0]:8000/v1",
        "litellm:openai",
        "http://[::1",
        "",
    ],
)
def test_other_machines_of_a_private_network_and_what_only_looks_like_it_are_not(
    address: str,
) -> None:
    assert not is_local_address(address)


@given(st.ip_addresses(v=4, network="127.0.0.0/8"), st.integers(1, 65_535))
def test_all_of_127_is_loopback(address: object, port: int) -> None:
    assert is_local_address(f"http://{address}:{port}/v1")


@given(st.text())
def test_whatever_is_no_address_is_answered_too(text: str) -> None:
    assert is_local_address(text) in {True, False}
