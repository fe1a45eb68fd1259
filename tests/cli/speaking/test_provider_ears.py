"""Recognizers at providers, through the wires of three services: on real audio, down, and deaf."""

import re
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.core.episodes import Episode, Message
from dragoman.core.recordings import RecordedMessage
from dragoman.core.replies import WORDS, TextReply, Utterance
from dragoman.registry.suites import load_suite
from dragoman.store.audio_set import AudioSet
from dragoman.store.run_store import open_run
from dragoman.testing.fault_injection import Faults, ServerError
from dragoman.testing.server_config import ServerConfig
from dragoman.testing.speech.embedded_speaker import EmbeddedSpeaker
from dragoman.testing.speech.requests import Listen, Protocol
from dragoman.testing.speech.server import CodedSpeaker, SpeechServer

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]

SERVICES: tuple[Protocol, ...] = ("openai", "deepgram", "elevenlabs")
RECOGNIZERS = {
    "openai": "openai/whisper-1?base_url=",
    "deepgram": "deepgram/nova-3?smart_format=true&base_url=",
    "elevenlabs": "elevenlabs/scribe_v1?base_url=",
}
VOICES = {
    "openai": "openai/alloy?model=tts-1&base_url=",
    "deepgram": "deepgram/thalia-en?model=aura-2&base_url=",
    "elevenlabs": "elevenlabs/rachel?model=eleven_flash_v2_5&base_url=",
}
# Carries the code of the test server's voice as it is.
PERFECT_LINE = "studio-without-resample"
# One request in three meets an error of the server, and none more than two in a row.
STUMBLING = ServerConfig(
    Faults(transport=(ServerError(rate=0.3, statuses=(500,)),), most_in_a_row=2)
)
DOWN = ServerConfig(Faults(transport=(ServerError(rate=1, statuses=(500,)),), most_in_a_row=10**6))


class DeafSpeaker(CodedSpeaker):
    """Speaks in the code and hears no word."""

    def listen(self, asked: Listen) -> str:
        return super().listen(asked)[:0]


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for service in SERVICES:
        monkeypatch.setenv(f"{service.upper()}_API_KEY", "key-for-tests")


@pytest.fixture
def recognizing(speaking: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SpeechServer]:
    """A server that recognizes speech, and is not always available."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(speaking))
    with SpeechServer(EmbeddedSpeaker([load_suite("courier")]), STUMBLING) as server:
        yield server


def recognizer(server: SpeechServer, service: Protocol) -> str:
    return f"{RECOGNIZERS[service]}{server.url(service)}"


def voice(server: SpeechServer, service: Protocol) -> str:
    return f"{VOICES[service]}{server.url(service)}"


def listed(name: Callable[[SpeechServer, Protocol], str], server: SpeechServer) -> str:
    return ",".join(name(server, service) for service in SERVICES)


def letters(text: str) -> str:
    """Return letters and digits alone, which two styles of writing have in common."""
    return re.sub(r"[^a-z0-9]", "", text.casefold())


def share_heard(message: RecordedMessage, name: str) -> float:
    """Return the share of the spoken letters that was heard, from 0 to 1."""
    said, heard = letters(message.said), letters(message.heard[name].words)
    return SequenceMatcher(None, said, heard, autojunk=False).ratio()


def require_same_recognition(messages: list[RecordedMessage], server: SpeechServer) -> None:
    """Check that each service wrote the words of the embedded recognizer, in sentences."""
    for message in messages:
        for service in SERVICES:
            heard = message.heard[recognizer(server, service)]
            assert letters(heard.words) == letters(message.heard["mixed"].text), service
            assert re.fullmatch(r"[A-Z0-9$].*[.?]", heard.words), heard.words
            assert share_heard(message, recognizer(server, service)) > 0.6


def require_counted(card: dict[str, Any], server: SpeechServer) -> None:
    """Check that the card states calls and seconds of audio of each service."""
    used = {(each["purpose"], each["model"]): each for each in card["usage"]}
    for service in SERVICES:
        model = RECOGNIZERS[service].partition("?")[0]
        recognition = used["recognition", model]
        assert recognition["calls"] == card["sounds"]
        assert recognition["audio_seconds"] == pytest.approx(card["seconds"], abs=0.1)
    stumbled = sum(each.get("faults", {}).get("server_error", 0) for each in used.values())
    assert stumbled == server.log.outcomes["server_error"] > 0


@pytest.mark.speech
@pytest.mark.slow
@pytest.mark.parametrize(
    "sample", [2, pytest.param(8, marks=pytest.mark.nightly)], ids=["few", "more"]
)
def test_three_services_hear_over_the_telephone_what_the_embedded_recognizer_hears(
    run_json: RunJson, folder: Path, speaking: Path, recognizing: SpeechServer, sample: int
) -> None:
    card = run_json(
        *("speak", "courier", "--out", "set", "--line", "telephone", "--sample", sample),
        *("--tts", listed(voice, recognizing)),
        *("--asr", f"mixed,{listed(recognizer, recognizing)}"),
        cache=speaking,
    )

    recordings = AudioSet(folder / "set")
    messages = [message for task in recordings.tasks for message in recordings.of(task)]
    assert len(messages) == card["sounds"] == sample
    require_same_recognition(messages, recognizing)
    require_counted(card, recognizing)
    for heard in card["categories"]["courier"]["speech"]["recognizers"].values():
        assert heard["word_error_rate"] < 0.6
        assert heard["lost"] <= heard["values"] / 2
    assert run_json("speak", "--verify", "set")["problems"] == []


def played(folder: Path) -> dict[str, Episode]:
    """Return the conversations of a run by condition."""
    with open_run(folder, write=False) as store:
        conditions = {cell.key: cell.condition.label for cell in store.cells()}
        return {conditions[key]: episode for key, _, episode in store.episodes()}


def said_by_user(episode: Episode) -> list[Utterance]:
    return [
        event.reply.utterance
        for event in episode.events
        if isinstance(event, Message) and event.by == "user" and isinstance(event.reply, TextReply)
    ]


def transcript(line: Utterance) -> object:
    """Return the recognizer's answer before inverse text normalization."""
    found = [stage.settings[WORDS] for stage in line.stages if WORDS in stage.settings]
    return found[0] if found else line.heard


TASK = ("run", "courier:easy", "--agent", "literal", "--tasks", "where-is-my-parcel", "--no-cache")


@pytest.mark.speech
@pytest.mark.slow
def test_a_tracking_number_passes_a_telephone_run_in_the_writing_of_its_service(
    run_json: RunJson, folder: Path, speaking: Path, recognizing: SpeechServer
) -> None:
    result = run_json(
        *(*TASK, "--voice", "telephone", "--out", "mine"),
        *("--speaker", voice(recognizing, "openai"), "--asr", listed(recognizer, recognizing)),
        cache=speaking,
    )

    numbers = {
        "openai": "KD274188065",
        "deepgram": "KD 274 188 065",
        "elevenlabs": "KD-274-188-065",
    }
    episodes = played(folder / "mine")
    assert len(episodes) == len(numbers)
    for condition, episode in episodes.items():
        (service,) = (each for each in SERVICES if f"+{each}/" in condition)
        assert episode.ending.reason == "user_stop"
        told_number = [line for line in said_by_user(episode) if "KD274188065" in line.intended]
        assert told_number
        assert transcript(told_number[0]) == f"The tracking number is {numbers[service]}."
    heard = {each["model"]: each for each in result["usage"] if each["purpose"] == "recognition"}
    assert len(heard) == len(SERVICES)
    assert all(each["calls"] >= 2 and each["audio_seconds"] > 5 for each in heard.values())


@pytest.mark.slow
def test_services_that_stay_down_are_infrastructure(run_json: RunJson, folder: Path) -> None:
    with SpeechServer() as speaks, SpeechServer(behaviour=DOWN) as hears:
        result = run_json(
            *(*TASK, "--voice", PERFECT_LINE, "--patience", 1, "--out", "mine"),
            *("--speaker", voice(speaks, "openai"), "--asr", listed(recognizer, hears)),
            status=1,
        )

    episodes = played(folder / "mine").values()
    assert len(episodes) == len(SERVICES)
    for episode in episodes:
        assert episode.is_fault
        assert "status 500" in episode.ending.detail
    calls = [each["calls"] for each in result["usage"] if each["purpose"] == "recognition"]
    assert calls == [0, 0, 0]


def test_a_transcript_without_words_is_kept_as_one(run_json: RunJson, folder: Path) -> None:
    with SpeechServer(DeafSpeaker()) as server:
        names = [recognizer(server, service) for service in SERVICES]
        card = run_json(
            *("speak", "courier", "--out", "set", "--line", PERFECT_LINE, "--sample", 2),
            *("--tts", voice(server, "openai"), "--asr", ",".join(names)),
        )

    recordings = AudioSet(folder / "set")
    messages = [message for task in recordings.tasks for message in recordings.of(task)]
    assert len(messages) == 2
    assert {message.heard[name].words for message in messages for name in names} == {""}
    for heard in card["categories"]["courier"]["speech"]["recognizers"].values():
        assert heard["lost"] == heard["values"] > 0
        assert heard["word_error_rate"] > 0.9
    assert sum(each["calls"] for each in card["usage"] if each["purpose"] == "recognition") == 6
    assert run_json("speak", "--verify", "set")["problems"] == []


@pytest.mark.slow
def test_a_user_of_whom_no_word_is_heard_is_no_fault(run_json: RunJson, folder: Path) -> None:
    with SpeechServer(DeafSpeaker()) as server:
        run_json(
            *(*TASK, "--voice", PERFECT_LINE, "--out", "mine"),
            *("--speaker", voice(server, "openai"), "--asr", recognizer(server, "elevenlabs")),
        )

    (episode,) = played(folder / "mine").values()
    assert not episode.is_fault
    assert {line.heard for line in said_by_user(episode)} == {""}
