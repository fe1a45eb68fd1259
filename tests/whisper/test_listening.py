"""Whisper with its real package and a real model: its transcripts are reproducible."""

import asyncio
import os
import sys
import time
from pathlib import Path
from random import Random

import pytest
from tests.whisper.conftest import Hear, Speak

from dragoman.core.audio import Audio
from dragoman.core.errors import UsageError
from dragoman.core.protocols import Recognizer
from dragoman.registry.model_clients import ModelClients
from dragoman.registry.speech_engines import resolve_recognizer

SENTENCE = "Please change the delivery address of my parcel to forty two Green Street."


def words_of(text: str) -> set[str]:
    return {word.strip(".,!?").lower() for word in text.split()}


def test_an_english_sentence_is_heard_and_its_speed_told(
    speak: Speak, hear: Hear, capsys: pytest.CaptureFixture[str]
) -> None:
    audio = speak(SENTENCE, "en")
    hear(audio, "en")  # the model is loaded with the first
    began, cpu = time.monotonic(), time.process_time()
    heard = hear(audio, "en-GB")
    took, cpu = time.monotonic() - began, time.process_time() - cpu
    assert {"change", "delivery", "address", "parcel", "green", "street"} <= words_of(heard.text)
    assert heard.usage is not None
    assert heard.usage.model == "whisper/base"
    with capsys.disabled():
        sys.stdout.write(
            f"\nwhisper/base: {audio.seconds:.1f} s of audio in {took:.1f} s, {cpu:.1f} s of CPU, "
            f"{os.cpu_count()} cores\n"
        )


def test_a_vietnamese_greeting_is_heard(speak: Speak, hear: Hear) -> None:
    heard = hear(speak("Xin chào.", "vi"), "vi")
    assert {"xin", "chào"} <= words_of(heard.text)


def test_a_model_that_is_loaded_anew_hears_the_same(
    speak: Speak, hear: Hear, whisper_folder: Path, whisper_recognizer: Recognizer
) -> None:
    other = resolve_recognizer(f"whisper/{whisper_folder}?device=cpu", ModelClients())
    for text, language in ((SENTENCE, "en"), ("Tôi muốn đổi địa chỉ giao hàng.", "vi")):
        audio = speak(text, language)
        first = hear(audio, language).text
        assert hear(audio, language).text == first
        assert asyncio.run(other.transcribe(audio, language)).text == first
    assert other.identity == whisper_recognizer.identity


@pytest.mark.parametrize("threads", [1, 2])
def test_the_number_of_threads_changes_nothing(
    speak: Speak, hear: Hear, whisper_folder: Path, threads: int
) -> None:
    name = f"whisper/{whisper_folder}?device=cpu&cpu_threads={threads}"
    other, audio = resolve_recognizer(name, ModelClients()), speak(SENTENCE, "en")
    assert asyncio.run(other.transcribe(audio, "en")).text == hear(audio, "en").text


NOISE = b"".join(
    int(sample).to_bytes(2, "little", signed=True)
    for random in (Random(1),)  # noqa: S311 - noise
    for sample in (random.gauss(0, 300) for _ in range(48_000))
)


@pytest.mark.parametrize(
    "audio",
    [
        *(Audio(bytes(2 * count), 16_000) for count in (1, 100, 4_800, 80_000)),
        Audio(bytes(24_000), 8_000),
        Audio(NOISE, 16_000),
    ],
    ids=["a sample", "100 samples", "0.3 s", "5 s", "1.5 s at 8 kHz", "noise"],
)
def test_nothing_is_heard_where_nobody_speaks(hear: Hear, audio: Audio) -> None:
    assert not hear(audio, "en").text
    assert not hear(audio, "pt-BR").text


@pytest.mark.parametrize("language", ["fil", "cmn-Hans", "zh-TW", "pt-BR", "th", "id", "nb", "jv"])
def test_languages_are_known_by_their_usual_codes(hear: Hear, language: str) -> None:
    hear(Audio(bytes(3_200), 16_000), language)


def test_a_language_that_whisper_does_not_know_gets_one_line(hear: Hear) -> None:
    with pytest.raises(UsageError, match="does not know 'ceb': it knows af, am, ar,") as caught:
        hear(Audio(bytes(3_200), 16_000), "ceb")
    assert "\n" not in str(caught.value)


def test_nothing_is_printed_when_a_model_is_loaded(
    speak: Speak, whisper_folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    audio = speak("Yes.", "en")
    capfd.readouterr()
    recognizer = resolve_recognizer(f"whisper/{whisper_folder}", ModelClients())
    assert words_of(asyncio.run(recognizer.transcribe(audio, "en")).text) == {"yes"}
    assert capfd.readouterr() == ("", "")
