import msgspec
import pytest

from dragoman.core.errors import UsageError
from dragoman.core.language.correctness import (
    DEFAULT_LANGUAGE_RULES,
    LANGUAGE_RULES,
    SEATAU_LANGUAGE_RULES,
    tolerant_rules,
)


def test_definitions_are_found_by_their_names() -> None:
    assert LANGUAGE_RULES.find("dragoman-language-1") is DEFAULT_LANGUAGE_RULES
    assert LANGUAGE_RULES.find("seatau-1d6f92a") is SEATAU_LANGUAGE_RULES
    assert [rules.name for rules in LANGUAGE_RULES.values()] == list(LANGUAGE_RULES)


def test_an_unknown_definition_is_answered_with_those_that_exist() -> None:
    with pytest.raises(UsageError, match=r"'dragoman-2'.*dragoman-language-1, .*seatau"):
        LANGUAGE_RULES.find("dragoman-2")


@pytest.mark.parametrize(
    ("expected", "detected", "tolerated"),
    [
        ("id", "ms", True),
        ("ms", "id", True),
        ("tl", "ceb", True),
        ("tl", "war", True),
        ("zh", "yue", True),
        ("zh", "wuu", True),
        ("zh", "ja", False),
        ("id", "jv", False),
        ("th", "lo", False),
        ("en", "sco", False),
    ],
)
def test_languages_of_a_family_are_taken_for_each_other_only_where_that_is_asked_for(
    expected: str, detected: str, tolerated: bool
) -> None:
    assert not DEFAULT_LANGUAGE_RULES.accepts(expected, detected)
    assert tolerant_rules(DEFAULT_LANGUAGE_RULES).accepts(expected, detected) is tolerated


def test_a_language_is_its_own() -> None:
    assert all(rules.accepts("th", "th") for rules in LANGUAGE_RULES.values())


def test_a_tolerant_definition_differs_in_its_families_and_its_name_alone() -> None:
    changed = tolerant_rules(SEATAU_LANGUAGE_RULES)
    differing = {
        field
        for field in msgspec.structs.asdict(changed)
        if getattr(changed, field) != getattr(SEATAU_LANGUAGE_RULES, field)
    }
    assert differing == {"name", "tolerated"}
