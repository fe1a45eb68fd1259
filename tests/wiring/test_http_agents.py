import pytest

from dragoman.core.errors import UsageError
from dragoman.simulation.llm import LlmParticipant
from dragoman.wiring.connections import Connections
from dragoman.wiring.http_agents import TOKEN_VARIABLE, http_agent
from dragoman.wiring.participants import resolve_agent

URL = "http://127.0.0.1:8000/agent"


@pytest.mark.parametrize(
    "url", [URL, "https://agents.example.com/shop?version=2&max_tokens=9", "http://[::1]:1"]
)
def test_an_address_is_an_agent_of_that_name(url: str) -> None:
    resolved = resolve_agent(url)
    assert resolved.name == resolved.participant.name == url
    assert isinstance(resolved.participant, LlmParticipant)


def test_two_addresses_are_two_agents() -> None:
    assert resolve_agent(URL).identity == resolve_agent(URL).identity
    assert resolve_agent(URL).identity != resolve_agent(f"{URL}/2").identity


@pytest.mark.parametrize(
    "url",
    [
        "http://",
        "http:///agent",
        "http://:80/agent",
        "http://host:70000/",
        "http://host:0/",
        "https://host:port/",
        "http://[::1/agent",
        "http://ho st/agent",
        "http://host/\x1b[31m",
    ],
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="the agent's address is none: write http://HOST:PORT"):
        resolve_agent(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://me:hunter2@host/agent",
        "http://hunter2@host/agent",
        "http://host/agent#hunter2",
        "http://me:hunter2",
        "http://host:hunter2@/agent",
        "http://host/agent?token=hunter2",
        "http://host/agent?v=1&api_key=hunter2",
        "http://host/agent?access%5Ftoken=hunter2",
        "http://host/agent?X-Amz-Signature=hunter2",
    ],
)
def test_credentials_in_an_address_are_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(UsageError) as told:
        resolve_agent(url)
    assert "hunter2" not in str(told.value)


@pytest.mark.parametrize("token", ["two\nlines", "naïve", "nul\x7f"])
def test_a_token_that_no_header_can_carry_is_refused_and_not_repeated(
    monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, token)
    with pytest.raises(UsageError, match=f"{TOKEN_VARIABLE} holds a character") as told:
        http_agent(URL, Connections())
    assert token not in str(told.value)


def test_an_address_is_named_among_the_agents_that_one_may_choose() -> None:
    with pytest.raises(
        UsageError,
        match=r"choose careful, gold, lexical, literal, silent, human, http://HOST:PORT/PATH, ",
    ):
        resolve_agent("golden")
