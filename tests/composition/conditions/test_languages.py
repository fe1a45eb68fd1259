import pytest

from dragoman.composition.conditions.languages import (
    conditions_of,
    languages_of,
    rules_of,
    surfaces_of,
)
from dragoman.conditions.language.languages import SHIPPED
from dragoman.core.conditions import PLAIN, Condition
from dragoman.core.errors import UsageError


def labels(languages: list[str], scenarios: list[str], seeds: list[int] | None = None) -> list[str]:
    return [entry.label for entry in conditions_of(languages, scenarios, seeds or [])]


def test_without_languages_everything_is_english() -> None:
    assert conditions_of([], []) == (Condition(),)
    assert conditions_of([], ["english"]) == (Condition(),)


def test_each_language_is_played_in_each_scenario_and_english_once() -> None:
    assert labels(["en", "vi", "th"], ["english", "interaction", "domain"]) == [
        "en/text/none",
        "vi:interaction/text/none",
        "th:interaction/text/none",
        "vi:domain/text/none",
        "th:domain/text/none",
    ]


def test_languages_share_tools_by_every_seed() -> None:
    assert labels(["th", "en+th+vi"], ["tools"], [42, 7]) == [
        "th:tools/text/none",
        "en+th+vi:tools/text/none",
        "en+th+vi:tools@7/text/none",
    ]


def test_english_needs_no_scenario() -> None:
    assert conditions_of(["en"], []) == conditions_of([], []) == (PLAIN,)


def test_surfaces_can_be_joined_in_any_order() -> None:
    assert surfaces_of("policy+conversation") == ("conversation", "policy")
    assert labels(["vi"], ["policy+tools"]) == ["vi:tools+policy/text/none"]


def test_a_language_is_spoken_only_where_the_conversation_is_in_it() -> None:
    (spoken,) = conditions_of(["vi"], ["conversation"])
    (shown,) = conditions_of(["vi"], ["tools"])
    assert (spoken.language, shown.language) == ("vi", "en")


@pytest.mark.parametrize(
    ("languages", "scenarios", "reported"),
    [
        (["vi"], [], "a language needs a --scenario: english, interaction, tools, domain"),
        ([], ["domain"], "a scenario needs a --language"),
        (["xx"], ["domain"], "unknown language 'xx'"),
        (["vi"], ["domane"], "unknown scenario 'domane'"),
        (["vi"], ["tools+menu"], "unknown scenario 'menu'"),
        (["en+th"], ["domain"], "several languages share tools only"),
        (["th+th"], ["tools"], "2 to 5 different languages"),
        (["en+th+vi+id+zh+tl"], ["tools"], "2 to 5 different languages"),
    ],
)
def test_what_does_not_go_together_is_refused(
    languages: list[str], scenarios: list[str], reported: str
) -> None:
    with pytest.raises(UsageError) as raised:
        conditions_of(languages, scenarios)
    assert reported in str(raised.value)


def test_a_grid_knows_its_languages_and_english() -> None:
    assert list(languages_of(["th+vi", "id"])) == ["en", "th", "vi", "id"]


def test_a_phone_in_another_language_answers_with_records() -> None:
    localized = conditions_of(["vi"], ["domain"])
    assert rules_of("dragoman-2", "tau2:telecom", localized).name == "dragoman-2-records"
    assert rules_of("dragoman-1", "tau2:telecom", localized).name == "dragoman-1-records"
    assert rules_of("dragoman-2", "tau2:retail", localized).name == "dragoman-2"
    assert rules_of("tau2-1.0.1", "tau2:telecom", localized).name == "tau2-1.0.1"
    for scenario in ("english", "interaction", "tools"):
        conditions = conditions_of(["vi"], [scenario])
        assert rules_of("dragoman-2", "tau2:telecom", conditions).name == "dragoman-2"


def test_every_language_that_ships_has_phrases() -> None:
    known = languages_of(SHIPPED)
    named = {
        code: each.phrases.name.partition("@")[0] for code, each in known.items() if each.phrases
    }
    assert named == {code: code for code in SHIPPED}
