import asyncio
import base64
from typing import Any

import pytest

from dragoman.core.audio import Audio, MemoryAudioStore, hears_audio, read_wav
from dragoman.core.errors import UsageError
from dragoman.core.protocols import SessionReply, SessionStart
from dragoman.core.replies import TextReply, Utterance, text_reply
from dragoman.core.tasks import Scenario, Task
from dragoman.core.tools import NO_TOOLS
from dragoman.registry.agents import TOKEN_VARIABLE, http_agent
from dragoman.registry.model_clients import ModelClients
from dragoman.registry.participants import resolve_agent
from dragoman.simulation.participants.llm import LlmParticipant
from dragoman.testing.agent_server import serve_agent

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
    with pytest.raises(UsageError) as reported:
        resolve_agent(url)
    assert "hunter2" not in str(reported.value)


@pytest.mark.parametrize("token", ["two\nlines", "naïve", "nul\x7f"])
def test_a_token_that_no_header_can_carry_is_refused_and_not_repeated(
    monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, token)
    with pytest.raises(UsageError, match=f"{TOKEN_VARIABLE} holds a character") as reported:
        http_agent(URL, ModelClients())
    assert token not in str(reported.value)


def test_an_address_is_named_among_the_agents_that_one_may_choose() -> None:
    with pytest.raises(
        UsageError,
        match=r"choose attentive, careful, gold, lexical, literal, silent, human, http://HOST:PORT/PATH, ",
    ):
        resolve_agent("golden")


BEEP = Audio(b"\x10\x00" * 800, 8_000)


class Listener:
    """An agent's function that answers with the length of its input."""

    hears_audio = True

    def __call__(self, messages: Any, tools: object) -> str:  # noqa: ANN401 - OpenAI's messages
        assert tools == []
        (part,) = messages[-1]["content"]
        data = part["input_audio"]["data"]
        return f"{read_wav(base64.b64decode(data), 'data').seconds} s"


def test_an_address_says_that_its_agent_hears() -> None:
    assert hears_audio(resolve_agent(f"{URL}?hears=on").participant)
    assert not hears_audio(resolve_agent(URL).participant)
    assert not hears_audio(resolve_agent(f"{URL}?hears=off").participant)
    with pytest.raises(UsageError, match="hears is on or off, not 'well'"):
        resolve_agent(f"{URL}?hears=well")


def test_an_agent_behind_an_address_is_sent_what_was_said_as_audio() -> None:
    async def talk() -> SessionReply:
        connections, sounds = ModelClients(), MemoryAudioStore()
        utterance = Utterance("Hello.", spoken="Hello.", heard=None, audio=sounds.keep(BEEP))
        async with serve_agent("listener", Listener()) as url:
            agent = resolve_agent(f"{url}?hears=on", None, connections).participant
            task = Task("t", "suite", "digest", Scenario("Call."))
            session = await agent.open(SessionStart(task, "agent", 7, sounds=sounds))
            answer = await session.reply([TextReply(utterance)], NO_TOOLS)
            await connections.close()
        return answer

    answer = asyncio.run(talk())
    assert answer.reply == text_reply("0.1 s")
    assert answer.usage is not None
    assert answer.usage.input_audio_tokens is None
