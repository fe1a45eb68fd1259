from hypothesis import given
from hypothesis import strategies as st

from dragoman.conditions.language.languages import TOOLS_PER_LANGUAGE, assign_tools_to_languages

TOOLS = st.lists(st.text("abcdefgh_", min_size=1, max_size=8), unique=True, max_size=20)
LANGUAGES = st.lists(st.sampled_from(["en", "th", "vi", "id", "zh"]), unique=True, min_size=1)


@given(TOOLS, LANGUAGES, st.integers(0, 99))
def test_every_tool_has_one_of_the_languages(
    names: list[str], languages: list[str], seed: int
) -> None:
    dealt = assign_tools_to_languages(names, languages, seed)
    assert list(dealt) == sorted(names)
    assert set(dealt.values()) <= set(languages)


@given(TOOLS, LANGUAGES, st.integers(0, 99))
def test_every_added_language_has_three_tools_as_long_as_there_are_any(
    names: list[str], languages: list[str], seed: int
) -> None:
    dealt = list(assign_tools_to_languages(names, languages, seed).values())
    left = len(names)
    for language in languages[1:]:
        assert dealt.count(language) == min(TOOLS_PER_LANGUAGE, left)
        left -= min(TOOLS_PER_LANGUAGE, left)


@given(TOOLS, LANGUAGES, st.integers(0, 99))
def test_a_longer_mix_keeps_the_tools_of_a_shorter_one(
    names: list[str], languages: list[str], seed: int
) -> None:
    shorter, longer = (
        assign_tools_to_languages(names, languages[:-1] or languages, seed),
        assign_tools_to_languages(names, languages, seed),
    )
    base = languages[0]
    assert all(longer[tool] == language for tool, language in shorter.items() if language != base)


def test_one_language_has_all_tools() -> None:
    assert assign_tools_to_languages(["b", "a"], ["th"], 1) == {"a": "th", "b": "th"}


def test_the_order_of_the_names_does_not_matter_but_the_seed_does() -> None:
    names = [f"tool_{number}" for number in range(12)]
    assert assign_tools_to_languages(names, ["en", "th"], 7) == assign_tools_to_languages(
        names[::-1], ["en", "th"], 7
    )
    assert assign_tools_to_languages(names, ["en", "th"], 7) != assign_tools_to_languages(
        names, ["en", "th"], 8
    )
