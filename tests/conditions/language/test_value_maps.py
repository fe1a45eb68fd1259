import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.conditions.language.artifacts import ValueSetText, ValueText
from dragoman.conditions.language.value_sets import (
    ESCAPE,
    ValueSet,
    build_value_set,
    fold_spelling,
    join_value_sets,
    value_set_from_artifact,
)
from dragoman.core.errors import DataError

CABIN = {
    "business": "thương gia",
    "economy": "phổ thông",
    "basic_economy": "phổ thông tiết kiệm",
}
texts = st.text(max_size=12)


@st.composite
def value_sets(draw: st.DrawFn, *, is_open: bool = False) -> ValueSet:
    """A value set of arbitrary values and labels that has a way back."""
    words = draw(
        st.lists(
            texts.filter(lambda text: fold_spelling(text) != ""),
            unique_by=fold_spelling,
            min_size=2,
            max_size=8,
        )
    )
    usable = [word for word in words if not word.startswith(ESCAPE)]
    pairs = dict(zip(usable[::2], usable[1::2], strict=False))
    return build_value_set("field", pairs, is_open=is_open)


@given(value_sets())
def test_every_value_of_a_closed_field_comes_back_from_its_label(values: ValueSet) -> None:
    assert all(values.canon(values.label(value)) == value for value in values.canonicals)


@given(value_sets(is_open=True), texts)
def test_every_text_of_an_open_field_comes_back_from_its_label(values: ValueSet, text: str) -> None:
    assert all(values.canon(values.label(value)) == value for value in (*values.canonicals, text))


@given(value_sets(is_open=True), st.data())
def test_a_text_of_an_open_field_that_looks_like_a_label_comes_back_too(
    values: ValueSet, data: st.DataObject
) -> None:
    labels = [*values.labels.values(), *values.canonicals]
    if not labels:
        return
    text = data.draw(st.sampled_from(labels)).upper()
    for value in (text, ESCAPE + text, f" {text}"):
        assert values.canon(values.label(value)) == value


@given(st.sampled_from(sorted(CABIN)), st.data())
def test_every_spelling_of_a_label_or_a_value_means_the_value(
    value: str, data: st.DataObject
) -> None:
    values = build_value_set("cabin", CABIN)
    text = data.draw(st.sampled_from([value, CABIN[value]]))
    spelling = data.draw(
        st.sampled_from(
            [
                unicodedata.normalize("NFC", text),
                unicodedata.normalize("NFD", text),
                text.upper(),
                text.title(),
                f"  {text}\t",
                text.replace("_", " "),
                text.replace("_", "-"),
                text.replace(" ", "\u00a0"),
                f"'{text}'",
                f"\u201c{text}\u201d",
            ]
        )
    )
    assert values.canon(spelling) == value


def test_a_text_that_is_none_of_a_closed_field_means_nothing() -> None:
    values = build_value_set("cabin", CABIN)
    assert values.canon("first") is None
    assert values.canon("") is None
    assert values.label("first") == "first"


def test_an_open_field_takes_any_text_as_itself() -> None:
    values = build_value_set("reason", {"no longer needed": "không còn nhu cầu"}, is_open=True)
    assert values.canon("too late") == "too late"
    assert values.canon("Không còn nhu cầu") == "no longer needed"
    assert values.label("Không còn nhu cầu") == "\\Không còn nhu cầu"


def test_two_values_with_one_spelling_are_refused_with_the_field() -> None:
    with pytest.raises(DataError, match=r"cabin: 'first class' would mean both 'a' and 'b'"):
        build_value_set("cabin", {"a": "First class", "b": "first-class"})


def test_a_label_that_is_another_value_is_refused() -> None:
    with pytest.raises(DataError, match="both 'active' and 'closed'"):
        build_value_set("status", {"active": "aktif", "closed": "Active"})


@pytest.mark.parametrize("label", ["", "  ", "\\n"])
def test_a_label_that_cannot_be_read_back_is_refused(label: str) -> None:
    with pytest.raises(DataError, match="cabin: 'a' has a label that is blank or starts with"):
        build_value_set("cabin", {"a": label})


def test_an_alias_is_taken_and_never_shown() -> None:
    values = build_value_set("mode", {"4g_only": "4g_only"}, {"4g_only": ["hanya 4G"]})
    assert values.canon("Hanya 4G") == "4g_only"
    assert values.label("4g_only") == "4g_only"


def test_an_alias_of_no_value_is_refused() -> None:
    with pytest.raises(DataError, match="aliases are declared for '5g_only'"):
        build_value_set("mode", {"4g_only": "4g_only"}, {"5g_only": ["hanya 5G"]})


def test_aliases_of_the_artifact_and_declared_ones_add_up() -> None:
    text = ValueSetText(
        "enum", (ValueText("phone", "ponsel", aliases=("hp",)), ValueText("tablet", "tablet"))
    )
    values = value_set_from_artifact("DeviceType", text, {"phone": ("telepon",)})
    assert [values.canon(each) for each in ("ponsel", "hp", "telepon", "phone")] == ["phone"] * 4


def test_a_value_that_is_listed_twice_is_refused() -> None:
    twice = ValueSetText("enum", (ValueText("a", "x"), ValueText("a", "y")))
    with pytest.raises(DataError, match="a value is listed twice"):
        value_set_from_artifact("Twice", twice)


def test_a_field_of_several_types_has_the_values_of_all() -> None:
    sources = join_value_sets(
        "source",
        [
            build_value_set("card", {"credit_card": "kartu kredit"}),
            build_value_set("gift", {"gift_card": "kartu hadiah"}),
        ],
    )
    assert sources.canon("Kartu Hadiah") == "gift_card"
    assert sources.label("credit_card") == "kartu kredit"


def test_types_whose_labels_coincide_cannot_share_a_field() -> None:
    sets = [build_value_set("card", {"a": "kartu"}), build_value_set("gift", {"b": "Kartu"})]
    with pytest.raises(DataError, match="source: 'kartu' would mean both 'a' and 'b'"):
        join_value_sets("source", sets)


def test_types_that_label_one_value_differently_cannot_share_a_field() -> None:
    sets = [build_value_set("card", {"a": "satu"}), build_value_set("gift", {"a": "dua"})]
    with pytest.raises(DataError, match="'a' has the labels 'satu' and 'dua'"):
        join_value_sets("source", sets)


def test_where_accents_do_not_matter_a_label_that_is_alone_is_taken_without_them() -> None:
    names = {"Ann": "Đặng Thị Hà", "Bea": "Lê Văn Tú", "Cid": "Lê Văn Tư"}
    values = build_value_set("PersonName", names, is_open=True).without_accents()
    assert values.canon("dang thi ha") == "Ann"
    assert values.canon("Đặng Thị Hà") == "Ann"
    assert values.canon("le van tu") == "le van tu"
    assert values.canon("Lê Văn Tư") == "Cid"
    assert values.known("le van tu") is None
    assert build_value_set("Street", names, is_open=True).canon("dang thi ha") == "dang thi ha"
