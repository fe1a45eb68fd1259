"""The embedded synthesizer: equal bytes for equal text, and odd texts."""

import asyncio
from collections.abc import Sequence

import pytest

from dragoman.core.audio import MAX_SECONDS, Audio
from dragoman.core.errors import ParticipantError, UsageError
from dragoman.speech.embedded.espeak_library import Voice, builtin_voices, find_voice, voices_of
from dragoman.speech.embedded.synthesizer import EspeakSynthesizer
from dragoman.speech.embedded.worker_pool import SpeechWorkerPool

Line = tuple[Voice, str]

TEXTS = ("Order twelve for Tom.", "Cancel it.", "Order twelve for Tom.")


async def _said(lines: Sequence[Line], workers: int, seed: int) -> list[Audio]:
    async with SpeechWorkerPool(workers) as processes:
        speaking = [
            EspeakSynthesizer(voice, processes).speak(text, voice.language, seed)
            for voice, text in lines
        ]
        return [spoken.audio for spoken in await asyncio.gather(*speaking)]


def said(lines: Sequence[Line], workers: int = 1, seed: int = 1) -> list[Audio]:
    return asyncio.run(_said(lines, workers, seed))


def test_every_voice_gives_equal_bytes_in_any_order_and_with_any_number_of_workers() -> None:
    lines = [(voice, text) for voice in builtin_voices().voices for text in TEXTS]
    forwards = said(lines)
    backwards = said(list(reversed(lines)), workers=4)
    assert forwards == list(reversed(backwards))
    assert forwards[::3] == forwards[2::3]
    assert all(audio.seconds > 0.2 for audio in forwards)


def test_english_voices_differ() -> None:
    audios = said([(voice, "Order twelve for Tom.") for voice in voices_of("en")])
    assert len({audio.reference().sha256 for audio in audios}) == len(audios)


def test_breath_follows_the_seed() -> None:
    line = (find_voice("us-f2"), "Order twelve for Tom.")
    assert said([line], seed=7) == said([line], seed=7)
    assert said([line], seed=7) != said([line], seed=8)


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_nothing_to_say_is_audio_without_samples(text: str) -> None:
    (audio,) = said([(find_voice("us"), text)])
    assert audio.pcm == b""
    assert audio.seconds == 0


@pytest.mark.parametrize(
    "text",
    [
        "🙂 done 🎉",
        "an отмена 取消 ยกเลิก order",
        "a\0zero byte",
        "half a pair \ud83d",
        "<b>&amp;</b>",
    ],
)
def test_odd_texts_are_said(text: str) -> None:
    (audio,) = said([(find_voice("us"), text)])
    assert audio.seconds > 0.2


def test_what_follows_a_zero_byte_is_said() -> None:
    whole, cut = said([(find_voice("us"), "one\0 two three"), (find_voice("us"), "one")])
    assert whole.seconds > cut.seconds * 1.5


def test_five_thousand_characters_are_said() -> None:
    (audio,) = said([(find_voice("us"), "please send the blue one " * 200)])
    assert 200 < audio.seconds < MAX_SECONDS


def test_a_text_that_takes_longer_than_audio_may_be_is_an_error() -> None:
    with pytest.raises(ParticipantError, match=r"75000 characters takes more than 600 seconds"):
        said([(find_voice("us"), "please send the blue one " * 3_000)])


def test_a_lone_capital_a_is_the_letter_and_not_the_article() -> None:
    letter, word, article = said(
        [(find_voice("us"), text) for text in ("order A five", "order eigh five", "order a five")]
    )
    assert letter == word
    assert letter != article


def test_a_language_of_another_voice_is_refused() -> None:
    async def speak_french() -> None:
        async with SpeechWorkerPool(1) as workers:
            await EspeakSynthesizer(find_voice("us"), workers).speak("bonjour", "fr", 1)

    with pytest.raises(UsageError, match=r"the voice us speaks en, not fr"):
        asyncio.run(speak_french())


def test_identity_tells_voices_apart() -> None:
    workers = SpeechWorkerPool(1)
    one, other = (EspeakSynthesizer(find_voice(name), workers) for name in ("us", "british"))
    assert one.identity != other.identity
    assert one.name == "espeak-ng:us"
