"""Voices and ears by name, over real connections to servers that speak each provider's protocol."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from decimal import Decimal
from pathlib import Path
from typing import TypeVar, get_args

import pytest

from dragoman.config.environment import cache_folder
from dragoman.core.audio import Audio
from dragoman.core.costs import Price
from dragoman.core.errors import ParticipantError, RunHalted, UsageError
from dragoman.core.usage import Usage
from dragoman.models.budget import Budget, parse_spend_limit
from dragoman.models.endpoints.rate_limit import PacingOptions, read_rates
from dragoman.models.http.transport import RetryPolicy, Timeouts
from dragoman.registry.model_clients import ModelClients
from dragoman.registry.speech_engines import (
    ASR_PROTOCOLS,
    TTS_PROTOCOLS,
    describe_speech,
    resolve_recognizer,
    resolve_synthesizer,
    split_names,
)
from dragoman.speech.specs import Wire
from dragoman.testing.chat_requests import Checks
from dragoman.testing.fault_injection import (
    Cut,
    EmptyBody,
    Faults,
    Hang,
    MalformedJson,
    RateLimited,
    Reset,
    ServerError,
    TransportFault,
    WrongContentType,
)
from dragoman.testing.server_config import ServerConfig
from dragoman.testing.speech.requests import Listen, SpeakRequest
from dragoman.testing.speech.server import CodedSpeaker, Speaker, SpeechServer

T = TypeVar("T")
Work = Callable[[ModelClients, SpeechServer], Awaitable[T]]

KEY = "key-2718281828459045"
PROVIDERS: tuple[Wire, ...] = get_args(Wire)
LINE = "Grüße, my order is W2378156."
IMPATIENT = RetryPolicy(attempts=2, seconds=1, outage=5)


def connected(
    work: Work[T],
    behaviour: ServerConfig | None = None,
    speaker: Speaker | None = None,
    connections: ModelClients | None = None,
) -> T:
    async def go() -> T:
        used = connections or ModelClients(Timeouts(connect=5, read=5))
        async with SpeechServer(speaker, behaviour) as server:
            try:
                return await work(used, server)
            finally:
                await used.close()

    return asyncio.run(go())


def voice_name(server: SpeechServer, wire: Wire, more: str = "") -> str:
    return f"{wire}/some-voice?model=some-model&base_url={server.url(wire)}{more}"


def recognizer_name(server: SpeechServer, wire: Wire, more: str = "") -> str:
    return f"{wire}/some-model?base_url={server.url(wire)}{more}"


def failing(fault: TransportFault, in_a_row: int) -> ServerConfig:
    return ServerConfig(Faults(transport=(fault,), most_in_a_row=in_a_row))


@pytest.mark.parametrize("wire", PROVIDERS)
def test_what_is_said_through_a_provider_is_heard_through_it(wire: Wire) -> None:
    async def work(connections: ModelClients, server: SpeechServer) -> tuple[str, Usage, Usage]:
        voice = resolve_synthesizer(voice_name(server, wire), connections)
        recognizer = resolve_recognizer(recognizer_name(server, wire), connections)
        spoken = await voice.speak(LINE, "en", 7)
        heard = await recognizer.transcribe(spoken.audio, "en")
        assert spoken.usage is not None
        assert heard.usage is not None
        assert spoken.usage.audio_seconds == pytest.approx(spoken.audio.seconds)
        return heard.text, spoken.usage, heard.usage

    text, spoken, heard = connected(work)
    assert text == LINE
    assert (spoken.purpose, spoken.model) == ("synthesis", f"{wire}/some-model")
    assert (heard.purpose, heard.model) == ("recognition", f"{wire}/some-model")
    assert spoken.characters == len(LINE)
    assert heard.characters is None
    assert heard.audio_seconds == pytest.approx(spoken.audio_seconds)


@pytest.mark.parametrize("wire", PROVIDERS)
def test_every_provider_gets_the_key_where_it_looks_for_it(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE", KEY)

    async def work(connections: ModelClients, server: SpeechServer) -> str:
        keyed = recognizer_name(server, wire, "&key_env=MINE")
        voice = resolve_synthesizer(voice_name(server, wire, "&key_env=MINE"), connections)
        spoken = await voice.speak("hello", "en", 1)
        return (await resolve_recognizer(keyed, connections).transcribe(spoken.audio, "en")).text

    assert connected(work, ServerConfig(checks=Checks(api_key=KEY))) == "hello"


# The last two break the text that a protocol reads, the others the shared connection.
FAULTS: list[tuple[TransportFault, str]] = [
    (RateLimited(rate=1, retry_after=0), "rate_limited"),
    (ServerError(rate=1, statuses=(500,)), "server_error"),
    (ServerError(rate=1, statuses=(503,)), "overloaded"),
    (Cut(rate=1), "cut"),
    (Reset(rate=1), "cut"),
    (WrongContentType(rate=1), "malformed"),
    (EmptyBody(rate=1), "malformed"),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wire", "fault", "kind"),
    [
        *(("openai", fault, kind) for fault, kind in FAULTS),
        *((wire, *FAULTS[-2]) for wire in PROVIDERS),
        *((wire, *FAULTS[-1]) for wire in PROVIDERS),
    ],
)
def test_what_breaks_on_the_way_is_tried_again_and_counted(
    wire: Wire, fault: TransportFault, kind: str
) -> None:
    async def work(connections: ModelClients, server: SpeechServer) -> list[Usage | None]:
        spoken = await resolve_synthesizer(voice_name(server, wire), connections).speak(
            "a", "en", 1
        )
        recognizer = resolve_recognizer(recognizer_name(server, wire), connections)
        heard = await recognizer.transcribe(spoken.audio, "en")
        assert heard.text == "a"
        return [spoken.usage, heard.usage]

    usages = connected(work, failing(fault, 1))
    assert [usage and usage.faults for usage in usages] == [{kind: 1}, {kind: 1}]


@pytest.mark.slow
@pytest.mark.parametrize("fault", [fault for fault, _ in FAULTS if not isinstance(fault, Reset)])
@pytest.mark.parametrize("wire", ["openai", "gemini"])
def test_a_provider_that_stays_broken_is_infrastructure_and_never_an_empty_hearing(
    wire: Wire, fault: TransportFault
) -> None:
    async def work(connections: ModelClients, server: SpeechServer) -> Usage:
        recognizer = resolve_recognizer(recognizer_name(server, wire), connections)
        with pytest.raises(ParticipantError, match="gave up after") as caught:
            await recognizer.transcribe(Audio(bytes(320), 16_000), "en")
        assert isinstance(caught.value.usage, Usage)
        return caught.value.usage

    connections = ModelClients(Timeouts(connect=5, read=5), IMPATIENT)
    usage = connected(work, failing(fault, 1_000), connections=connections)
    assert usage.calls == 0
    assert sum(usage.faults.values()) >= 2
    assert usage.audio_seconds is None


@pytest.mark.slow
def test_a_rate_of_a_provider_holds_for_its_voices() -> None:
    async def work(connections: ModelClients, server: SpeechServer) -> float:
        voice = resolve_synthesizer(voice_name(server, "deepgram"), connections)
        began = time.monotonic()
        for word in range(4):
            await voice.speak(f"hello {word}", "en", 1)
        return time.monotonic() - began

    pacing = PacingOptions(read_rates(["deepgram=60rpm"]))
    assert connected(work, connections=ModelClients(pacing=pacing)) > 0.5


def test_silence_on_the_wire_is_a_time_out() -> None:
    async def work(connections: ModelClients, server: SpeechServer) -> Usage | None:
        voice = resolve_synthesizer(voice_name(server, "deepgram"), connections)
        return (await voice.speak("hello", "en", 1)).usage

    connections = ModelClients(Timeouts(connect=5, read=0.2))
    usage = connected(work, failing(Hang(rate=1, seconds=30), 1), connections=connections)
    assert usage is not None
    assert usage.faults == {"timeout": 1}


@pytest.mark.parametrize("wire", ["elevenlabs", "cartesia", "gemini", "qwen"])
def test_half_a_reply_of_the_right_length_is_noticed(wire: Wire) -> None:
    async def work(connections: ModelClients, server: SpeechServer) -> Usage | None:
        voice = resolve_synthesizer(voice_name(server, wire), connections)
        return (await voice.speak("hello", "en", 1)).usage

    usage = connected(work, failing(MalformedJson(rate=1), 1))
    assert usage is not None
    assert usage.faults == {"malformed": 1}


class Sounding(CodedSpeaker):
    """A speaker that gives the same audio for every text."""

    def __init__(self, audio: Audio) -> None:
        self.audio = audio

    def speak(self, asked: SpeakRequest) -> Audio:
        assert asked.text
        return self.audio


SILENT = Sounding(Audio(b"", 24_000))
ENDLESS = Sounding(Audio(bytes(660 * 2 * 8_000), 8_000))
NO_SOUND, TOO_LONG = "audio without a sound", "audio of 660 seconds, taken are 600"


@pytest.mark.parametrize(
    ("wire", "speaker", "complaint"),
    [
        *((wire, SILENT, NO_SOUND) for wire in PROVIDERS),
        *((wire, ENDLESS, TOO_LONG) for wire in PROVIDERS if wire != "qwen"),
    ],
)
def test_no_audio_and_too_much_of_it_are_refused(
    wire: Wire, speaker: Speaker, complaint: str
) -> None:
    async def work(connections: ModelClients, server: SpeechServer) -> None:
        voice = resolve_synthesizer(voice_name(server, wire), connections)
        with pytest.raises(ParticipantError, match=complaint):
            await voice.speak("hello", "en", 1)

    connections = ModelClients(Timeouts(connect=5, read=5), RetryPolicy(attempts=1))
    connected(work, speaker=speaker, connections=connections)


def test_a_wrong_key_ends_the_run_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE", KEY)

    async def work(connections: ModelClients, server: SpeechServer) -> str:
        voice = resolve_synthesizer(voice_name(server, "cartesia", "&key_env=MINE"), connections)
        with pytest.raises(RunHalted, match="check the key in the environment") as caught:
            await voice.speak("hello", "en", 1)
        return str(caught.value)

    line = connected(work, ServerConfig(checks=Checks(api_key="another-key-0123456789")))
    assert line.startswith("cartesia/some-model: refused with status 401")
    assert KEY not in line


def test_what_is_refused_once_others_were_answered_ends_one_conversation_only() -> None:
    async def work(connections: ModelClients, server: SpeechServer) -> None:
        recognizer = resolve_recognizer(recognizer_name(server, "openai"), connections)
        voice = resolve_synthesizer(voice_name(server, "openai"), connections)
        spoken = await voice.speak("hello", "en", 1)
        assert (await recognizer.transcribe(spoken.audio, "en")).text == "hello"
        with pytest.raises(ParticipantError, match="refused with status 400"):
            await recognizer.transcribe(Audio(bytes(601 * 2 * 100), 100), "en")

    connected(work)


def test_nothing_to_say_and_nothing_to_hear_ask_nobody() -> None:
    async def work(connections: ModelClients, server: SpeechServer) -> int:
        spoken = await resolve_synthesizer(voice_name(server, "qwen"), connections).speak(
            " \n", "en", 1
        )
        recognizer = resolve_recognizer(recognizer_name(server, "qwen"), connections)
        assert (spoken.audio.pcm, spoken.usage) == (b"", None)
        assert await recognizer.transcribe(spoken.audio, "en") == await recognizer.transcribe(
            spoken.audio, "vi"
        )
        return server.log.started

    assert connected(work) == 0


class Counting(CodedSpeaker):
    """Speaks differently each time, as providers do."""

    def __init__(self) -> None:
        self.times = 0

    def speak(self, asked: SpeakRequest) -> Audio:
        self.times += 1
        return super().speak(SpeakRequest(asked.protocol, "", "", f"{asked.text} {self.times}"))

    def listen(self, asked: Listen) -> str:
        self.times += 1
        return super().listen(asked)


def test_replies_are_remembered_per_draw_for_voices_and_by_audio_for_ears(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    speaker = Counting()

    async def work(connections: ModelClients, server: SpeechServer) -> list[str]:
        voice = resolve_synthesizer(voice_name(server, "deepgram"), connections)
        recognizer = resolve_recognizer(recognizer_name(server, "deepgram"), connections)
        heard = []
        for seed in (1, 1, 2):
            spoken = await voice.speak("hello", "en", seed)
            heard += [await recognizer.transcribe(spoken.audio, "en") for _ in "ab"]
        assert all(transcript.usage is not None for transcript in heard)
        replayed = [transcript.usage.replayed for transcript in heard if transcript.usage]
        assert replayed == [0, 1, 1, 1, 0, 1]
        return [transcript.text for transcript in heard]

    connections = ModelClients(Timeouts(connect=5, read=5), cache_enabled=True)
    assert connected(work, speaker=speaker, connections=connections) == [
        "hello 1",
        "hello 1",
        "hello 1",
        "hello 1",
        "hello 3",
        "hello 3",
    ]
    assert (cache_folder() / "replies.sqlite").exists()
    assert speaker.times == 4


def test_a_budget_counts_speech_and_ends_the_run() -> None:
    prices = {"openai/some-model": Price(characters=Decimal(1_000_000))}
    budget = Budget(parse_spend_limit("7 USD"), prices.get)

    async def work(connections: ModelClients, server: SpeechServer) -> None:
        voice = resolve_synthesizer(voice_name(server, "openai"), connections)
        for text in ("hello", "you"):
            await voice.speak(text, "en", 1)
        with pytest.raises(
            RunHalted, match=r"the budget of 7 USD is spent \(8\.0000 USD in 2 calls"
        ):
            await voice.speak("all", "en", 1)
        with pytest.raises(UsageError, match="needs the price of deepgram/some-model"):
            resolve_recognizer(recognizer_name(server, "deepgram"), connections)

    connected(work, connections=ModelClients(Timeouts(connect=5, read=5), budget=budget))


def test_a_provider_needs_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEEPGRAM_API_KEY", raising=False)
    with pytest.raises(UsageError, match="set DEEPGRAM_API_KEY in the environment"):
        resolve_recognizer("deepgram/nova-3", ModelClients())
    with pytest.raises(UsageError, match="Add &base_url=http://HOST:PORT/v1"):
        resolve_synthesizer("compatible/v?model=m", ModelClients())


def test_the_identity_knows_address_and_voice_and_not_the_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ONE", KEY)
    names = [
        "openai/a?model=m&base_url=http://127.0.0.1:1/v1",
        "openai/b?model=m&base_url=http://127.0.0.1:1/v1",
        "openai/a?model=m&base_url=http://127.0.0.1:2/v1",
    ]
    identities = [resolve_synthesizer(name, ModelClients()).identity for name in names]
    assert len(set(identities)) == 3
    keyed = resolve_synthesizer(f"{names[0]}&key_env=ONE", ModelClients())
    assert keyed.identity == identities[0]
    assert keyed.name == f"{names[0]}&key_env=ONE"


def test_every_protocol_of_the_table_has_a_voice_and_an_ear() -> None:
    assert set(TTS_PROTOCOLS) == set(ASR_PROTOCOLS) == set(PROVIDERS)


def test_names_in_a_list_are_told_apart() -> None:
    assert split_names("deepgram/nova-3, openai/whisper-1") == (
        "deepgram/nova-3",
        "openai/whisper-1",
    )
    with pytest.raises(UsageError, match="empty name"):
        split_names("deepgram/nova-3,")
    with pytest.raises(UsageError, match="named twice"):
        split_names("a/b,a/b")


def test_the_list_of_providers_tells_whether_keys_are_set_and_none_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ELEVENLABS_API_KEY", KEY)
    lines = describe_speech()
    assert lines["elevenlabs"].endswith("key in ELEVENLABS_API_KEY (set)")
    assert lines["vosk"] == "on this machine, listens"
    assert KEY not in str(lines)
