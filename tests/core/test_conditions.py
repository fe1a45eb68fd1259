import msgspec
import pytest

from dragoman.core.conditions import SURFACES, Condition, Localized
from dragoman.core.keys import content_key


@pytest.mark.parametrize(
    ("condition", "label"),
    [
        (Condition(), "en/text/none"),
        (Condition("th", localized=Localized(("th",), SURFACES)), "th:domain/text/none"),
        (
            Condition("th", localized=Localized(("th",), ("conversation", "greeting"))),
            "th:interaction/text/none",
        ),
        (Condition(localized=Localized(("th",), ("tools",))), "th:tools/text/none"),
        (
            Condition("vi", localized=Localized(("vi",), ("conversation", "policy"))),
            "vi:conversation+policy/text/none",
        ),
        (
            Condition(localized=Localized(("en", "th", "vi"), ("tools",))),
            "en+th+vi:tools/text/none",
        ),
        (Condition(localized=Localized(("en", "th"), ("tools",), 7)), "en+th:tools@7/text/none"),
        (Condition(localized=Localized(("th",), ("tools",), 7)), "th:tools/text/none"),
    ],
)
def test_a_label_names_languages_scenario_and_seed(condition: Condition, label: str) -> None:
    assert condition.label == label


class Plain(msgspec.Struct, frozen=True):
    language: str = "en"
    voice: str = "text"
    persona: str = "none"


def test_the_keys_of_english_cells_know_nothing_of_languages() -> None:
    assert content_key(Condition()) == content_key(Plain())


def test_only_what_is_in_another_language_is_localized() -> None:
    assert not Condition().is_localized
    assert Condition(localized=Localized(("th",), ("tools",))).is_localized
