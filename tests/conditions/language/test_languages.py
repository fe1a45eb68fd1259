from pathlib import Path

import msgspec
import pytest

from dragoman.conditions.language.languages import (
    SHIPPED,
    decode_language,
    find_language,
    shared_instructions,
)
from dragoman.core.errors import DataError, UsageError
from dragoman.core.language.correctness import FAMILIES
from dragoman.scoring.language_detection import known_primary_language

MALAY = Path(__file__).parents[3] / "docs" / "examples" / "ms.toml"


@pytest.mark.parametrize("code", SHIPPED)
def test_a_language_that_ships_is_found_by_its_code(code: str) -> None:
    language = find_language(code)
    assert language.code == code
    assert known_primary_language(code) == code
    family = next((each for each in FAMILIES if language.detector in each), {language.detector})
    assert {language.detector, *language.relatives} == family


def test_six_languages_ship() -> None:
    names = [find_language(code).full_name for code in SHIPPED]
    assert names == [
        "English",
        "Vietnamese (Tiếng Việt)",
        "Thai (ภาษาไทย)",
        "Indonesian (Bahasa Indonesia)",
        "Filipino (Tagalog)",
        "Chinese (简体中文)",
    ]
    assert len({find_language(code).greeting for code in SHIPPED}) == len(SHIPPED)


def test_every_language_is_told_the_same_but_for_its_name() -> None:
    for side in ("agent", "user"):
        texts = {
            shared_instructions().text(side, language).replace(language.full_name, "X")
            for language in map(find_language, SHIPPED)
        }
        assert len(texts) == 1
        assert "{" not in texts.pop()


def test_directives_are_named_by_version_and_content() -> None:
    reported = shared_instructions()
    changed = msgspec.structs.replace(reported, user=f"{reported.user} Be brief.")
    assert reported.name.startswith("directives-1@")
    assert changed.name != reported.name


def test_an_unknown_language_is_refused_with_those_that_ship() -> None:
    with pytest.raises(UsageError, match=r"'xx': choose en, vi, th, id, tl, zh, or name a TOML"):
        find_language("xx")


def test_a_language_of_ones_own_is_a_file() -> None:
    malay = find_language(str(MALAY))
    assert (malay.code, malay.detector, malay.relatives) == ("ms", "ms", ("id",))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.toml: the language cannot be read"):
        find_language(str(tmp_path / "none.toml"))


MALAY_FILE = MALAY.read_text("utf-8")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('code = "ms"', 'code = "malay!"', "not a language tag"),
        ("Hai! Apa yang boleh saya bantu hari ini?", " ", "the greeting is empty"),
        ("Hai! Apa", "สวัสดี", "the greeting is not in the script LATIN"),
        ('decimal = "."', 'decimal = ","', "two different signs"),
        ('"Januari", ', "", "12 different names of months"),
        ('"{day}/{month}/{year}", ', '"{day}/{month}", ', "each form of dates needs"),
        ('"{day}/{month}/{year}", ', '"{day}/{month}/{era}{year}", ', "know day, month"),
        ('name = "Malay"', "", "not a language"),
        ('name = "Malay"', 'name = "Malay"\nflag = "x"', "not a language"),
        ("[dates]", "[dates", "not a language"),
    ],
)
def test_what_is_wrong_in_a_language_is_said(old: str, new: str, problem: str) -> None:
    assert old in MALAY_FILE
    with pytest.raises(DataError, match=problem) as raised:
        decode_language(MALAY_FILE.replace(old, new, 1).encode(), "ms.toml")
    assert str(raised.value).startswith("ms.toml: ")


def test_the_guide_shows_the_file_of_the_example() -> None:
    guide = (MALAY.parents[1] / "reference" / "languages.md").read_text("utf-8")
    shown = guide.split("```toml\n", 1)[1].split("```", 1)[0]
    assert shown in MALAY_FILE
