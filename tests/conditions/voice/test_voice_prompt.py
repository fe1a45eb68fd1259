import pytest

from dragoman.conditions.voice.layer import LANGUAGES, voice_prompt
from dragoman.core.errors import UsageError


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_sections_and_rules(language: str) -> None:
    lines = voice_prompt(language).text.splitlines()
    english = voice_prompt("en").text.splitlines()
    assert [line[:2] == "- " for line in lines] == [line[:2] == "- " for line in english]
    assert [not line for line in lines] == [not line for line in english]
    assert any("NATO" in line for line in lines)
    assert any("U S B" in line for line in lines)


def test_texts_differ_and_so_do_their_digests() -> None:
    assert len({voice_prompt(language).digest for language in LANGUAGES}) == len(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_hears_the_audio_is_told_of_no_recognizer_and_else_the_same(language: str) -> None:
    lines = voice_prompt(language).text.splitlines()
    itself = voice_prompt(language, hears_itself=True).text.splitlines()
    assert len(itself) == len(lines)
    differing = [place for place, line in enumerate(lines) if line != itself[place]]
    assert differing == [0, 6]
    assert voice_prompt(language, hears_itself=True).name == "dragoman-voice-itself-1"


def test_a_region_is_no_other_language() -> None:
    assert voice_prompt("zh-Hans") == voice_prompt("zh")


def test_a_language_without_a_prompt_is_told_in_one_line() -> None:
    with pytest.raises(UsageError, match=r"'de' cannot be spoken: .* is there in en, id"):
        voice_prompt("de")
