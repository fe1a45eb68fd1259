"""Voices and ears whose replies are remembered."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from dragoman.core.audio import Audio
from dragoman.core.errors import ParticipantError
from dragoman.core.protocols import SynthesisResult, Transcript
from dragoman.core.usage import Usage
from dragoman.speech import cache as cached
from dragoman.speech.cache import CachedRecognizer, CachedSynthesizer
from dragoman.store.reply_cache import ReplyCache

SOUND = Audio(b"\x01\x00\x02\x00", 16_000)
SPOKEN = Usage("synthesis", "p/m", faults={"cut": 1}, seconds=2.5, audio_seconds=1.0, characters=5)
HEARD = Usage("recognition", "p/m", 1, 14, 5, seconds=0.5, audio_seconds=1.0)


class Voice:
    """A voice that gives longer audio each time, and breaks on request."""

    name = "p/voice"
    identity = "voice-identity"

    def __init__(self) -> None:
        self.calls = 0

    async def speak(self, text: str, language: str, seed: int) -> SynthesisResult:
        assert language
        assert seed >= 0
        self.calls += 1
        if text == "break":
            raise ParticipantError("broke")
        usage = None if text == "free" else SPOKEN
        return SynthesisResult(Audio(SOUND.pcm * self.calls, 16_000), usage)


class StubRecognizer:
    """Hears another text each time."""

    name = "p/ear"
    identity = "ear-identity"

    def __init__(self) -> None:
        self.calls = 0

    async def transcribe(self, audio: Audio, language: str) -> Transcript:
        self.calls += 1
        return Transcript(f"{language} {len(audio.pcm)} {self.calls}", HEARD)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "replies.sqlite"


@pytest.fixture
def cache(path: Path) -> Iterator[ReplyCache]:
    with ReplyCache(path, 10_000_000) as cache:
        yield cache


def said(
    voice: CachedSynthesizer, text: str = "hello", language: str = "en", seed: int = 7
) -> SynthesisResult:
    return asyncio.run(voice.speak(text, language, seed))


def test_the_same_words_are_paid_for_once_and_sound_the_same(cache: ReplyCache) -> None:
    voice = Voice()
    first, again = (said(CachedSynthesizer(voice, cache)) for _ in "ab")
    assert voice.calls == 1
    assert again.audio == first.audio == SOUND
    assert first.usage == SPOKEN
    assert again.usage == msgspec.structs.replace(
        SPOKEN,
        replayed=1,
        faults={},
        seconds=0.0,
        replayed_input_tokens=None,
        replayed_output_tokens=None,
        replayed_cached_tokens=None,
        replayed_audio_seconds=1.0,
        replayed_characters=5,
    )


@pytest.mark.parametrize("other", [("hello!", "en", 7), ("hello", "vi", 7), ("hello", "en", 8)])
def test_another_text_language_or_seed_is_another_question(
    cache: ReplyCache, other: tuple[str, str, int]
) -> None:
    voice = CachedSynthesizer(Voice(), cache)
    assert said(voice).audio != said(voice, *other).audio


@pytest.mark.parametrize(
    ("audio", "language"),
    [(Audio(SOUND.pcm, 8_000), "en"), (Audio(b"\0\0", 16_000), "en"), (SOUND, "vi")],
)
def test_an_ear_is_asked_about_the_same_audio_once(
    cache: ReplyCache, audio: Audio, language: str
) -> None:
    recognizer = StubRecognizer()
    cached = CachedRecognizer(recognizer, cache)
    first, again = (asyncio.run(cached.transcribe(SOUND, "en")) for _ in "ab")
    assert first.text == again.text == "en 4 1"
    assert again.usage is not None
    assert (again.usage.replayed, again.usage.input_tokens) == (1, 14)
    asyncio.run(cached.transcribe(audio, language))
    assert recognizer.calls == 2


def test_what_broke_or_cost_nothing_is_not_remembered(cache: ReplyCache) -> None:
    voice = Voice()
    for _ in "ab":
        with pytest.raises(ParticipantError):
            said(CachedSynthesizer(voice, cache), "break")
        said(CachedSynthesizer(voice, cache), "free")
    assert voice.calls == 4


def test_audio_of_some_minutes_is_not_remembered(
    cache: ReplyCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cached, "MAX_CACHED_BYTES", 3)
    voice = Voice()
    for _ in "ab":
        said(CachedSynthesizer(voice, cache))
    assert voice.calls == 2


def test_a_reply_that_cannot_be_read_is_asked_for_again(
    cache: ReplyCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    voice = Voice()
    said(CachedSynthesizer(voice, cache))
    for body in (b"", b"\xff", msgspec.msgpack.encode(["", 0, None]), b"\x93\xc4\x01a\x01\xc0"):
        monkeypatch.setattr(cache, "get", lambda _, body=body: body)
        said(CachedSynthesizer(voice, cache))
    assert voice.calls == 5


def test_a_call_that_an_earlier_process_had_under_way_says_so(path: Path) -> None:
    async def hang(cache: ReplyCache) -> None:
        class Hanging(Voice):
            async def speak(self, text: str, language: str, seed: int) -> SynthesisResult:
                await asyncio.sleep(60)
                return await super().speak(text, language, seed)

        task = asyncio.create_task(CachedSynthesizer(Hanging(), cache).speak("hello", "en", 7))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with ReplyCache(path, 10_000_000) as first:
        asyncio.run(hang(first))
    with ReplyCache(path, 10_000_000) as second:
        usage = said(CachedSynthesizer(Voice(), second)).usage
    assert usage is not None
    assert usage.faults == {"cut": 1, "interrupted": 1}
