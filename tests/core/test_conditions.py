import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.conditions import (
    AXES,
    PLAIN,
    SCENARIOS,
    Condition,
    Localized,
    axis_names,
    axis_values,
    condition_from,
    condition_of,
    condition_text,
    differ_in_one_thing,
    differing_axes,
)
from dragoman.core.content_keys import content_key
from dragoman.core.errors import DataError

THAI = condition_of({"language": "th", "scenario": "domain"})
SHARED = {"language": "en+th+vi", "scenario": "tools"}
LABELS = {
    "en/text/none": PLAIN,
    "th:domain/text/none": THAI,
    "th:interaction/text/none": condition_of({"language": "th", "scenario": "interaction"}),
    "vi:conversation+policy/text/none": condition_of(
        {"language": "vi", "scenario": "conversation+policy"}
    ),
    "en+th+vi:tools/text/none": condition_of(SHARED),
    "en+th+vi:tools@7/text/none": condition_of({**SHARED, "partition": "7"}),
    "en/telephone/none": PLAIN.with_axes(voice="telephone"),
    "th:domain/telephone+understood/none": THAI.with_axes(
        voice="telephone", recognizer="understood"
    ),
    "en/studio+openai/whisper-1/none": PLAIN.with_axes(
        voice="studio", recognizer="openai/whisper-1"
    ),
    "en/simulated:15/hard": PLAIN.with_axes(voice="simulated:15", persona="hard"),
}


@pytest.mark.parametrize(("label", "condition"), LABELS.items())
def test_a_label_names_what_is_set(label: str, condition: Condition) -> None:
    assert condition.label == label


@pytest.mark.parametrize(("label", "condition"), LABELS.items())
def test_labels_of_older_runs_are_read(label: str, condition: Condition) -> None:
    assert condition_from(label) == condition


def test_axes_of_layers_from_elsewhere_stand_behind() -> None:
    condition = THAI.with_axes(cards="hurried")
    assert condition.label == "th:domain/text/none/cards=hurried"
    assert axis_names([PLAIN, condition]) == (*AXES, "cards")


values = st.dictionaries(
    st.sampled_from([*AXES, "cards", "mood"]).filter(lambda name: name != "partition"),
    st.text(min_size=1, max_size=12),
)


@given(values)
def test_what_is_stored_is_read_as_it_was(axes: dict[str, str]) -> None:
    condition = condition_of(axes)
    assert condition_from(condition_text(condition)) == condition
    assert condition_of(dict(reversed(list(axes.items())))) == condition


@pytest.mark.parametrize("text", ["", "en", "{", '{"voice": 3}', '{"partition": "x"}', "a/b"])
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(DataError, match="no condition"):
        condition_from(text)


class Earlier(msgspec.Struct, frozen=True):
    language: str
    voice: str
    persona: str
    localized: Localized | msgspec.UnsetType = msgspec.UNSET


@pytest.mark.parametrize(
    ("condition", "earlier"),
    [
        (PLAIN, Earlier("en", "text", "none")),
        (THAI, Earlier("th", "text", "none", Localized(("th",), SCENARIOS["domain"]))),
        (
            condition_of(SHARED).with_axes(voice="telephone", recognizer="generic"),
            Earlier(
                "en",
                "telephone+generic",
                "none",
                Localized(("en", "th", "vi"), ("tools",)),
            ),
        ),
    ],
)
def test_keys_of_cells_are_what_they_were(condition: Condition, earlier: Earlier) -> None:
    assert content_key(condition.identity) == content_key(earlier)


def test_an_axis_of_a_layer_from_elsewhere_is_in_keys() -> None:
    assert content_key(PLAIN.with_axes(cards="hard").identity) != content_key(PLAIN.identity)


def test_only_what_is_in_another_language_is_localized() -> None:
    assert not PLAIN.is_localized
    tools = condition_of({"language": "th", "scenario": "tools"})
    assert tools.is_localized
    assert (tools.language, THAI.language) == ("en", "th")


TELEPHONE = PLAIN.with_axes(voice="telephone")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (PLAIN, THAI),
        (PLAIN, TELEPHONE.with_axes(recognizer="understood")),
        (THAI, condition_of({"language": "th", "scenario": "tools"})),
        (TELEPHONE, TELEPHONE.with_axes(recognizer="understood")),
        (TELEPHONE, PLAIN.with_axes(voice="studio")),
        (THAI.with_axes(voice="telephone"), TELEPHONE),
        (PLAIN, PLAIN.with_axes(cards="hard")),
    ],
)
def test_one_axis_or_one_layer_that_only_one_has_is_one_thing(a: Condition, b: Condition) -> None:
    assert differ_in_one_thing(a, b)
    assert differ_in_one_thing(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (PLAIN, PLAIN),
        (PLAIN, THAI.with_axes(voice="telephone")),
        (THAI, TELEPHONE),
        (THAI, condition_of({"language": "vi", "scenario": "tools"})),
        (TELEPHONE, PLAIN.with_axes(voice="studio", recognizer="understood")),
        (TELEPHONE, PLAIN.with_axes(cards="hard")),
    ],
)
def test_two_things_are_not_one(a: Condition, b: Condition) -> None:
    assert not differ_in_one_thing(a, b)


def test_the_axes_that_differ_are_named() -> None:
    assert differing_axes(THAI, TELEPHONE) == ("language", "scenario", "voice")


@pytest.mark.parametrize(
    ("axes", "recognizer", "partition"),
    [
        ({}, "none", "none"),
        ({"voice": "simulated:15"}, "none", "none"),
        ({"voice": "studio"}, "mixed", "none"),
        ({"voice": "studio", "recognizer": "generic"}, "generic", "none"),
        ({"language": "th", "scenario": "domain"}, "none", "none"),
        ({"language": "th+vi", "scenario": "tools"}, "none", "42"),
    ],
)
def test_tables_have_no_value_where_nothing_is_there_to_have_one(
    axes: dict[str, str], recognizer: str, partition: str
) -> None:
    shown = axis_values(condition_of(axes), ("recognizer", "partition"))
    assert shown == {"recognizer": recognizer, "partition": partition}
