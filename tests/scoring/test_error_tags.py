import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.scores import Unscored
from dragoman.core.tools import Role
from dragoman.scoring.measures.error_tags import (
    DEFAULT_TAG_RULES,
    LENIENT_TAG_RULES,
    SEATAU_TAG_RULES,
    DiscardedWord,
    ErrorTag,
    ErrorTags,
    TagRules,
    error_taxonomy,
    normalize_severity,
    normalize_tag,
    normalize_tags,
)

SIDES: tuple[Role, ...] = ("agent", "user")
AGENTS_OWN = {"irrelevant_tool_call", "tool_call_argument_error", "tool_call_schema_error"}


def test_the_taxonomy_has_thirteen_tags_of_which_three_are_the_agents_alone() -> None:
    agent, user = error_taxonomy().tags["agent"], error_taxonomy().tags["user"]
    assert len(agent) == len(set(agent)) == 13
    assert set(agent) - set(user) == AGENTS_OWN
    assert set(user) < set(agent)


def test_every_variant_stands_for_a_tag_and_is_none_itself() -> None:
    known = error_taxonomy()
    assert set(known.variants.values()) <= set(known.tags["agent"])
    assert known.variants.keys().isdisjoint(known.tags["agent"])
    assert known.variants.keys().isdisjoint(known.discarded)
    assert len(known.variants) + len(known.discarded) == 60


@pytest.mark.parametrize(
    "written",
    [
        "guideline_violation",
        "Guideline Violation",
        " GUIDELINE-VIOLATION\n",
        "guideleine_violation",
        "policy violation",
        "vi phạm nguyên tắc",
    ],
)
@pytest.mark.parametrize("rules", [LENIENT_TAG_RULES, SEATAU_TAG_RULES], ids=lambda each: each.name)
@pytest.mark.parametrize("side", SIDES)
def test_spellings_and_variants_are_read_as_their_tag(
    written: str, rules: TagRules, side: Role
) -> None:
    assert normalize_tag(written, side, rules) == ErrorTag("guideline_violation")


@pytest.mark.parametrize(
    "written", ["minor", "Critical", "critical-hindered", "no error", "correct"]
)
def test_severities_among_the_tags_are_discarded(written: str) -> None:
    for rules in (LENIENT_TAG_RULES, SEATAU_TAG_RULES):
        assert isinstance(normalize_tag(written, "agent", rules), DiscardedWord)


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("hallucinations", "'hallucinations' is not a tag of the agent"),
        ("", "'' is not a tag of the agent"),
        ("x" * 500, f"'{'x' * 60}'… is not a tag of the agent"),
        (None, "a value of type NoneType is not a tag of the agent"),
        (["hallucination"], "a value of type list is not a tag of the agent"),
        (True, "a value of type bool is not a tag of the agent"),
    ],
)
def test_an_unknown_tag_is_unscored_and_in_the_reference_other_with_a_warning(
    written: object, why: str
) -> None:
    assert normalize_tag(written, "agent", LENIENT_TAG_RULES) == Unscored(why)
    assert normalize_tag(written, "agent", SEATAU_TAG_RULES) == ErrorTag("other", why)


def test_a_tag_of_the_agent_alone_is_no_tag_of_the_user() -> None:
    why = "'redundant_tool_call' is a tag of the agent, not of the user"
    assert normalize_tag("redundant_tool_call", "agent", LENIENT_TAG_RULES) == ErrorTag(
        "irrelevant_tool_call"
    )
    assert normalize_tag("redundant_tool_call", "user", LENIENT_TAG_RULES) == Unscored(why)
    assert normalize_tag("redundant_tool_call", "user", SEATAU_TAG_RULES) == ErrorTag("other", why)


def test_a_list_gives_each_tag_once_and_tells_what_became_of_the_rest() -> None:
    written = ["Wrong-Sequence", "minor", "premature action", "made up", "other"]
    assert normalize_tags(written, "agent", LENIENT_TAG_RULES) == ErrorTags(
        names=("wrong_sequence", "other"),
        discarded=("minor",),
        unscored=("'made up' is not a tag of the agent",),
        warnings=(),
    )
    assert normalize_tags(written, "agent", SEATAU_TAG_RULES) == ErrorTags(
        names=("wrong_sequence", "other"),
        discarded=("minor",),
        unscored=(),
        warnings=("'made up' is not a tag of the agent",),
    )


@pytest.mark.parametrize(
    ("written", "side", "severity"),
    [
        ("minor", "agent", "minor"),
        (" Critical ", "agent", "critical"),
        ("minor", "user", "minor"),
        ("Critical Helped", "user", "critical_helped"),
        ("critical-hindered", "user", "critical_hindered"),
    ],
)
def test_each_side_has_severities_of_its_own(written: str, side: Role, severity: str) -> None:
    assert normalize_severity(written, side) == severity


@pytest.mark.parametrize(
    ("written", "side", "why"),
    [
        ("critical", "user", "'critical' is not a severity of the user"),
        ("critical_helped", "agent", "'critical_helped' is not a severity of the agent"),
        ("major", "agent", "'major' is not a severity of the agent"),
        (3, "agent", "a value of type int is not a severity of the agent"),
    ],
)
def test_an_unknown_severity_is_unscored(written: object, side: Role, why: str) -> None:
    assert normalize_severity(written, side) == Unscored(why)


@given(st.text() | st.none() | st.integers() | st.lists(st.text()), st.sampled_from(SIDES))
def test_whatever_a_judge_writes_is_a_tag_of_the_side_or_is_not_counted(
    written: object, side: Role
) -> None:
    ours = normalize_tag(written, side, LENIENT_TAG_RULES)
    theirs = normalize_tag(written, side, SEATAU_TAG_RULES)
    assert isinstance(theirs, ErrorTag | DiscardedWord)
    assert isinstance(normalize_tag(written, side, DEFAULT_TAG_RULES), ErrorTag | Unscored)
    assert isinstance(ours, Unscored) is (isinstance(theirs, ErrorTag) and bool(theirs.warning))
    assert not isinstance(theirs, ErrorTag) or theirs.name in error_taxonomy().tags[side]


@pytest.mark.parametrize("rules", [DEFAULT_TAG_RULES, LENIENT_TAG_RULES, SEATAU_TAG_RULES])
def test_a_tag_is_read_as_itself(rules: TagRules) -> None:
    for tag in error_taxonomy().tags["agent"]:
        assert normalize_tag(tag.upper().replace("_", " "), "agent", rules) == ErrorTag(tag)


def test_unless_the_rules_are_lenient_only_the_taxonomys_own_words_are_tags() -> None:
    known = error_taxonomy()
    for word in (*known.variants, *known.discarded):
        unscored = Unscored(f"{word!r} is not a tag of the agent")
        assert normalize_tag(word, "agent", DEFAULT_TAG_RULES) == unscored
