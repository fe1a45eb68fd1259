"""Language models: their input texts, their content, and their completeness."""

import asyncio
import shutil
from pathlib import Path

import pytest

from dragoman.core.errors import UsageError
from dragoman.speech.embedded.espeak_library import find_voice
from dragoman.speech.embedded.language_model import (
    LanguageModel,
    SuiteText,
    TextUsed,
    generic_language_model,
    mixed_language_model,
    mixed_model_key,
    tokenize_spoken_form,
)
from dragoman.speech.embedded.pocketsphinx_decoder import adapted_acoustics
from dragoman.speech.embedded.recognizer import PocketsphinxRecognizer
from dragoman.speech.embedded.synthesizer import EspeakSynthesizer
from dragoman.speech.embedded.training_sentences import pattern_sentences
from dragoman.speech.embedded.worker_pool import SpeechWorkerPool

POLICY = SuiteText("policy", ("An espadrille may be exchanged.", "Ask for Yusuf Kowalczyk."))
SAID = "ask for yusuf kowalczyk and the espadrille"


@pytest.fixture(scope="module")
def folder(speech_models: Path) -> Path:
    return speech_models


async def _made(folder: Path, *texts: SuiteText) -> LanguageModel:
    async with SpeechWorkerPool(1) as workers:
        return await mixed_language_model(texts, folder, workers)


async def _general(folder: Path) -> LanguageModel:
    async with SpeechWorkerPool(1) as workers:
        return await generic_language_model(folder, workers)


async def _heard(model: LanguageModel) -> str:
    async with SpeechWorkerPool(1) as workers:
        spoken = await EspeakSynthesizer(find_voice("us"), workers).speak(SAID, "en", 1)
        recognizer = PocketsphinxRecognizer(model, adapted_acoustics(), workers)
        return (await recognizer.transcribe(spoken.audio, "en")).text


@pytest.mark.nightly
def test_names_of_a_suite_are_heard_with_its_model_only(folder: Path) -> None:
    model = asyncio.run(_made(folder, POLICY))
    assert "kowalczyk" in asyncio.run(_heard(model)).split()
    general = asyncio.run(_general(folder))
    assert general.name == "generic"
    assert "kowalczyk" not in asyncio.run(_heard(general)).split()


@pytest.mark.nightly
def test_a_model_says_which_texts_went_in(folder: Path) -> None:
    model = asyncio.run(_made(folder, POLICY))
    (used,) = model.texts
    assert isinstance(used, TextUsed)
    assert (used.source, used.sentences) == ("policy", 2)
    assert model.name == f"mixed:{model.key[:8]}"


@pytest.mark.nightly
def test_a_model_is_made_once_and_made_again_the_same_where_it_is_damaged(
    folder: Path, tmp_path: Path
) -> None:
    model = asyncio.run(_made(folder, POLICY))
    made = Path(model.language_model).stat().st_mtime_ns
    assert asyncio.run(_made(folder, POLICY)) == model
    assert Path(model.language_model).stat().st_mtime_ns == made
    for file in folder.glob(f"{model.key}.*"):
        shutil.copy(file, tmp_path)
    cut = tmp_path / Path(model.dictionary).name
    cut.write_text("".join(cut.read_text("utf-8").splitlines(keepends=True)[:2_000]), "utf-8")
    again = asyncio.run(_made(tmp_path, POLICY))
    assert Path(again.language_model).read_bytes() == Path(model.language_model).read_bytes()
    assert Path(again.dictionary).read_bytes() == Path(model.dictionary).read_bytes()


def test_other_texts_make_another_key() -> None:
    other = SuiteText("policy", ("Nothing may be exchanged.",))
    assert mixed_model_key([POLICY]) == mixed_model_key([POLICY]) != mixed_model_key([other])


@pytest.mark.nightly
def test_a_model_is_found_by_its_key(folder: Path) -> None:
    made = asyncio.run(_made(folder, POLICY))
    assert made.key == mixed_model_key([POLICY])
    assert made.key in made.language_model


@pytest.mark.nightly
def test_the_single_words_of_a_model_share_out_all_probability(folder: Path) -> None:
    model = asyncio.run(_made(folder, POLICY))
    lines = Path(model.language_model).read_text("utf-8").splitlines()
    first, last = lines.index("\\1-grams:") + 1, lines.index("\\2-grams:")
    rows = [line.split() for line in lines[first:last] if line]
    assert sum(10 ** float(row[0]) for row in rows) == pytest.approx(1.0, abs=0.01)
    assert len(rows) > 20_000
    assert lines[-1] == "\\end\\"


def test_texts_without_words_are_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match="have none"):
        asyncio.run(_made(folder, SuiteText("policy", ("123 !", ""))))


@pytest.mark.parametrize(
    ("spoken", "words"),
    [
        ("Hello, it's W two three.", ("hello", "it's", "w", "two", "three")),
        (
            "final underscore report dot P D F",
            ("final", "underscore", "report", "dot", "p", "d", "f"),
        ),
        ("#RoadTrip", ("road", "trip")),
        ("مرحبا", ()),
        ("", ()),
    ],
)
def test_words_are_as_a_recognizer_writes_them(spoken: str, words: tuple[str, ...]) -> None:
    assert tokenize_spoken_form(spoken) == words


def test_patterns_are_the_same_at_every_call_and_hold_letters_digits_and_amounts() -> None:
    words = tuple(f"word{'abcdefghij'[n % 10]}" for n in range(1_010))
    made = pattern_sentences(words)
    assert made == pattern_sentences(words)
    joined = " ".join(made)
    said = (
        "B as in boy",
        "bravo",
        "dollars",
        "again",
        "seventeen",
        "W O R, D G",
        "at gmail dot com",
    )
    assert [word for word in said if word not in joined] == []
    assert len(made) == 14_000
