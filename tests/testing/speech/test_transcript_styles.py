"""Spellings of transcription services."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.conditions.voice.inverse_text_normalization.numbers import MAX_CHARACTERS
from dragoman.testing.speech.requests import Protocol
from dragoman.testing.speech.transcript_styles import TranscriptStyle, style_of, written_transcript

TRACKING = (
    "my tracking number is k d two seven four one eight eight zero six five "
    "it cost twenty dollars at five thirty p m"
)
SMART = TranscriptStyle()
ANY_STYLE = st.builds(
    TranscriptStyle, st.sampled_from(["words", "numerals", "smart"]), st.booleans(), st.just("-")
)


@pytest.mark.parametrize(
    ("protocol", "settings", "written"),
    [
        ("openai", {}, "My tracking number is KD274188065. It cost $20 at 5:30 PM."),
        ("elevenlabs", {}, "My tracking number is KD-274-188-065. It cost $20 at 5:30 PM."),
        (
            "deepgram",
            {"smart_format": "true"},
            "My tracking number is KD 274 188 065. It cost $20 at 5:30 PM.",
        ),
        ("deepgram", {"smart_format": "false"}, TRACKING),
        ("deepgram", {}, TRACKING),
        ("deepgram", {"punctuate": "true"}, f"M{TRACKING[1:]}."),
        ("qwen", {"enable_itn": False}, f"M{TRACKING[1:]}."),
        (
            "qwen",
            {"enable_itn": True},
            "My tracking number is KD274188065. It cost $20 at 5:30 PM.",
        ),
    ],
)
def test_each_service_writes_in_its_own_style(
    protocol: Protocol, settings: dict[str, object], written: str
) -> None:
    assert written_transcript(TRACKING, style_of(protocol, settings)) == written


@pytest.mark.parametrize(
    ("words", "written"),
    [
        ("", ""),
        ("five", "Five."),
        ("it cost one thousand two hundred dollars", "It cost $1,200."),
        ("one million two hundred thousand people", "1,200,000 people."),
        ("born in nineteen ninety five", "Born in 1995."),
        ("five point five percent", "5.5%."),
        ("on may fifth twenty twenty six", "On May 5, 2026."),
        ("on february thirty first twenty twenty six", "On 2026-02-31."),
        ("hello can i come on saturday", "Hello, can I come on Saturday?"),
        ("what's in it", "What's in it?"),
        ("well i'm late", "Well, I'm late."),
        ("hi", "Hi."),
        ("it is j smith at example dot com", "It is jsmith@example.com."),
        ("the order is hash w two three seven eight one five six", "The order is #W2378156."),
        # A service does not know that an id was said again.
        ("k d two seven again k d two seven", "KD27 again KD27."),
    ],
)
def test_values_are_figures_and_sentences_have_capitals_and_signs(words: str, written: str) -> None:
    assert written_transcript(words, SMART) == written


@pytest.mark.parametrize(
    ("words", "written"),
    [
        ("order hash w two three seven eight one five six", "order #W-237-8156"),
        ("one two three four", "1234"),
        ("one two three four five six", "123-456"),
        ("spelled b r o w n", "spelled Brown"),
    ],
)
def test_the_groups_of_an_id_stand_apart(words: str, written: str) -> None:
    style = TranscriptStyle(is_punctuated=False, id_separator="-")
    assert written_transcript(words, style) == written


def test_numerals_alone_leave_money_and_ids_in_words() -> None:
    style = style_of("deepgram", {"numerals": "true"})
    heard = "k d one two three costs nine hundred dollars"
    assert written_transcript(heard, style) == "k d 123 costs 900 dollars"


def test_what_is_too_long_stays_as_it_was_heard() -> None:
    words = "five hundred " * (MAX_CHARACTERS // 12)
    assert written_transcript(words, SMART) == words


@given(st.text(alphabet="abdeiknoprstuvwxyz '", max_size=80), ANY_STYLE)
def test_words_without_values_keep_their_letters(words: str, style: TranscriptStyle) -> None:
    written = written_transcript(f"the {words} end", TranscriptStyle("words", style.is_punctuated))
    assert written.lower().replace(",", "").rstrip(".?").split() == f"the {words} end".split()


@given(st.lists(st.sampled_from([*TRACKING.split(), "percent", "may"]), max_size=20), ANY_STYLE)
def test_any_words_can_be_written(words: list[str], style: TranscriptStyle) -> None:
    written = written_transcript(" ".join(words), style)
    assert bool(written) == bool(words)
    assert written == written.strip()
