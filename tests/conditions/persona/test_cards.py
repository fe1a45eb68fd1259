from pathlib import Path

import pytest

from dragoman.conditions.language.languages import SHIPPED
from dragoman.conditions.persona.persona_profiles import (
    BUNDLED_PROFILES,
    decode_profile,
    find_profile,
    shared_phrases,
)
from dragoman.core.errors import DataError, UsageError
from dragoman.core.personas import Habits
from dragoman.simulation.phrasebooks import find_misleading_phrases, shipped_phrasebook

CARD = """
about = "on a bad line"
[traits]
expertise = "some"
ambiguity = "medium"
verbosity = "short"
tolerance = "low"
[habits]
asides = 0.5
[en]
user = "You are on a bad line."
agent = "This customer is on a bad line."
asides = ["Hello? Are you there?"]
"""


@pytest.mark.parametrize("name", BUNDLED_PROFILES)
def test_every_card_that_ships_has_texts_in_every_language(name: str) -> None:
    card = find_profile(name)
    assert set(card.texts) == set(SHIPPED)
    assert len({texts.user for texts in card.texts.values()}) == len(SHIPPED)
    assert len({texts.agent for texts in card.texts.values()}) == len(SHIPPED)


@pytest.mark.parametrize("language", SHIPPED)
@pytest.mark.parametrize("name", BUNDLED_PROFILES)
def test_nothing_that_a_card_says_is_taken_for_an_answer(name: str, language: str) -> None:
    book = shipped_phrasebook(language)
    assert book is not None
    assert (
        find_misleading_phrases(
            find_profile(name).persona(language).user_behavior.persona_phrases, book
        )
        == []
    )


def test_a_saying_that_is_an_answer_is_found() -> None:
    book = shipped_phrasebook("en")
    assert book is not None
    card = decode_profile("mine", CARD.replace("Hello?", "No, hello?").encode(), "mine.toml")
    assert find_misleading_phrases(card.persona("en").user_behavior.persona_phrases, book) == [
        "'No, hello? Are you there?' is taken for hears.refused, by 'No'"
    ]


def test_nobody_in_particular_has_no_habits() -> None:
    assert find_profile("none").habits == Habits()


def test_guardrails_stand_behind_what_every_user_is_told() -> None:
    reported = find_profile("angry").persona("th").user
    assert reported.startswith("คุณโกรธ")
    assert reported.endswith(shared_phrases()["th"].guardrails)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('"short"', '"brief"', "Invalid enum value 'brief'"),
        ("0.5", "1.5", "Expected `float` <= 1.0"),
        ("asides = 0.5", "asdies = 0.5", "unknown field `asdies`"),
        ("[en]", "[pt]", "[pt]: cards have texts in en, vi, th, id, tl, zh"),
        ('["Hello? Are you there?"]', "[]", "[en]: it has no asides to say"),
        ('"You are on a bad line."', '" "', "[en]: a text is empty"),
        ("[traits]", "[traits", "no persona card"),
    ],
)
def test_a_damaged_card_is_refused_and_says_why(old: str, new: str, complaint: str) -> None:
    with pytest.raises(DataError) as caught:
        decode_profile("mine", CARD.replace(old, new).encode(), "mine.toml")
    assert str(caught.value).startswith("mine.toml: ")
    assert complaint in str(caught.value)


def test_a_card_without_texts_in_a_language_is_refused_there(tmp_path: Path) -> None:
    path = tmp_path / "bad-line.toml"
    path.write_text(CARD)
    card = find_profile(str(path))
    assert card.persona("en").name == "bad-line"
    with pytest.raises(UsageError, match="the persona bad-line has no texts in th: it has en"):
        card.persona("th")


@pytest.mark.parametrize("name", ["hard.toml", "My Card.toml"])
def test_a_card_has_a_name_of_its_own(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(CARD)
    with pytest.raises(UsageError, match="a card is called as its file"):
        find_profile(str(tmp_path / name))


def test_an_unknown_persona_is_told_which_there_are() -> None:
    with pytest.raises(UsageError, match="unknown persona 'sleepy': choose none, easy, hard"):
        find_profile("sleepy")
