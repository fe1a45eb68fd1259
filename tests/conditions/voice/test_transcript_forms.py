"""Raw and normalized transcripts: the agent's one, and the record of both."""

import asyncio
from collections.abc import Sequence

import pytest

from dragoman.conditions.voice.asr_error_simulation.simulator import ErrorSimulator
from dragoman.conditions.voice.channel import (
    Listener,
    SimulatedChannel,
    SimulatedPath,
    VoiceChannel,
    VoicePath,
    transcript_texts,
)
from dragoman.conditions.voice.inverse_text_normalization.normalizer import (
    EARLIER_NORMALIZER,
    NORMALIZER,
)
from dragoman.conditions.voice.layer import RecordedSounds, RecordedVoice
from dragoman.core.audio import NULL_AUDIO_STORE, Audio, MemoryAudioStore
from dragoman.core.layers import ConversationContext
from dragoman.core.protocols import SynthesisResult, Transcript
from dragoman.core.recordings import RecordedMessage, RecordedTranscript
from dragoman.core.replies import (
    NORMALIZED,
    NORMALIZER_SETTING,
    WORDS,
    AudioRef,
    TranscriptForm,
    Utterance,
)
from dragoman.core.tasks import Scenario, Task
from dragoman.simulation.participants.oracle import SilentAgent

RAW = "my order is w two three seven eight one five six"
WRITTEN = "my order is W2378156"


class Silent:
    """A voice that is silent."""

    name = "silent"
    identity = "silent"

    async def speak(self, text: str, language: str, seed: int) -> SynthesisResult:  # noqa: ARG002 - it is silent
        return SynthesisResult(Audio(bytes(3_200), 16_000))


class Writing:
    """A recognizer that always writes the same transcript."""

    name = "writing"
    identity = "writing"

    async def transcribe(self, audio: Audio, language: str) -> Transcript:  # noqa: ARG002 - it is sure
        return Transcript(RAW)


class Kept:
    """An audio set of one message, made by the earlier rules."""

    digest = "kept"
    recognizers: Sequence[str] = ("mixed", "simulated:15")
    speakers: Sequence[str] = ("us",)
    line = "studio"
    normalizer = EARLIER_NORMALIZER
    tasks = ("t",)

    def of(self, task: str) -> Sequence[RecordedMessage]:
        heard = dict.fromkeys(self.recognizers, RecordedTranscript(RAW, WRITTEN))
        message = RecordedMessage("suite", task, 0, 0, "Typed.", "Said.", None, (), heard, {})
        return (message,)

    def sound(self, audio: AudioRef) -> Audio:
        raise AssertionError(audio)


def live(listener: Listener, transcript: TranscriptForm = "normalized") -> VoicePath:
    return VoicePath("en", Silent(), (), listener, transcript=transcript)


def recorded(
    listener: str,
    transcript: TranscriptForm = "normalized",
    paths: dict[str, VoicePath] | None = None,
) -> RecordedVoice:
    kept = Kept()
    sounds = RecordedSounds(kept)
    return RecordedVoice("", kept, sounds, listener, paths, "p", {}, transcript)


def carried(listener: Listener, transcript: TranscriptForm) -> Utterance:
    channel = VoiceChannel(live(listener, transcript), MemoryAudioStore(), 1)
    return asyncio.run(channel.carry(Utterance("Typed.")))


@pytest.mark.parametrize(("transcript", "received"), [("normalized", WRITTEN), ("raw", RAW)])
def test_an_agent_receives_the_transcript_that_was_chosen_and_the_record_keeps_both(
    transcript: TranscriptForm, received: str
) -> None:
    utterance = carried(Writing(), transcript)

    assert utterance.received == received
    assert utterance.stages[-1].settings == {
        WORDS: RAW,
        NORMALIZED: WRITTEN,
        NORMALIZER_SETTING: NORMALIZER,
    }


@pytest.mark.parametrize("listener", [None, "itself"])
def test_where_there_is_no_transcript_nothing_is_recorded_of_one(listener: Listener) -> None:
    utterance = carried(listener, "raw")

    assert utterance.received == ("Typed." if listener is None else None)
    assert utterance.stages[-1].settings == {}


def test_simulated_errors_are_received_raw_where_that_is_chosen() -> None:
    said = Utterance("My order is W2378156.")
    simulator = ErrorSimulator()

    async def heard(transcript: TranscriptForm) -> Utterance:
        path = SimulatedPath("en", simulator, 0.0, transcript=transcript)
        return await SimulatedChannel(path, 1).carry(said)

    raw, normalized = (asyncio.run(heard(form)) for form in ("raw", "normalized"))
    words = raw.stages[0].settings[WORDS]
    assert raw.received == words != normalized.received
    assert "W2378156" in str(normalized.received)
    for utterance in (raw, normalized):
        settings = utterance.stages[0].settings
        assert settings[WORDS] == words
        assert settings[NORMALIZED] == normalized.received
        assert settings[NORMALIZER_SETTING] == NORMALIZER


@pytest.mark.parametrize("listener", ["mixed", "simulated:15"])
@pytest.mark.parametrize(("transcript", "received"), [("normalized", WRITTEN), ("raw", RAW)])
def test_of_a_set_the_stored_transcripts_are_received_and_its_normalizer_is_recorded(
    listener: str, transcript: TranscriptForm, received: str
) -> None:
    task = Task("t", "suite", "digest", Scenario("Call."))
    context = ConversationContext(task, "key", "draw", SilentAgent(), NULL_AUDIO_STORE)
    channel = recorded(listener, transcript).channel(context, "user")
    assert channel is not None
    utterance = asyncio.run(channel.carry(Utterance("Typed.")))

    assert utterance.received == received
    settings = utterance.stages[-1].settings
    assert (settings[WORDS], settings[NORMALIZED]) == (RAW, WRITTEN)
    assert settings[NORMALIZER_SETTING] == EARLIER_NORMALIZER


def test_the_keys_of_the_default_are_those_of_before_there_was_a_choice() -> None:
    assert live(Writing()).identity == "420dae0f51a45e131917490322aa58ff"
    assert live(None).identity == "966accafef2f31d0ac79c36a2b7d6522"
    assert live("itself").identity == "ffd24f7b1d3f6631a4e6fcdfe0c04e5b"
    assert recorded("mixed").identity == "09a82302cc589921df1477b1c1d6f8db"
    assert recorded("mixed", paths={"us": live(Writing())}).identity == (
        "4eb0a84c2955939ac2e2cf441d9a5c9c"
    )
    assert recorded("understood").identity == "946d0d18ee6e4dfc15d829b119b3ecd3"
    simulator = ErrorSimulator()
    path = SimulatedPath("en", simulator, 0.1)
    assert path.identity == f"simulated:en:0.1:{simulator.identity('en')}"


def test_raw_transcripts_have_keys_of_their_own_where_there_is_a_transcript() -> None:
    simulator = ErrorSimulator()
    assert live(Writing(), "raw").identity != live(Writing()).identity
    assert recorded("mixed", "raw").identity != recorded("mixed").identity
    raw = SimulatedPath("en", simulator, 0.1, transcript="raw")
    assert raw.identity != SimulatedPath("en", simulator, 0.1).identity
    assert live(None, "raw").identity == live(None).identity
    assert live("itself", "raw").identity == live("itself").identity
    assert recorded("understood", "raw").identity == recorded("understood").identity


def test_a_transcript_in_another_language_stays_as_it_is() -> None:
    texts = transcript_texts("hai ba bốn", "vi")
    assert (texts.raw, texts.normalized) == ("hai ba bốn", "hai ba bốn")
