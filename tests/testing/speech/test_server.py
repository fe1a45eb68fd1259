"""The server that speaks the protocols of all providers of speech."""

import asyncio
import json

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.audio import Audio, write_wav
from dragoman.testing.fault_injection import Faults, ServerError
from dragoman.testing.responses import coded_audio, decoded_text
from dragoman.testing.server_config import Capacity, Outage, ServerConfig
from dragoman.testing.speech.server import SpeechServer

WAV = write_wav(coded_audio("hello"))


async def posted(url: str, body: bytes, content_type: str) -> tuple[int, bytes]:
    async with aiohttp.ClientSession() as client:
        headers = {"Content-Type": content_type}
        async with client.post(url, data=body, headers=headers) as response:
            return response.status, await response.read()


def asked(
    url: str,
    body: object,
    content_type: str = "application/json",
) -> tuple[int, bytes]:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return asyncio.run(posted(url, content, content_type))


@given(st.text(max_size=60))
def test_what_is_coded_is_understood(text: str) -> None:
    assert decoded_text(coded_audio(text)) == text


@given(st.binary(max_size=300))
def test_any_other_audio_says_nothing(pcm: bytes) -> None:
    assert decoded_text(Audio(pcm, 8_000)) == ""


def test_a_recording_is_listened_to() -> None:
    with SpeechServer() as server:
        status, body = asked(f"{server.url('deepgram')}/listen?model=nova-3", WAV, "audio/wav")
    assert status == 200
    said = json.loads(body)["results"]["channels"][0]["alternatives"][0]
    assert said["transcript"] == "hello"
    assert server.log.outcomes == {"ok": 1}


@pytest.mark.parametrize(
    ("path", "body", "reason"),
    [
        ("/v1/audio/speech", {"model": "m", "input": "x"}, "missing required field `voice`"),
        ("/v1/audio/speech", {"model": "m", "input": "x", "voice": "v"}, "is to be wav here"),
        (
            "/v1/audio/speech",
            {"model": "m", "input": " ", "voice": "v", "response_format": "wav"},
            "nothing to say",
        ),
        ("/v1/audio/transcriptions", {"model": "m"}, "the body is not a form"),
        ("/v1/text-to-speech/v", {"text": "x", "model_id": "m"}, "output_format ''"),
        ("/v1/speak?model=m", {"text": "x"}, "linear16 in wav is given here"),
        ("/v1/speak?encoding=linear16&container=wav", {"text": "x"}, "model is missing"),
        ("/v1/listen?model=m", {"url": "http://elsewhere"}, "no readable WAV file"),
        ("/v1/listen", {}, "model is missing"),
        ("/tts/bytes", {}, "Cartesia-Version is missing"),
        ("/v1beta/models/m:generateContent", {"contents": []}, "one recording is listened to"),
        (
            "/v1beta/models/m:generateContent",
            {"contents": [], "generationConfig": {"responseModalities": ["AUDIO"]}},
            "speechConfig is missing",
        ),
        (
            "/api/v1/services/aigc/multimodal-generation/generation",
            {"model": "m", "input": {"text": "x", "voice": "v"}},
            "only streams hold audio here",
        ),
    ],
)
def test_a_request_that_a_provider_would_refuse_is_refused(
    path: str, body: object, reason: str
) -> None:
    with SpeechServer() as server:
        status, answer = asked(f"{server.origin}{path}", body)
    assert status == 400
    assert reason in json.loads(answer)["error"]["message"]
    assert server.log.outcomes == {"refused": 1}


def test_it_misbehaves_as_other_servers_do() -> None:
    faults = Faults(transport=(ServerError(rate=1, statuses=(503,)),), most_in_a_row=1)
    with SpeechServer(behaviour=ServerConfig(faults)) as server:
        url = f"{server.url('deepgram')}/listen?model=m"
        assert [asked(url, WAV, "audio/wav")[0] for _ in range(2)] == [503, 200]
        server.outage = "unavailable"
        assert asked(url, WAV, "audio/wav")[0] == 503
        server.outage = None
        assert server.outage is None
    assert server.log.outcomes == {"server_error": 1, "ok": 1, "outage": 1}


def test_an_outage_may_be_planned() -> None:
    capacity = Capacity(outages=(Outage(after=0, seconds=600),))
    with SpeechServer(behaviour=ServerConfig(capacity=capacity)) as server:
        url = f"{server.url('deepgram')}/listen?model=m"
        statuses = {asked(url, WAV, "audio/wav")[0] for _ in range(3)}
    assert statuses == {503}
