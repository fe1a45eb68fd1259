"""The server that recognizes real audio: its transcripts, its refusals, and its end."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dragoman.core.audio import Audio
from dragoman.core.errors import ParticipantError, RunHalted
from dragoman.core.protocols import SynthesisResult, Transcript
from dragoman.registry.model_clients import ModelClients
from dragoman.registry.speech_engines import resolve_recognizer, resolve_synthesizer
from dragoman.registry.suites import load_suite
from dragoman.testing.speech.__main__ import main
from dragoman.testing.speech.embedded_speaker import EmbeddedSpeaker
from dragoman.testing.speech.requests import SpeakRequest
from dragoman.testing.speech.server import PATHS, SpeechServer

SILENCE = Audio(bytes(16_000), 8_000)
LINE = "My tracking number is K D two, seven four one, eight eight zero, six five."


async def spoken(server: SpeechServer, text: str, language: str = "en") -> SynthesisResult:
    connections = ModelClients()
    name = f"elevenlabs/us?model=any&base_url={server.url('elevenlabs')}"
    try:
        return await resolve_synthesizer(name, connections).speak(text, language, seed=1)
    finally:
        await connections.close()


async def heard(server: SpeechServer, audio: Audio, language: str = "en") -> Transcript:
    connections = ModelClients()
    name = f"deepgram/nova-3?smart_format=true&base_url={server.url('deepgram')}"
    try:
        return await resolve_recognizer(name, connections).transcribe(audio, language)
    finally:
        await connections.close()


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ELEVENLABS_API_KEY", "DEEPGRAM_API_KEY"):
        monkeypatch.setenv(name, "key-for-tests")


@pytest.mark.speech
@pytest.mark.slow
def test_real_audio_is_spoken_and_recognized() -> None:
    async def go() -> tuple[SynthesisResult, Transcript, Transcript]:
        async with SpeechServer(EmbeddedSpeaker([load_suite("courier")])) as server:
            said = await spoken(server, LINE)
            understood, nothing = await asyncio.gather(
                heard(server, said.audio), heard(server, SILENCE)
            )
            return said, understood, nothing

    said, understood, nothing = asyncio.run(go())
    assert said.audio.rate_hz == 24_000
    assert 3 < said.audio.seconds < 12
    assert understood.text == "My tracking number is KD 274 188 065."
    assert understood.usage is not None
    assert understood.usage.audio_seconds == said.audio.seconds
    assert nothing.text == ""


def test_a_language_that_the_engines_do_not_know_is_refused() -> None:
    with SpeechServer(EmbeddedSpeaker()) as server:
        for asked in (spoken(server, "Hallo.", "de"), heard(server, SILENCE, "de")):
            with pytest.raises(RunHalted, match="only English is spoken here, not de"):
                asyncio.run(asked)


def test_the_engines_end_with_the_server() -> None:
    speaker = EmbeddedSpeaker()
    with SpeechServer(speaker) as server:
        assert server.log.started == 0
    with pytest.raises(ParticipantError, match="the speech workers are closed"):
        asyncio.run(speaker.speak(SpeakRequest("openai", "any", "alloy", "Hello.")))


def test_a_mistake_on_the_command_line_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no-such-suite"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("dragoman.testing.speech: ")
    assert printed.err.count("\n") == 1


@pytest.mark.slow
def test_as_a_process_it_prints_the_address_of_each_protocol(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "dragoman.testing.speech", "--coded", "--log", tmp_path / "log"],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline().split() for _ in PATHS]
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    assert [name for name, _ in lines] == list(PATHS)
    for (_, url), path in zip(lines, PATHS.values(), strict=True):
        assert url.removeprefix("http://127.0.0.1:").partition("/")[1:] == (
            "/" * bool(path),
            path[1:],
        )
