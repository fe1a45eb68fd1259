import pytest

from dragoman.conditions.language.view_checks import (
    Coverage,
    ShownText,
    has_words,
    is_key,
    is_personal,
    measure_coverage,
    texts_of_result,
    texts_of_tools,
)
from dragoman.core.tools import Toolset, ToolSpec


def tools(description: str, parameter: str, values: list[str]) -> Toolset:
    schema: dict[str, object] = {
        "type": "object",
        "properties": {"status": {"type": "string", "description": parameter, "enum": values}},
        "required": ["status"],
    }
    return Toolset((ToolSpec("find", description, schema),))


def test_the_texts_of_tools_are_descriptions_and_choices() -> None:
    english = tools("Find orders.", "The status.", ["open", "closed"])
    shown = tools("ค้นหา", "The status.", ["เปิด", "closed"])
    found = measure_coverage("tools", texts_of_tools(english, shown))
    assert found == Coverage("tools", 4, 2, {"find: description": 1, "find: enum": 1})


def test_the_texts_of_a_result_are_keys_and_values() -> None:
    texts = list(
        texts_of_result(
            "find", '{"status": "open", "ids": ["A1"]}', '{"status": "เปิด", "ids": ["A1"]}'
        )
    )
    assert ShownText("field status", "open", "เปิด") in texts
    assert [text.english for text in texts if is_key(text)] == ["status", "ids"]


def test_a_result_that_is_no_record_is_one_text() -> None:
    assert list(texts_of_result("find", "Done", "เสร็จ")) == [ShownText("find", "Done", "เสร็จ")]
    assert list(texts_of_result("find", "[1", "[1")) == [ShownText("find", "[1", "[1")]


def test_names_and_addresses_are_known_by_their_field() -> None:
    assert is_personal(ShownText("field city", "Bonn", "Bonn"))
    assert not is_personal(ShownText("field status", "open", "open"))


@pytest.mark.parametrize("text", ["", "12.50", "#W123", "credit_card_4", "a@b.c", "JFK", "- 2"])
def test_ids_numbers_and_codes_belong_to_no_language(text: str) -> None:
    assert not has_words(text)


@pytest.mark.parametrize("text", ["open", "Order #W12 is open", "สวัสดี"])
def test_words_belong_to_one(text: str) -> None:
    assert has_words(text)


def test_a_text_that_is_seen_often_counts_once() -> None:
    seen = [ShownText("field a", "open", "open")] * 3 + [ShownText("field a", "12", "12")]
    assert measure_coverage("results", seen) == Coverage("results", 1, 1, {"field a": 1})
