"""One side of a call, by real engines: the record of utterances, and odd utterances."""

import asyncio
import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from dragoman.conditions.voice.audio_effects.presets import find_effects
from dragoman.conditions.voice.channel import VoiceChannel, VoicePath
from dragoman.conditions.voice.layer import LiveVoice
from dragoman.core.audio import Audio, read_wav
from dragoman.core.errors import ParticipantError
from dragoman.core.layers import ConversationContext
from dragoman.core.protocols import Recognizer, SynthesisResult, Transcript
from dragoman.core.replies import ORACLE_ENGINE, AudioRef, Stage, Utterance
from dragoman.core.tasks import Scenario, Task
from dragoman.core.tools import Role
from dragoman.core.usage import Usage
from dragoman.simulation.participants.oracle import SilentAgent
from dragoman.speech.embedded.espeak_library import find_voice
from dragoman.speech.embedded.language_model import stock_language_model
from dragoman.speech.embedded.pocketsphinx_decoder import adapted_acoustics
from dragoman.speech.embedded.recognizer import PocketsphinxRecognizer
from dragoman.speech.embedded.synthesizer import EspeakSynthesizer
from dragoman.speech.embedded.worker_pool import SpeechWorkerPool
from dragoman.store.audio_files import AudioFiles

pytestmark = pytest.mark.speech

SENTENCE = "The parcel was left at the wrong door on March 3."


class Deaf:
    """A recognizer that never hears a word."""

    name = "deaf"
    identity = "deaf"

    async def transcribe(self, audio: Audio, language: str) -> Transcript:  # noqa: ARG002 - it is deaf
        return Transcript("")


class Broken:
    """A recognizer that breaks."""

    name = "broken"
    identity = "broken"

    async def transcribe(self, audio: Audio, language: str) -> Transcript:
        raise ParticipantError(f"no {language} for {audio.seconds} s")


class Charging:
    """A voice that is silent and costs characters."""

    name = "charging"
    identity = "charging"

    async def speak(self, text: str, language: str, seed: int) -> SynthesisResult:  # noqa: ARG002 - it is silent
        usage = Usage(purpose="synthesis", model="charging", calls=1, characters=len(text))
        return SynthesisResult(Audio(bytes(3_200), 16_000), usage)


TASK = Task("t", "suite", "digest", Scenario("Call."))


def carried(
    texts: Sequence[str],
    folder: Path,
    *,
    line: str = "telephone",
    listener: Recognizer | None = None,
    seed: int = 7,
) -> list[Utterance]:
    """Return utterances after one call; without a listener they are heard by the embedded one."""

    async def call() -> list[Utterance]:
        async with SpeechWorkerPool(2) as workers:
            recognizer = listener or PocketsphinxRecognizer(
                stock_language_model(), adapted_acoustics(), workers
            )
            voice = EspeakSynthesizer(find_voice("us"), workers)
            path = VoicePath("en", voice, find_effects(line), recognizer)
            channel = VoiceChannel(path, AudioFiles(folder), seed)
            return [await channel.carry(Utterance(text)) for text in texts]

    return asyncio.run(call())


def understood(texts: Sequence[str], folder: Path, seed: int = 7) -> list[Utterance]:
    """Return utterances after a call to a listener who understands the intended words."""

    async def call() -> list[Utterance]:
        async with SpeechWorkerPool(1) as workers:
            voice = EspeakSynthesizer(find_voice("us"), workers)
            path = VoicePath("en", voice, find_effects("telephone"), None)
            channel = VoiceChannel(path, AudioFiles(folder), seed)
            return [await channel.carry(Utterance(text)) for text in texts]

    return asyncio.run(call())


def audios(utterances: Sequence[Utterance]) -> list[tuple[AudioRef | None, AudioRef | None]]:
    return [(each.clean_audio, each.audio) for each in utterances]


def stored(folder: Path, reference: AudioRef | None) -> Audio:
    """Return the audio of a reference, from the file whose bytes have its hash."""
    assert reference is not None
    content = AudioFiles(folder).read(reference.sha256)
    assert hashlib.sha256(content).hexdigest() == reference.sha256
    return read_wav(content, reference.sha256)


@pytest.mark.slow
def test_an_utterance_keeps_its_texts_its_audio_and_its_stages(tmp_path: Path) -> None:
    (utterance,) = carried([SENTENCE], tmp_path)

    assert utterance.intended == SENTENCE
    assert utterance.spoken == "The parcel was left at the wrong door on March third."
    assert isinstance(utterance.heard, str)
    assert "parcel" in utterance.heard
    assert utterance.received == utterance.heard
    clean, arrived = stored(tmp_path, utterance.clean_audio), stored(tmp_path, utterance.audio)
    assert (clean.rate_hz, arrived.rate_hz) == (22_050, 8_000)
    assert arrived.seconds == pytest.approx(clean.seconds, abs=0.05)
    assert [stage.name for stage in utterance.stages] == [
        "synthesis",
        *("noise", "resample", "band_pass", "mu_law", "loss"),
        "recognition",
    ]
    assert utterance.stages[0].engine == "espeak-ng:us"
    assert utterance.stages[-1].engine.startswith("pocketsphinx:")


def test_signs_for_the_harness_are_never_spoken(tmp_path: Path) -> None:
    ending, thanks = understood(["###STOP###", "Thank you. ###TRANSFER###"], tmp_path)

    assert (ending.intended, ending.spoken, ending.heard) == ("###STOP###", "", "")
    assert stored(tmp_path, ending.clean_audio).pcm == b""
    assert (thanks.spoken, thanks.heard) == ("Thank you.", "Thank you.")
    assert thanks.intended == "Thank you. ###TRANSFER###"


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["", " \n", "🎉🙂", "Order отмена 取消 ยกเลิก, please.", "<b>###</b> \0 % {x}"],
)
def test_odd_texts_are_carried_and_recorded(text: str, tmp_path: Path) -> None:
    (utterance,) = carried([text], tmp_path)

    assert utterance.intended == text
    assert isinstance(utterance.heard, str)
    assert stored(tmp_path, utterance.audio).rate_hz == 8_000


@pytest.mark.slow
@pytest.mark.nightly
def test_five_thousand_characters_are_carried(tmp_path: Path) -> None:
    (utterance,) = carried(["please send the blue one " * 200], tmp_path, listener=Deaf())

    assert len(utterance.intended) == 5_000
    assert stored(tmp_path, utterance.audio).seconds > 200


def test_who_hears_nothing_is_recorded_as_having_heard_nothing(tmp_path: Path) -> None:
    (utterance,) = carried([SENTENCE], tmp_path, listener=Deaf())

    assert utterance.heard == ""
    assert utterance.received == ""
    assert utterance.stages[-1].engine == "deaf"


@pytest.mark.slow
def test_whoever_listens_is_given_the_same_audio(tmp_path: Path) -> None:
    texts = [SENTENCE, "Yes, please."]
    heard = carried(texts, tmp_path / "one")
    meant = understood(texts, tmp_path / "other")

    assert audios(heard) == audios(meant)
    assert [each.heard for each in meant] == texts
    assert meant[0].stages[:-1] == heard[0].stages[:-1]
    assert meant[0].stages[-1].engine == "understood"


def test_the_same_words_arrive_differently_each_time_and_by_another_seed(tmp_path: Path) -> None:
    first, again = understood([SENTENCE, SENTENCE], tmp_path)
    (other,) = understood([SENTENCE], tmp_path, seed=8)

    assert first.clean_audio == again.clean_audio == other.clean_audio
    assert len({each.audio.sha256 for each in (first, again, other) if each.audio}) == 3


def test_speech_that_was_paid_for_is_counted_though_the_listener_broke(tmp_path: Path) -> None:
    async def call() -> tuple[Usage, ...]:
        path = VoicePath("en", Charging(), find_effects("studio"), Broken())
        channel = VoiceChannel(path, AudioFiles(tmp_path), 1)
        with pytest.raises(ParticipantError, match="no en for"):
            await channel.carry(Utterance("Hello."))
        assert channel.take_usage()[0].characters == len("Hello.")
        return channel.take_usage()

    assert asyncio.run(call()) == ()


def test_who_hears_the_audio_itself_is_given_no_words(tmp_path: Path) -> None:
    async def call() -> Utterance:
        path = VoicePath("en", Charging(), find_effects("telephone"), "itself")
        return await VoiceChannel(path, AudioFiles(tmp_path), 1).carry(Utterance("Hello."))

    utterance = asyncio.run(call())

    assert (utterance.spoken, utterance.heard, utterance.received) == ("Hello.", None, None)
    assert utterance.stages[-1].engine == "itself"
    assert utterance.audio is not None
    sound = AudioFiles(tmp_path).sound(utterance.audio)
    assert sound.reference() == utterance.audio
    assert sound.rate_hz == 8_000


def test_users_differ_by_conversation_and_the_agent_is_understood(tmp_path: Path) -> None:
    workers = SpeechWorkerPool(1)
    effects = find_effects("studio")
    voices = [EspeakSynthesizer(find_voice(name), workers) for name in ("us", "british")]
    paths = [VoicePath("en", voice, effects, Deaf()) for voice in voices]
    agent = VoicePath("en", Charging(), effects, None)
    voiced = LiveVoice("en/studio/none", tuple(paths), agent, "", {})

    async def engines(cell: str) -> list[str]:
        context = ConversationContext(TASK, cell, cell, SilentAgent(), AudioFiles(tmp_path))
        sides: tuple[Role, Role] = ("user", "agent")
        said = [await voiced.channel(context, side).carry(Utterance("Hello.")) for side in sides]
        return [said[0].stages[0].engine, said[1].stages[0].engine, said[1].stages[-1].engine]

    async def call() -> list[list[str]]:
        async with workers:
            return [await engines(cell) for cell in ("a", "b", "c", "d", "e", "a")]

    played = asyncio.run(call())
    assert played[0] == played[-1]
    assert {each[0] for each in played} == {"espeak-ng:us", "espeak-ng:british"}
    assert {tuple(each[1:]) for each in played} == {("charging", "understood")}


def test_who_speaks_by_themselves_is_not_given_another_voice(tmp_path: Path) -> None:
    sounds = AudioFiles(tmp_path)
    own = sounds.keep(Audio(bytes(range(256)) * 200, 24_000))
    said = Utterance("Hello.", audio=own, clean_audio=own, stages=(Stage("synthesis", "model"),))
    path = VoicePath("en", Charging(), find_effects("studio"), None)

    arrived = asyncio.run(VoiceChannel(path, sounds, 7).carry(said))

    assert arrived.clean_audio == own
    assert (arrived.intended, arrived.spoken, arrived.received) == ("Hello.", "Hello.", "Hello.")
    assert arrived.stages[0] == Stage("synthesis", "model")
    assert arrived.stages[-1].engine == ORACLE_ENGINE
