"""The shipped voices, and the message for languages that have none."""

import pytest

from dragoman.core.errors import UsageError
from dragoman.speech.embedded.espeak_library import builtin_voices, find_voice, voices_of


def test_english_has_ten_voices_of_seven_accents_at_several_rates() -> None:
    english = voices_of("en")
    assert len(english) == 10
    assert {voice.accent for voice in english} == {
        "United States",
        "Great Britain",
        "Received Pronunciation",
        "Scotland",
        "Caribbean",
        "New York City",
        "Lancaster",
    }
    assert {voice.words_per_minute for voice in english} >= {150, 160, 175, 190}


def test_no_two_voices_share_a_name() -> None:
    names = [voice.name for voice in builtin_voices().voices]
    assert len(set(names)) == len(names)


def test_vietnamese_indonesian_and_chinese_have_a_voice() -> None:
    assert [voices_of(tag)[0].engine_voice for tag in ("vi", "id", "zh")] == ["vi", "id", "cmn"]


@pytest.mark.parametrize(
    ("language", "reason"),
    [("th", "letter by letter"), ("tl", "no Filipino voice"), ("ja", "Chinese letter")],
)
def test_a_language_without_a_sound_voice_is_refused_with_the_reason(
    language: str, reason: str
) -> None:
    with pytest.raises(UsageError, match=reason):
        voices_of(language)


def test_no_language_is_both_spoken_and_unsound() -> None:
    shipped = builtin_voices()
    spoken = {voice.language for voice in shipped.voices}
    assert not spoken & {unsound.language for unsound in shipped.unsound}


def test_an_unknown_language_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"'xx': there are ar, bn, de"):
        voices_of("xx")


def test_an_unknown_voice_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"'robot'; there are us, us-f2"):
        find_voice("robot")
    assert find_voice("british").engine_voice == "en"
