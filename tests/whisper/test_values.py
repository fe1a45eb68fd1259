"""Values in Whisper's transcripts and in the embedded recognizer's, on the same audio.

Nothing here says how well either of them hears. Their text must survive normalization, and is
counted by its words, not by its spelling.
"""

import asyncio

import pytest
from tests.whisper.conftest import Hear, Speak

from dragoman.conditions.voice.inverse_text_normalization.normalizer import normalized_transcript
from dragoman.conditions.voice.verbalization.spoken_form import verbalize
from dragoman.core.audio import Audio
from dragoman.core.value_matching.matcher import find_value
from dragoman.core.value_matching.value_reader import read
from dragoman.registry.model_clients import ModelClients
from dragoman.registry.speech_engines import GENERIC, SpeechEngines
from dragoman.scoring.speech_accuracy import EARLIER_NORMALIZATION, AlignmentCounts, word_edits

SAID = {
    "Send $20 to my sister at 5:30 PM, please.": ("$20", "5:30 PM"),
    "I would like to book a room for 12 people on May 5, 2026.": ("12", "2026-05-05"),
    "The temperature is 25 degrees and the price went up by 15%.": ("25", "15"),
    "My order number is KD274188, and it cost $1,250.": ("KD274188", "1250"),
}


def embedded(audio: Audio) -> str:
    """Return the transcript of the embedded recognizer."""

    async def heard() -> str:
        engines = SpeechEngines([], ModelClients())
        try:
            recognizer = engines.listener(GENERIC, "en")
            assert not isinstance(recognizer, str)
            assert recognizer is not None
            return (await recognizer.transcribe(audio, "en")).text
        finally:
            await engines.close()

    return asyncio.run(heard())


@pytest.fixture(scope="module")
def transcripts(speak: Speak, hear: Hear) -> dict[str, tuple[str, str]]:
    """The transcripts of Whisper and of the embedded recognizer, by the spoken text."""
    found = {}
    for said in SAID:
        audio = speak(verbalize(said), "en")
        found[said] = (hear(audio, "en").text, embedded(audio))
    return found


def values_in(transcript: str) -> list[str]:
    """Return the typed values that a transcript states, each as it is written there."""
    readout = read(transcript, "en")
    return [
        transcript[readout.start(item) : readout.stop(item)]
        for item in readout.items
        if item.kind in {"number", "money", "date", "time", "percent"}
    ]


def test_whisper_writes_figures_and_the_embedded_recognizer_writes_none(
    transcripts: dict[str, tuple[str, str]],
) -> None:
    for whisper, own in transcripts.values():
        assert any(map(str.isdigit, whisper))
        assert not any(map(str.isdigit, own))


def test_no_value_that_whisper_wrote_is_lost_by_normalization(
    transcripts: dict[str, tuple[str, str]],
) -> None:
    for said, (whisper, _) in transcripts.items():
        received = normalized_transcript(whisper, "en")
        for value in (*values_in(whisper), *SAID[said]):
            if find_value(value, whisper, "en") is not None:
                assert find_value(value, received, "en") is not None, (value, whisper, received)


def test_figures_are_no_word_errors(transcripts: dict[str, tuple[str, str]]) -> None:
    before = after = 0
    for said, (whisper, _) in transcripts.items():
        raw = word_edits(verbalize(said), whisper, "en", EARLIER_NORMALIZATION)
        scored = word_edits(verbalize(said), whisper, "en")
        assert isinstance(raw, AlignmentCounts)
        assert isinstance(scored, AlignmentCounts)
        before += raw.substitutions + raw.deletions + raw.insertions
        after += scored.substitutions + scored.deletions + scored.insertions
    assert after < before


def test_most_values_are_found_in_what_whisper_wrote(
    transcripts: dict[str, tuple[str, str]],
) -> None:
    stated = [
        find_value(value, whisper, "en") is not None
        for said, (whisper, _) in transcripts.items()
        for value in SAID[said]
    ]
    assert sum(stated) > len(stated) / 2
