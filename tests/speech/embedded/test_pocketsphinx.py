"""The embedded recognizer: equal words for equal audio, and empty audio."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from dragoman.core.audio import Audio, read_wav, write_wav
from dragoman.core.errors import DataError, ParticipantError, UsageError
from dragoman.core.texts.alignment import distance
from dragoman.speech.embedded.espeak_library import find_voice
from dragoman.speech.embedded.language_model import stock_language_model
from dragoman.speech.embedded.pocketsphinx_decoder import (
    LANGUAGE_WEIGHTS,
    Acoustics,
    acoustics_in,
    adapted_acoustics,
    stock_acoustics,
)
from dragoman.speech.embedded.recognizer import PocketsphinxRecognizer
from dragoman.speech.embedded.synthesizer import EspeakSynthesizer
from dragoman.speech.embedded.worker_pool import SpeechWorkerPool

TEXTS = (
    "the parcel was left at the wrong door",
    "please change the delivery to friday afternoon",
    "how many bags may i take with me",
    "thank you that is everything i need",
)


async def _audios(texts: Sequence[str]) -> list[Audio]:
    async with SpeechWorkerPool(2) as workers:
        voice = EspeakSynthesizer(find_voice("us"), workers)
        return [(await voice.speak(text, "en", 1)).audio for text in texts]


async def _heard(audios: Sequence[Audio], workers: int, acoustics: Acoustics) -> list[str]:
    async with SpeechWorkerPool(workers) as processes:
        recognizer = PocketsphinxRecognizer(stock_language_model(), acoustics, processes)
        listening = [recognizer.transcribe(audio, "en") for audio in audios]
        return [transcript.text for transcript in await asyncio.gather(*listening)]


@pytest.fixture(scope="module")
def audios() -> list[Audio]:
    return asyncio.run(_audios(TEXTS))


def errors(heard: Sequence[str]) -> int:
    pairs = zip(TEXTS, heard, strict=True)
    return sum(int(distance(said.split(), words.split())) for said, words in pairs)


@pytest.mark.nightly
def test_the_adapted_model_understands_what_the_stock_model_does_not(audios: list[Audio]) -> None:
    words = sum(len(text.split()) for text in TEXTS)
    assert errors(asyncio.run(_heard(audios, 2, adapted_acoustics()))) <= 0.2 * words
    assert errors(asyncio.run(_heard(audios, 2, stock_acoustics()))) >= 0.4 * words


@pytest.mark.nightly
def test_order_and_number_of_workers_change_nothing(audios: list[Audio]) -> None:
    once = asyncio.run(_heard([*audios, *audios], 1, adapted_acoustics()))
    assert once[: len(audios)] == once[len(audios) :]
    assert asyncio.run(_heard(audios[::-1], 4, adapted_acoustics())) == once[: len(audios)][::-1]


def test_the_same_audio_is_heard_once_whoever_stops_waiting(audios: list[Audio]) -> None:
    async def listen() -> tuple[str, str]:
        async with SpeechWorkerPool(1) as workers:
            recognizer = PocketsphinxRecognizer(
                stock_language_model(), adapted_acoustics(), workers
            )
            impatient = asyncio.create_task(recognizer.transcribe(audios[0], "en"))
            patient = asyncio.create_task(recognizer.transcribe(audios[0], "en"))
            await asyncio.sleep(0)
            impatient.cancel()
            first = await patient
        return first.text, (await recognizer.transcribe(audios[0], "en")).text

    first, again = asyncio.run(listen())
    assert first == again != ""


def test_a_hearing_that_broke_is_not_remembered(audios: list[Audio]) -> None:
    async def listen() -> None:
        workers = SpeechWorkerPool(1)
        await workers.close()
        recognizer = PocketsphinxRecognizer(stock_language_model(), adapted_acoustics(), workers)
        for _ in range(2):
            with pytest.raises(ParticipantError, match="workers are closed"):
                await recognizer.transcribe(audios[0], "en")

    asyncio.run(listen())


def test_nothing_said_is_an_empty_hearing() -> None:
    silences = [Audio(b"", 16_000), Audio(b"\0\0" * 16_000, 16_000), Audio(b"\1\0", 8_000)]
    assert asyncio.run(_heard(silences, 1, adapted_acoustics())) == ["", "", ""]


def test_a_truncated_file_is_an_error_before_anybody_listens(audios: list[Audio]) -> None:
    content = write_wav(audios[0])
    with pytest.raises(DataError, match=r"call\.wav: truncated"):
        read_wav(content[:-1_000], "call.wav")


def test_other_languages_are_refused() -> None:
    async def listen() -> None:
        async with SpeechWorkerPool(1) as workers:
            recognizer = PocketsphinxRecognizer(
                stock_language_model(), adapted_acoustics(), workers
            )
            await recognizer.transcribe(Audio(b"", 16_000), "vi")

    with pytest.raises(UsageError, match="hears English only, not vi"):
        asyncio.run(listen())


def test_identity_tells_acoustic_models_apart() -> None:
    workers = SpeechWorkerPool(1)
    adapted, stock = (
        PocketsphinxRecognizer(stock_language_model(), acoustics, workers)
        for acoustics in (adapted_acoustics(), stock_acoustics())
    )
    assert adapted.identity != stock.identity
    assert (adapted.name, stock.name) == (
        "pocketsphinx:adapted:stock",
        "pocketsphinx:stock:stock",
    )


def test_identity_tells_language_weights_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    recognizer = PocketsphinxRecognizer(
        stock_language_model(), adapted_acoustics(), SpeechWorkerPool(1)
    )
    before = recognizer.identity
    monkeypatch.setitem(cast("dict[str, float]", LANGUAGE_WEIGHTS), "lw", 6.5)
    assert recognizer.identity != before


def test_a_folder_without_a_model_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="means: no file of an acoustic model"):
        acoustics_in(tmp_path, "rebuilt")
