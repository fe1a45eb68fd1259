import pytest

from dragoman.conditions.language.database_names import (
    TranslatedName,
    count_texts,
    decode_database,
    find_differences,
    match_names,
    text_leaves,
)
from dragoman.core.errors import DataError

LEAVES = frozenset({"name"})
ENGLISH = {
    "products": {"1": {"name": "Tea Kettle", "price": 5}, "2": {"name": "Electric Kettle"}},
    "orders": {"#W1": {"items": [{"name": "Tea Kettle", "color": "name"}]}},
}
VIETNAMESE: dict[str, dict[str, object]] = {
    "products": {"1": {"name": "Ấm", "price": 5}, "2": {"name": "Ấm"}},
    "orders": {"#W1": {"items": [{"name": "Ấm đun", "color": "name"}]}},
}


def test_names_that_read_alike_come_back_by_their_place() -> None:
    names = match_names(ENGLISH, VIETNAMESE, LEAVES, "db")
    assert names.by_path["products", "1", "name"] == TranslatedName("Tea Kettle", "Ấm")
    assert names.by_path["products", "2", "name"] == TranslatedName("Electric Kettle", "Ấm")
    assert names.localize(ENGLISH) == VIETNAMESE
    assert names.restore(VIETNAMESE) == ENGLISH


def test_a_name_that_was_changed_since_stays() -> None:
    names = match_names(ENGLISH, VIETNAMESE, LEAVES, "db")
    changed = {"products": {"1": {"name": "Nồi"}}}
    assert names.restore(changed) == changed


@pytest.mark.parametrize(
    "other",
    [
        {**VIETNAMESE, "extra": {}},
        {**VIETNAMESE, "products": {**VIETNAMESE["products"], "1": {"name": "Ấm", "price": 6}}},
        {**VIETNAMESE, "orders": {"#W1": {"items": []}}},
        {**VIETNAMESE, "orders": {"#W1": {"items": [{"name": None, "color": "name"}]}}},
    ],
)
def test_anything_but_names_must_be_as_in_english(other: object) -> None:
    with pytest.raises(DataError, match="differs from English and is not a name"):
        match_names(ENGLISH, other, LEAVES, "db")


def test_a_difference_of_structure_is_told_apart_from_one_of_text() -> None:
    found = list(find_differences({"a": [1], "b": "x"}, {"a": [1, 2], "b": "y"}))
    assert sorted((each.path, each.structure) for each in found) == [
        (("a",), True),
        (("b",), False),
    ]
    assert [each.structure for each in find_differences(1, True)] == [True]


def test_texts_are_found_by_their_key_at_any_depth() -> None:
    assert dict(text_leaves(ENGLISH, LEAVES)) == {
        ("products", "1", "name"): "Tea Kettle",
        ("products", "2", "name"): "Electric Kettle",
        ("orders", "#W1", "items", 0, "name"): "Tea Kettle",
    }
    assert count_texts(ENGLISH, LEAVES) == 3
    assert count_texts({"name": {"name": ["name", {"name": "a"}]}}, LEAVES) == 1


def test_a_database_is_json_or_toml() -> None:
    assert decode_database(b' {"a": 1}', "db") == decode_database(b"a = 1", "db") == {"a": 1}
    with pytest.raises(DataError, match=r"db\.toml: "):
        decode_database(b"a =", "db.toml")
